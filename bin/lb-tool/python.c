/* lb-tool - commands that use a skill in Python. */
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "calls.h"
#include "tool/args.h"
#include "tool/python.h"

enum { LEAVE_MS = 5000 }; /* of a call's time, to run in or to answer */

#define USUAL_PATH "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"

/* Does a text name that skill's folder? */
static bool names(const char *text, const char *skill)
{
	static const char above[] = ".skills/";
	size_t n = strlen(skill);

	if (!text)
		return false;
	while ((text = strstr(text, above)) != NULL) {
		text += sizeof(above) - 1;
		if (strncmp(text, skill, n) == 0 &&
		    !(text[n] == '-' || (text[n] >= '0' && text[n] <= '9') ||
		      (text[n] >= 'a' && text[n] <= 'z')))
			return true;
	}
	return false;
}

static bool is_active(const struct call *c, const char *skill)
{
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)json_object_get(c->job->context,
								"skills"),
			   i, one)
	{
		if (json_is_string(one) &&
		    strcmp(json_string_value(one), skill) == 0)
			return true;
	}
	return false;
}

/* The one that the command works with, among those that are active; the number
 * of all skills: none. */
static size_t find(const struct call *c)
{
	const char *command = lb_json_str(c->job->arguments, "command");
	const char *workdir = lb_json_str(c->job->arguments, "workdir");
	size_t only = c->skills.n, n = 0;

	for (size_t i = 0; i < c->skills.n; i++) {
		const struct lb_place_skill *s = &c->skills.place[i];

		if (!is_active(c, s->name) || !lb_python_is(s->fd))
			continue;
		if (names(command, s->name) || names(workdir, s->name))
			return i;
		only = i;
		n++;
	}
	/* "cd .skills && ..." */
	if (n == 1 && ((command && strstr(command, ".skills")) ||
		       (workdir && strstr(workdir, ".skills"))))
		return only;
	return c->skills.n;
}

static void set_default(json_t *env, const char *name, const char *text)
{
	if (!json_object_get(env, name))
		json_object_set_new(env, name, json_string(text));
}

static void made(void *arg, const struct lb_python_end *end)
{
	struct call *c = arg;
	const json_t *given = json_object_get(c->job->arguments, "env");
	json_auto_t *env = NULL;
	lb_autofree char *path = NULL;

	c->waiting = NULL;
	if (!end->folder) {
		call_answer(c, lb_tool_refuse("%s", end->why));
		return;
	}
	env = json_is_object(given) ? json_copy((json_t *)(uintptr_t)given)
				    : json_object();
	path = lb_printf("%s/bin:" USUAL_PATH, end->folder);
	set_default(env, "VIRTUAL_ENV", end->folder);
	set_default(env, "PATH", path);
	c->arguments = json_copy((json_t *)(uintptr_t)c->job->arguments);
	json_object_set(c->arguments, "env", env);
	if (end->took_ms > 0)
		tool_skills_tell(
			&c->skills,
			json_sprintf("the Python packages of the skill "
				     "were installed first, in %lld s",
				     (long long)(end->took_ms + 999) / 1000));
	call_exec_now(c);
}

int call_python(struct call *c, struct lb_error *err)
{
	struct serving *s = c->job->arg;
	size_t i = c->session ? find(c) : c->skills.n;

	if (i == c->skills.n)
		return 0;
	c->waiting =
		lb_python_start(s->pythons,
				&(struct lb_python_order){
					.session = c->session,
					.profile = c->policy.profile,
					.name = c->skills.place[i].name,
					.path = c->skills.box[i].path,
					.folder = c->skills.place[i].fd,
					.deadline = c->job->deadline - LEAVE_MS,
					.done = made,
					.arg = c,
				},
				err);
	return c->waiting ? 1 : -1;
}
