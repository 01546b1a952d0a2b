#include "store/limits-window.h"

size_t lb_counter_slots(const struct lb_limit *w)
{
	return w->sliding ? LB_LIMITS_SLOTS : 1;
}

/* In ms; a window shorter than its slots are many is counted by the ms. */
static int64_t slot_length(const struct lb_limit *w)
{
	int64_t parts = (int64_t)lb_counter_slots(w) - 1;
	int64_t ms =
		parts > 0 ? (w->length_ms + parts - 1) / parts : w->length_ms;

	return ms > 0 ? ms : 1;
}

bool lb_counter_is_sound(const struct lb_counter *c, const struct lb_limit *w)
{
	return c->at >= 0 && c->at < INT64_MAX / 2 && c->slot >= 0 &&
	       c->slot <= c->at / slot_length(w);
}

/* What was counted in the window whose newest slot is `slot`. */
static int64_t sum(const struct lb_counter *c, int64_t slots, int64_t slot)
{
	int64_t n = 0;

	for (int64_t s = slot - slots + 1; s <= c->slot; s++)
		if (s >= 0)
			n += c->counts[s % slots];
	return n;
}

int64_t lb_counter_room(const struct lb_counter *c, const struct lb_limit *w,
			int64_t t)
{
	int64_t slots = (int64_t)lb_counter_slots(w), ms = slot_length(w);
	int64_t first = t / ms;

	if (w->limit <= 0)
		return INT64_MAX;
	if (first < c->slot)
		first = c->slot;
	/* with all slots behind it, a window is empty */
	for (int64_t s = first; s < first + slots; s++)
		if (sum(c, slots, s) < w->limit)
			return s * ms > t ? s * ms : t;
	return (first + slots) * ms;
}

void lb_counter_add(struct lb_counter *c, const struct lb_limit *w, int64_t t)
{
	int64_t slots = (int64_t)lb_counter_slots(w);
	int64_t slot = t / slot_length(w);

	if (slot < c->slot) /* the clock went back a little */
		slot = c->slot;
	for (int64_t s = slot; s > c->slot && s > slot - slots; s--)
		c->counts[s % slots] = 0;
	c->slot = slot;
	if (c->counts[slot % slots] < UINT32_MAX)
		c->counts[slot % slots]++;
	if (c->at < t)
		c->at = t;
}

bool lb_counter_tell(struct lb_counter *c, const struct lb_limit *w, int64_t t)
{
	int64_t window = t / w->length_ms + 1;

	if (c->noticed == window)
		return false;
	c->noticed = window;
	return true;
}
