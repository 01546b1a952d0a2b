/* The conversations of a session: which a query belongs to, and how commands
 * number them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/command.h"
#include "agent/turn.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "base/zone.h"
#include "config/notice.h"
#include "store/conversation.h"

enum { SHOWN = 60, MAX_DIGITS = 6 };

const char *turn_conversation(const struct lb_lane *session,
			      const json_t *query)
{
	const char *name = lb_json_str(query, "conversation");

	return name && *name ? name : session->name;
}

int turn_end_idle(struct lb_lane *s, struct lb_error *err)
{
	struct agent *a = agent_of_session(s);
	const char *pipeline = lb_json_str(s->first->record.json, "pipeline");
	int64_t seconds = 0;

	if (!pipeline)
		pipeline = "default";
	lb_json_int(lb_json_path(lb_config_pipeline(a->options->config,
						    pipeline),
				 "ai.runner"),
		    "expire-time", &seconds);
	if (seconds <= 0)
		return 0;
	return lb_conversation_end_idle(a->store,
					turn_conversation(s, s->first->record
								     .json),
					pipeline,
					lb_clock_now() - seconds * 1000, err);
}

struct gather {
	struct talks *talks;
	const char *pipeline;
};

static int gather(void *arg, const struct lb_conversation *c)
{
	struct gather *g = arg;
	struct talks *t = g->talks;

	if (strcmp(c->pipeline, g->pipeline) != 0)
		return 0;
	/* doubled at each power of two */
	if ((t->n & (t->n - 1)) == 0)
		t->at = lb_grow(t->at, (t->n ? 2 * t->n : 1) * sizeof(*t->at));
	t->at[t->n++] = (struct talk){c->id, c->created, c->turns, c->in_use};
	return 0;
}

static int newest_first(const void *a, const void *b)
{
	const struct talk *x = a, *y = b;

	return (x->created < y->created) - (x->created > y->created);
}

int talks_load(const struct order *o, struct talks *talks, struct lb_error *err)
{
	struct gather g = {talks, o->pipeline};

	if (lb_conversation_each(o->agent->store, o->conversation, gather, &g,
				 err) < 0)
		return -1;
	if (talks->n > 1)
		qsort(talks->at, talks->n, sizeof(*talks->at), newest_first);
	return 0;
}

void talks_release(struct talks *talks)
{
	free(talks->at);
}

size_t talks_used(const struct talks *talks)
{
	size_t i = 0;

	while (i < talks->n && !talks->at[i].in_use)
		i++;
	return i;
}

long talks_place(struct order *o, const struct talks *talks, const char *text)
{
	size_t len = text ? strlen(text) : 0;
	long n = len > 0 && len <= MAX_DIGITS &&
				 strspn(text, "0123456789") == len
			 ? strtol(text, NULL, 10)
			 : 0;

	if (n >= 1 && (size_t)n <= talks->n)
		return n - 1;
	if (talks->n == 0)
		say(o, "command-none", NULL);
	else if (len == 0)
		say(o, "command-which", NULL);
	else
		say(o, "command-no-such", "number", text ? text : "", NULL);
	return -1;
}

/* The first words of the first message. */
static int first_words(void *arg, const json_t *turn)
{
	struct lb_buf *out = arg;
	const json_t *message =
		json_array_get(json_object_get(turn, "messages"), 0);
	const json_t *content = json_object_get(message, "content"), *part;
	lb_autobuf struct lb_buf text = {0}, clean = {0};
	size_t i, cut;

	if (json_is_string(content))
		lb_buf_puts(&text, json_string_value(content));
	json_array_foreach((json_t *)(uintptr_t)content, i, part)
	{
		const char *said = lb_json_str(part, "text");

		lb_buf_puts(&text, said ? said : "[...]");
	}
	lb_text_visible(&clean, lb_buf_str(&text), text.len);
	for (i = 0; i < clean.len; i++)
		if (clean.data[i] == '\n' || clean.data[i] == '\t')
			clean.data[i] = ' ';
	cut = lb_utf8_cut(lb_buf_str(&clean), clean.len, SHOWN);
	lb_buf_put(out, lb_buf_str(&clean), cut);
	if (cut < clean.len)
		lb_buf_puts(out, "...");
	return 1; /* the first alone */
}

int talks_line(struct order *o, const struct talks *talks, size_t at,
	       struct lb_error *err)
{
	const struct talk *t = &talks->at[at];
	lb_autobuf struct lb_buf words = {0};
	char when[LB_ZONE_TEXT], number[32];

	if (lb_conversation_turns(o->agent->store, t->id, first_words, &words,
				  err) < 0)
		return -1;
	if (words.len == 0)
		lb_buf_puts(&words, lb_notice(o->agent->options->config,
					      "command-empty"));
	lb_zone_minute(t->created, when);
	snprintf(number, sizeof(number), "%zu", at + 1);
	lb_buf_puts(&o->said, t->in_use ? "* " : "  ");
	lb_buf_printf(&o->said, "%s  %s  %s\n", number, when,
		      lb_buf_str(&words));
	return 0;
}
