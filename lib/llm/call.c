#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "llm/errand.h"
#include "llm/failure.h"
#include "llm/llm.h"
#include "llm/protocol.h"
#include "llm/reader.h"
#include "net/http.h"
#include "record/record.h"

/* How long an answer that is whole is still waited for, for usage, ms. */
enum { AFTER_FINISH = 3000, MAX_REFUSAL = 64 * 1024 };

/* One that only keeps its connection alive is no answer any more. */
enum { MAX_CALL_MS = 60 * 60 * 1000 };

struct lb_llm {
	struct lb_loop *loop;
	struct lb_http *http; /* opened at the first request that needs it */
	struct lb_llm_call *calls;
	struct lb_errand *errands;
};

struct lb_llm_call {
	struct lb_llm *llm;
	struct lb_llm_call *prev, *next;
	const struct lb_model *model;
	lb_llm_fn *fn; /* NULL once the last event was emitted */
	void *arg;
	struct lb_http_call *http;
	struct lb_reader *reader;
	int status;
	struct lb_buf refusal; /* the body of an answer that is not 2xx */
	struct lb_timer after; /* the end of waiting for usage */
	int64_t retry_after_ms;
	size_t surplus; /* bytes that came after the last event */
	void *state;    /* of `play` */
	void (*release_state)(void *state);
};

struct lb_llm *lb_llm_open(struct lb_loop *loop)
{
	struct lb_llm *llm = lb_alloc(sizeof(*llm));

	llm->loop = loop;
	return llm;
}

static void release(struct lb_llm_call *call)
{
	if (call->prev)
		call->prev->next = call->next;
	else
		call->llm->calls = call->next;
	if (call->next)
		call->next->prev = call->prev;
	lb_timer_cancel(call->llm->loop, &call->after);
	if (call->state) {
		lb_timer_cancel(call->llm->loop, call->state);
		call->release_state(call->state);
	}
	free(call->state);
	lb_reader_close(call->reader);
	lb_buf_release(&call->refusal);
	free(call);
}

void lb_llm_cancel(struct lb_llm_call *call)
{
	if (!call)
		return;
	if (call->http)
		lb_http_cancel(call->http);
	release(call);
}

void lb_llm_close(struct lb_llm *llm)
{
	if (!llm)
		return;
	while (llm->calls)
		lb_llm_cancel(llm->calls);
	while (llm->errands)
		llm->errands->cancel(llm->errands);
	lb_http_close(llm->http);
	free(llm);
}

void lb_errand_add(struct lb_llm *llm, struct lb_errand *e,
		   void (*cancel)(struct lb_errand *errand))
{
	e->llm = llm;
	e->cancel = cancel;
	e->prev = NULL;
	e->next = llm->errands;
	if (e->next)
		e->next->prev = e;
	llm->errands = e;
}

void lb_errand_remove(struct lb_errand *e)
{
	if (e->prev)
		e->prev->next = e->next;
	else
		e->llm->errands = e->next;
	if (e->next)
		e->next->prev = e->prev;
}

struct lb_http *lb_llm_http(struct lb_llm *llm)
{
	if (!llm->http)
		llm->http = lb_http_open(llm->loop);
	return llm->http;
}

struct lb_loop *lb_llm_loop(struct lb_llm *llm)
{
	return llm->loop;
}

struct lb_loop *lb_call_loop(struct lb_llm_call *call)
{
	return call->llm->loop;
}

const struct lb_model *lb_call_model(struct lb_llm_call *call)
{
	return call->model;
}

void *lb_call_state(struct lb_llm_call *call, size_t size,
		    void (*release_state)(void *state))
{
	if (!call->state)
		call->state = lb_alloc(size);
	call->release_state = release_state;
	return call->state;
}

/* The last event is out; the peer keeps the connection open all the same. */
static void drop(void *arg)
{
	lb_llm_cancel(arg);
}

/*
 * Hand an event on. The last one lets the caller go; the call itself lives
 * until its connection is done.
 */
static void emit(struct lb_llm_call *call, const struct lb_llm_event *event)
{
	lb_llm_fn *fn = call->fn;
	struct lb_llm_event priced = *event;

	if (!fn)
		return;
	if (event->kind == LB_LLM_USAGE)
		lb_usage_price(&priced.usage, &call->model->price);
	if (event->kind == LB_LLM_END || event->kind == LB_LLM_FAILED) {
		call->fn = NULL;
		lb_timer_cancel(call->llm->loop, &call->after);
		if (call->http)
			lb_timer_set(call->llm->loop, &call->after,
				     lb_clock_mono() + AFTER_FINISH, drop,
				     call);
	}
	fn(call->arg, event->kind == LB_LLM_USAGE ? &priced : event);
}

/* A failure in the words of its provider, without its keys. */
static void emit_failure(struct lb_llm_call *call,
			 const struct lb_llm_event *event)
{
	struct lb_llm_event f = *event;
	lb_autobuf struct lb_buf text = {0};

	lb_failure_words(&text, call->model, f.code, f.status, f.message);
	f.message = text.data;
	f.retry_after_ms = call->retry_after_ms;
	emit(call, &f);
}

void lb_call_emit(struct lb_llm_call *call, const struct lb_llm_event *event)
{
	bool last = event->kind == LB_LLM_END || event->kind == LB_LLM_FAILED;

	if (event->kind == LB_LLM_FAILED)
		emit_failure(call, event);
	else
		emit(call, event);
	if (last && !call->http && !call->reader)
		release(call); /* of `play`: nothing else holds it */
}

static void on_event(void *arg, const struct lb_llm_event *event)
{
	struct lb_llm_call *call = arg;

	if (event->kind == LB_LLM_FAILED) {
		emit_failure(call, event);
	} else if (event->kind == LB_LLM_KEEP) {
		json_auto_t *keep = json_copy((json_t *)(uintptr_t)event->keep);
		struct lb_llm_event with = *event;

		/* Another provider could not read it. */
		json_object_set_new(keep, "provider",
				    json_string(call->model->provider));
		with.keep = keep;
		emit(call, &with);
	} else {
		emit(call, event);
	}
}

static void fail(struct lb_llm_call *call, enum lb_code code, int status,
		 const char *message)
{
	emit_failure(call, &(struct lb_llm_event){.kind = LB_LLM_FAILED,
						  .code = code,
						  .status = status,
						  .message = message});
}

static void on_head(void *arg, struct lb_http_call *http, int status)
{
	struct lb_llm_call *call = arg;

	(void)http;
	call->status = status;
}

static void stop_waiting(void *arg)
{
	struct lb_llm_call *call = arg;

	lb_http_cancel(call->http);
	call->http = NULL;
	lb_reader_finish(call->reader, LB_CODE_TIMEOUT, NULL);
	release(call);
}

static int on_data(void *arg, const char *data, size_t len)
{
	struct lb_llm_call *call = arg;

	if (call->status < 200 || call->status > 299) {
		if (call->refusal.len + len > MAX_REFUSAL)
			return -1;
		lb_buf_put(&call->refusal, data, len);
		return 0;
	}
	if (lb_reader_is_over(call->reader)) {
		/* Usually the end of the framing: then it can be reused. */
		call->surplus += len;
		return call->surplus > MAX_REFUSAL ? -1 : 0;
	}
	if (lb_reader_feed(call->reader, data, len) < 0)
		return 0;
	if (lb_reader_has_finish(call->reader) && call->fn)
		lb_timer_set(call->llm->loop, &call->after,
			     lb_clock_mono() + AFTER_FINISH, stop_waiting,
			     call);
	return 0;
}

/* The answer was a refusal: what does it say? */
static void refuse(struct lb_llm_call *call)
{
	struct lb_failure f;

	lb_failure_refusal(lb_buf_str(&call->refusal), call->refusal.len,
			   call->status, &f);
	emit_failure(call, &(struct lb_llm_event){
				   .kind = LB_LLM_FAILED,
				   .code = f.code,
				   .status = call->status,
				   .message = f.message,
				   .param = *f.param ? f.param : NULL,
			   });
}

static void on_end(void *arg, const struct lb_http_end *end)
{
	struct lb_llm_call *call = arg;
	struct lb_failure f;
	bool ok = call->status >= 200 && call->status <= 299;

	lb_log(LB_INFO, NULL, "%s: HTTP %d, %zu bytes", call->model->label,
	       end->status, end->bytes);
	call->http = NULL;
	call->retry_after_ms = end->retry_after_ms;
	lb_failure_network(end, &f);
	if (ok)
		lb_reader_finish(call->reader, f.code,
				 end->cause == LB_HTTP_DONE ? NULL : end->why);
	else if (call->status)
		refuse(call);
	else
		fail(call, f.code, 0, end->why);
	release(call);
}

static const struct lb_http_events events = {on_head, on_data, on_end};

/* How the answer is wanted. */
static const char *accept_of(const struct lb_protocol *p, bool stream)
{
	if (!stream)
		return "application/json";
	return p->framing == LB_FRAMING_SSE ? "text/event-stream"
					    : "application/x-ndjson";
}

static int make(const struct lb_model *m, const struct lb_llm_request *request,
		struct lb_wire *wire, struct lb_error *err)
{
	const struct lb_protocol *p = m->protocol;

	if (lb_wire_header(wire, "Content-Type", "application/json", err) < 0 ||
	    lb_wire_header(wire, "Accept", accept_of(p, request->stream), err) <
		    0)
		return -1;
	p->authorize(m, wire);
	if (p->encode(m, request, wire, err) < 0)
		return -1;
	lb_log(LB_INFO, NULL, "asking %s, %zu bytes", m->label, wire->body.len);
	if (lb_config_env("LB_LOG_BODIES"))
		lb_log(LB_DEBUG, NULL, "asking %s: %s", m->label,
		       wire->body.data);
	return 0;
}

static int start_http(struct lb_llm_call *call,
		      const struct lb_llm_request *request,
		      struct lb_error *err)
{
	struct lb_llm *llm = call->llm;
	const struct lb_model *m = call->model;
	struct lb_wire wire = {0};
	int r = make(m, request, &wire, err);
	lb_autofree const char **headers = lb_wire_lines(&wire);
	const struct lb_http_request http = {
		.method = wire.method ? wire.method : "POST",
		.url = lb_buf_str(&wire.url),
		.headers = headers,
		.body = lb_buf_str(&wire.body),
		.body_len = wire.body.len,
		.connect_ms = m->connect_ms,
		.first_byte_ms = m->first_byte_ms,
		.idle_ms = m->idle_ms,
		.total_ms = MAX_CALL_MS,
		.ca_file = lb_config_env("SSL_CERT_FILE"),
	};

	call->reader =
		lb_reader_open(m->protocol, request->strict, on_event, call);
	if (r == 0)
		call->http = lb_http_start(lb_llm_http(llm), &http, &events,
					   call, err);
	lb_wire_release(&wire);
	return call->http ? 0 : -1;
}

struct lb_llm_call *lb_llm_start(struct lb_llm *llm,
				 const struct lb_model *model,
				 const struct lb_llm_request *request,
				 lb_llm_fn *fn, void *arg, struct lb_error *err)
{
	struct lb_llm_call *call = lb_alloc(sizeof(*call));

	call->llm = llm;
	call->model = model;
	call->fn = fn;
	call->arg = arg;
	call->retry_after_ms = -1;
	call->next = llm->calls;
	if (llm->calls)
		llm->calls->prev = call;
	llm->calls = call;
	if (model->protocol->play) {
		model->protocol->play(call, request);
	} else if (start_http(call, request, err) < 0) {
		release(call);
		return NULL;
	}
	return call;
}
