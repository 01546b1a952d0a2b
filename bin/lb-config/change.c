/* change.c - from a file to a changed one, checked and in one step. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "config/coerce.h"
#include "config/config.h"
#include "config/edit.h"
#include "config/keys.h"
#include "fs/atomic.h"
#include "verbs.h"

/* Two changes at once would lose one: the folder is the lock. */
static int lock_folder(struct change *c, struct lb_error *err)
{
	const char *slash = strrchr(c->file, '/');
	lb_autofree char *folder =
		slash ? lb_strndup(c->file, (size_t)(slash - c->file))
		      : lb_strdup(".");

	if (slash == c->file)
		return 0; /* a file in /: nothing to make, or to lock */
	if (lb_path_make(folder, err) < 0)
		return -1;
	c->lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (c->lock < 0 || flock(c->lock, LOCK_EX) < 0)
		return lb_fail_sys(err, LB_IO, "cannot lock folder '%s'",
				   folder);
	return 0;
}

/* What the file would come to with this text, providers and all. */
static struct lb_config *gather(const struct change *c, const char *text,
				size_t len)
{
	struct lb_config *config =
		lb_config_gather(&(struct lb_sources){.file = c->file,
						      .text = text,
						      .len = len,
						      .no_environment = true});

	lb_config_check_providers(config);
	advise(config);
	return config;
}

int change_begin(struct change *c, struct lb_error *err)
{
	lb_autofree char *found = NULL, *fresh = NULL;
	json_auto_t *readable = NULL;

	*c = (struct change){.lock = -1};
	found = lb_config_find(&fresh);
	c->file = found ? lb_steal(&found) : lb_steal(&fresh);
	if (!c->file)
		return lb_fail(err, LB_CONFIG,
			       "none of LB_CONFIG, XDG_CONFIG_HOME and HOME is "
			       "set");
	if (lock_folder(c, err) < 0)
		return -1;
	if (access(c->file, F_OK) < 0 && errno == ENOENT)
		c->text = lb_strdup("");
	else if (lb_path_read(c->file, LB_YAML_MAX, &c->text, &c->len, err) < 0)
		return -1;
	readable = lb_yaml_parse(c->text, c->len, c->file, err);
	if (!readable)
		return -1;
	c->config = gather(c, c->text, c->len);
	return 0;
}

void change_end(struct change *c)
{
	lb_config_close(c->config);
	free(c->file);
	free(c->text);
	lb_close_fd(&c->lock);
}

/* The same in the same file, whatever its line is now. */
static bool is_same(const struct lb_finding *a, const struct lb_finding *b)
{
	const char *end = strrchr(a->where, ':');
	size_t file = end ? (size_t)(end - a->where) : strlen(a->where);

	return a->level == b->level && strcmp(a->text, b->text) == 0 &&
	       strncmp(a->where, b->where, file) == 0;
}

static bool was_there(const struct lb_config *before,
		      const struct lb_finding *p)
{
	for (size_t i = 0; i < before->n_problems; i++)
		if (is_same(&before->problems[i], p))
			return true;
	return false;
}

/*
 * A file may have problems and still be mended, one after the other: only a
 * problem that was not there refuses a change.
 */
static int refuse_new(const struct lb_config *before,
		      const struct lb_config *after, struct lb_error *err)
{
	for (size_t i = 0; i < after->n_problems; i++) {
		const struct lb_finding *p = &after->problems[i];

		if (p->level == LB_PROBLEM && !was_there(before, p))
			return lb_fail(err, LB_CONFIG, "not written: %s%s%s",
				       p->where, *p->where ? ": " : "",
				       p->text);
	}
	return 0;
}

/* What stays wrong, and what comes of the change and is hardly meant. */
static void tell_remaining(const struct lb_config *before,
			   const struct lb_config *after)
{
	for (size_t i = 0; i < after->n_problems; i++) {
		const struct lb_finding *p = &after->problems[i];
		bool wrong = p->level == LB_PROBLEM;

		if (wrong || !was_there(before, p))
			lb_warn("%s: %s%s%s", wrong ? "still wrong" : "warning",
				p->where, *p->where ? ": " : "", p->text);
	}
}

int change_commit(struct change *c, const struct lb_buf *text,
		  struct lb_error *err)
{
	struct lb_config *next = gather(c, lb_buf_str(text), text->len);
	struct lb_error why;
	int bad;

	/* rules are told one by one: the next of two is none of the change */
	check_rules(c->config);
	if (lb_config_verdict(c->config, &why) == 0)
		check_rules(next);
	bad = refuse_new(c->config, next, err);

	if (!bad)
		bad = lb_atomic_write(c->file, lb_buf_str(text), text->len,
				      err);
	if (!bad)
		tell_remaining(c->config, next);
	lb_config_close(next);
	return bad;
}

/* Standard input to its end, without the last newline. */
static int read_stdin(struct lb_buf *out, struct lb_error *err)
{
	char part[4096];
	size_t n;

	while ((n = fread(part, 1, sizeof(part), stdin)) > 0) {
		if (out->len + n > LB_YAML_MAX)
			return lb_fail(err, LB_DATA,
				       "the value is longer than %d bytes",
				       LB_YAML_MAX);
		lb_buf_put(out, part, n);
	}
	if (ferror(stdin))
		return lb_fail_sys(err, LB_IO, "cannot read standard input");
	while (out->len > 0 && strchr("\r\n", out->data[out->len - 1]))
		out->data[--out->len] = '\0';
	return 0;
}

static bool is_secret(const struct lb_key *key)
{
	return key->type == LB_KEY_SECRET || key->type == LB_KEY_SECRETS;
}

static bool has_literal(const json_t *value)
{
	size_t i;
	json_t *one;

	if (json_is_string(value))
		return lb_secret_is_literal(json_string_value(value));
	json_array_foreach((json_t *)(uintptr_t)value, i, one)
	{
		if (lb_secret_is_literal(json_string_value(one)))
			return true;
	}
	return false;
}

static int not_a_key(const char *path, struct lb_error *err)
{
	lb_autofree char *near = NULL;

	if (lb_key_is_branch(path))
		return lb_fail(err, LB_USAGE, "'%s' is a section; set its keys",
			       path);
	if (lb_key_absence(path, NULL) != LB_KEY_UNKNOWN)
		return lb_key_refuse_absent(path, err);
	near = lb_key_near(path);
	if (near)
		return lb_fail(err, LB_USAGE,
			       "'%s' is no key (did you mean '%s'?)", path,
			       near);
	return lb_fail(err, LB_USAGE, "'%s' is no key", path);
}

int change_set(const char *path, const char *value, struct lb_buf *text,
	       struct lb_error *err)
{
	const struct lb_key *key = lb_key_find(path);
	lb_autobuf struct lb_buf typed = {0}, out = {0};
	bool from_stdin = strcmp(value, "-") == 0;
	json_auto_t *parsed = NULL;

	if (!key)
		return not_a_key(path, err);
	if (from_stdin && read_stdin(&typed, err) < 0)
		return -1;
	parsed = lb_coerce_text(key, from_stdin ? lb_buf_str(&typed) : value,
				err);
	if (!parsed)
		return lb_error_wrap(err, "%s", path);
	if (is_secret(key) && !from_stdin && has_literal(parsed))
		return lb_fail(err, LB_USAGE,
			       "%s: a secret on a command line can be seen by "
			       "others; write env:NAME, file:PATH or "
			       "cmd:COMMAND, or '-' to read it from standard "
			       "input",
			       path);
	if (lb_edit_set(lb_buf_str(text), text->len, path, parsed, &out, err) <
	    0)
		return -1;
	lb_buf_reset(text);
	lb_buf_put(text, lb_buf_str(&out), out.len);
	return 0;
}
