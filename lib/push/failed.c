/* failed.c - what is said of a delivery that will not be made. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "push/push.h"
#include "record/record.h"

/* The whole line in one write, so that two programs may add to a file. */
static void put_line(struct lb_push *push, struct lb_buf *line)
{
	int fd = push->options->failed_fd;
	size_t done = 0;

	lb_hide_secrets(line);
	while (done < line->len) {
		ssize_t n = write(fd, line->data + done, line->len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			lb_complain("cannot write to the file of --failed: %s",
				    strerror(errno));
			push->code = LB_IO;
			return;
		}
		done += (size_t)n;
	}
}

void lb_push_failed(struct lb_push *push, const struct lb_hook *hook,
		    const struct lb_delivery *d, const struct lb_pushed *p,
		    const char *why)
{
	lb_autobuf struct lb_buf line = {0};
	const char *id = d ? d->id : p->id;
	char uuid[40];

	push->given_up++;
	if (push->options->failed_fd < 0)
		return;
	if (d)
		memcpy(uuid, d->uuid, sizeof(uuid));
	else
		lb_push_uuid(p, hook->name, uuid);
	lb_buf_printf(&line, "{\"time\":%lld", (long long)lb_clock_now());
	lb_put_str(&line, "webhook", hook->name);
	lb_put_str(&line, "uuid", uuid);
	lb_put_str(&line, "id", id);
	lb_put_int(&line, "tries", d ? d->tries : 0);
	if (d && d->status > 0)
		lb_put_int(&line, "status", d->status);
	lb_put_str(&line, "why", why);
	if (d)
		lb_put_raw(&line, "body", d->body.data, d->body.len);
	lb_buf_puts(&line, "}\n");
	put_line(push, &line);
}
