#include "box/meter.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "box/place.h"
#include "fs/digest.h"
#include "store/quota.h"

enum {
	BUSY_MS = 5000,
	LONGEST_KEY = 512, /* bytes of a name in a key; else its digest */
};

/* The most that anything reserves: what a profile may allow, on 1024. */
#define MOST_CPU_MS (31622400LL * 1000 * 1024)

struct lb_box_meter {
	struct lb_quotas *quotas;
	struct lb_box_scope scopes[LB_BOX_SCOPES];
	char *tenant; /* box/place.h; owned; or NULL */
};

struct lb_box_meter *lb_box_meter_open(const struct lb_config *config,
				       const char *state)
{
	struct lb_box_meter *m = lb_alloc(sizeof(*m));

	if (!lb_box_scopes_read(config, m->scopes)) {
		free(m);
		return NULL;
	}
	m->quotas = lb_quotas_open(state, BUSY_MS);
	m->tenant = lb_box_tenant(config);
	return m;
}

void lb_box_meter_close(struct lb_box_meter *m)
{
	if (!m)
		return;
	lb_quotas_close(m->quotas);
	free(m->tenant);
	free(m);
}

/* A name of any length, as a part of a key. */
static void put_name(struct lb_buf *key, const char *name)
{
	unsigned char sum[LB_DIGEST_SIZE];
	size_t len = name ? strlen(name) : 0;

	if (len <= LONGEST_KEY) {
		lb_buf_put(key, name ? name : "", len);
		return;
	}
	lb_digest(&(struct lb_piece){name, len}, 1, sum);
	lb_buf_puts(key, "sha256:");
	for (size_t i = 0; i < sizeof(sum); i++)
		lb_buf_printf(key, "%02x", sum[i]);
}

/* store/limits.h says what keys are, so that erasing somebody finds his. There
 * is no blank in a tenant. */
static void put_key(struct lb_buf *key, const struct lb_box_meter *m,
		    size_t scope, const struct lb_box_whose *whose)
{
	const char *const by[LB_BOX_SCOPES] = {whose->sender, NULL, NULL, NULL};
	const char *const of[LB_BOX_SCOPES] = {whose->bot, whose->session,
					       whose->bot, NULL};

	lb_buf_printf(key, "exec %s", m->scopes[scope].name);
	if (m->tenant)
		lb_buf_printf(key, " %s", m->tenant);
	lb_buf_putc(key, '\x1f');
	put_name(key, of[scope]);
	lb_buf_putc(key, '\x1f');
	put_name(key, by[scope]);
}

static int say_refused(const struct lb_box_meter *m, size_t scope,
		       const struct lb_quota_answer *a, struct lb_error *err)
{
	const struct lb_box_scope *s = &m->scopes[scope];
	char until[LB_CLOCK_TEXT];

	lb_clock_text(a->again_ms, until);
	switch (a->what) {
	case LB_QUOTA_AT_ONCE:
		return lb_fail(err, LB_DENIED,
			       "quota: one %s may run %lld at once, and no "
			       "more (box.quota.%s.concurrent_execs); try "
			       "again when one has ended",
			       s->name, (long long)s->at_once, s->name);
	case LB_QUOTA_RUNS:
		return lb_fail(err, LB_DENIED,
			       "quota: the %lld commands a day of one %s are "
			       "used up (box.quota.%s.execs_per_day); more at "
			       "%s",
			       (long long)s->runs, s->name, s->name, until);
	default:
		return lb_fail(err, LB_DENIED,
			       "quota: the %lld seconds of processor time a "
			       "day of one %s are %s "
			       "(box.quota.%s.cpu_seconds_per_day); more %s%s",
			       (long long)(s->cpu_ms / 1000), s->name,
			       a->held ? "held by commands that run"
				       : "used up",
			       s->name,
			       a->held ? "when one has ended, or at " : "at ",
			       until);
	}
}

/* What it may take in that time, and the other way round. */
static int64_t cpu_of(int64_t ms, double cpus)
{
	double all = (double)ms * (cpus > 0 ? cpus : 1);

	return all < (double)MOST_CPU_MS ? (int64_t)all + 1 : MOST_CPU_MS;
}

int lb_box_meter_take(struct lb_box_meter *m, const struct lb_box_whose *whose,
		      double cpus, int64_t timeout_ms,
		      struct lb_box_ticket *ticket, struct lb_error *err)
{
	struct lb_buf keys[LB_BOX_SCOPES] = {{NULL}};
	struct lb_quota quotas[LB_BOX_SCOPES];
	size_t of[LB_BOX_SCOPES], n = 0;
	struct lb_quota_wish wish = {.quotas = quotas,
				     .cpu_ms = cpu_of(timeout_ms, cpus),
				     .time_ms = timeout_ms};
	struct lb_quota_answer a;
	int r;

	*ticket = (struct lb_box_ticket){.cpus = cpus > 0 ? cpus : 1};
	for (size_t i = 0; i < LB_BOX_SCOPES; i++) {
		const struct lb_box_scope *s = &m->scopes[i];

		if (!s->is_set)
			continue;
		put_key(&keys[i], m, i, whose);
		quotas[n] = (struct lb_quota){lb_buf_str(&keys[i]), s->runs,
					      s->cpu_ms, s->at_once};
		of[n++] = i;
	}
	wish.n = n;
	r = lb_quota_take(m->quotas, &wish, lb_clock_now(), &a, err);
	for (size_t i = 0; i < LB_BOX_SCOPES; i++)
		lb_buf_release(&keys[i]);
	if (r < 0) {
		err->code = LB_AGAIN;
		lb_error_wrap(err, "quotas cannot be counted, so nothing runs");
		return -1;
	}
	if (r == 0)
		return say_refused(m, of[a.refused], &a, err);
	ticket->id = a.id + 1;
	ticket->cpu_ms = a.limited_by >= 0 ? a.cpu_ms : 0;
	return 0;
}

void lb_box_meter_settle(struct lb_box_meter *m, struct lb_box_ticket *ticket,
			 int64_t cpu_ms, int64_t duration_ms, bool ran)
{
	struct lb_error err;

	if (!m || ticket->id == 0)
		return;
	if (cpu_ms < 0)
		cpu_ms = ran && duration_ms > 0
				 ? cpu_of(duration_ms, ticket->cpus)
				 : 0;
	if (lb_quota_settle(m->quotas, ticket->id - 1, cpu_ms, ran, &err) < 0)
		lb_warn("a quota was not settled: %s", err.text);
	ticket->id = 0;
}
