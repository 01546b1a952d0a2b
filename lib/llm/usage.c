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
