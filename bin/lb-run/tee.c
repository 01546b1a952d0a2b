/* lb-run tee - pass on what comes, and keep it: tee(1) for lines. Several may
 * write to one file, and one that is killed leaves no half of a line. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "run.h"

enum { READ = 1 << 16, LINE_MAX_KEPT = 64 << 20 };

const struct lb_opt tee_options[] = {{0}};

static int put(int fd, const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		text += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Whole lines, in one write: the kernel puts each at the end of the file. */
static int keep_lines(int fd, struct lb_buf *held)
{
	const char *last = memrchr(lb_buf_str(held), '\n', held->len);
	size_t len = last ? (size_t)(last - held->data) + 1 : 0;

	if (len == 0 && held->len < LINE_MAX_KEPT)
		return 0;
	if (len == 0)
		len = held->len;
	if (put(fd, held->data, len) < 0)
		return -1;
	lb_buf_shift(held, len);
	return 0;
}

static int copy(int fd, struct lb_buf *held, const char *file)
{
	lb_autofree char *part = lb_alloc(READ);
	bool keeps = true;
	ssize_t n;

	for (;;) {
		n = read(STDIN_FILENO, part, READ);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			lb_complain("cannot read: %s", strerror(errno));
			return LB_IO;
		}
		if (n == 0 || put(STDOUT_FILENO, part, (size_t)n) < 0)
			break;
		lb_buf_put(held, part, (size_t)n);
		/* What passes matters more than what is kept. */
		if (keeps && keep_lines(fd, held) < 0) {
			lb_complain("cannot write '%s': %s", file,
				    strerror(errno));
			keeps = false;
		}
		if (!keeps)
			lb_buf_reset(held);
	}
	if (n > 0) {
		lb_complain("cannot write: %s", strerror(errno));
		return LB_IO;
	}
	if (keeps && held->len > 0) {
		lb_buf_putc(held, '\n');
		keeps = keep_lines(fd, held) == 0;
	}
	return keeps ? LB_OK : LB_IO;
}

int tee_verb(int argc, char **argv)
{
	lb_autobuf struct lb_buf held = {0};
	lb_autoclose int fd =
		open(argv[0], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	struct lb_error err;

	(void)argc;
	if (fd < 0) {
		lb_fail_sys(&err, LB_NOINPUT, "cannot open '%s'", argv[0]);
		return lb_report(&err);
	}
	return copy(fd, &held, argv[0]);
}
