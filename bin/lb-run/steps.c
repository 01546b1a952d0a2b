/* lb-run - the programs of the flow, in order. A new one is a line here. */
#include <stdio.h>

#include "base/mem.h"
#include "run.h"

const struct step steps[STEPS] = {
	{"lb-push", true, true, true},
	{"lb-aggregate", false, false, false},
	{"lb-pipeline", false, false, false},
	{"lb-agent", true, true, false},
	{"lb-wrap", false, false, false},
	{"lb-send", true, false, false},
};

bool step_is_used(const struct flow_plan *plan, int step)
{
	switch (step) {
	case 0: /* where a webhook wants to know */
		return plan->pushes;
	case 1: /* where a pipeline wants it */
		return plan->aggregates;
	}
	return true;
}

/* What drains must have ended before it is killed. */
static void put_grace(const struct flow_plan *plan, const char *option,
		      struct words *w)
{
	char text[32];

	snprintf(text, sizeof(text), "%lldms",
		 (long long)(plan->grace * 4 / 5 > 0 ? plan->grace * 4 / 5
						     : 1));
	words_put(w, option);
	words_put(w, text);
}

void step_words(const struct flow_plan *plan, int step, struct words *w)
{
	words_program(w, steps[step].name);
	words_config(w, plan->config_file);
	if (steps[step].drains)
		put_grace(plan, "--grace", w);
	if (steps[step].lingers)
		put_grace(plan, "--drain", w);
	if (step == STEPS - 1) {
		words_put(w, "--records");
		words_put(w, "fd:3");
		if (!plan->no_queue)
			words_put(w, "--hold");
		if (plan->resend)
			words_put(w, "--resend-unknown");
	}
}

char *step_tee(const struct flow_plan *plan, int step)
{
	const char *before = "lb-ingest";
	int n = 1;

	for (int i = 0; i < step; i++)
		if (step_is_used(plan, i)) {
			before = steps[i].name;
			n++;
		}
	return lb_printf("%s/%d-%s.jsonl", plan->tee, n, before);
}
