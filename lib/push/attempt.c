#include "push/attempt.h"

#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "net/signature.h"

/* The longest pause between two tries, also one a webhook asks for, ms. */
enum { MAX_PAUSE = 5 * 60 * 1000, CONNECT_MS = 10000, GROWTH = 4 };

static void on_head(void *arg, struct lb_http_call *call, int status)
{
	struct lb_delivery *d = arg;

	(void)call;
	d->status = status;
}

/* An answer is read to its end only when somebody waits for it. */
static int on_data(void *arg, const char *data, size_t len)
{
	struct lb_delivery *d = arg;

	if (d->wait && d->answer.len + len <= LB_PUSH_ANSWER)
		lb_buf_put(&d->answer, data, len);
	else if (d->wait)
		return -1;
	return 0;
}

static bool is_ok(int status)
{
	return status >= 200 && status < 300;
}

/* {"skip_pipeline": true}, and nothing that only looks like it. */
static bool says_skip(const struct lb_delivery *d)
{
	json_auto_t *said = json_loadb(lb_buf_str(&d->answer), d->answer.len,
				       JSON_REJECT_DUPLICATES, NULL);

	return json_is_true(json_object_get(said, "skip_pipeline"));
}

static bool may_pass(int status)
{
	return status == 0 || status == 408 || status == 425 || status == 429 ||
	       status >= 500;
}

/* It came: whatever became of the rest of the answer. */
static void delivered(struct lb_delivery *d, const struct lb_http_end *end)
{
	d->hook->silences = 0;
	if (d->wait && end->cause != LB_HTTP_DONE)
		lb_warn("webhook '%s': its answer is no opinion: %s",
			d->hook->name,
			end->cause == LB_HTTP_STOPPED ? "it is too long"
						      : end->why);
	lb_delivery_opinion(d, end->cause == LB_HTTP_DONE && says_skip(d));
	lb_delivery_close(d);
}

static void again(void *arg)
{
	struct lb_delivery *d = arg;

	if (d->hook->gone)
		lb_delivery_give_up(d, "the webhook is gone");
	else
		lb_delivery_queue(d);
}

/* Its pauses grow: 1, 4, 16 ... times the first. */
static int64_t next_pause(const struct lb_delivery *d, int64_t asked_for)
{
	int64_t pause = d->hook->backoff_ms;

	for (int i = 1; i < d->tries && pause < MAX_PAUSE; i++)
		pause *= GROWTH;
	if (pause > MAX_PAUSE)
		pause = MAX_PAUSE;
	return asked_for > pause ? asked_for : pause;
}

/* A webhook that is gone is told nothing more, and what waits for it ends. */
static void hook_gone(struct lb_delivery *d)
{
	struct lb_hook *hook = d->hook;

	hook->gone = true;
	lb_warn("webhook '%s': answers 410 Gone: it is told nothing more",
		hook->name);
	lb_delivery_give_up(d, "status 410");
	while (hook->first)
		lb_delivery_give_up(hook->first, "the webhook is gone");
}

static void failed(struct lb_delivery *d, const char *why, bool passing,
		   int64_t asked_for)
{
	int64_t pause = next_pause(d, asked_for);
	lb_autofree char *all = NULL;

	lb_delivery_silent(d);
	if (passing && asked_for > MAX_PAUSE)
		all = lb_printf("%s, and it asks to wait for %llds", why,
				(long long)(asked_for / 1000));
	else if (passing && d->tries >= d->hook->tries)
		all = lb_printf("%s, after %d tr%s", why, d->tries,
				d->tries == 1 ? "y" : "ies");
	else if (!passing)
		all = lb_strdup(why);
	if (all) {
		lb_delivery_give_up(d, all);
		return;
	}
	lb_log(LB_INFO, NULL, "webhook '%s': %s; again in %lld ms",
	       d->hook->name, why, (long long)pause);
	free(d->why);
	d->why = lb_strdup(why);
	if (asked_for > 0)
		d->hook->resume_at = lb_clock_mono() + asked_for;
	lb_timer_set(d->push->loop, &d->timer, lb_clock_mono() + pause, again,
		     d);
}

static void on_end(void *arg, const struct lb_http_end *end)
{
	struct lb_delivery *d = arg;
	lb_autofree char *why = NULL;

	d->call = NULL;
	d->hook->in_flight--;
	d->push->in_flight--;
	if (is_ok(d->status)) {
		delivered(d, end);
		return;
	}
	if (d->status == 410) {
		hook_gone(d);
		return;
	}
	why = d->status ? lb_printf("status %d", d->status)
			: lb_strdup(end->why);
	failed(d, why, may_pass(d->status), end->retry_after_ms);
}

static void put_headers(struct lb_delivery *d, const char *headers[8])
{
	int64_t seconds = lb_clock_now() / 1000;
	size_t n = 0;

	for (size_t i = 0; i < 3; i++)
		lb_buf_reset(&d->headers[i]);
	lb_buf_printf(&d->headers[0], "webhook-id: %s", d->uuid);
	lb_buf_printf(&d->headers[1], "webhook-timestamp: %lld",
		      (long long)seconds);
	headers[n++] = "Content-Type: application/json";
	headers[n++] = "User-Agent: lb-push/" LB_VERSION;
	headers[n++] = d->headers[0].data;
	headers[n++] = d->headers[1].data;
	if (d->hook->key.len > 0) {
		lb_buf_puts(&d->headers[2], "webhook-signature: ");
		lb_signature_put(&d->headers[2], &d->hook->key, d->uuid,
				 seconds, &d->body);
		headers[n++] = d->headers[2].data;
	}
	headers[n] = NULL;
}

void lb_delivery_try(struct lb_delivery *d)
{
	static const struct lb_http_events events = {on_head, on_data, on_end};
	const char *headers[8];
	int64_t timeout = d->hook->timeout_ms;
	struct lb_http_request request = {
		.url = d->hook->url,
		.headers = headers,
		.body = d->body.data,
		.body_len = d->body.len,
		.connect_ms = timeout < CONNECT_MS ? timeout : CONNECT_MS,
		.total_ms = timeout,
		.max_body = LB_PUSH_ANSWER * 2,
	};
	struct lb_error err;

	put_headers(d, headers);
	d->tries++;
	d->status = 0;
	lb_buf_reset(&d->answer);
	d->call = lb_http_start(d->push->http, &request, &events, d, &err);
	if (!d->call) {
		failed(d, err.text, false, -1);
		return;
	}
	d->hook->in_flight++;
	d->push->in_flight++;
}
