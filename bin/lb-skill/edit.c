/* lb-skill edit */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/proc.h"
#include "base/utf8.h"
#include "skill.h"
#include "skill/own.h"

static const char *config_file, *instructions;
static struct lb_list set, unset;

const struct lb_opt edit_options[] = {
	{'c', "config", "FILE", "read this configuration",
	 .text = &config_file},
	{.name = "instructions",
	 .arg = "FILE",
	 .help = "what a model is to do; - is the standard input",
	 .text = &instructions},
	{.name = "set",
	 .arg = "KEY=TEXT",
	 .help = "a member of the frontmatter; may be repeated",
	 .list = &set},
	{.name = "unset",
	 .arg = "KEY",
	 .help = "take a member out; may be repeated",
	 .list = &unset},
	{0},
};

static void take_over(struct lb_buf *text, struct lb_buf *now)
{
	struct lb_buf old = *text;

	*text = *now;
	*now = old;
	lb_buf_reset(now);
}

static int set_one(struct lb_buf *text, const char *pair, struct lb_error *err)
{
	lb_autobuf struct lb_buf now = {0}, clean = {0};
	const char *is = strchr(pair, '=');
	lb_autofree char *key =
		is ? lb_strndup(pair, (size_t)(is - pair)) : NULL;
	json_auto_t *value = NULL;

	if (!key || !*key || strcmp(key, "name") == 0)
		lb_usage(key && *key ? "the name of a skill stays"
				     : "--set wants KEY=TEXT");
	lb_utf8_clean(&clean, is + 1, strlen(is + 1));
	value = json_string(lb_buf_str(&clean));
	if (lb_own_set(lb_buf_str(text), text->len, key, value, &now, err) < 0)
		return -1;
	take_over(text, &now);
	return 0;
}

static int change(struct lb_buf *text, struct lb_error *err)
{
	lb_autobuf struct lb_buf now = {0};
	lb_autofree char *body = NULL;
	size_t len;

	for (size_t i = 0; i < set.n; i++)
		if (set_one(text, set.at[i], err) < 0)
			return -1;
	for (size_t i = 0; i < unset.n; i++) {
		if (lb_own_set(lb_buf_str(text), text->len, unset.at[i], NULL,
			       &now, err) < 0)
			return -1;
		take_over(text, &now);
	}
	if (!instructions)
		return 0;
	if (read_text(instructions, &body, &len, err) < 0 ||
	    lb_own_body(lb_buf_str(text), text->len, body, len, &now, err) < 0)
		return -1;
	take_over(text, &now);
	return 0;
}

/* Run the person's editor on a file. */
static int run_editor(char *file, struct lb_error *err)
{
	char sh[] = "sh", c[] = "-c", script[] = "exec $EDITOR \"$1\"";
	char *argv[] = {sh, c, script, sh, file, NULL};
	const int fds[] = {0, 1, 2};
	const struct lb_child child = {.argv = argv, .fds = fds, .n_fds = 3};
	int status;
	pid_t pid;

	if (lb_child_start(&child, &pid, err) < 0)
		return -1;
	if (waitpid(pid, &status, 0) < 0)
		return lb_fail_sys(err, LB_OS, "cannot wait for the editor");
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return lb_fail(err, LB_UNAVAILABLE,
			       "the editor failed; nothing is changed");
	return 0;
}

/* What was typed is in *typed afterwards, in a folder of its own; caller frees. */
static int by_hand(struct lb_buf *text, char **typed, struct lb_error *err)
{
	const char *temp = lb_config_env("TMPDIR");
	lb_autofree char *folder =
		lb_printf("%s/lb-skill-XXXXXX", temp ? temp : "/tmp");
	lb_autofree char *file = NULL, *now = NULL;
	lb_autoclose int fd = -1;
	size_t len;
	int r = -1;

	if (!lb_config_env("EDITOR"))
		lb_usage("say what to change, or which program edits, in "
			 "EDITOR");
	if (!mkdtemp(folder))
		return lb_fail_sys(err, LB_IO, "cannot make '%s'", folder);
	file = lb_printf("%s/SKILL.md", folder);
	fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 ||
	    write(fd, lb_buf_str(text), text->len) != (ssize_t)text->len)
		lb_fail_sys(err, LB_IO, "cannot write '%s'", file);
	else if (run_editor(file, err) == 0)
		r = lb_path_read(file, LB_SKILL_MD_MAX, &now, &len, err);
	if (r < 0) {
		unlink(file);
		rmdir(folder);
		return -1;
	}
	lb_buf_reset(text);
	lb_buf_put(text, now, len);
	*typed = lb_steal(&file);
	return 0;
}

/* What somebody typed is nothing to throw away because of a slip in it. */
static int done_typing(char *typed, int r, struct lb_error *err)
{
	if (r < 0)
		return lb_error_wrap(err, "what was typed is kept in '%s'",
				     typed);
	unlink(typed);
	*strrchr(typed, '/') = '\0';
	rmdir(typed);
	return r;
}

static int edit(struct desk *d, const char *name, struct lb_error *err)
{
	bool said = set.n > 0 || unset.n > 0 || instructions;
	lb_autobuf struct lb_buf text = {0};
	lb_autofree char *typed = NULL;
	struct lb_shelved one;
	int r;

	if (lb_shelf_find(d->shelf, name, &one, err) < 0)
		return -1;
	lb_buf_put(&text, one.text ? one.text : "", one.len);
	lb_shelved_one_release(&one);
	if ((said ? change(&text, err) : by_hand(&text, &typed, err)) < 0)
		return -1;
	r = lb_own_write(d->shelf, name,
			 &(struct lb_own_file){"SKILL.md", lb_buf_str(&text),
					       text.len, LB_OWN_AS_IS},
			 err);
	return typed ? done_typing(typed, r, err) : r;
}

int edit_verb(int argc, char **argv)
{
	struct lb_error err;
	struct desk d;
	int r = desk_open(&d, config_file, &err);

	(void)argc;
	if (r == 0)
		r = edit(&d, argv[0], &err);
	desk_close(&d);
	return r < 0 ? lb_report(&err) : LB_OK;
}
