#include "box/bridge.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/host.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/proc.h"

enum { OPEN_FILES = 1024, MOST_ENV = 16 };

#define PROXY "http://127.0.0.1:3128"
#define INSIDE "localhost,127.0.0.1,::1"

/* Not socks5h for ALL_PROXY: many programs fail at once when they see it and
 * have no library for it. */
const char *const lb_bridge_env[][2] = {
	{"HTTP_PROXY", PROXY},          {"http_proxy", PROXY},
	{"HTTPS_PROXY", PROXY},         {"https_proxy", PROXY},
	{"ALL_PROXY", PROXY},           {"all_proxy", PROXY},
	{"NO_PROXY", INSIDE},           {"no_proxy", INSIDE},
	{"PIP_PROXY", PROXY},           {"PIP_DISABLE_PIP_VERSION_CHECK", "1"},
	{"NODE_USE_ENV_PROXY", "1"}, /* what node itself fetches, from 24 on */
	{"npm_config_proxy", PROXY},    {"npm_config_https_proxy", PROXY},
	{"npm_config_noproxy", INSIDE}, {NULL, NULL},
};

char *lb_bridge_note(const struct lb_box_spec *spec)
{
	lb_autobuf struct lb_buf text = {NULL};

	if (spec->network == LB_BOX_OFF)
		return NULL;
	lb_buf_puts(&text, "network: HTTP and HTTPS alone, through the proxy "
			   "that HTTPS_PROXY names; raw TCP, UDP, ping and DNS "
			   "lookups do not work here");
	for (char **h = spec->hosts; h && *h && text.len < 1000; h++)
		lb_buf_printf(&text, "%s%s",
			      h == spec->hosts ? "; only these hosts are "
						 "reached: "
					       : ", ",
			      *h);
	return lb_buf_take(&text);
}

static json_t *texts(char *const *list)
{
	json_t *out = json_array();

	for (; *list; list++)
		json_array_append_new(out, json_string(*list));
	return out;
}

/* What the process is told, as a file that it reads. */
static int settings(const struct lb_bridge_order *o, struct lb_error *err)
{
	const json_t *inner =
		lb_config_get(o->config, "box.network.allow_private");
	json_auto_t *all =
		lb_json_pack("{s:i, s:i, s:b, s:I, s:I, s:i}", "pid",
			     (int)o->pid, "parent", (int)getpid(), "drop",
			     (int)o->drop, "uid", (json_int_t)o->uid, "gid",
			     (json_int_t)o->gid, "port", (int)LB_BRIDGE_PORT);
	char network[LB_HOST_NETWORK];
	lb_autoclose int fd = memfd_create("network", MFD_CLOEXEC);
	json_t *one;
	size_t i;
	int port;

	json_array_foreach((json_t *)(uintptr_t)inner, i, one)
	{
		if (lb_host_network(json_string_value(one), network, &port,
				    err) < 0)
			return lb_fail(err, LB_CONFIG,
				       "box.network.allow_private: %s",
				       err->text);
	}
	if (inner)
		json_object_set(all, "inner", (json_t *)(uintptr_t)inner);
	if (o->spec->network == LB_BOX_LISTED)
		json_object_set_new(all, "allow", texts(o->spec->hosts));
	if (fd < 0 || json_dumpfd(all, fd, JSON_COMPACT) < 0 ||
	    lseek(fd, 0, SEEK_SET) < 0)
		return lb_fail_sys(err, LB_OS, "cannot make a network");
	return fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

/* Nothing of ours but what libraries need to look names up. */
static void make_env(char *env[MOST_ENV + 1])
{
	static const char *const those[] = {
		"PATH",         "LD_LIBRARY_PATH", "LD_PRELOAD",
		"LOCALDOMAIN",  "RES_OPTIONS",     "NSS_WRAPPER_HOSTS",
		"ASAN_OPTIONS", "UBSAN_OPTIONS",   "LSAN_OPTIONS",
		"LB_LOG",       "LB_LOG_FORMAT",
	};
	size_t n = 0;

	for (size_t i = 0; i < sizeof(those) / sizeof(those[0]); i++) {
		const char *text = lb_config_env(those[i]);

		if (text && *text)
			env[n++] = lb_printf("%s=%s", those[i], text);
	}
	env[n] = NULL;
}

static void fail(struct lb_bridge *b, const char *why)
{
	struct lb_error err;

	lb_fail(&err, LB_UNAVAILABLE, "there is no network for a sandbox: %s",
		why);
	b->opened(b->arg, &err);
}

/* A line of the process: it is there, it cannot be, or somebody was refused. */
static void read_line(struct lb_bridge *b, const char *line)
{
	json_auto_t *o = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
	const char *host = lb_json_str(o, "refused");
	const char *why = lb_json_str(o, "why");

	if (!b->is_open && lb_json_bool(o, "open", false)) {
		b->is_open = true;
		b->opened(b->arg, NULL);
	} else if (!b->is_open) {
		fail(b, why ? why : "it does not say why");
	} else if (host && why) {
		lb_autofree char *text =
			lb_printf("network: %.270s was refused: %.100s", host,
				  why);

		json_array_append_new(b->refused,
				      lb_json_text(host, strlen(host)));
		json_array_append_new(b->notes,
				      lb_json_text(text, strlen(text)));
	}
}

/* One read; false: there is no more. */
static bool read_some(struct lb_bridge *b)
{
	ssize_t n = read(b->from, b->said + b->n_said,
			 sizeof(b->said) - 1 - b->n_said);
	char *end;

	if (n < 0)
		return errno == EINTR;
	errno = 0;
	if (n == 0)
		return false;
	b->n_said += (size_t)n;
	b->said[b->n_said] = '\0';
	while ((end = strchr(b->said, '\n')) != NULL) {
		*end = '\0';
		read_line(b, b->said);
		b->n_said -= (size_t)(end + 1 - b->said);
		memmove(b->said, end + 1, b->n_said + 1);
	}
	return true;
}

static void on_said(int fd, uint32_t events, void *arg)
{
	struct lb_bridge *b = arg;

	(void)events;
	if (read_some(b))
		return;
	if (errno == EAGAIN)
		return;
	lb_loop_watch(b->loop, fd, 0, NULL, NULL);
	if (!b->is_open)
		fail(b, "'lb-exec --bridge' ended");
	else
		json_array_append_new(b->notes,
				      json_string(
					      "network: it broke down before "
					      "the command ended"));
}

int lb_bridge_start(struct lb_bridge *b, const struct lb_bridge_order *o,
		    struct lb_error *err)
{
	lb_autofree char *folder = lb_path_program();
	lb_autofree char *program = o->helper ? lb_strdup(o->helper)
					      : lb_printf("%s/lb-exec", folder);
	char option[] = "--bridge", *const argv[] = {program, option, NULL};
	char *env[MOST_ENV + 1];
	lb_autoclose int what = settings(o, err), to = -1;
	int ends[2], bad;

	if (what < 0)
		return -1;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return lb_fail_sys(err, LB_OS, "cannot make a pipe");
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	to = ends[1];
	b->from = ends[0];
	make_env(env);
	bad = lb_child_start(
		&(struct lb_child){
			.argv = argv,
			.env = env,
			.fds = (const int[]){what, to, STDERR_FILENO, o->pidfd},
			.n_fds = 4,
			.apart = true,
			.open_files = OPEN_FILES,
		},
		&b->pid, err);
	for (char **e = env; *e; e++)
		free(*e);
	if (bad < 0) {
		b->pid = 0;
		close(b->from);
		err->code = LB_UNAVAILABLE;
		return lb_error_wrap(err, "there is no network for a sandbox");
	}
	lb_loop_watch(b->loop, b->from, EPOLLIN, on_said, b);
	return 0;
}

void lb_bridge_end(struct lb_bridge *b)
{
	if (b->pid <= 0)
		return;
	kill(-b->pid, SIGKILL);
	while (waitpid(b->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	b->pid = 0;
	/* What it said last. */
	while (b->is_open && read_some(b))
		continue;
	lb_loop_watch(b->loop, b->from, 0, NULL, NULL);
	close(b->from);
}
