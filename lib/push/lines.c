/* lines.c - what becomes of each line: it passes, and when. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "push/lines.h"
#include "record/filter.h"

static const char *lane(void *arg, const struct lb_record *r)
{
	struct lb_push *push = arg;
	const char *session = lb_json_str(r->json, "session");
	struct lb_pushed p;

	if (session)
		return session;
	if (!lb_pushed_read(&p, r)) {
		lb_out_line(push->out, r->text, r->len);
		return NULL;
	}
	lb_buf_reset(&push->lane);
	lb_buf_printf(&push->lane, "%s/%s_%s", p.bot, p.launcher_type,
		      p.launcher_id);
	return lb_buf_str(&push->lane);
}

static bool at_once(void *arg, struct lb_record *r)
{
	struct lb_push *push = arg;
	struct lb_pushed p;

	/* Where it is no message the next program says what is wrong. */
	if (lb_pushed_read(&p, r) && !push->out_of_time) {
		if (lb_push_waits(push, &p))
			return false;
		lb_push_tell(push, &p, r, NULL);
	}
	lb_out_line(push->out, r->text, r->len);
	return true;
}

static bool has_room(void *arg)
{
	(void)arg;
	return true;
}

static void start(void *arg, struct lb_lane *in)
{
	struct lb_push *push = arg;
	struct lb_wait *wait = lb_alloc(sizeof(*wait));
	const struct lb_record *r = &in->first->record;
	struct lb_pushed p;

	wait->lane = in;
	in->work = wait;
	if (lb_pushed_read(&p, r) && !push->out_of_time)
		lb_push_tell(push, &p, r, wait);
	if (wait->open == 0)
		lb_wait_done(wait);
}

static void put_drop(struct lb_push *push, const struct lb_record *r,
		     const char *by)
{
	lb_autobuf struct lb_buf reason = {0};

	lb_buf_printf(&reason, "webhook '%s' says skip_pipeline", by);
	lb_put_drop(lb_out_buf(push->out), r, "lb-push", lb_buf_str(&reason));
	lb_out_built(push->out);
}

void lb_wait_done(struct lb_wait *wait)
{
	struct lb_lane *of = wait->lane;
	struct lb_push *push = of->lanes->arg;
	struct lb_item *item = lb_lane_shift(of);

	if (wait->skip_by)
		put_drop(push, &item->record, wait->skip_by);
	else
		lb_out_line(push->out, item->text, item->len);
	lb_item_free(item);
	of->work = NULL;
	lb_lane_ready(of);
	free(wait);
}

static void pass(void *arg, const struct lb_line *line)
{
	struct lb_push *push = arg;

	if (line->ended)
		lb_out_put(push->out, line->text, line->len + 1);
	else
		lb_out_line(push->out, line->text, line->len);
}

static void bad(void *arg, const struct lb_line *line,
		const struct lb_error *err)
{
	struct lb_push *push = arg;

	lb_line_refuse(push->out, "lb-push", line, err);
	push->code = LB_DATA;
	if (push->options->strict)
		push->ended = true;
}

static const char *const messages[] = {"message", NULL};

const struct lb_lanes_user lb_push_lines = {
	.owned = messages,
	.lane = lane,
	.at_once = at_once,
	.has_room = has_room,
	.start = start,
	.pass = pass,
	.bad = bad,
};
