/* ask.c - questions of a verb, and their answers. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/stop.h"
#include "mcp.h"

int line_era(enum lb_mcp_era *era, const json_t *entity)
{
	const char *text = reach.era ? reach.era : lb_json_str(entity, "era");

	*era = !text                         ? LB_MCP_ERA_UNKNOWN
	       : strcmp(text, "legacy") == 0 ? LB_MCP_ERA_LEGACY
	       : strcmp(text, "modern") == 0 ? LB_MCP_ERA_MODERN
					     : LB_MCP_ERA_UNKNOWN;
	return text && *era == LB_MCP_ERA_UNKNOWN ? -1 : 0;
}

struct waiting {
	struct reply *reply;
	bool done;
};

static void on_answer(void *arg, const struct lb_peer_answer *answer)
{
	struct waiting *w = arg;
	struct reply *r = w->reply;
	const char *text;
	size_t len;

	w->done = true;
	if (answer->result) {
		r->result = json_incref((json_t *)(uintptr_t)answer->result);
		if (lb_peer_result_text(answer, &text, &len))
			r->text = lb_strndup(text, len);
	} else if (answer->failure) {
		r->code = answer->failure->code;
		lb_fail(&r->error, LB_DATA, "%.400s (%lld)",
			answer->failure->message, (long long)r->code);
	} else {
		r->error = *answer->error;
	}
}

void reply_release(struct reply *reply)
{
	json_decref(reply->result);
	free(reply->text);
}

int64_t line_ms(const struct line *line, int64_t usual)
{
	(void)line;
	return reach.timeout_ms ? reach.timeout_ms : usual;
}

static int finish(struct line *line, const struct waiting *w)
{
	line_clear(line);
	if (w->done)
		return w->reply->result ? 0 : -1;
	if (line->gone)
		w->reply->error = line->why;
	else
		lb_fail(&w->reply->error, LB_AGAIN, "it was stopped");
	return -1;
}

int line_ask(struct line *line, const struct lb_mcp_ask *ask,
	     struct reply *reply)
{
	struct waiting w = {.reply = reply};
	struct lb_mcp_ask mine = *ask;
	struct lb_mcp_request *r;

	*reply = (struct reply){.result = NULL};
	mine.fn = on_answer;
	mine.arg = &w;
	line->began = lb_clock_mono();
	line->did = line->did || strcmp(ask->method, "tools/call") == 0;
	r = lb_mcp_client_ask(line->client, &mine);
	line_wait(line, &w.done);
	if (!w.done && !line->gone) { /* a signal */
		lb_mcp_request_cancel(r, "the user does not wait");
		lb_loop_turn(line->loop, 20);
	}
	return finish(line, &w);
}

int line_list(struct line *line, const char *what, struct reply *reply)
{
	struct waiting w = {.reply = reply};
	struct lb_mcp_listing *l;

	*reply = (struct reply){.result = NULL};
	l = lb_mcp_client_list(line->client, what,
			       line_ms(line, line->server.startup_ms),
			       on_answer, &w);
	line_wait(line, &w.done);
	if (!w.done && !line->gone)
		lb_mcp_listing_cancel(l);
	return finish(line, &w);
}

int line_refused(const struct line *line, const struct reply *reply)
{
	if (lb_stop_signal())
		return 128 + lb_stop_signal();
	line_complain(line, &reply->error, reply->code,
		      line->gone ? line->phase : LB_MCP_NO_PHASE);
	return reply->error.code;
}
