/* lb-box attach */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/stop.h"
#include "base/utf8.h"
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

/* What came of the process, and is not shown yet: the start of a character. */
struct heard {
	char text[65536];
	size_t n;
	long left; /* lines that are wanted */
};

/* On a terminal nothing that it obeys. */
static int show(struct heard *h, size_t len)
{
	bool people = isatty(STDOUT_FILENO);
	size_t part = people ? lb_utf8_partial(h->text, len) : 0;
	lb_autobuf struct lb_buf clean = {NULL};
	int bad;

	if (people)
		lb_text_visible(&clean, h->text, len - part);
	bad = people ? put(STDOUT_FILENO, lb_buf_str(&clean), clean.len)
		     : put(STDOUT_FILENO, h->text, len);
	memmove(h->text, h->text + len - part, part);
	h->n = part;
	return bad;
}

/* 1: there is more to come; 0: it ended, or all was heard; -1: LB_IO. */
static int hear(struct heard *h, int fd, struct lb_error *err)
{
	ssize_t got = read(fd, h->text + h->n, sizeof(h->text) - h->n);

	if (got <= 0)
		return 0;
	if (show(h, wanted(h->text, h->n + (size_t)got, &h->left)) < 0)
		return lb_fail_sys(err, LB_IO, "cannot write");
	return !(lines && h->left == 0);
}

/* 0: it ended, or all was said; -1: LB_IO. */
static int copy(int fd, struct lb_error *err)
{
	struct heard heard = {.left = lines};
	struct pollfd p[] = {{.fd = fd, .events = POLLIN},
			     {.fd = STDIN_FILENO, .events = POLLIN},
			     {.fd = STDOUT_FILENO}};
	char text[65536];

	for (;;) {
		int wait = p[1].fd < 0 && linger < INT64_MAX ? (int)linger : -1;
		int n = poll(p, 3, wait);
		ssize_t got;

		if (n == 0)
			return 0;
		if (n > 0 && p[2].revents & POLLERR) /* its reader left */
			lb_die_of_sigpipe();
		if (n > 0 && p[0].revents) {
			int more = hear(&heard, fd, err);

			if (more <= 0)
				return more;
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
