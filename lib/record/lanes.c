#include "record/lanes.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "record/filter.h"

void lb_item_free(struct lb_item *item)
{
	if (!item)
		return;
	lb_record_release(&item->record);
	free(item->text);
	free(item);
}

static struct lb_item *item_new(const char *text, size_t len)
{
	struct lb_item *item = lb_alloc(sizeof(*item));

	item->text = lb_strndup(text, len);
	item->len = len;
	return item;
}

/* Measured once: a clock that is set must not lengthen the wait. */
static void note_start(struct lb_item *item)
{
	int64_t at, now = lb_clock_now();

	if (!lb_json_int(item->record.json, "not_before", &at) || at <= now)
		return;
	item->too_far = at > now + LB_LANES_WAIT_MS;
	if (!item->too_far)
		item->start_at = lb_clock_mono() + (at - now);
}

void lb_lane_ready(struct lb_lane *lane)
{
	struct lb_lanes *lanes = lane->lanes;

	if (lane->is_ready || lane->work)
		return;
	lane->is_ready = true;
	lane->next_ready = NULL;
	if (!lanes->ready)
		lanes->ready_end = &lanes->ready;
	*lanes->ready_end = lane;
	lanes->ready_end = &lane->next_ready;
}

static void on_timer(void *arg)
{
	lb_lane_ready(arg);
}

void lb_lane_later(struct lb_lane *lane, int64_t ms)
{
	lb_timer_set(lane->lanes->loop, &lane->timer, lb_clock_mono() + ms,
		     on_timer, lane);
}

struct lb_lane *lb_lane_find(const struct lb_lanes *lanes, const char *name)
{
	return lb_map_find(&lanes->map, name);
}

static struct lb_lane *lane_for(struct lb_lanes *lanes, const char *name)
{
	struct lb_lane *lane = lb_lane_find(lanes, name);

	if (lane)
		return lane;
	lane = lb_alloc(sizeof(*lane));
	lane->lanes = lanes;
	lane->name = lb_strdup(name);
	lb_map_add(&lanes->map, name, lane);
	return lane;
}

static void lane_free(struct lb_lane *lane)
{
	while (lane->first) {
		struct lb_item *item = lane->first;

		lane->first = item->next;
		lb_item_free(item);
	}
	lb_timer_cancel(lane->lanes->loop, &lane->timer);
	free(lane->name);
	free(lane);
}

static void append(struct lb_lane *lane, struct lb_item *item)
{
	bool was_empty = !lane->first;

	if (was_empty)
		lane->first = item;
	else
		lane->last->next = item;
	lane->last = item;
	lane->lanes->held++;
	lane->lanes->bytes += item->len;
	if (was_empty)
		lb_lane_ready(lane);
}

struct lb_item *lb_lane_shift(struct lb_lane *lane)
{
	struct lb_item *item = lane->first;

	lane->first = item->next;
	lane->lanes->held--;
	lane->lanes->bytes -= item->len;
	return item;
}

/* The lane a foreign line names, if that one holds something. */
static struct lb_lane *busy_lane(struct lb_lanes *lanes, const char *text,
				 size_t len)
{
	lb_autofree char *name =
		lanes->map.n > 0 ? lb_session_of_line(text, len) : NULL;

	return name ? lb_lane_find(lanes, name) : NULL;
}

static void on_foreign(struct lb_lanes *lanes, const struct lb_line *line)
{
	struct lb_lane *lane = busy_lane(lanes, line->text, line->len);

	if (lane)
		append(lane, item_new(line->text, line->len));
	else
		lanes->user->pass(lanes->arg, line);
}

/* An owned record that may have to wait: it gets its bytes for itself. */
static void keep(struct lb_lanes *lanes, const char *name, struct lb_record *r)
{
	struct lb_item *item = item_new(r->text, r->len);

	item->record.text = item->text;
	item->record.len = item->len;
	item->record.json = lb_steal(&r->json);
	lb_scan(item->text, item->len, &item->record.members);
	item->owned = true;
	if (!lanes->at_any_time)
		note_start(item);
	append(lane_for(lanes, name), item);
}

static bool waits(const struct lb_record *r)
{
	int64_t at;

	return lb_json_int(r->json, "not_before", &at) && at > lb_clock_now();
}

static void on_owned(struct lb_lanes *lanes, struct lb_record *r)
{
	const struct lb_lanes_user *user = lanes->user;
	const char *name = user->lane(lanes->arg, r);

	if (!name)
		return;
	if (user->at_once && (lanes->at_any_time || !waits(r)) &&
	    (lanes->map.n == 0 || !lb_lane_find(lanes, name)) &&
	    user->at_once(lanes->arg, r))
		return;
	keep(lanes, name, r);
}

void lb_lanes_line(struct lb_lanes *lanes, const struct lb_line *line)
{
	const struct lb_lanes_user *user = lanes->user;
	struct lb_record *r = &lanes->scratch;
	struct lb_error err;
	int sort;

	r->text = NULL;
	sort = lb_line_sort(user->owned, line, r, &err);
	if (sort > 0) {
		on_owned(lanes, r);
	} else if (sort < 0) {
		user->bad(lanes->arg, line, &err);
	} else if (!r->text || r->text == line->text) {
		on_foreign(lanes, line);
	} else { /* it had to be mended */
		struct lb_line own = *line;

		own.text = r->text;
		own.len = r->len;
		own.ended = false;
		on_foreign(lanes, &own);
	}
}

bool lb_lanes_full(const struct lb_lanes *lanes)
{
	return lanes->held >= lanes->max || lanes->bytes >= LB_LANES_BYTES;
}

/* Nobody waits that long, and what is behind it in its lane least. */
static void drop_first(struct lb_lane *lane)
{
	const struct lb_lanes_user *user = lane->lanes->user;
	struct lb_item *item = lb_lane_shift(lane);

	user->too_late(lane->lanes->arg, &item->record);
	lb_item_free(item);
	lb_lane_ready(lane);
}

/* Let out what may go, start the first record; forget an empty lane. */
static void run(struct lb_lane *lane)
{
	struct lb_lanes *lanes = lane->lanes;
	const struct lb_lanes_user *user = lanes->user;

	while (lane->first && !lane->first->owned) {
		struct lb_item *item = lb_lane_shift(lane);

		user->pass(lanes->arg,
			   &(struct lb_line){item->text, item->len, 0, false});
		lb_item_free(item);
	}
	if (!lane->first) {
		lb_map_remove(&lanes->map, lane->name);
		lane_free(lane);
	} else if (lane->first->too_far) {
		drop_first(lane);
	} else if (lane->first->start_at > lb_clock_mono()) {
		lb_timer_set(lanes->loop, &lane->timer, lane->first->start_at,
			     on_timer, lane);
	} else {
		user->start(lanes->arg, lane);
	}
}

bool lb_lanes_waiting(const struct lb_lanes *lanes)
{
	return lanes->ready && lanes->user->has_room(lanes->arg);
}

void lb_lanes_pump(struct lb_lanes *lanes)
{
	while (lb_lanes_waiting(lanes)) {
		struct lb_lane *lane = lanes->ready;

		lanes->ready = lane->next_ready;
		lane->is_ready = false;
		run(lane);
	}
}

void lb_lanes_release(struct lb_lanes *lanes,
		      void (*cancel)(struct lb_lane *lane))
{
	for (size_t i = 0; i < lanes->map.size; i++)
		for (struct lb_map_entry *e = lanes->map.slots[i]; e;
		     e = e->next) {
			struct lb_lane *lane = e->value;

			if (lane->work && cancel)
				cancel(lane);
			lane_free(lane);
		}
	lb_map_release(&lanes->map, NULL);
	lb_record_release(&lanes->scratch);
}
