#include "llm/usage.h"

#include "record/record.h"

void lb_put_usage(struct lb_buf *b, const struct lb_usage *u)
{
	lb_buf_printf(b, ",\"usage\":{\"input\":%lld,\"output\":%lld",
		      (long long)(u->input < 0 ? 0 : u->input),
		      (long long)(u->output < 0 ? 0 : u->output));
	if (u->cached >= 0)
		lb_put_int(b, "cached", u->cached);
	if (u->priced)
		lb_buf_printf(b, ",\"cost\":%.10g", u->cost);
	lb_buf_putc(b, '}');
}

static void add(int64_t *sum, int64_t more)
{
	if (more >= 0)
		*sum = (*sum < 0 ? 0 : *sum) + more;
}

void lb_usage_price(struct lb_usage *u, const struct lb_price *price)
{
	double input = u->input > 0 ? (double)u->input : 0;
	double output = u->output > 0 ? (double)u->output : 0;
	double cached = u->cached > 0 ? (double)u->cached : 0;

	if (!price->known || (u->input < 0 && u->output < 0))
		return;
	if (cached > input)
		cached = input;
	u->priced = true;
	u->cost = ((input - cached) * price->input + cached * price->cached +
		   output * price->output) /
		  1e6;
}

void lb_usage_add(struct lb_usage *sum, const struct lb_usage *more)
{
	bool first = sum->input < 0 && sum->output < 0;

	sum->priced = more->priced && (first || sum->priced);
	sum->cost += more->cost;
	add(&sum->input, more->input);
	add(&sum->output, more->output);
	add(&sum->cached, more->cached);
}
