#include "agent/memo.h"

#include "base/clock.h"

static char *recall(void *arg, const char *name)
{
	return lb_limits_recall(arg, name, lb_clock_now());
}

static void note(void *arg, const char *name, const char *text,
		 int64_t until_ms)
{
	lb_limits_note(arg, name, text, until_ms);
}

struct lb_llm_memo lb_memo_of(struct lb_limits *limits)
{
	return (struct lb_llm_memo){limits, recall, note};
}
