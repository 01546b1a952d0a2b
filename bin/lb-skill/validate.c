/* lb-skill validate */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "skill.h"
#include "skill/name.h"

static bool json, strict;
static const char *config_file;

const struct lb_opt validate_options[] = {
	{'c', "config", "FILE", "read this configuration",
	 .text = &config_file},
	{.name = "json",
	 .help = "write lines of JSON to a terminal too",
	 .flag = &json},
	{'s', "strict", NULL,
	 "what the specification does not have is an error, too",
	 .flag = &strict},
	{0},
};

static bool is_error(const struct lb_skill_finding *f)
{
	return f->grade == LB_SKILL_UNFIT ||
	       (strict && f->grade == LB_SKILL_OFF);
}

static void show_json(const char *path, const struct lb_skill_finding *f)
{
	json_auto_t *row = lb_json_pack("{s:s}", "level",
					is_error(f) ? "error" : "warning");

	lb_json_set_str(row, "path", path, strlen(path));
	if (f->line > 0)
		json_object_set_new(row, "line",
				    json_integer((json_int_t)f->line));
	json_object_set_new(row, "rule", json_string(f->rule));
	lb_json_set_str(row, "text", f->text, strlen(f->text));
	json_dumpf(row, stdout, JSON_COMPACT);
	putchar('\n');
}

static void show(const char *path, const struct lb_skill_finding *f)
{
	lb_autobuf struct lb_buf line = {0};

	if (json || !isatty(STDOUT_FILENO)) {
		show_json(path, f);
		return;
	}
	lb_buf_puts(&line, path);
	if (f->line > 0)
		lb_buf_printf(&line, ":%zu", f->line);
	lb_buf_printf(&line, ": %s%s", is_error(f) ? "" : "warning: ", f->text);
	put_line(lb_buf_str(&line));
}

/* Is it good? */
static bool judge(const char *path, const struct lb_skill *skill)
{
	bool good = true;

	for (size_t i = 0; i < skill->found.n; i++) {
		show(path, &skill->found.at[i]);
		good = good && !is_error(&skill->found.at[i]);
	}
	return good;
}

/* The folder that a SKILL.md is in, as it is called wherever we are. */
static char *folder_name(const char *path)
{
	char *real = realpath(path, NULL);
	char *slash = real ? strrchr(real, '/') : NULL;
	char *name = NULL;

	if (slash)
		*slash = '\0';
	slash = slash ? strrchr(real, '/') : NULL;
	if (slash && slash[1])
		name = lb_strdup(slash + 1);
	free(real);
	return name;
}

/* 1: it is good; 0: it is not. */
static int check_file(const char *path, struct lb_error *err)
{
	lb_autofree char *text = NULL, *folder = folder_name(path);
	const char *slash = strrchr(path, '/');
	struct lb_skill skill;
	size_t len;
	bool good;

	if (lb_path_read(path, 4 << 20, &text, &len, err) < 0)
		return -1;
	lb_skill_read(&skill, text, len, folder);
	if (strcmp(slash ? slash + 1 : path, "skill.md") == 0)
		lb_skill_find(&skill.found, LB_SKILL_OFF, 0, "file",
			      "is called skill.md; call it SKILL.md");
	good = judge(path, &skill);
	lb_skill_release(&skill);
	return good;
}

static int check_path(const char *path, struct lb_error *err)
{
	static const char *const files[] = {"SKILL.md", "skill.md", NULL};
	size_t len = strlen(path);
	struct stat st;

	if (stat(path, &st) < 0)
		return lb_fail_sys(err, LB_NOINPUT, "cannot open '%s'", path);
	if (!S_ISDIR(st.st_mode))
		return check_file(path, err);
	while (len > 1 && path[len - 1] == '/')
		len--;
	for (int i = 0; files[i]; i++) {
		lb_autofree char *file =
			lb_printf("%.*s/%s", (int)len, path, files[i]);

		if (stat(file, &st) == 0)
			return check_file(file, err);
	}
	show(path,
	     &(struct lb_skill_finding){.grade = LB_SKILL_UNFIT,
					.rule = "file",
					.text = (char[]){
						"there is no SKILL.md in it"}});
	return 0;
}

/* A name without a slash that is no file here is one of the shelf. */
static int check(const char *what, struct desk *d, struct lb_error *err)
{
	struct lb_shelved one;
	lb_autofree char *path = NULL;
	bool good;

	if (strchr(what, '/') || access(what, F_OK) == 0 ||
	    lb_skill_name_why(what, strlen(what)))
		return check_path(what, err);
	if (lb_shelf_find(d->shelf, what, &one, err) < 0)
		return -1;
	path = lb_printf("%s/SKILL.md", one.folder);
	good = judge(path, &one.skill);
	lb_shelved_one_release(&one);
	return good;
}

static int check_all(struct desk *d, struct lb_error *err)
{
	struct lb_shelved_all all = {0};
	bool good = true;

	if (lb_shelf_list(d->shelf, &all, err) < 0)
		return -1;
	for (size_t i = 0; i < all.n; i++) {
		lb_autofree char *path =
			lb_printf("%s/SKILL.md", all.at[i].folder);

		good = judge(path, &all.at[i].skill) && good;
	}
	lb_shelved_release(&all);
	return good;
}

int validate_verb(int argc, char **argv)
{
	struct lb_error err;
	struct desk d;
	int code = LB_OK;

	if (desk_open(&d, config_file, &err) < 0)
		code = lb_report(&err);
	else if (argc == 0) {
		int good = check_all(&d, &err);

		code = good < 0 ? lb_report(&err) : good ? LB_OK : LB_NO;
	}
	for (int i = 0; d.shelf && i < argc; i++) {
		int good = check(argv[i], &d, &err);

		if (good < 0)
			lb_complain("%s", err.text);
		if (good < 1 && code <= LB_NO)
			code = good < 0 ? (int)err.code : LB_NO;
	}
	desk_close(&d);
	return code;
}
