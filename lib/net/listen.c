#include "net/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

enum { WAITING = 128 /* connections that are not accepted yet */ };

static int refuse(const char *text, struct lb_error *err)
{
	return lb_fail(err, LB_USAGE,
		       "'%.100s' is no address to listen at, such as 8080 or "
		       "127.0.0.1:8080",
		       text);
}

/* A port, 0 included; -1: it is none. */
static int read_port(const char *text)
{
	size_t n = strspn(text, "0123456789");
	long port = n > 0 && n < 6 && !text[n] ? strtol(text, NULL, 10) : -1;

	return port <= 65535 ? (int)port : -1;
}

static bool read_address(union lb_address *at, const char *name)
{
	size_t n = strlen(name);
	lb_autofree char *inner = NULL;

	if (strcmp(name, "localhost") == 0)
		name = "127.0.0.1";
	if (inet_pton(AF_INET, name, &at->v4.sin_addr) == 1) {
		at->v4.sin_family = AF_INET;
		return true;
	}
	if (n < 3 || name[0] != '[' || name[n - 1] != ']')
		return false;
	inner = lb_strndup(name + 1, n - 2);
	at->v6.sin6_family = AF_INET6;
	return inet_pton(AF_INET6, inner, &at->v6.sin6_addr) == 1;
}

int lb_listen_read(struct lb_listen *l, const char *text, struct lb_error *err)
{
	const char *colon = strrchr(text, ':');
	lb_autofree char *name =
		colon ? lb_strndup(text, (size_t)(colon - text))
		      : lb_strdup("127.0.0.1");
	int port = read_port(colon ? colon + 1 : text);

	*l = (struct lb_listen){.is_loopback = false};
	if (port < 0 || !read_address(&l->at, name))
		return refuse(text, err);
	if (l->at.any.sa_family == AF_INET) {
		l->at.v4.sin_port = htons((uint16_t)port);
		l->is_loopback = ntohl(l->at.v4.sin_addr.s_addr) >> 24 == 127;
	} else {
		l->at.v6.sin6_port = htons((uint16_t)port);
		l->is_loopback = IN6_IS_ADDR_LOOPBACK(&l->at.v6.sin6_addr);
	}
	return 0;
}

int lb_listen_open(struct lb_listen *l, struct lb_error *err)
{
	socklen_t len = l->at.any.sa_family == AF_INET ? sizeof(l->at.v4)
						       : sizeof(l->at.v6);
	lb_autofree char *shown = lb_listen_text(l);
	lb_autoclose int fd =
		socket(l->at.any.sa_family,
		       SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	const int yes = 1;
	int out;

	if (fd < 0)
		return lb_fail_sys(err, LB_OS, "cannot listen at '%s'", shown);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(fd, &l->at.any, len) < 0 || listen(fd, WAITING) < 0 ||
	    getsockname(fd, &l->at.any, &len) < 0)
		return lb_fail_sys(err,
				   errno == EADDRINUSE ? LB_AGAIN
				   : errno == EACCES   ? LB_DENIED
						       : LB_OS,
				   "cannot listen at '%s'", shown);
	out = fd;
	fd = -1;
	return out;
}

char *lb_listen_text(const struct lb_listen *l)
{
	char name[INET6_ADDRSTRLEN] = "";

	if (l->at.any.sa_family == AF_INET) {
		inet_ntop(AF_INET, &l->at.v4.sin_addr, name, sizeof(name));
		return lb_printf("%s:%d", name, ntohs(l->at.v4.sin_port));
	}
	inet_ntop(AF_INET6, &l->at.v6.sin6_addr, name, sizeof(name));
	return lb_printf("[%s]:%d", name, ntohs(l->at.v6.sin6_port));
}
