/* limit - does a chat or a person ask for more than they may? */
#include <string.h>

#include "base/json.h"
#include "pipeline/rights.h"
#include "pipeline/spend.h"
#include "pipeline/stages.h"

enum { MAX_WINDOWS = 16, HOUR_MS = 3600 * 1000 };

static const char *const what[] = {"messages", "tokens", "cost"};

/* Only in groups is one of many told from all. */
static bool concerns(const struct lb_message *m, const struct lb_window *w)
{
	return w->per != LB_PER_SENDER_IN_GROUP ||
	       strcmp(m->launcher_type, "group") == 0;
}

static struct lb_whose whose(const struct lb_message *m)
{
	return (struct lb_whose){m->flow->name, m->bot, lb_buf_str(&m->session),
				 m->sender_id,
				 strcmp(m->launcher_type, "group") == 0};
}

static enum lb_verdict refuse(struct lb_message *m, const struct lb_window *w,
			      bool notice)
{
	enum lb_verdict verdict =
		notice ? lb_refuse(m,
				   w->count == LB_COUNT_MESSAGES
					   ? "rate-limited"
					   : "usage-limited",
				   "rate limit")
		       : LB_DROP;

	return lb_because(m, verdict, "rate limit: %.9g %s a %lld s and %s",
			  (double)w->limit /
				  (w->count == LB_COUNT_COST ? 1e6 : 1),
			  what[w->count], (long long)(w->length_ms / 1000),
			  lb_window_per_names[w->per]);
}

/* Was as much spent as may be? */
static enum lb_verdict check_spent(struct lb_message *m,
				   const struct lb_window *w)
{
	const struct lb_whose of = whose(m);
	lb_autobuf struct lb_buf name = {0}, key = {0};
	int64_t from = w->sliding ? m->now - w->length_ms + HOUR_MS
				  : m->now - m->now % w->length_ms;
	struct lb_limit limit = {.length_ms = w->length_ms};
	struct lb_spent spent;

	lb_spent_name(&name, w->per, m->flow->name);
	lb_whose_key(&key, name.data, w->per, &of);
	lb_limits_spent(m->pipeline->limits, key.data, from, &spent);
	if ((w->count == LB_COUNT_TOKENS ? spent.tokens : spent.cost) <
	    w->limit)
		return LB_PASS;
	lb_buf_reset(&key);
	lb_whose_key(&key, w->name, w->per, &of);
	limit.key = key.data;
	return refuse(m, w,
		      lb_limits_first(m->pipeline->limits, &limit, m->now));
}

/* One more message in all windows that count them. */
static enum lb_verdict check_messages(struct lb_message *m)
{
	const struct lb_rules *rules = m->flow->rules;
	const struct lb_whose of = whose(m);
	const struct lb_window *of_limit[MAX_WINDOWS];
	struct lb_limit limits[MAX_WINDOWS];
	size_t at[MAX_WINDOWS], n = 0;
	struct lb_limit_answer answer;

	lb_buf_reset(&m->keys);
	for (size_t i = 0; i < rules->limits.n; i++) {
		const struct lb_window *w = &rules->limits.at[i];

		if (w->count != LB_COUNT_MESSAGES || !concerns(m, w))
			continue;
		at[n] = m->keys.len;
		lb_whose_key(&m->keys, w->name, w->per, &of);
		limits[n] = (struct lb_limit){NULL, w->length_ms, w->limit,
					      w->sliding, w->wait};
		of_limit[n++] = w;
	}
	for (size_t i = 0; i < n; i++)
		limits[i].key = m->keys.data + at[i];
	lb_limits_take(m->pipeline->limits, limits, n, m->now, &answer);
	if (answer.refused >= 0)
		return refuse(m, of_limit[answer.refused], answer.notice);
	if (answer.at_ms <= m->now)
		return LB_PASS;
	m->not_before = answer.at_ms;
	return lb_because(m, LB_PASS, "rate limit: it waits %lld ms",
			  (long long)(answer.at_ms - m->now));
}

enum lb_verdict lb_stage_limit(struct lb_message *m, struct lb_error *err)
{
	const struct lb_rules *rules = m->flow->rules;
	const char *platform = lb_json_str(m->record->json, "platform");

	(void)err;
	if (!m->pipeline->limits)
		return LB_PASS;
	if (rules->limits.exempt_admins &&
	    (m->pipeline->has_admins || strcmp(m->bot, "-") == 0) &&
	    lb_is_admin(m->pipeline->config, m->bot, platform, m->sender_id))
		return lb_because(m, LB_PASS, "an admin is not limited");
	for (size_t i = 0; i < rules->limits.n; i++) {
		const struct lb_window *w = &rules->limits.at[i];
		enum lb_verdict verdict = LB_PASS;

		if (w->count != LB_COUNT_MESSAGES && concerns(m, w))
			verdict = check_spent(m, w);
		if (verdict != LB_PASS)
			return verdict;
	}
	return check_messages(m);
}

void lb_pipeline_commit(struct lb_pipeline *p)
{
	if (p->limits)
		lb_limits_commit(p->limits);
}
