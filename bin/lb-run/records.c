/* lb-run --records: what became of the messages, and how the bots are. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/path.h"
#include "super.h"

/* A pipe that can be written to takes so much without blocking. */
enum { ATOMIC = 4096, MAX_WAITING = 256 << 10 };

int records_open(struct super *s, struct lb_error *err)
{
	s->records = -1;
	if (!s->records_to)
		return 0;
	s->records = lb_path_output(s->records_to, err);
	return s->records < 0 ? lb_error_wrap(err, "--records") : 0;
}

bool records_are_full(const struct super *s)
{
	return s->said.len >= MAX_WAITING;
}

static void on_writable(int fd, uint32_t events, void *arg)
{
	struct super *s = arg;
	size_t len = s->said.len < ATOMIC ? s->said.len : ATOMIC;
	ssize_t n = write(fd, lb_buf_str(&s->said), len);

	(void)events;
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n < 0) {
		lb_complain("--records: cannot write: %s", strerror(errno));
		s->records = -1;
		lb_loop_watch(s->loop, fd, 0, NULL, NULL);
		lb_buf_reset(&s->said);
		super_stop(s, LB_IO);
		return;
	}
	lb_buf_shift(&s->said, (size_t)n);
	if (s->said.len == 0)
		lb_loop_watch(s->loop, fd, 0, NULL, NULL);
}

void records_put(struct super *s, const char *text, size_t len)
{
	if (s->records < 0)
		return;
	if (s->said.len == 0)
		lb_loop_watch(s->loop, s->records, EPOLLOUT, on_writable, s);
	lb_buf_put(&s->said, text, len);
	lb_buf_putc(&s->said, '\n');
}
