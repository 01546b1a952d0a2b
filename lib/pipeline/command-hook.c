/*
 * Commands of the operator's: programs. The words of the user are arguments
 * of their own; no shell sees them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/proc.h"
#include "base/utf8.h"
#include "config/notice.h"
#include "pipeline/command.h"

enum { MAX_OUTPUT = 64 * 1024, MAX_ANSWER = 16 * 1024, MAX_VALUE = 1024 };
enum { MIN_MS = 1000, MAX_MS = 60 * 1000 };

static const char marker[] = "cmd:";

/* What follows cmd:, without blanks in front; NULL: it is none. */
static const char *program_of(const json_t *hook)
{
	const char *text = json_string_value(hook);

	if (!text || strncmp(text, marker, strlen(marker)) != 0)
		return NULL;
	text += strlen(marker);
	text += strspn(text, " \t");
	return *text ? text : NULL;
}

static int check(const char *name, const json_t *hook, struct lb_error *err)
{
	if (!program_of(hook))
		return lb_fail(err, LB_CONFIG,
			       "is not cmd:PROGRAM ARGUMENT ...");
	if (!*name || strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") !=
			      strlen(name))
		return lb_fail(err, LB_CONFIG,
			       "a command has a name of a-z, 0-9, '_' and '-'");
	return 0;
}

int lb_command_hooks_check(const struct lb_commands *c, struct lb_error *err)
{
	int64_t ms = lb_config_ms(c->config, "command.hook-timeout");
	const char *name;
	const json_t *hook;

	if (ms < MIN_MS || ms > MAX_MS) {
		lb_fail(err, LB_CONFIG, "is not 1s to 60s");
		return lb_config_blame(c->config, "command.hook-timeout", err);
	}
	json_object_foreach((json_t *)(uintptr_t)c->hooks, name, hook)
	{
		if (check(name, hook, err) < 0)
			return lb_command_blame(c, "hooks", name, err);
	}
	return 0;
}

/* Texts of an argv or an environment, NULL behind the last. */
struct vector {
	char **at;
	size_t n;
};

static void add(struct vector *v, char *take)
{
	v->at = lb_grow(v->at, (v->n + 2) * sizeof(*v->at));
	v->at[v->n++] = take;
	v->at[v->n] = NULL;
}

static void release(struct vector *v)
{
	for (size_t i = 0; i < v->n; i++)
		free(v->at[i]);
	free(v->at);
}

static void set(struct vector *env, const char *name, const char *value)
{
	size_t len = lb_utf8_cut(value, strlen(value), MAX_VALUE);

	add(env, lb_printf("%s=%.*s", name, (int)len, value));
}

/* The operator's words, split at blanks, then the user's. */
static void put_argv(struct vector *argv, const char *program,
		     const json_t *args)
{
	const json_t *one;
	size_t i;

	while (*program) {
		size_t len = strcspn(program, " \t");

		add(argv, lb_strndup(program, len));
		program += len;
		program += strspn(program, " \t");
	}
	json_array_foreach((json_t *)(uintptr_t)args, i, one)
		add(argv, lb_strdup(json_string_value(one)));
}

/* Nothing of ours but where programs are: no key, no state. */
static void put_env(struct vector *env, const struct lb_call *call)
{
	const struct lb_message *m = call->m;
	const char *path = lb_config_env("PATH");

	if (path)
		add(env, lb_printf("PATH=%s", path));
	set(env, "LANG", "C.UTF-8");
	set(env, "LB_COMMAND", call->name);
	set(env, "LB_BOT", m->bot);
	set(env, "LB_PIPELINE", m->flow->name);
	set(env, "LB_SESSION", lb_buf_str(&m->session));
	set(env, "LB_LAUNCHER_TYPE", m->launcher_type);
	set(env, "LB_LAUNCHER_ID", m->launcher_id);
	set(env, "LB_SENDER_ID", m->sender_id);
	set(env, "LB_SENDER_NAME", m->sender_name);
}

/* What it printed, as people can read it. */
static void put_output(struct lb_call *call, const struct lb_buf *raw)
{
	lb_autobuf struct lb_buf clean = {0}, text = {0};
	size_t len;

	lb_utf8_clean(&clean, lb_buf_str(raw), raw->len);
	lb_text_visible(&text, lb_buf_str(&clean), clean.len);
	len = lb_utf8_cut(lb_buf_str(&text), text.len, MAX_ANSWER);
	while (len > 0 && strchr(" \t\r\n", text.data[len - 1]))
		len--;
	if (len > 0)
		lb_buf_put(&call->out, text.data, len);
	else
		lb_notice_put(&call->out, call->m->pipeline->config,
			      "command-done", NULL);
}

int lb_command_hook(struct lb_call *call, struct lb_error *err)
{
	const struct lb_commands *c = call->m->pipeline->commands;
	const struct lb_subject of = lb_record_subject(call->m->record);
	lb_autobuf struct lb_buf raw = {0};
	struct vector argv = {0}, env = {0};
	struct lb_error why;
	int r;

	(void)err;
	if (!lb_aside(call->m->pipeline->asides))
		return 0;
	put_argv(&argv, program_of(json_object_get(c->hooks, call->name)),
		 call->args);
	put_env(&env, call);
	r = lb_proc_filter(
		&(struct lb_proc_job){
			.argv = argv.at,
			.env = env.at,
			.max = MAX_OUTPUT,
			.timeout_ms =
				lb_config_ms(c->config, "command.hook-timeout"),
		},
		&raw, &why);
	release(&argv);
	release(&env);
	if (r < 0) {
		lb_log(LB_WARNING, &of, "command '%s': %s", call->name,
		       why.text);
		lb_notice_put(&call->out, c->config, "command-failed", "name",
			      call->name, NULL);
		return 0;
	}
	put_output(call, &raw);
	return 0;
}
