/* usage - what the conversation has cost so far. */
#include <stdio.h>

#include "agent/command.h"
#include "config/notice.h"
#include "store/conversation.h"

struct sum {
	int64_t turns, input, output;
	int64_t here_turns, here_input, here_output;
};

static int add_up(struct order *o, const struct talks *talks, struct sum *s,
		  struct lb_error *err)
{
	for (size_t i = 0; i < talks->n; i++) {
		const struct talk *t = &talks->at[i];
		int64_t input, output;

		if (lb_conversation_usage(o->agent->store, t->id, &input,
					  &output, err) < 0)
			return -1;
		s->turns += t->turns;
		s->input += input;
		s->output += output;
		if (!t->in_use)
			continue;
		s->here_turns = t->turns;
		s->here_input = input;
		s->here_output = output;
	}
	return 0;
}

static void tell(struct order *o, const char *key, int64_t turns, int64_t input,
		 int64_t output)
{
	char t[32], i[32], u[32];

	snprintf(t, sizeof(t), "%lld", (long long)turns);
	snprintf(i, sizeof(i), "%lld", (long long)input);
	snprintf(u, sizeof(u), "%lld", (long long)output);
	say(o, key, "turns", t, "input", i, "output", u, NULL);
}

int command_usage(struct order *o, struct lb_error *err)
{
	struct talks talks = {0};
	struct sum s = {0};
	int r = talks_load(o, &talks, err);

	if (r == 0)
		r = add_up(o, &talks, &s, err);
	talks_release(&talks);
	if (r < 0)
		return -1;
	tell(o, "command-usage", s.here_turns, s.here_input, s.here_output);
	lb_buf_putc(&o->said, '\n');
	tell(o, "command-usage-all", s.turns, s.input, s.output);
	return 0;
}
