/* bridge-serve.c - the process that connects a sandbox with the network. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/nsfs.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/proc.h"
#include "box/bridge.h"
#include "box/seccomp.h"
#include "net/proxy.h"

enum {
	PIDFD = 3,
	BACKLOG = 256,
	MOST_REFUSALS = LB_BRIDGE_NOTES, /* are told, each only once */
};

struct serving {
	json_t *settings;
	char **allow, **inner; /* texts are borrowed */
	char *refused[MOST_REFUSALS];
	size_t n_refused;
};

static void say(const json_t *line)
{
	lb_autobuf struct lb_buf text = {NULL};

	lb_buf_json(&text, line);
	lb_buf_putc(&text, '\n');
	/* Who does not read it any more is about to end us. */
	if (write(STDOUT_FILENO, text.data, text.len) < 0)
		return;
}

static void on_refused(void *arg, const char *host, const char *why)
{
	struct serving *s = arg;
	json_auto_t *line = NULL;

	for (size_t i = 0; i < s->n_refused; i++)
		if (strcmp(s->refused[i], host) == 0)
			return;
	if (s->n_refused == MOST_REFUSALS)
		return;
	s->refused[s->n_refused++] = lb_strdup(host);
	line = lb_json_pack("{s:s, s:s}", "refused", host, "why", why);
	say(line);
}

static long long number(const struct serving *s, const char *name)
{
	return json_integer_value(json_object_get(s->settings, name));
}

/* We end when whoever runs the sandbox does; who became somebody else has to
 * say so again. */
static int tie(const struct serving *s, struct lb_error *err)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return lb_fail_sys(err, LB_OS, "cannot be tied");
	if (getppid() != (pid_t)number(s, "parent"))
		return lb_fail(err, LB_OS, "nobody waits for it");
	return 0;
}

/* No right that the sandbox's own user has not. */
static int become(const struct serving *s, struct lb_error *err)
{
	const struct rlimit none = {0, 0};
	uid_t uid = (uid_t)number(s, "uid");
	gid_t gid = (gid_t)number(s, "gid");

	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_NAME, "lb-exec");
	if (lb_json_bool(s->settings, "drop", false) &&
	    (uid == 0 || gid == 0 || setgroups(0, NULL) < 0 ||
	     setresgid(gid, gid, gid) < 0 || setresuid(uid, uid, uid) < 0))
		return lb_fail_sys(err, LB_OS, "cannot become user %u", uid);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return lb_fail_sys(err, LB_OS, "cannot give up rights");
	return tie(s, err);
}

/* ---- the socket inside ---- */

static int send_fd(int to, int fd)
{
	char none = 0;
	struct iovec text = {&none, 1};
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {.room = {0}};
	struct msghdr message = {
		.msg_iov = &text,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control.room),
	};
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);

	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	return sendmsg(to, &message, 0) == 1 ? 0 : -1;
}

static int take_fd(int from)
{
	char none;
	struct iovec text = {&none, 1};
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr message = {
		.msg_iov = &text,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control.room),
	};
	struct cmsghdr *head;
	int fd;

	if (recvmsg(from, &message, MSG_CMSG_CLOEXEC) != 1)
		return -1;
	head = CMSG_FIRSTHDR(&message);
	if (!head || head->cmsg_type != SCM_RIGHTS)
		return -1;
	memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	return fd;
}

/* The number of a process may be another one's by now. */
static bool is_there(void)
{
	struct pollfd gone = {.fd = PIDFD, .events = POLLIN};

	return poll(&gone, 1, 0) == 0;
}

/* In the sandbox's network, as somebody who may make sockets there. */
static int enter(pid_t pid)
{
	lb_autofree char *path = lb_printf("/proc/%d/ns/net", (int)pid);
	lb_autoclose int net = open(path, O_RDONLY | O_CLOEXEC), user = -1;

	if (net < 0 || !is_there())
		return -1;
	user = ioctl(net, NS_GET_USERNS);
	if (user < 0 || setns(user, CLONE_NEWUSER) < 0)
		return -1;
	return setns(net, CLONE_NEWNET);
}

/* A process of its own, which never comes back from there. */
static void __attribute__((noreturn)) hand_out(const struct serving *s, int to)
{
	const int yes = 1;
	struct sockaddr_in at = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)number(s, "port")),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd;

	if (enter((pid_t)number(s, "pid")) < 0)
		_exit(errno & 0x7f);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) < 0 ||
	    bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0 ||
	    listen(fd, BACKLOG) < 0 || send_fd(to, fd) < 0)
		_exit(errno & 0x7f);
	_exit(0);
}

static int open_inside(const struct serving *s, struct lb_error *err)
{
	int pair[2], from, fd, status = 0;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return lb_fail_sys(err, LB_OS, "cannot make a socket");
	pid = lb_proc_split(&from, err);
	if (pid == 0)
		hand_out(s, pair[1]);
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return -1;
	}
	close(from);
	fd = take_fd(pair[0]);
	close(pair[0]);
	waitpid(pid, &status, 0);
	if (fd >= 0)
		return fd;
	errno = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
	return lb_fail_sys(err, LB_OS,
			   "cannot open a socket in the sandbox's network");
}

/* ---- what is asked of it ---- */

static char **list_of(const struct serving *s, const char *name)
{
	const json_t *list = json_object_get(s->settings, name), *one;
	char **out;
	size_t i;

	if (!json_is_array(list))
		return NULL;
	out = lb_alloc((json_array_size(list) + 1) * sizeof(*out));
	json_array_foreach((json_t *)(uintptr_t)list, i, one)
	{
		out[i] = (char *)(uintptr_t)json_string_value(one);
	}
	return out;
}

static int prepare(struct serving *s, struct lb_error *err)
{
	s->settings = json_loadfd(STDIN_FILENO, 0, NULL);
	if (!s->settings)
		return lb_fail(err, LB_USAGE, "--bridge is lb's own");
	s->allow = list_of(s, "allow");
	s->inner = list_of(s, "inner");
	return become(s, err);
}

int lb_bridge_serve(void)
{
	struct serving s = {NULL};
	struct lb_error err;
	struct lb_loop *loop;
	json_auto_t *line = NULL;
	int listener = -1;

	signal(SIGPIPE, SIG_IGN);
	if (prepare(&s, &err) == 0)
		listener = open_inside(&s, &err);
	/* Whoever got hold of us by what he sends would have no more than the
	 * system calls of the sandbox. */
	if (listener >= 0 && lb_box_seccomp_here() < 0) {
		lb_fail_sys(&err, LB_OS, "cannot filter system calls");
		listener = -1;
	}
	if (listener < 0) {
		line = lb_json_pack("{s:s}", "why", err.text);
		say(line);
		return err.code;
	}
	loop = lb_loop_open();
	lb_proxy_open(loop, listener,
		      &(struct lb_proxy_settings){
			      .policy =
				      {.allow = (const char *const *)(uintptr_t)
							s.allow,
				       .inner = (const char *const *)(uintptr_t)
							s.inner},
			      .refused = on_refused,
			      .arg = &s,
		      });
	line = lb_json_pack("{s:b}", "open", 1);
	say(line);
	/* Until whoever runs the sandbox ends us. */
	for (;;)
		lb_loop_turn(loop, -1);
}
