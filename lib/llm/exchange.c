#include "llm/exchange.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "llm/failure.h"
#include "record/record.h"

enum {
	MAX_TOTAL_MS = 10 * 60 * 1000,
	MAX_BODY = 64 << 20,
	MAX_REFUSAL = 64 << 10,
};

struct lb_exchange {
	const struct lb_model *model;
	struct lb_http_call *http;
	struct lb_buf body;
	int status;
	lb_answer_fn *fn;
	void *arg;
};

static void release(struct lb_exchange *x)
{
	lb_buf_release(&x->body);
	free(x);
}

void lb_exchange_cancel(struct lb_exchange *x)
{
	if (!x)
		return;
	lb_http_cancel(x->http);
	release(x);
}

static void on_head(void *arg, struct lb_http_call *http, int status)
{
	struct lb_exchange *x = arg;

	(void)http;
	x->status = status;
}

static int on_data(void *arg, const char *data, size_t len)
{
	struct lb_exchange *x = arg;
	bool ok = x->status / 100 == 2;

	if (!ok && x->body.len + len > MAX_REFUSAL)
		return -1;
	lb_buf_put(&x->body, data, len);
	return 0;
}

static void fail(struct lb_exchange *x, const struct lb_failure *f,
		 int64_t retry_after_ms)
{
	lb_autobuf struct lb_buf text = {0};

	lb_failure_words(&text, x->model, f->code, f->status, f->message);
	x->fn(x->arg, &(struct lb_answer){.code = f->code,
					  .message = lb_buf_str(&text),
					  .status = f->status,
					  .retry_after_ms = retry_after_ms});
}

/* What was sent as an answer with a good status. */
static void take(struct lb_exchange *x)
{
	lb_autobuf struct lb_buf mended = {0};
	json_auto_t *value =
		lb_record_load(lb_buf_str(&x->body), x->body.len, &mended);
	const json_t *error = json_object_get(value, "error");
	struct lb_failure f = {.code = LB_CODE_MALFORMED,
			       .message = "the answer is no JSON object"};

	if (error && !json_is_null(error))
		lb_classify(error, 0, &f);
	else if (json_is_object(value)) {
		x->fn(x->arg, &(struct lb_answer){.value = value,
						  .status = x->status,
						  .retry_after_ms = -1});
		return;
	}
	fail(x, &f, -1);
}

static void on_end(void *arg, const struct lb_http_end *end)
{
	struct lb_exchange *x = arg;
	struct lb_failure f;

	lb_log(LB_INFO, NULL, "%s: HTTP %d, %zu bytes", x->model->label,
	       end->status, end->bytes);
	if (x->status && x->status / 100 != 2) {
		lb_failure_refusal(lb_buf_str(&x->body), x->body.len, x->status,
				   &f);
		fail(x, &f, end->retry_after_ms);
	} else if (end->cause != LB_HTTP_DONE) {
		lb_failure_network(end, &f);
		fail(x, &f, end->retry_after_ms);
	} else {
		take(x);
	}
	release(x);
}

struct lb_exchange *lb_exchange_start(struct lb_http *http,
				      const struct lb_model *model,
				      const struct lb_wire *wire,
				      lb_answer_fn *fn, void *arg,
				      struct lb_error *err)
{
	static const struct lb_http_events events = {on_head, on_data, on_end};
	struct lb_exchange *x = lb_alloc(sizeof(*x));
	lb_autofree const char **headers = lb_wire_lines(wire);
	const struct lb_http_request request = {
		.method = wire->method ? wire->method : "POST",
		.url = lb_buf_str(&wire->url),
		.headers = headers,
		.body = wire->body.data,
		.body_len = wire->body.len,
		.connect_ms = model->connect_ms,
		.first_byte_ms = model->first_byte_ms,
		.idle_ms = model->idle_ms,
		.total_ms = MAX_TOTAL_MS,
		.max_body = MAX_BODY,
		.ca_file = lb_config_env("SSL_CERT_FILE"),
	};

	x->model = model;
	x->fn = fn;
	x->arg = arg;
	lb_log(LB_INFO, NULL, "asking %s, %zu bytes", model->label,
	       wire->body.len);
	if (wire->body.len > 0 && lb_config_env("LB_LOG_BODIES"))
		lb_log(LB_DEBUG, NULL, "asking %s: %s", model->label,
		       wire->body.data);
	x->http = lb_http_start(http, &request, &events, x, err);
	if (x->http)
		return x;
	release(x);
	return NULL;
}
