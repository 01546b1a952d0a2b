/* e2b-vm.c - the machine of a session, or of one command. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "box/e2b-lease.h"
#include "box/e2b-vm.h"
#include "fs/atomic.h"

enum {
	PORT = 49983, /* of what runs commands in a machine */
	MAX_ID = 64,
	MAX_DOMAIN = 253,
	MAX_TOKEN = 4096,
	MAX_RECORD = 4096,
	UP_TRIES = 80,
	UP_MS = 125,
	PREPARE_MS = 20000,
};

void lb_e2b_vm_release(struct lb_e2b_vm *vm)
{
	free(vm->id);
	free(vm->base);
	free(vm->token);
	*vm = (struct lb_e2b_vm){NULL};
}

static bool is_made_of(const char *text, const char *more, size_t most)
{
	size_t len = strlen(text);

	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr(more, text[i]))
			return false;
	return len > 0 && len <= most;
}

/* Where machines are found, when the service does not say. */
static const char *domain_of(const struct lb_e2b *e)
{
	const char *host = strstr(e->api, "://") + 3;

	return strncmp(host, "api.", 4) == 0 ? host + 4 : host;
}

/* It becomes a part of names, headers and a file. */
static int take_vm(const struct lb_e2b *e, const json_t *o,
		   struct lb_e2b_vm *vm, struct lb_error *err)
{
	const char *id = lb_json_str(o, "sandboxID");
	const char *domain = lb_json_str(o, "domain");
	const char *token = lb_json_str(o, "envdAccessToken");
	const char *host = strstr(e->api, "://");

	domain = domain && *domain ? domain : domain_of(e);
	if (!id || !is_made_of(id, "-", MAX_ID) ||
	    !is_made_of(domain, "-.:", MAX_DOMAIN) ||
	    (token && (strlen(token) > MAX_TOKEN ||
		       token[strcspn(token, "\r\n")] != '\0')))
		return lb_fail(err, LB_PROTOCOL,
			       "e2b does not say which machine it made");
	lb_e2b_vm_release(vm);
	vm->id = lb_strdup(id);
	vm->base = lb_printf("%.*s://%d-%s.%s", (int)(host - e->api), e->api,
			     PORT, id, domain);
	vm->token =
		token && *token ? lb_printf("X-Access-Token: %s", token) : NULL;
	return 0;
}

static int connect_to(struct lb_e2b *e, const char *id, int64_t seconds,
		      struct lb_e2b_vm *vm, int *status, struct lb_error *err)
{
	lb_autofree char *path = lb_printf("/sandboxes/%s/connect", id);
	json_auto_t *body =
		lb_json_pack("{s:I}", "timeout", (json_int_t)seconds);
	json_auto_t *answer = NULL;

	if (lb_e2b_api(e,
		       &(struct lb_e2b_call){.method = "POST",
					     .path = path,
					     .body = body},
		       status, &answer, err) < 0)
		return -1;
	return take_vm(e, answer, vm, err);
}

/* One of a session is put to sleep, and not away, when nobody uses it. */
static int make(struct lb_e2b *e, bool stays, bool network, int64_t seconds,
		struct lb_e2b_vm *vm, struct lb_error *err)
{
	json_auto_t *body =
		lb_json_pack("{s:s, s:I, s:b, s:b, s:b, s:{s:s}}", "templateID",
			     e->template, "timeout", (json_int_t)seconds,
			     "autoPause", (int)stays, "secure", 1,
			     "allow_internet_access", (int)network, "metadata",
			     "by", "lb");
	json_auto_t *answer = NULL;
	int status;

	if (lb_e2b_api(e,
		       &(struct lb_e2b_call){.method = "POST",
					     .path = "/sandboxes",
					     .body = body,
					     .once = true},
		       &status, &answer, err) < 0)
		return status == 404 ? lb_error_wrap(err, "template '%.64s'",
						     e->template)
				     : -1;
	if (take_vm(e, answer, vm, err) < 0)
		return -1;
	vm->is_new = true;
	vm->network = network;
	return 0;
}

/* It has a number before there is a way to it. */
static int wait_until_up(struct lb_e2b *e, const struct lb_e2b_vm *vm,
			 struct lb_error *err)
{
	struct lb_e2b_answer a = {.status = 0};
	struct lb_e2b_inside in;
	int result = -1;

	lb_e2b_inside(&in, vm, "/health", NULL);
	for (int i = 0; i < UP_TRIES && result < 0 && !e->stopped; i++) {
		if (i > 0 && lb_e2b_nap(e, UP_MS, err) < 0)
			break;
		lb_buf_release(&a.body);
		if (lb_e2b_ask(e, &in.request, &a, NULL, err) < 0)
			continue;
		if (a.status >= 200 && a.status <= 299)
			result = 0;
		else
			lb_e2b_refused(&a,
				       "made a machine and has no way to "
				       "it",
				       err);
		if (a.status < 500 && result < 0)
			break;
	}
	lb_buf_release(&a.body);
	lb_e2b_inside_release(&in);
	return result;
}

/* A workspace, as sandboxes have it, for who works in it. */
static int prepare(struct lb_e2b *e, const struct lb_e2b_vm *vm,
		   struct lb_error *err)
{
	struct lb_e2b_command c = {
		.script = "mkdir -p " LB_BOX_WORKSPACE "/.home && chown -R "
			  "user " LB_BOX_WORKSPACE,
		.mark = "LB_RUN=0",
		.user = "root",
		.timeout_ms = PREPARE_MS,
		.in = -1,
		.out = -1,
		.err = -1,
	};

	if (wait_until_up(e, vm, err) < 0 || lb_e2b_command(e, vm, &c, err) < 0)
		return -1;
	return c.ended && c.exit_code == 0
		       ? 0
		       : lb_fail(err, LB_UNAVAILABLE,
				 "template '%.64s' has no user 'user' or lets "
				 "nobody make " LB_BOX_WORKSPACE,
				 e->template);
}

static int make_ready(struct lb_e2b *e, const char *record, bool network,
		      int64_t seconds, struct lb_e2b_vm *vm,
		      struct lb_error *err)
{
	lb_autobuf struct lb_buf text = {NULL};
	json_auto_t *o = NULL;
	struct lb_error ignored;

	if (make(e, record != NULL, network, seconds, vm, err) < 0)
		return -1;
	o = lb_json_pack("{s:s, s:b}", "id", vm->id, "network", (int)network);
	lb_buf_json(&text, o);
	if (prepare(e, vm, err) == 0 &&
	    (!record ||
	     lb_atomic_replace(record, text.data, text.len, err) == 0))
		return 0;
	lb_e2b_vm_kill(e, vm->id, &ignored);
	return -1;
}

static json_t *read_record(const char *record)
{
	lb_autofree char *text = NULL;
	struct lb_error ignored;
	json_t *o;
	size_t len;

	if (lb_path_read(record, MAX_RECORD, &text, &len, &ignored) < 0)
		return NULL;
	o = json_loadb(text, len, 0, NULL);
	if (lb_json_str(o, "id") &&
	    is_made_of(lb_json_str(o, "id"), "-", MAX_ID))
		return o;
	json_decref(o);
	return NULL;
}

/* 1: the session's, as it was; 0: it has none any more. */
static int find(struct lb_e2b *e, const json_t *known,
		const struct lb_box_spec *spec, int64_t seconds,
		struct lb_e2b_vm *vm, struct lb_error *err)
{
	bool network = lb_json_bool(known, "network", true);
	int status;

	if (network && spec->network == LB_BOX_OFF)
		return lb_fail(err, LB_DENIED,
			       "session '%.64s' has a machine with a network, "
			       "and this is to have none; 'lb-box delete' ends "
			       "it",
			       spec->session);
	if (connect_to(e, lb_json_str(known, "id"), seconds, vm, &status, err) <
	    0)
		return status == 404 ? 0 : -1;
	vm->network = network;
	return 1;
}

/* Held until it is closed: a session's machine is made once. */
static int lock(const char *record, struct lb_error *err)
{
	lb_autofree char *path = lb_printf("%s.lock", record);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	while (fd >= 0 && flock(fd, LOCK_EX) < 0)
		if (errno != EINTR) {
			close(fd);
			fd = -1;
		}
	return fd >= 0 ? fd : lb_fail_sys(err, LB_IO, "cannot lock '%s'", path);
}

int lb_e2b_vm_find(struct lb_e2b *e, const char *record,
		   const struct lb_box_spec *spec, int64_t idle_ms,
		   struct lb_e2b_vm *vm, struct lb_error *err)
{
	int64_t seconds =
		lb_e2b_lease_s(spec->timeout_ms, record ? idle_ms : 0);
	lb_autoclose int held = -1;
	json_auto_t *known = NULL;

	if (record) {
		held = lock(record, err);
		if (held < 0)
			return -1;
		known = read_record(record);
	}
	if (known) {
		int found = find(e, known, spec, seconds, vm, err);

		if (found != 0)
			return found < 0 ? -1 : 0;
	}
	if (make_ready(e, record, spec->network == LB_BOX_ON, seconds, vm,
		       err) < 0)
		return -1;
	vm->was_lost = known != NULL;
	return 0;
}

int lb_e2b_vm_kill(struct lb_e2b *e, const char *id, struct lb_error *err)
{
	lb_autofree char *path = lb_printf("/sandboxes/%s", id);
	int status;

	if (lb_e2b_api(e,
		       &(struct lb_e2b_call){.method = "DELETE", .path = path},
		       &status, NULL, err) == 0)
		return 0;
	return status == 404 ? 0 : -1;
}

int lb_e2b_forget(const struct lb_config *config, const char *record,
		  struct lb_error *err)
{
	json_auto_t *known = read_record(record);
	struct lb_e2b e = {.orders = -1, .hurries = true};
	int result;

	if (!known)
		return 0;
	result = lb_e2b_configure(&e, config, err);
	if (result == 0) {
		lb_e2b_open(&e);
		result = lb_e2b_vm_kill(&e, lb_json_str(known, "id"), err);
	}
	lb_e2b_release(&e);
	return result < 0 ? lb_error_wrap(err, "its machine goes on") : 0;
}

void lb_e2b_inside(struct lb_e2b_inside *i, const struct lb_e2b_vm *vm,
		   const char *path, const char *user)
{
	size_t n = 0;

	*i = (struct lb_e2b_inside){.url = lb_printf("%s%s", vm->base, path)};
	i->headers[n++] = "User-Agent: lb/" LB_VERSION;
	if (vm->token)
		i->headers[n++] = vm->token;
	if (user) {
		lb_autofree char *name = lb_printf("%s:", user);

		lb_buf_puts(&i->user, "Authorization: Basic ");
		lb_base64_encode(&i->user, name, strlen(name));
		i->headers[n++] = i->user.data;
	}
	i->request.url = i->url;
	i->request.headers = i->headers;
}

void lb_e2b_inside_release(struct lb_e2b_inside *i)
{
	lb_buf_release(&i->user);
	free(i->url);
}
