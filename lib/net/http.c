#include "net/http.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "net/curl.h"
#include "net/http-call.h"

/*
 * Connections, used or idle, above which an idle one is closed when another
 * falls idle: enough that a burst of a thousand finds its connections again.
 */
enum { MAX_CONNECTIONS = 1024 };

bool lb_http_is_cancelled(const struct lb_http_call *call)
{
	return call->list == &call->http->cancelled;
}

/* Out of libcurl and of every list; its headers can still be read. */
static void detach(struct lb_http_call *call)
{
	struct lb_http *http = call->http;

	lb_timer_cancel(http->loop, &call->timer);
	lb_timer_cancel(http->loop, &call->total);
	lb_http_list_remove(call);
	lb_http_gate_yield(call);
	call->gate->calls--;
	if (call->phase == LB_HTTP_QUEUED)
		return;
	http->inside++;
	curl_multi_remove_handle(http->multi, call->easy);
	http->inside--;
}

static void release(struct lb_http_call *call)
{
	struct lb_http *http = call->http;

	if (http->pooled < LB_HTTP_POOL) {
		curl_easy_reset(call->easy);
		http->pool[http->pooled++] = call->easy;
	} else {
		curl_easy_cleanup(call->easy);
	}
	curl_slist_free_all(call->headers);
	free(call->body);
	lb_http_pieces_release(&call->pieces);
	free(call);
}

static void note_retry_after(struct lb_http_call *call)
{
	const char *value = lb_http_header(call, "Retry-After");

	call->end.retry_after_ms =
		value ? lb_retry_after(value, lb_clock_now()) : -1;
}

void lb_http_finish(struct lb_http_call *call, enum lb_http_cause cause,
		    CURLcode code)
{
	struct lb_http_gate *gate = call->gate;
	bool unknown =
		code == CURLE_COULDNT_RESOLVE_HOST && gate->leader == call;

	lb_http_why(call, cause, code);
	call->end.cause = cause;
	call->end.asked = call->phase >= LB_HTTP_ASKED;
	call->end.why = call->why;
	note_retry_after(call);
	gate->calls++; /* what on_end starts must not sweep it away */
	detach(call);
	call->events->on_end(call->arg, &call->end);
	release(call);
	if (unknown)
		lb_http_gate_fail(gate);
	gate->calls--;
}

static void read_results(struct lb_http *http)
{
	CURLMsg *msg;
	int left;

	while ((msg = curl_multi_info_read(http->multi, &left))) {
		struct lb_http_call *call = NULL;
		CURLcode code = msg->data.result;

		curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, &call);
		lb_http_finish(call, lb_http_easy_cause(call, code), code);
	}
}

/* After libcurl ran: what its callbacks could not do themselves. */
static void settle(struct lb_http *http)
{
	struct lb_http_call *call;

	while ((call = http->cancelled.first)) {
		detach(call);
		release(call);
	}
	read_results(http);
	if (http->moved)
		lb_http_gate_pass(http);
}

static void act(struct lb_http *http, int fd, int what)
{
	int running;

	http->inside++;
	curl_multi_socket_action(http->multi, fd, what, &running);
	http->inside--;
	settle(http);
}

static void on_ready(int fd, uint32_t events, void *arg)
{
	int what = 0;

	if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
		what |= CURL_CSELECT_IN;
	if (events & EPOLLOUT)
		what |= CURL_CSELECT_OUT;
	if (events & EPOLLERR)
		what |= CURL_CSELECT_ERR;
	act(arg, fd, what);
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *arg,
		     void *unused)
{
	struct lb_http *http = arg;
	uint32_t events = 0;

	(void)easy;
	(void)unused;
	if (what == CURL_POLL_IN || what == CURL_POLL_INOUT)
		events |= EPOLLIN;
	if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT)
		events |= EPOLLOUT;
	lb_loop_watch(http->loop, fd, events, on_ready, http);
	return 0;
}

static void on_curl_timer(void *arg)
{
	act(arg, CURL_SOCKET_TIMEOUT, 0);
}

static int on_timeout_change(CURLM *multi, long ms, void *arg)
{
	struct lb_http *http = arg;

	(void)multi;
	if (ms < 0)
		lb_timer_cancel(http->loop, &http->curl_timer);
	else
		lb_timer_set(http->loop, &http->curl_timer,
			     lb_clock_mono() + ms, on_curl_timer, http);
	return 0;
}

static void on_kick(void *arg)
{
	settle(arg);
}

void lb_http_kick(struct lb_http *http)
{
	http->moved = true;
	lb_timer_set(http->loop, &http->kick, lb_clock_mono(), on_kick, http);
}

static void on_deadline(void *arg)
{
	struct lb_http_call *call = arg;
	curl_off_t raw = 0;

	if (call->phase < LB_HTTP_ASKED) {
		lb_http_finish(call, LB_HTTP_CONNECT, CURLE_OPERATION_TIMEDOUT);
		return;
	}
	if (call->phase == LB_HTTP_ASKED) {
		lb_http_finish(call, LB_HTTP_FIRST_BYTE, CURLE_OK);
		return;
	}
	/* Bytes of an encoded body that decode to nothing yet count too. */
	curl_easy_getinfo(call->easy, CURLINFO_SIZE_DOWNLOAD_T, &raw);
	if (raw != call->raw_bytes) {
		call->raw_bytes = raw;
		if (call->last_byte + call->idle_ms <= lb_clock_mono())
			call->last_byte = lb_clock_mono();
	}
	if (call->last_byte + call->idle_ms <= lb_clock_mono())
		lb_http_finish(call, LB_HTTP_IDLE, CURLE_OK);
	else
		lb_timer_set(call->http->loop, &call->timer,
			     call->last_byte + call->idle_ms, on_deadline,
			     call);
}

static void on_total(void *arg)
{
	lb_http_finish(arg, LB_HTTP_ENDLESS, CURLE_OK);
}

/* Enter a phase, which may take `ms`, or as long as it likes if 0. */
static void enter(struct lb_http_call *call, enum lb_http_phase phase,
		  int64_t ms)
{
	call->phase = phase;
	if (ms > 0)
		lb_timer_set(call->http->loop, &call->timer,
			     lb_clock_mono() + ms, on_deadline, call);
	else
		lb_timer_cancel(call->http->loop, &call->timer);
}

void lb_http_asked(struct lb_http_call *call)
{
	lb_http_gate_yield(call);
	/* libcurl asks again when a kept connection proved dead. */
	if (call->phase == LB_HTTP_CONNECTING && !lb_http_is_cancelled(call))
		enter(call, LB_HTTP_ASKED, call->first_byte_ms);
}

void lb_http_touch(struct lb_http_call *call)
{
	call->last_byte = lb_clock_mono();
	if (call->phase != LB_HTTP_ANSWERING)
		enter(call, LB_HTTP_ANSWERING, call->idle_ms);
}

void lb_http_send(struct lb_http_call *call, bool lead)
{
	struct lb_http *http = call->http;
	int64_t left = call->timer.at - lb_clock_mono();
	CURLMcode code;

	/* libcurl shares the time out among the addresses of a name. */
	if (call->connect_ms > 0)
		curl_easy_setopt(call->easy, CURLOPT_CONNECTTIMEOUT_MS,
				 left > 1 ? (long)left : 1L);
	if (lead)
		curl_easy_setopt(call->easy, CURLOPT_RESOLVE,
				 call->gate->forget);
	lb_http_list_remove(call);
	lb_http_list_add(&http->running, call);
	http->inside++;
	code = curl_multi_add_handle(http->multi, call->easy);
	http->inside--;
	if (code == CURLM_OK)
		call->phase = LB_HTTP_CONNECTING;
	else
		lb_http_finish(call, LB_HTTP_NETWORK, CURLE_FAILED_INIT);
}

struct lb_http *lb_http_open(struct lb_loop *loop)
{
	struct lb_http *http = lb_alloc(sizeof(*http));

	http->loop = loop;
	return http;
}

static int start_curl(struct lb_http *http, struct lb_error *err)
{
	CURLM *m;

	if (http->multi)
		return 0;
	if (lb_curl_load(err) < 0)
		return -1;
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK ||
	    !(m = curl_multi_init())) {
		fputs("lb: cannot start libcurl\n", stderr);
		_Exit(LB_OS);
	}
	http->multi = m;
	curl_multi_setopt(m, CURLMOPT_SOCKETFUNCTION, on_socket);
	curl_multi_setopt(m, CURLMOPT_SOCKETDATA, http);
	curl_multi_setopt(m, CURLMOPT_TIMERFUNCTION, on_timeout_change);
	curl_multi_setopt(m, CURLMOPT_TIMERDATA, http);
	curl_multi_setopt(m, CURLMOPT_MAXCONNECTS, (long)MAX_CONNECTIONS);
	return 0;
}

struct lb_http_call *lb_http_start(struct lb_http *http,
				   const struct lb_http_request *request,
				   const struct lb_http_events *events,
				   void *arg, struct lb_error *err)
{
	struct lb_http_gate *gate;
	struct lb_http_call *call;

	gate = start_curl(http, err) < 0
		       ? NULL
		       : lb_http_gate_find(http, request->url, err);
	if (!gate) {
		if (request->pieces)
			lb_http_pieces_release(request->pieces);
		return NULL;
	}
	call = lb_alloc(sizeof(*call));
	call->http = http;
	call->gate = gate;
	call->events = events;
	call->arg = arg;
	call->connect_ms = request->connect_ms;
	call->first_byte_ms = request->first_byte_ms;
	call->idle_ms = request->idle_ms;
	call->total_ms = request->total_ms;
	call->once = request->once;
	if (request->pieces) {
		call->pieces = *request->pieces;
		*request->pieces = (struct lb_http_pieces){0};
	}
	call->max_body =
		request->max_body ? request->max_body : LB_HTTP_MAX_BODY;
	call->easy =
		http->pooled ? http->pool[--http->pooled] : curl_easy_init();
	if (lb_http_easy_prepare(call, request, err) < 0) {
		release(call);
		return NULL;
	}
	gate->calls++;
	lb_http_list_add(&gate->waiting, call);
	enter(call, LB_HTTP_QUEUED, call->connect_ms);
	if (call->total_ms > 0)
		lb_timer_set(http->loop, &call->total,
			     lb_clock_mono() + call->total_ms, on_total, call);
	lb_http_kick(http);
	return call;
}

void lb_http_cancel(struct lb_http_call *call)
{
	struct lb_http *http = call->http;

	if (!call->list || lb_http_is_cancelled(call))
		return; /* its on_end is running, or it was told already */
	if (http->inside) {
		lb_timer_cancel(http->loop, &call->timer);
		lb_timer_cancel(http->loop, &call->total);
		lb_http_list_remove(call);
		lb_http_list_add(&http->cancelled, call);
		lb_http_kick(http);
		return;
	}
	detach(call);
	release(call);
}

size_t lb_http_lookups(const struct lb_http *http)
{
	return http->lookups;
}

static void drop_all(struct lb_http_list *list)
{
	struct lb_http_call *call;

	while ((call = list->first)) {
		detach(call);
		release(call);
	}
}

void lb_http_close(struct lb_http *http)
{
	if (!http)
		return;
	for (struct lb_http_gate *g = http->gates; g; g = g->next)
		drop_all(&g->waiting);
	drop_all(&http->running);
	drop_all(&http->cancelled);
	while (http->pooled > 0)
		curl_easy_cleanup(http->pool[--http->pooled]);
	if (http->multi) {
		curl_multi_cleanup(http->multi);
		curl_global_cleanup();
	}
	lb_timer_cancel(http->loop, &http->curl_timer);
	lb_timer_cancel(http->loop, &http->kick);
	for (struct lb_http_gate *g; (g = http->gates);) {
		http->gates = g->next;
		lb_http_gate_free(g);
	}
	free(http);
}
