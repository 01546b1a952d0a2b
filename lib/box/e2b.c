/*
 * e2b.c - the backend e2b: by name alone. A session has a machine, which sleeps
 * while nobody uses it; a command without one has a machine that ends with it.
 * The machine is a template's: how much memory and how many processors it has,
 * and what it is to be root in there, is said there and nowhere else.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/id.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "box/e2b-lease.h"
#include "box/e2b-vm.h"
#include "box/engine.h"
#include "box/key.h"
#include "box/place.h"
#include "box/remote.h"
#include "box/session.h"
#include "fs/atomic.h"

enum {
	MAX_ARGUMENT = 100 * 1024,
	MAX_SCRIPT = 120 * 1024, /* the kernel takes 128 KiB for one */
};

/* One run. */
struct job {
	struct lb_e2b e;
	const struct lb_box_exec *x;
	char *record;    /* of the session's machine, or NULL; owned */
	int used;        /* held: nobody deletes the session; -1 */
	int64_t idle_ms; /* until its machine sleeps */
	struct lb_e2b_vm vm;
	char mark[LB_ID_SIZE + 8]; /* of what this run starts */
};

static void add_note(json_t *notes, bool is_so, const char *text)
{
	if (is_so)
		json_array_append_new(notes, json_string(text));
}

/* What is to be known of it, beside its streams. */
static void answer(const struct job *j, const struct lb_e2b_command *c,
		   const char *trouble)
{
	int code = c->unread  ? 128 + SIGPIPE
		   : c->ended ? c->exit_code
			      : LB_ENGINE_FAILED;
	json_auto_t *o =
		lb_json_pack("{s:s, s:i, s:b, s:s, s:[]}", "status",
			     c->timed_out ? "timed_out" : "completed",
			     "exit_code", code, "isolated", 1, "limits_backend",
			     lb_box_limits_name(LB_BOX_NO_LIMITS), "notes");
	json_t *notes = json_object_get(o, "notes");

	if (c->timed_out)
		json_object_set_new(o, "exit_code", json_null());
	add_note(notes, j->vm.was_lost,
		 "the machine of this session was gone, with its files; this "
		 "is a new one");
	add_note(notes, j->x->spec->network == LB_BOX_ON && !j->vm.network,
		 "this session's machine was made without a network; do not "
		 "retry");
	if (trouble)
		json_array_append_new(notes,
				      lb_json_text(trouble, strlen(trouble)));
	lb_remote_answer(o);
}

/* The variables, and the mark. Caller frees the list alone. */
static char **environment(struct job *j)
{
	char **had = j->x->spec->env, **env;
	size_t n = 0;

	while (had && had[n])
		n++;
	env = lb_alloc((n + 2) * sizeof(*env));
	if (n > 0)
		memcpy(env, had, n * sizeof(*env));
	env[n] = j->mark;
	return env;
}

/* A command that is longer than an argument may be is a file there. */
static int put_script(struct job *j, struct lb_buf *script,
		      struct lb_error *err)
{
	lb_autofree char **env = environment(j);
	struct lb_box_spec spec = *j->x->spec;
	struct lb_box_exec x = *j->x;
	lb_autofree char *path = NULL;
	char id[LB_ID_SIZE], sh[] = "sh";
	char *argv[3] = {sh, NULL, NULL};

	x.spec = &spec;
	spec.env = env;
	x.home = j->record ? LB_BOX_WORKSPACE "/.home" : "/tmp";
	if (!spec.argv && strlen(spec.cmd) > MAX_ARGUMENT) {
		lb_id_new(0, id);
		path = lb_printf("/tmp/.lb-%s", id);
		if (lb_e2b_put_file(&j->e, &j->vm, path, spec.cmd,
				    strlen(spec.cmd), err) < 0)
			return -1;
		argv[1] = path;
		spec.argv = argv;
	}
	lb_engine_script(&x, true, script);
	return script->len <= MAX_SCRIPT
		       ? 0
		       : lb_fail(err, LB_DATA,
				 "its arguments and variables are longer than "
				 "%d bytes",
				 MAX_SCRIPT);
}

static int run(struct job *j, struct lb_e2b_command *c, struct lb_error *err)
{
	lb_autobuf struct lb_buf script = {NULL};
	struct lb_e2b_lease lease = {NULL};
	int result;

	if (lb_e2b_vm_find(&j->e, j->record, j->x->spec, j->idle_ms, &j->vm,
			   err) < 0 ||
	    put_script(j, &script, err) < 0)
		return -1;
	c->script = lb_buf_str(&script);
	c->mark = j->mark;
	c->begun = lb_remote_begin;
	lb_e2b_lease_keep(&lease, &j->e, j->vm.id, j->idle_ms);
	result = lb_e2b_command(&j->e, &j->vm, c, err);
	lb_e2b_lease_end(&lease);
	return result;
}

/* What it started goes on there when it does not end by itself. */
static void tidy(struct job *j, const struct lb_e2b_command *c)
{
	struct lb_error ignored;

	if (j->record) /* it was used until now, see reap.h */
		futimens(LB_REMOTE_LOCK, NULL);
	if (!j->vm.id)
		return;
	j->e.hurries = true;
	if (!j->record)
		lb_e2b_vm_kill(&j->e, j->vm.id, &ignored);
	else if (c->pid > 0 && !c->ended)
		lb_e2b_sweep(&j->e, &j->vm, j->mark);
}

static void tend(void *arg)
{
	struct job *j = arg;
	struct lb_e2b_command c = {
		.user = "user",
		.timeout_ms = j->x->spec->timeout_ms,
		.in = j->x->in < 0 ? -1 : STDIN_FILENO,
		.out = STDOUT_FILENO,
		.err = STDERR_FILENO,
	};
	struct lb_error err = {.code = LB_OK};
	int result;

	lb_id_new(0, j->mark + snprintf(j->mark, sizeof(j->mark), "LB_RUN="));
	j->e.orders = LB_REMOTE_ORDERS;
	lb_e2b_open(&j->e);
	result = run(j, &c, &err);
	if (result == 0 || c.pid > 0)
		answer(j, &c, result < 0 ? err.text : NULL);
	else
		lb_remote_fail(&err);
	tidy(j, &c);
	lb_e2b_vm_release(&j->vm);
	lb_e2b_release(&j->e);
}

/* The template is the image: one that an operator named. */
static int check_image(struct job *j, const struct lb_config *config,
		       struct lb_error *err)
{
	const char *image = j->x->spec->image;
	const json_t *one;
	size_t i;

	if (!image || !*image || strcmp(image, j->e.template) == 0)
		return 0;
	json_array_foreach((json_t *)(uintptr_t)
				   lb_config_get(config, "box.allowed_images"),
			   i, one)
	{
		if (strcmp(image, json_string_value(one)) != 0)
			continue;
		free(j->e.template);
		j->e.template = lb_strdup(image);
		return 0;
	}
	return lb_fail(err, LB_DENIED,
		       "image '%.128s' is neither box.e2b.template nor one of "
		       "box.allowed_images",
		       image);
}

/* Held as a session of this machine is: 'lb-box delete' knows both. */
static int use_session(struct job *j, struct lb_box *box, struct lb_error *err)
{
	const char *name = j->x->spec->session;
	lb_autofree char *given = lb_box_root(box->config, box->state);
	lb_autofree char *root = NULL;
	lb_autofree char *folder = name ? lb_box_folder(name) : NULL;
	lb_autofree char *path = NULL, *named = NULL;

	j->idle_ms = lb_config_ms(box->config, "box.session_ttl");
	if (!name)
		return 0;
	if (lb_path_make(given, err) < 0)
		return -1;
	root = realpath(given, NULL);
	if (!root)
		return lb_fail_sys(err, LB_IO, "cannot open '%s'", given);
	path = lb_printf("%s/sessions/%s", root, folder);
	j->record = lb_printf("%s/e2b", path);
	named = lb_printf("%s/name", path);
	j->used =
		lb_box_session_hold(box->config, box->state, root, folder, err);
	if (j->used < 0)
		return -1;
	return access(named, F_OK) == 0
		       ? 0
		       : lb_atomic_replace(named, name, strlen(name), err);
}

static int e2b_exec(struct lb_box *box, struct lb_box_exec *x,
		    struct lb_error *err)
{
	struct job j = {.e = {.orders = -1}, .x = x, .used = -1};
	int result = -1;

	if (x->spec->network == LB_BOX_LISTED)
		lb_fail(err, LB_DENIED,
			"a machine of e2b reaches all of the network or "
			"nothing, not some hosts");
	else if (lb_remote_check(x, err) == 0 &&
		 lb_e2b_configure(&j.e, box->config, err) == 0 &&
		 check_image(&j, box->config, err) == 0 &&
		 use_session(&j, box, err) == 0)
		result = lb_remote_start(x, j.used, tend, &j, err);
	lb_e2b_release(&j.e);
	free(j.record);
	if (j.used >= 0)
		close(j.used);
	return result;
}

/* A machine costs money and time: that it can be asked for will do. */
static int e2b_look(struct lb_box *box, struct lb_error *err)
{
	return lb_e2b_look(box->config, NULL, err);
}

const struct lb_box_driver lb_box_e2b = {
	.name = "e2b",
	.isolates = true,
	.says = "",
	.is_tended = true,
	.has_limits = true,
	.is_remote = true,
	.begin_ms = 90000,
	.look = e2b_look,
	.exec = e2b_exec,
	.read = lb_remote_read,
	.explain = lb_remote_explain,
};
