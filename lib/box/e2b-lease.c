#include "box/e2b-lease.h"

#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

enum {
	SPARE_S = 60, /* that a machine lives on after its time is over */
	LONGEST_MS = 300000,
	SHORTEST_MS = 1000,
	ASK_MS = 30000,
};

/* How often it is asked for anew. */
static int64_t every(int64_t idle_ms)
{
	if (idle_ms <= 0 || idle_ms > LONGEST_MS)
		return LONGEST_MS;
	return idle_ms < SHORTEST_MS ? SHORTEST_MS : idle_ms;
}

int64_t lb_e2b_lease_s(int64_t timeout_ms, int64_t idle_ms)
{
	int64_t most = 2 * every(idle_ms);
	int64_t ms = timeout_ms > idle_ms ? timeout_ms : idle_ms;

	return (ms < most ? ms : most) / 1000 + SPARE_S;
}

static void on_time(void *arg);

static void again(struct lb_e2b_lease *l)
{
	lb_timer_set(l->e->loop, &l->timer, lb_clock_mono() + l->every_ms,
		     on_time, l);
}

static int on_data(void *arg, const char *data, size_t len)
{
	(void)arg;
	(void)data;
	(void)len;
	return 0;
}

/* A machine that could not be kept ends what runs in it: that is told then. */
static void on_end(void *arg, const struct lb_http_end *end)
{
	struct lb_e2b_lease *l = arg;

	(void)end;
	l->call = NULL;
	again(l);
}

static void on_time(void *arg)
{
	static const struct lb_http_events events = {NULL, on_data, on_end};
	struct lb_e2b_lease *l = arg;
	lb_autofree char *url =
		lb_printf("%s/sandboxes/%s/connect", l->e->api, l->id);
	lb_autofree char *body =
		lb_printf("{\"timeout\":%lld}", (long long)l->seconds);
	const char *const headers[] = {l->e->key,
				       "Content-Type: application/json", NULL};
	struct lb_error ignored;

	l->call = lb_http_start(l->e->http,
				&(struct lb_http_request){
					.method = "POST",
					.url = url,
					.headers = headers,
					.body = body,
					.body_len = strlen(body),
					.total_ms = ASK_MS,
				},
				&events, l, &ignored);
	if (!l->call)
		again(l);
}

void lb_e2b_lease_keep(struct lb_e2b_lease *l, struct lb_e2b *e, const char *id,
		       int64_t idle_ms)
{
	*l = (struct lb_e2b_lease){
		.e = e,
		.id = id,
		.every_ms = every(idle_ms),
		.seconds = lb_e2b_lease_s(INT64_MAX, idle_ms),
	};
	again(l);
}

void lb_e2b_lease_end(struct lb_e2b_lease *l)
{
	if (!l->e)
		return;
	lb_timer_cancel(l->e->loop, &l->timer);
	if (l->call)
		lb_http_cancel(l->call);
	l->call = NULL;
}
