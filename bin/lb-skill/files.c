/* lb-skill files, lb-skill cat */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "fs/beneath.h"
#include "fs/walk.h"
#include "skill.h"
#include "skill/pack.h"

static bool json;
static const char *config_file;

const struct lb_opt files_options[] = {
	{'c', "config", "FILE", "read this configuration",
	 .text = &config_file},
	{.name = "json",
	 .help = "write lines of JSON to a terminal too",
	 .flag = &json},
	{0},
};

const struct lb_opt cat_options[] = {
	{'c', "config", "FILE", "read this configuration",
	 .text = &config_file},
	{0},
};

static const char *const columns[] = {"path", "size", "type", NULL};

static void show(struct lb_table *table, const struct lb_walk_entry *e)
{
	struct stat st = {0};
	json_t *row = lb_json_pack("{}");

	fstatat(e->folder, e->name, &st, AT_SYMLINK_NOFOLLOW);
	lb_json_set_str(row, "path", e->path, e->path_len);
	json_object_set_new(row, "type",
			    json_string(e->type == DT_DIR   ? "folder"
					: e->type == DT_REG ? "file"
					: e->type == DT_LNK ? "link"
							    : "other"));
	if (e->type == DT_REG) {
		json_object_set_new(row, "size", json_integer(st.st_size));
		json_object_set_new(row, "exec",
				    json_boolean(st.st_mode & 0100));
	}
	lb_table_row(table, row);
}

static int list(const struct lb_shelved *one, struct lb_error *err)
{
	const struct lb_walk_options options = {
		.max_entries = LB_PACK_ENTRIES,
		.max_depth = LB_PACK_DEPTH,
		.sort = true,
		.paths = true,
	};
	lb_autoclose int fd = lb_shelved_open(one, err);
	struct lb_walk *walk = fd < 0 ? NULL : lb_walk_open(fd, &options, err);
	struct lb_walk_entry e;
	struct lb_table *table;
	int r = 0;

	if (fd < 0)
		return -1;
	if (!walk)
		return lb_error_wrap(err, "%s", one->folder);
	table = lb_table_open(columns, json);
	while (lb_walk_next(walk, &e) > 0) {
		show(table, &e);
		if (e.type == DT_DIR)
			lb_walk_enter(walk);
	}
	if (lb_walk_ended(walk) != LB_WALK_WHOLE)
		r = lb_fail(err, LB_DATA, "'%s' has more than is listed",
			    one->folder);
	lb_table_close(table);
	lb_walk_close(walk);
	return r;
}

static int copy_out(const struct lb_shelved *one, const char *path,
		    struct lb_error *err)
{
	lb_autoclose int root = lb_shelved_open(one, err);
	const struct lb_beneath at = {root, path, NULL};
	lb_autoclose int fd =
		root < 0 ? -1
			 : lb_beneath_open(&at, O_RDONLY, LB_BENEATH_FILE, err);
	char bytes[64 << 10];
	ssize_t n;

	if (fd < 0)
		return -1;
	while ((n = read(fd, bytes, sizeof(bytes))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return lb_fail_sys(err, LB_IO, "cannot read '%.200s'",
					   path);
		fwrite(bytes, 1, (size_t)n, stdout);
	}
	return 0;
}

/* `path` NULL: the list of all. */
static int run(const char *name, const char *path)
{
	struct lb_shelved one;
	struct lb_error err;
	struct desk d;
	int r = desk_open(&d, config_file, &err);

	if (r == 0)
		r = lb_shelf_find(d.shelf, name, &one, &err);
	if (r == 0) {
		r = path ? copy_out(&one, path, &err) : list(&one, &err);
		lb_shelved_one_release(&one);
	}
	desk_close(&d);
	return r < 0 ? lb_report(&err) : LB_OK;
}

int files_verb(int argc, char **argv)
{
	(void)argc;
	return run(argv[0], NULL);
}

int cat_verb(int argc, char **argv)
{
	return run(argv[0], argc > 1 ? argv[1] : "SKILL.md");
}
