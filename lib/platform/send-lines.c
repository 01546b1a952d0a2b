/* Lines of lb-send and their lanes: what waits for whom. */
#include <string.h>

#include "base/json.h"
#include "platform/deliver.h"
#include "platform/posts.h"
#include "record/filter.h"

/* Where lines go that are not ours; NULL for nowhere. */
static struct lb_out *others(const struct lb_send *send)
{
	if (send->records)
		return send->records;
	return send->text ? NULL : send->out;
}

void lb_send_run_flush(struct lb_send_engine *e)
{
	struct lb_out *out = others(e->send);

	if (e->run.len > 0 && out)
		lb_out_put(out, e->run.from, e->run.len);
	e->run.len = 0;
}

static void pass(void *arg, const struct lb_line *line)
{
	struct lb_send_engine *e = arg;
	struct lb_out *out = others(e->send);

	if (e->run.len > 0 && e->run.from + e->run.len != line->text)
		lb_send_run_flush(e);
	if (!line->ended) {
		lb_send_run_flush(e);
		if (out)
			lb_out_line(out, line->text, line->len);
		return;
	}
	if (e->run.len == 0)
		e->run.from = line->text;
	e->run.len += line->len + 1;
}

static void bad(void *arg, const struct lb_line *line,
		const struct lb_error *err)
{
	struct lb_send_engine *e = arg;

	lb_send_run_flush(e);
	lb_line_refuse(others(e->send), "lb-send", line, err);
	e->code = LB_DATA;
	if (e->send->strict)
		e->ended = true;
}

static void too_late(void *arg, const struct lb_record *r)
{
	struct lb_send_engine *e = arg;
	struct lb_out *out = others(e->send);

	if (!out)
		return;
	lb_put_drop(lb_out_buf(out), r, "lb-send",
		    "it is to be sent in more than 5 minutes");
	lb_out_built(out);
}

/* Chunks are for the eye: they wait for nobody, and nobody for them. */
static bool takes_chunk(struct lb_send_engine *e, const struct lb_sink *sink,
			const struct lb_record *r)
{
	struct lb_bot *bot;

	if (!sink || !sink->network ||
	    strcmp(lb_json_str(r->json, "kind"), "chunk") != 0)
		return false;
	bot = lb_bot_of(e->send, sink, r);
	if (bot->self && sink->network->chunk)
		sink->network->chunk(bot->self, r);
	return true;
}

/* "group:-100/42" of a bot: the session of that chat. */
static const char *session_of(struct lb_send_engine *e, const char *target,
			      const char *bot)
{
	const char *id = strchr(target, ':');

	lb_buf_reset(&e->lane);
	lb_buf_puts(&e->lane, bot ? bot : "");
	lb_buf_putc(&e->lane, '/');
	lb_buf_put(&e->lane, target, id ? (size_t)(id - target) : 0);
	lb_buf_putc(&e->lane, '_');
	for (id = id ? id + 1 : target; *id; id++)
		lb_buf_putc(&e->lane, *id == '/' ? '#' : *id);
	return lb_buf_str(&e->lane);
}

/* What starts a conversation is in the lane of that one. */
static const char *lane_name(struct lb_send_engine *e,
			     const struct lb_record *r)
{
	const char *session = lb_json_str(r->json, "session");
	const char *target = lb_json_str(r->json, "target");
	const char *id = lb_json_str(r->json, "id");

	if (session)
		return session;
	if (target)
		return session_of(e, target, lb_json_str(r->json, "bot"));
	return id ? id : "";
}

static const char *lane_of(void *arg, const struct lb_record *r)
{
	struct lb_send_engine *e = arg;
	const char *id;
	struct lb_error err;

	lb_send_run_flush(e);
	if (strcmp(lb_json_str(r->json, "kind"), "reply") == 0 &&
	    lb_json_need_str(r->json, "id", &id, &err) < 0) {
		lb_error_wrap(&err, "line %lu", e->line.number);
		bad(e, &e->line, &err);
		return NULL;
	}
	if (takes_chunk(e, lb_send_sink(e->send, r), r))
		return NULL;
	return lane_name(e, r);
}

/* Only a reply takes its time, and only over a network. */
static bool needs_network(const struct lb_sink *sink, const struct lb_record *r)
{
	return sink && sink->network &&
	       strcmp(lb_json_str(r->json, "kind"), "reply") == 0;
}

static void end_elsewhere(struct lb_send_engine *e, const struct lb_sink *sink,
			  const struct lb_record *r)
{
	const char *id;
	struct lb_bot *bot;

	if (!sink || !sink->network || !sink->network->ended)
		return;
	id = lb_json_str(r->json, "id");
	bot = lb_bot_of(e->send, sink, r);
	if (bot->self && id)
		sink->network->ended(bot->self, id);
}

static bool at_once(void *arg, struct lb_record *r)
{
	struct lb_send_engine *e = arg;
	const struct lb_sink *sink = lb_send_sink(e->send, r);

	if (needs_network(sink, r))
		return false;
	end_elsewhere(e, sink, r);
	lb_send_record(e->send, sink, r,
		       e->send->hold ? lane_name(e, r) : NULL);
	return true;
}

static void start(void *arg, struct lb_lane *lane)
{
	struct lb_send_engine *e = arg;
	struct lb_record *r = &lane->first->record;
	const struct lb_sink *sink = lb_send_sink(e->send, r);

	if (needs_network(sink, r)) {
		lb_post_start(lane, lb_bot_of(e->send, sink, r));
		return;
	}
	at_once(e, r);
	lb_item_free(lb_lane_shift(lane));
	lb_lane_ready(lane);
}

static bool has_room(void *arg)
{
	const struct lb_send_engine *e = arg;

	return !e->stopping;
}

const struct lb_lanes_user lb_send_user = {
	.lane = lane_of,
	.at_once = at_once,
	.has_room = has_room,
	.start = start,
	.too_late = too_late,
	.pass = pass,
	.bad = bad,
};
