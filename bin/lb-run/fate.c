/* lb-run - without a queue: what is in the flow, and what became of it.
 *
 * Each message that was fed is kept until its end comes back. When the flow
 * dies first, the message ends here: with an error of code lost.
 */
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "record/filter.h"
#include "record/ticket.h"
#include "super.h"

struct fed {
	struct fed *prev, *next;
	char *id, *text, *into;
	size_t len;
	uint64_t from, to; /* its bytes in what the flow is fed */
};

static void forget(struct super *s, struct fed *e)
{
	if (e->prev)
		e->prev->next = e->next;
	else
		s->first = e->next;
	if (e->next)
		e->next->prev = e->prev;
	else
		s->last = e->prev;
	s->in_flow--;
	s->in_flow_bytes -= e->len;
	free(e->id);
	free(e->text);
	free(e->into);
	free(e);
}

static void keep(struct super *s, const char *id, const struct lb_line *line)
{
	struct fed *e;

	if (lb_map_find(&s->fate, id))
		return; /* the same message once more: the same end */
	e = lb_alloc(sizeof(*e));
	e->id = lb_strdup(id);
	e->text = lb_strndup(line->text, line->len);
	e->len = line->len;
	e->from = s->fed;
	e->to = s->fed + line->len + 1;
	lb_map_add(&s->fate, id, e);
	e->prev = s->last;
	if (s->last)
		s->last->next = e;
	else
		s->first = e;
	s->last = e;
	s->in_flow++;
	s->in_flow_bytes += e->len;
}

void fate_keep(struct super *s, const struct lb_line *line)
{
	static const char *const owned[] = {"message", NULL};
	struct lb_record r = {0};
	struct lb_error err;
	const char *id;

	if (lb_line_sort(owned, line, &r, &err) > 0 &&
	    (id = lb_json_str(r.json, "id")))
		keep(s, id, line);
	lb_record_release(&r);
}

/* Those that were to end when this one does. */
static void end_with(struct super *s, const char *id)
{
	struct fed *next;

	for (struct fed *e = s->first; e; e = next) {
		next = e->next;
		if (e->into && strcmp(e->into, id) == 0)
			forget(s, e);
	}
}

/* A record ends; it may be the end of others, too. */
static void end(struct super *s, const char *id)
{
	struct fed *e = lb_map_remove(&s->fate, id);

	if (!e)
		return;
	s->tied -= e->into != NULL;
	forget(s, e);
	if (s->tied > 0)
		end_with(s, id);
}

static void tie(struct super *s, const char *id, const char *into)
{
	struct fed *e = lb_map_remove(&s->fate, id);

	if (!e)
		return;
	/* Where the other is not in the flow, nothing more will be heard. */
	if (!lb_map_find(&s->fate, into)) {
		forget(s, e);
		return;
	}
	free(e->into);
	e->into = lb_strdup(into);
	s->tied++;
}

/* Nobody tries it again here: it is as good as any other error. */
static void put_final(struct super *s, const struct lb_record *r)
{
	static const char *const without[] = {"retryable", NULL};
	lb_autobuf struct lb_buf b = {0};

	lb_splice(&b, r, "error", without);
	lb_put_bool(&b, "retryable", false);
	lb_put_end(&b);
	records_put(s, lb_buf_str(&b), b.len - 1);
}

void feed_result(struct super *s, const struct lb_line *line)
{
	struct lb_record r = {0};
	const char *id, *into = NULL;
	enum lb_ending how = LB_ENDS_NOTHING;
	struct lb_error err;

	if (lb_line_sort(lb_ending_kinds, line, &r, &err) > 0)
		how = lb_record_ending(&r, &into);
	id = how == LB_ENDS_NOTHING ? NULL : lb_json_str(r.json, "id");
	if (how == LB_ENDS_RETRY)
		put_final(s, &r);
	else
		records_put(s, line->text, line->len);
	if (id && how == LB_ENDS_INTO)
		tie(s, id, into);
	else if (id && how != LB_ENDS_PART)
		end(s, id);
	lb_record_release(&r);
}

static void put_lost(struct super *s, const struct fed *e)
{
	static const struct lb_problem p =
		{"lb-run", LB_CODE_LOST, "the flow died before it was answered",
		 false, -1};
	lb_autobuf struct lb_buf b = {0};
	struct lb_record r = {0};
	struct lb_error err;

	if (lb_record_parse(&r, e->text, e->len, &err) == 0) {
		lb_put_error(&b, &r, &p);
		records_put(s, lb_buf_str(&b), b.len - 1);
	}
	lb_record_release(&r);
}

size_t fate_lost(struct super *s)
{
	struct fed *e, *next;
	size_t n = 0;

	for (e = s->first; e; e = next) {
		next = e->next;
		if (e->from >= s->written)
			continue;
		put_lost(s, e);
		s->tied -= e->into != NULL;
		if (!e->into)
			lb_map_remove(&s->fate, e->id);
		forget(s, e);
		n++;
	}
	return n;
}

void fate_release(struct super *s)
{
	while (s->first)
		forget(s, s->first);
	lb_map_release(&s->fate, NULL);
}
