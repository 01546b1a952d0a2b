#include "llm/usage.h"

#include "record/record.h"

void lb_put_usage(struct lb_buf *b, const struct lb_usage *u)
{
	lb_buf_printf(b, ",\"usage\":{\"input\":%lld,\"output\":%lld",
		      (long long)(u->input < 0 ? 0 : u->input),
		      (long long)(u->output < 0 ? 0 : u->output));
	if (u->cached >= 0)
		lb_put_int(b, "cached", u->cached);
	lb_buf_putc(b, '}');
}

static void add(int64_t *sum, int64_t more)
{
	if (more >= 0)
		*sum = (*sum < 0 ? 0 : *sum) + more;
}

void lb_usage_add(struct lb_usage *sum, const struct lb_usage *more)
{
	add(&sum->input, more->input);
	add(&sum->output, more->output);
	add(&sum->cached, more->cached);
}
