/* lb-config import - a configuration from what LangBot keeps. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/table.h"
#include "config/config.h"
#include "config/render.h"
#include "fs/atomic.h"
#include "langbot/langbot.h"
#include "pipeline/pipeline.h"
#include "verbs.h"

static bool as_json, print, from_langbot;

const struct lb_opt import_options[] = {
	{.name = "from-langbot",
	 .help = "read the data folder DIR of LangBot (default "
		 "$LANGBOT_DATA_ROOT, else ./data)",
	 .flag = &from_langbot},
	{.name = "json",
	 .help = "the report as JSON lines, also on a terminal",
	 .flag = &as_json},
	{.name = "print",
	 .help = "print the configuration and write nothing; the report goes "
		 "to standard error",
	 .flag = &print},
	{0},
};

/* Where things go: beside the main file, or as that where there is none. */
struct target {
	char *file, *aside;
	bool is_main;
};

static int find_target(struct target *t, struct lb_error *err)
{
	lb_autofree char *fresh = NULL, *folder = NULL;
	lb_autofree char *found = lb_config_find(&fresh);
	const char *main_file = found ? found : fresh;
	const char *slash;

	if (!main_file)
		return lb_fail(err, LB_CONFIG,
			       "none of LB_CONFIG, XDG_CONFIG_HOME and HOME is "
			       "set");
	slash = strrchr(main_file, '/');
	folder = slash ? lb_strndup(main_file, (size_t)(slash - main_file))
		       : lb_strdup(".");
	t->is_main = access(main_file, F_OK) < 0;
	t->file = t->is_main ? lb_strdup(main_file)
			     : lb_printf("%s/conf.d/langbot.yaml", folder);
	t->aside = lb_printf("%s/langbot-import.json", folder);
	return 0;
}

/* ~/x, and a folder relative to this one, as LangBot reads it. */
static char *data_folder(const char *given)
{
	const char *home = lb_config_env("HOME");

	if (!given)
		given = lb_config_env("LANGBOT_DATA_ROOT");
	if (given && strncmp(given, "~/", 2) == 0 && home)
		return lb_printf("%s/%s", home, given + 2);
	return lb_strdup(given ? given : "data");
}

static void render(struct lb_buf *out, const json_t *all, const char *dir)
{
	lb_autobuf struct lb_buf name = {0};
	const char *key;
	json_t *one;

	lb_buf_json_str(&name, dir, strlen(dir));
	lb_buf_printf(out, "## From LangBot's data in %s\n", name.data);
	json_object_foreach((json_t *)(uintptr_t)all, key, one)
	{
		lb_buf_putc(out, '\n');
		lb_render_member(out, key, one, 0, 2, "\n");
	}
}

/* What is made must be a configuration, or it is not given to anybody. */
static int check(const struct target *t, const struct lb_buf *text,
		 struct lb_error *err)
{
	struct lb_config *config = lb_config_gather(&(struct lb_sources){
		.file = t->file,
		.text = lb_buf_str(text),
		.len = text->len,
		.no_environment = true,
	});
	struct lb_pipeline pipeline = {.config = config};
	int r;

	lb_config_check_providers(config);
	r = lb_config_verdict(config, err);
	if (r == 0)
		r = lb_pipeline_ready(&pipeline, err);
	lb_pipeline_release(&pipeline);
	lb_config_close(config);
	if (r < 0) {
		lb_error_wrap(err, "what was made does not load");
		err->code = LB_BUG;
	}
	return r;
}

static int make_folder(const char *file, struct lb_error *err)
{
	const char *slash = strrchr(file, '/');
	lb_autofree char *folder =
		slash && slash > file ? lb_strndup(file, (size_t)(slash - file))
				      : NULL;

	return folder ? lb_path_make(folder, err) : 0;
}

/* Both or none; neither is ever written over. */
static int write_files(const struct target *t, const struct lb_buf *text,
		       const json_t *kept, struct lb_error *err)
{
	lb_autofree char *json = json_dumps(kept, JSON_INDENT(1));
	bool keep = json_object_size(kept) > 0;
	struct stat st;

	if (lstat(t->file, &st) == 0)
		return lb_fail(err, LB_DENIED,
			       "'%s' is there already: move it away to import "
			       "anew",
			       t->file);
	if (make_folder(t->file, err) < 0 ||
	    (keep && lb_atomic_create(t->aside, json, strlen(json), err) < 0))
		return -1;
	if (lb_atomic_create(t->file, lb_buf_str(text), text->len, err) == 0)
		return 0;
	if (keep)
		unlink(t->aside);
	return -1;
}

static void show_line(const json_t *line, FILE *to)
{
	const char *why = lb_json_str(line, "why");

	fprintf(to, "%s '%s': %s%s%s\n", lb_json_str(line, "what"),
		lb_json_str(line, "name"), lb_json_str(line, "result"),
		why ? ": " : "", why ? why : "");
}

static void report(const json_t *lines)
{
	static const char *const columns[] = {"what", "name", "result", "why",
					      NULL};
	struct lb_table *table = print ? NULL : lb_table_open(columns, as_json);
	json_t *line;
	size_t i;

	json_array_foreach(lines, i, line)
	{
		if (!print)
			lb_table_row(table, json_incref(line));
		else if (as_json)
			json_dumpf(line, stderr, JSON_COMPACT);
		else
			show_line(line, stderr);
		if (print && as_json)
			fputc('\n', stderr);
	}
	if (!print)
		lb_table_close(table);
}

static int import(struct lb_langbot *in, struct target *t, struct lb_error *err)
{
	lb_autobuf struct lb_buf text = {0};

	if (lb_config_verdict(in->existing, err) < 0)
		return lb_error_wrap(err, "the configuration there is");
	if (lb_langbot_import(in, err) < 0)
		return -1;
	render(&text, in->out, in->dir);
	if (check(t, &text, err) < 0)
		return -1;
	if (!print && write_files(t, &text, in->kept, err) < 0)
		return -1;
	report(in->report);
	if (print) {
		fwrite(lb_buf_str(&text), 1, text.len, stdout);
		return 0;
	}
	lb_tell(NULL, "written: %s%s%s", t->file,
		json_object_size(in->kept) > 0 ? ", and what has no place yet: "
					       : "",
		json_object_size(in->kept) > 0 ? t->aside : "");
	return 0;
}

int verb_import(int argc, char **argv)
{
	lb_autofree char *dir = data_folder(argc > 0 ? argv[0] : NULL);
	const char *tmp = lb_config_env("TMPDIR");
	struct lb_langbot in = {.dir = dir, .tmp = tmp ? tmp : "/tmp"};
	struct target t = {0};
	struct lb_config *existing = NULL;
	struct lb_error err;
	int r;

	if (!from_langbot)
		lb_usage("say --from-langbot: nothing else can be imported in "
			 "this version");
	r = find_target(&t, &err);
	if (r == 0) {
		struct lb_sources there = {.no_environment = true};

		if (t.is_main) { /* but there may be a conf.d */
			there.file = t.file;
			there.text = "";
		}
		in.existing = existing = lb_config_gather(&there);
		r = import(&in, &t, &err);
	}
	lb_langbot_release(&in);
	lb_config_close(existing);
	free(t.file);
	free(t.aside);
	return r < 0 ? lb_report(&err) : LB_OK;
}
