/* lb-run - the programs of the flow, in order. A new one is a line here. */
#include <stdio.h>

#include "base/mem.h"
#include "run.h"

const struct step steps[STEPS] = {
	{"lb-aggregate", false, false}, /* where a pipeline wants it */
	{"lb-pipeline", false, false},  {"lb-agent", true, true},
	{"lb-wrap", false, false},      {"lb-send", true, false},
};

/* What drains must have ended before it is killed. */
static void put_grace(const struct flow_plan *plan, struct words *w)
{
	char text[32];

	snprintf(text, sizeof(text), "%lldms",
		 (long long)(plan->grace * 4 / 5 > 0 ? plan->grace * 4 / 5
						     : 1));
	words_put(w, "--grace");
	words_put(w, text);
}

void step_words(const struct flow_plan *plan, int step, struct words *w)
{
	words_program(w, steps[step].name);
	words_config(w, plan->config_file);
	if (steps[step].drains)
		put_grace(plan, w);
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
	int first = plan->aggregates ? 0 : 1;

	return lb_printf("%s/%d-%s.jsonl", plan->tee, step - first + 1,
			 step == first ? "lb-ingest" : steps[step - 1].name);
}
