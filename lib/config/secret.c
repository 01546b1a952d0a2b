/* secret.c - from where a secret is to the secret. */
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/proc.h"
#include "config/config.h"

enum { MAX_SECRET = 65536, COMMAND_MS = 10000 };

static char *first_line(const char *text, const char *what,
			struct lb_error *err)
{
	size_t len = strcspn(text, "\r\n");

	if (len > 0)
		return lb_strndup(text, len);
	lb_fail(err, LB_CONFIG, "%s is empty", what);
	return NULL;
}

static char *from_file(const char *path, struct lb_error *err)
{
	lb_autofree char *text = NULL, *what = NULL;
	size_t len;

	if (*path != '/') {
		lb_fail(err, LB_CONFIG,
			"secret file '%s' is not an absolute path", path);
		return NULL;
	}
	if (lb_path_read(path, MAX_SECRET, &text, &len, err) < 0) {
		err->code = LB_CONFIG;
		lb_error_wrap(err, "secret file");
		return NULL;
	}
	what = lb_printf("secret file '%s'", path);
	return first_line(text, what, err);
}

/* The command is not shown: people put more into it than they should. */
static char *from_command(const char *command, struct lb_error *err)
{
	lb_autofree char *copy = lb_strdup(command);
	char shell[] = "/bin/sh", flag[] = "-c";
	char *argv[] = {shell, flag, copy, NULL};
	lb_autobuf struct lb_buf out = {0};

	if (lb_proc_capture(argv, MAX_SECRET, COMMAND_MS, &out, err) < 0) {
		err->code = LB_CONFIG;
		lb_error_wrap(err, "the command of a secret");
		return NULL;
	}
	return first_line(lb_buf_str(&out), "what the command of a secret says",
			  err);
}

static char *from_environment(const char *name, struct lb_error *err)
{
	const char *value = lb_config_env(name);

	if (value)
		return lb_strdup(value);
	lb_fail(err, LB_CONFIG, "environment variable '%s' is not set", name);
	return NULL;
}

char *lb_config_secret(const char *value, struct lb_error *err)
{
	char *secret;

	if (strncmp(value, "env:", 4) == 0)
		secret = from_environment(value + 4, err);
	else if (strncmp(value, "file:", 5) == 0)
		secret = from_file(value + 5, err);
	else if (strncmp(value, "cmd:", 4) == 0)
		secret = from_command(value + 4, err);
	else
		secret = lb_strdup(value);
	if (secret)
		lb_log_secret(secret);
	return secret;
}
