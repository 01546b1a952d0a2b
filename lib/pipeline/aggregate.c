#include "pipeline/aggregate.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"
#include "base/mem.h"
#include "pipeline/burst.h"
#include "pipeline/way.h"
#include "record/filter.h"

/* What one session holds at most; more of it goes out unmerged. */
enum { MAX_LANE = 100 };

/* Something that waits in its session: messages that become one, or a line. */
struct item {
	struct item *next;
	struct lb_burst *burst; /* or NULL */
	int64_t wait, due;      /* ms */
	bool over;              /* it waits no more */
	char *text;
	size_t len;
};

/* A session that holds something. */
struct lane {
	struct lane *prev, *next;
	char *name;
	struct item *first, **end;
	size_t n;
};

struct lb_aggregate {
	struct lb_out *out;
	size_t max_line;
	struct lb_ways ways;
	struct lb_map lanes;
	struct lane *all; /* the same, in any order */
	size_t waiting, held, bytes;
	struct lb_record scratch;
};

bool lb_aggregate_is_on(struct lb_config *config)
{
	return lb_ways_any(config);
}

struct lb_aggregate *lb_aggregate_open(struct lb_config *config,
				       struct lb_out *out, size_t max_line,
				       struct lb_error *err)
{
	struct lb_aggregate *a = lb_alloc(sizeof(*a));

	a->out = out;
	a->max_line = max_line;
	if (lb_ways_open(&a->ways, config, err) == 0)
		return a;
	lb_aggregate_close(a);
	return NULL;
}

static struct lane *lane_for(struct lb_aggregate *a, const char *name)
{
	struct lane *lane = lb_map_find(&a->lanes, name);

	if (lane)
		return lane;
	lane = lb_alloc(sizeof(*lane));
	lane->name = lb_strdup(name);
	lane->end = &lane->first;
	lane->next = a->all;
	if (a->all)
		a->all->prev = lane;
	a->all = lane;
	lb_map_add(&a->lanes, name, lane);
	return lane;
}

static void lane_close(struct lb_aggregate *a, struct lane *lane)
{
	if (lane->prev)
		lane->prev->next = lane->next;
	else
		a->all = lane->next;
	if (lane->next)
		lane->next->prev = lane->prev;
	lb_map_remove(&a->lanes, lane->name);
	free(lane->name);
	free(lane);
}

static void append(struct lb_aggregate *a, struct lane *lane, struct item *it)
{
	*lane->end = it;
	lane->end = &it->next;
	lane->n++;
	a->held++;
	a->waiting += it->burst != NULL;
	a->bytes += it->len;
}

static void put_item(struct lb_aggregate *a, const struct item *it)
{
	if (!it->burst) {
		lb_out_line(a->out, it->text, it->len);
		return;
	}
	lb_burst_put(it->burst, lb_out_buf(a->out));
	lb_out_built(a->out);
}

static void shift(struct lb_aggregate *a, struct lane *lane)
{
	struct item *it = lane->first;

	lane->first = it->next;
	if (!lane->first)
		lane->end = &lane->first;
	lane->n--;
	a->held--;
	a->waiting -= it->burst != NULL;
	a->bytes -= it->len;
	lb_burst_close(it->burst);
	free(it->text);
	free(it);
}

/* What need not wait any more goes out; or all does. The lane may be gone. */
static void let_go(struct lb_aggregate *a, struct lane *lane, bool all)
{
	while (lane->first &&
	       (all || !lane->first->burst || lane->first->over)) {
		put_item(a, lane->first);
		shift(a, lane);
	}
	if (!lane->first)
		lane_close(a, lane);
}

void lb_aggregate_flush(struct lb_aggregate *a)
{
	while (a->all)
		let_go(a, a->all, true);
}

void lb_aggregate_close(struct lb_aggregate *a)
{
	if (!a)
		return;
	while (a->all) {
		while (a->all->first)
			shift(a, a->all);
		lane_close(a, a->all);
	}
	lb_map_release(&a->lanes, NULL);
	lb_ways_release(&a->ways);
	lb_record_release(&a->scratch);
	free(a);
}

int64_t lb_aggregate_due(const struct lb_aggregate *a)
{
	int64_t due = -1;

	for (const struct lane *lane = a->all; lane; lane = lane->next)
		for (const struct item *it = lane->first; it; it = it->next)
			if (it->burst && !it->over &&
			    (due < 0 || it->due < due))
				due = it->due;
	return due;
}

void lb_aggregate_turn(struct lb_aggregate *a, int64_t now_ms)
{
	struct lane *next;

	for (struct lane *lane = a->all; lane; lane = next) {
		next = lane->next;
		for (struct item *it = lane->first; it; it = it->next)
			it->over = it->over || (it->burst && it->due <= now_ms);
		let_go(a, lane, false);
	}
}

static bool is_full(const struct lb_aggregate *a, const struct lane *lane,
		    size_t more)
{
	return a->held >= LB_AGGREGATE_HELD ||
	       a->waiting >= LB_AGGREGATE_WAITING ||
	       a->bytes + more > LB_AGGREGATE_HELD_BYTES ||
	       (lane && lane->n >= MAX_LANE);
}

/* Nothing of its session is held behind which it would have to wait. */
static void pass(struct lb_aggregate *a, struct lane *lane, const char *text,
		 size_t len)
{
	if (lane)
		let_go(a, lane, true);
	lb_out_line(a->out, text, len);
}

/* Behind what waits; where that is too much already, all of it goes out. */
static void pass_behind(struct lb_aggregate *a, struct lane *lane,
			const char *text, size_t len)
{
	struct item *it;

	if (!lane || is_full(a, lane, len)) {
		pass(a, lane, text, len);
		return;
	}
	it = lb_alloc(sizeof(*it));
	it->text = lb_strndup(text, len);
	it->len = len;
	append(a, lane, it);
}

/*
 * The messages that this one may join: the last of its sender, so that what one
 * says stays in order.
 */
static struct item *find(const struct lb_aggregate *a, const struct lane *lane,
			 const struct lb_way *way, const struct lb_record *r)
{
	const char *id = lb_json_str(r->json, "id");
	size_t max = a->max_line < LB_AGGREGATE_BYTES ? a->max_line
						      : LB_AGGREGATE_BYTES;
	struct item *last = NULL;
	const struct lb_burst *b;

	/* what stands between them, and what says that they are one */
	enum { BETWEEN = 128 };

	for (struct item *it = lane ? lane->first : NULL; it; it = it->next)
		if (it->burst && strcmp(it->burst->sender, way->sender) == 0)
			last = it;
	if (!last)
		return NULL;
	b = last->burst;
	if (b->n < LB_AGGREGATE_MESSAGES &&
	    strcmp(b->pipeline, way->pipeline) == 0 &&
	    b->bytes + r->len + BETWEEN * (b->n + 1) <= max &&
	    !lb_burst_has(b, id))
		return last;
	return NULL;
}

static void join(struct lb_aggregate *a, struct item *it,
		 const struct lb_record *r, const struct lb_way *way)
{
	size_t had = it->burst->drops.len;

	lb_burst_join(it->burst, r, way);
	had = it->burst->drops.len - had + r->len;
	it->len += had;
	a->bytes += had;
	if (it->burst->n == LB_AGGREGATE_MESSAGES)
		it->over = true;
}

static void on_message(struct lb_aggregate *a, struct lb_record *r, int64_t now)
{
	struct lb_way way;
	enum lb_joins how = lb_way_of(&a->ways, r, &way);
	struct lane *lane = lb_map_find(&a->lanes, way.session);
	struct item *it;

	if (how == LB_JOINS_NOTHING || is_full(a, lane, r->len)) {
		pass(a, lane, r->text, r->len);
		return;
	}
	it = find(a, lane, &way, r);
	if (it) {
		join(a, it, r, &way);
		if (!it->next) /* nobody waits for it */
			it->due = now + it->wait;
		let_go(a, lane, false);
		return;
	}
	it = lb_alloc(sizeof(*it));
	it->burst = lb_burst_open(r, &way);
	it->wait = way.delay_ms;
	it->due = now + it->wait;
	it->len = r->len;
	append(a, lane_for(a, way.session), it);
}

/* The lane a foreign line names, if that one holds something. */
static struct lane *lane_of_line(struct lb_aggregate *a, const char *text,
				 size_t len)
{
	lb_autofree char *name =
		a->lanes.n > 0 ? lb_session_of_line(text, len) : NULL;

	return name ? lb_map_find(&a->lanes, name) : NULL;
}

int lb_aggregate_line(struct lb_aggregate *a, const struct lb_line *line,
		      int64_t now_ms, struct lb_error *err)
{
	static const char *const owned[] = {"message", NULL};
	struct lb_record *r = &a->scratch;
	int sort;

	r->text = NULL;
	sort = lb_line_sort(owned, line, r, err);
	if (sort < 0)
		return -1;
	if (sort > 0) {
		on_message(a, r, now_ms);
	} else {
		const char *text = r->text ? r->text : line->text;
		size_t len = r->text ? r->len : line->len;

		pass_behind(a, lane_of_line(a, text, len), text, len);
	}
	return 0;
}
