/* lb-skill create, lb-skill write */
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/utf8.h"
#include "skill.h"
#include "skill/own.h"
#include "skill/pack.h"

static bool exec;
static const char *config_file, *description, *instructions;

const struct lb_opt create_options[] = {
	{'c', "config", "FILE", "read this configuration",
	 .text = &config_file},
	{'d', "description", "TEXT", "what it does, and when to use it",
	 .text = &description},
	{.name = "instructions",
	 .arg = "FILE",
	 .help = "what a model is to do; - is the standard input",
	 .text = &instructions},
	{0},
};

const struct lb_opt write_options[] = {
	{'c', "config", "FILE", "read this configuration",
	 .text = &config_file},
	{'x', "exec", NULL, "a program that may be run", .flag = &exec},
	{0},
};

int read_text(const char *path, char **text, size_t *len, struct lb_error *err)
{
	if (strcmp(path, "-") == 0)
		return read_input(LB_SKILL_MD_MAX, text, len, err);
	return lb_path_read(path, LB_SKILL_MD_MAX, text, len, err);
}

int create_verb(int argc, char **argv)
{
	lb_autobuf struct lb_buf file = {0}, about = {0};
	lb_autofree char *body = NULL;
	size_t len = 0;
	struct lb_error err;
	struct desk d;
	int r = desk_open(&d, config_file, &err);

	(void)argc;
	if (!description || !*description)
		lb_usage("a skill needs a --description");
	if (r == 0 && instructions)
		r = read_text(instructions, &body, &len, &err);
	if (r == 0) {
		lb_utf8_clean(&about, description, strlen(description));
		lb_own_compose(&file, argv[0], lb_buf_str(&about),
			       body ? body : "", len);
		r = lb_own_create(d.shelf, argv[0],
				  &(struct lb_own_file){"SKILL.md",
							lb_buf_str(&file),
							file.len, LB_OWN_PLAIN},
				  &err);
	}
	if (r == 0)
		lb_tell(NULL,
			"'%s' is in '%s/%s'; 'lb-skill edit' and "
			"'lb-skill write' change it",
			argv[0], d.shelf->store, argv[0]);
	desk_close(&d);
	return r < 0 ? lb_report(&err) : LB_OK;
}

int write_verb(int argc, char **argv)
{
	struct lb_own_file file = {
		.path = argv[1],
		.mode = exec ? LB_OWN_EXEC : LB_OWN_AS_IS,
	};
	lb_autofree char *text = NULL;
	struct lb_error err;
	struct desk d;
	int r = desk_open(&d, config_file, &err);

	(void)argc;
	if (r == 0)
		r = read_input(LB_PACK_FILE, &text, &file.len, &err);
	file.text = text;
	if (r == 0)
		r = lb_own_write(d.shelf, argv[0], &file, &err);
	desk_close(&d);
	return r < 0 ? lb_report(&err) : LB_OK;
}
