/* lb-box attach */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/stop.h"
#include "box.h"
#include "box/kept.h"
#include "keep.h"

static const char *config_file;
static int64_t linger;
static long lines;

enum { LINGER_MS = 2000 };

const struct lb_opt attach_options[] = {
	{'c', "config", "FILE", "read this configuration",
	 .text = &config_file},
	{'n', "lines", "N", "end after so many lines of it", .number = &lines,
	 .min = 1, .max = 1000000000},
	{.name = "linger",
	 .arg = "TIME",
	 .help = "wait so long for more when our input has ended (default 2s)",
	 .duration = &linger},
	BOX_WORKSPACE,
	{0},
};

static int put(int fd, const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = send(fd, text, len, MSG_NOSIGNAL);

		if (n < 0 && errno == ENOTSOCK)
			n = write(fd, text, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		text += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Up to the last line that is wanted. */
static size_t wanted(const char *text, size_t len, long *left)
{
	for (size_t i = 0; *left > 0 && i < len; i++)
		if (text[i] == '\n' && --*left == 0)
			return i + 1;
	return len;
}

/* 0: it ended, or all was said; -1: LB_IO. */
static int copy(int fd, struct lb_error *err)
{
	struct pollfd p[] = {{.fd = fd, .events = POLLIN},
			     {.fd = STDIN_FILENO, .events = POLLIN},
			     {.fd = STDOUT_FILENO}};
	char text[65536];
	long left = lines;

	for (;;) {
		int wait = p[1].fd < 0 && linger < INT64_MAX ? (int)linger : -1;
		int n = poll(p, 3, wait);
		ssize_t got;

		if (n == 0)
			return 0;
		if (n > 0 && p[2].revents & POLLERR) /* its reader left */
			lb_die_of_sigpipe();
		if (n > 0 && p[0].revents) {
			size_t len;

			got = read(fd, text, sizeof(text));
			if (got <= 0)
				return 0;
			len = wanted(text, (size_t)got, &left);
			if (put(STDOUT_FILENO, text, len) < 0)
				return lb_fail_sys(err, LB_IO, "cannot write");
			if (lines && left == 0)
				return 0;
		}
		if (n > 0 && p[1].revents) {
			got = read(STDIN_FILENO, text, sizeof(text));
			if (got > 0 && put(fd, text, (size_t)got) == 0)
				continue;
			shutdown(fd, SHUT_WR);
			p[1].fd = -1;
		}
	}
}

int attach_verb(int argc, char **argv)
{
	struct place p = {NULL, NULL, NULL};
	lb_autofree char *folder = NULL;
	lb_autoclose int fd = -1;
	struct lb_error err;
	int bad = place_open(&p, config_file, &err);

	(void)argc;
	if (!linger)
		linger = LINGER_MS;
	if (linger < INT64_MAX && linger > INT32_MAX)
		linger = INT32_MAX;
	if (bad == 0)
		bad = lb_kept_check_name(argv[0], &err);
	if (bad == 0) {
		folder = lb_kept_folder(p.processes, argv[0]);
		fd = lb_kept_connect(folder, &err);
		bad = fd < 0 ? -1 : copy(fd, &err);
	}
	place_close(&p);
	return bad < 0 ? lb_report(&err) : LB_OK;
}
