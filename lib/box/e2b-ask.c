/* e2b-ask.c - a request, its answer, and what a refusal means. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "box/e2b.h"

enum {
	CONNECT_MS = 10000,
	TOTAL_MS = 60000, /* a machine may have to be brought up */
	HURRY_MS = 10000,
	MAX_ANSWER = 1 << 20,
	TRIES = 3,
	FIRST_NAP_MS = 500,
	LONGEST_NAP_MS = 5000,
	WORDS = 300, /* bytes of theirs that are shown */
};

#define PUBLIC_API "https://api.e2b.app"

int lb_e2b_configure(struct lb_e2b *e, const struct lb_config *config,
		     struct lb_error *err)
{
	const char *url = lb_config_str(config, "box.e2b.api_url");
	const char *key = lb_config_str(config, "box.e2b.api_key");
	const char *template = lb_config_str(config, "box.e2b.template");
	lb_autofree char *secret =
		lb_config_secret(key && *key ? key : "env:E2B_API_KEY", err);
	size_t len;

	if (!secret)
		return lb_error_wrap(err, "box.e2b.api_key");
	if (!url || !*url)
		url = lb_config_env("E2B_API_URL");
	url = url && *url ? url : PUBLIC_API;
	if (!lb_config_is_url(url))
		return lb_fail(err, LB_CONFIG,
			       "box.e2b.api_url: does not begin with http:// "
			       "or https:// and a host");
	len = strlen(url);
	while (url[len - 1] == '/')
		len--;
	e->api = lb_strndup(url, len);
	e->key = lb_printf("X-API-Key: %s", secret);
	e->template = lb_strdup(template && *template ? template : "base");
	return 0;
}

void lb_e2b_open(struct lb_e2b *e)
{
	e->loop = lb_loop_open();
	e->http = lb_http_open(e->loop);
}

void lb_e2b_release(struct lb_e2b *e)
{
	if (e->http)
		lb_http_close(e->http);
	if (e->loop)
		lb_loop_close(e->loop);
	free(e->key);
	free(e->api);
	free(e->template);
	*e = (struct lb_e2b){.orders = -1};
}

static void on_orders(int fd, uint32_t events, void *arg)
{
	struct lb_e2b *e = arg;

	(void)events;
	lb_loop_watch(e->loop, fd, 0, NULL, NULL);
	e->stopped = true;
	e->orders = -1;
}

int lb_e2b_wait(struct lb_e2b *e, const bool *done, struct lb_error *err)
{
	bool was = e->stopped; /* what tidies up afterwards goes on */

	if (e->orders >= 0)
		lb_loop_watch(e->loop, e->orders, EPOLLIN, on_orders, e);
	while (!*done && e->stopped == was)
		lb_loop_turn(e->loop, -1);
	if (e->orders >= 0)
		lb_loop_watch(e->loop, e->orders, 0, NULL, NULL);
	return *done ? 0 : lb_fail(err, LB_AGAIN, "it was stopped");
}

static void on_time(void *arg)
{
	*(bool *)arg = true;
}

int lb_e2b_nap(struct lb_e2b *e, int64_t ms, struct lb_error *err)
{
	struct lb_timer timer = {.slot = 0};
	bool done = false;
	int result;

	lb_timer_set(e->loop, &timer, lb_clock_mono() + ms, on_time, &done);
	result = lb_e2b_wait(e, &done, err);
	lb_timer_cancel(e->loop, &timer);
	return result;
}

struct asking {
	struct lb_e2b_answer *answer;
	struct lb_error *err;
	bool done, asked;
	int result;
};

static int on_data(void *arg, const char *data, size_t len)
{
	struct asking *a = arg;

	lb_buf_put(&a->answer->body, data, len);
	return 0;
}

static void on_end(void *arg, const struct lb_http_end *end)
{
	struct asking *a = arg;

	a->done = true;
	a->asked = end->asked;
	a->answer->status = end->status;
	a->answer->retry_after_ms = end->retry_after_ms;
	a->result = end->cause == LB_HTTP_DONE
			    ? 0
			    : lb_fail(a->err, LB_AGAIN,
				      "e2b does not answer: %s", end->why);
}

int lb_e2b_ask(struct lb_e2b *e, const struct lb_http_request *request,
	       struct lb_e2b_answer *answer, bool *asked, struct lb_error *err)
{
	static const struct lb_http_events events = {NULL, on_data, on_end};
	struct lb_http_request r = *request;
	struct asking a = {.answer = answer, .err = err};
	struct lb_http_call *call;

	*answer = (struct lb_e2b_answer){.status = 0};
	r.connect_ms = CONNECT_MS;
	r.total_ms = r.total_ms ? r.total_ms : TOTAL_MS;
	if (e->hurries && r.total_ms > HURRY_MS)
		r.total_ms = HURRY_MS;
	r.max_body = MAX_ANSWER;
	call = lb_http_start(e->http, &r, &events, &a, err);
	if (!call)
		return -1;
	if (lb_e2b_wait(e, &a.done, err) < 0) {
		lb_http_cancel(call);
		a.asked = true;
		a.result = -1;
	}
	if (asked)
		*asked = a.asked;
	return a.result;
}

/* Whoever it is for may not be who pays for it. */
static enum lb_exit code_of(int status)
{
	return status == 429 || status >= 500 ? LB_AGAIN : LB_UNAVAILABLE;
}

int lb_e2b_refused(const struct lb_e2b_answer *answer, const char *what,
		   struct lb_error *err)
{
	json_auto_t *o = json_loadb(lb_buf_str(&answer->body), answer->body.len,
				    JSON_ALLOW_NUL, NULL);
	const char *words = lb_json_str(o, "message");

	return lb_fail(err, code_of(answer->status), "e2b %s (status %d)%s%.*s",
		       what, answer->status, words ? ": " : "", WORDS,
		       words ? words : "");
}

static const char *meaning(int status)
{
	switch (status) {
	case 400:
		return "does not take what it is asked";
	case 401:
	case 403:
		return "does not take the key of box.e2b.api_key";
	case 404:
		return "does not have that";
	case 429:
		return "has had too many requests, or has too many machines of "
		       "ours";
	default:
		return "failed";
	}
}

/* Is there a sense in asking again, and may we? Whoever asks for less haste did
 * nothing yet. */
static bool is_passing(const struct lb_e2b_call *call, int status, bool asked)
{
	if (status == 429 || status == 503)
		return true;
	return (status == 0 || status >= 500) && (!call->once || !asked);
}

static int ask_once(struct lb_e2b *e, const struct lb_e2b_call *call,
		    struct lb_e2b_answer *a, bool *asked, struct lb_error *err)
{
	lb_autofree char *url = lb_printf("%s%s", e->api, call->path);
	const char *const headers[] = {e->key, "Content-Type: application/json",
				       "User-Agent: lb/" LB_VERSION, NULL};
	lb_autobuf struct lb_buf body = {NULL};

	if (call->body)
		lb_buf_json(&body, call->body);
	return lb_e2b_ask(e,
			  &(struct lb_http_request){
				  .method = call->method,
				  .url = url,
				  .headers = headers,
				  .body = call->body ? body.data : NULL,
				  .body_len = body.len,
				  .once = call->once,
			  },
			  a, asked, err);
}

/* What is made has to be known: a stop waits until it is. */
static int ask_whole(struct lb_e2b *e, const struct lb_e2b_call *call,
		     struct lb_e2b_answer *a, bool *asked, struct lb_error *err)
{
	int orders = e->orders, result;

	if (call->once)
		e->orders = -1;
	result = ask_once(e, call, a, asked, err);
	if (call->once)
		e->orders = orders;
	return result;
}

static int read_answer(const struct lb_e2b_answer *a, json_t **take,
		       struct lb_error *err)
{
	if (!take || a->body.len == 0)
		return 0;
	*take = json_loadb(a->body.data, a->body.len, JSON_ALLOW_NUL, NULL);
	return *take ? 0
		     : lb_fail(err, LB_PROTOCOL, "what e2b answers is no JSON");
}

int lb_e2b_api(struct lb_e2b *e, const struct lb_e2b_call *call, int *status,
	       json_t **take, struct lb_error *err)
{
	int64_t nap = FIRST_NAP_MS;
	int tries = e->hurries ? 1 : TRIES;

	if (take)
		*take = NULL;
	for (int i = 1;; i++) {
		struct lb_e2b_answer a;
		bool asked = false, again;
		int result = ask_whole(e, call, &a, &asked, err);

		*status = a.status;
		again = is_passing(call, a.status, asked) && i < tries &&
			a.retry_after_ms <= LONGEST_NAP_MS && !e->stopped;
		if (a.retry_after_ms > nap)
			nap = a.retry_after_ms;
		if (result == 0 && (a.status < 200 || a.status > 299))
			result = lb_e2b_refused(&a, meaning(a.status), err);
		else if (result == 0)
			result = read_answer(&a, take, err);
		lb_buf_release(&a.body);
		if (result == 0 || !again || lb_e2b_nap(e, nap, err) < 0)
			return result;
		nap *= 2;
	}
}

bool lb_e2b_is_configured(const struct lb_config *config)
{
	const char *key = lb_config_str(config, "box.e2b.api_key");

	return (key && *key) || lb_config_env("E2B_API_KEY");
}

int lb_e2b_look(const struct lb_config *config, struct lb_buf *said,
		struct lb_error *err)
{
	static const struct lb_e2b_call call =
		{.method = "GET", .path = "/v2/sandboxes?limit=1"};
	struct lb_e2b e = {.orders = -1, .hurries = true};
	int status, result = lb_e2b_configure(&e, config, err);

	if (result == 0) {
		lb_e2b_open(&e);
		result = lb_e2b_api(&e, &call, &status, NULL, err);
	}
	if (result == 0 && said)
		lb_buf_printf(said, "%s answers; template '%s'", e.api,
			      e.template);
	lb_e2b_release(&e);
	return result;
}
