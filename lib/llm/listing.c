/* What an endpoint offers: GET {base}/models, on a loop of its own. */
#include <stdlib.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/log.h"
#include "llm/classify.h"
#include "llm/llm.h"
#include "net/http.h"
#include "record/record.h"

enum { MAX_LISTING_MS = 5 * 60 * 1000 };

struct listing {
	struct lb_buf body;
	struct lb_http_end end;
	char why[200];
	bool over;
};

static int on_data(void *arg, const char *data, size_t len)
{
	struct listing *l = arg;

	lb_buf_put(&l->body, data, len);
	return 0;
}

static void on_end(void *arg, const struct lb_http_end *end)
{
	struct listing *l = arg;

	l->end = *end;
	l->over = true;
	snprintf(l->why, sizeof(l->why), "%s", end->why);
}

static int fetch(const struct lb_model *model, struct listing *l,
		 struct lb_error *err)
{
	static const struct lb_http_events events = {NULL, on_data, on_end};
	struct lb_loop *loop = lb_loop_open();
	struct lb_http *http = lb_http_open(loop);
	lb_autobuf struct lb_buf url = {0}, auth = {0};
	const char *headers[2] = {NULL, NULL};
	struct lb_http_request request = {
		.method = "GET",
		.headers = headers,
		.connect_ms = model->connect_ms,
		.first_byte_ms = model->first_byte_ms,
		.idle_ms = model->idle_ms,
		.total_ms = MAX_LISTING_MS,
		.max_body = 16 << 20,
		.ca_file = lb_config_env("SSL_CERT_FILE"),
	};
	int r = -1;

	lb_buf_printf(&url, "%s/models", model->base_url);
	request.url = url.data;
	if (model->key) {
		lb_buf_printf(&auth, "Authorization: Bearer %s", model->key);
		headers[0] = auth.data;
	}
	if (lb_http_start(http, &request, &events, l, err)) {
		r = 0;
		while (!l->over && lb_loop_turn(loop, -1))
			;
	}
	lb_http_close(http);
	lb_loop_close(loop);
	return r;
}

static json_t *parse(const struct lb_model *model, const struct listing *l,
		     struct lb_error *err)
{
	lb_autobuf struct lb_buf mended = {0};
	json_auto_t *body =
		lb_record_load(lb_buf_str(&l->body), l->body.len, &mended);
	json_t *data = json_object_get(body, "data");
	struct lb_failure f;

	if (l->end.status / 100 != 2) {
		lb_classify(json_object_get(body, "error"), l->end.status, &f);
		lb_fail(err, lb_code_exit(f.code), "%s: HTTP %d: %s",
			model->provider, l->end.status, f.message);
		return NULL;
	}
	if (!json_is_array(data)) {
		lb_fail(err, LB_PROTOCOL, "%s: the answer is no list of models",
			model->provider);
		return NULL;
	}
	return json_incref(data);
}

json_t *lb_llm_models(const struct lb_model *model, struct lb_error *err)
{
	struct listing l = {.over = false};
	json_t *models = NULL;

	if (!model->base_url) {
		lb_fail(err, LB_USAGE, "model '%s' has no endpoint",
			model->label);
		return NULL;
	}
	if (fetch(model, &l, err) == 0) {
		if (l.end.cause != LB_HTTP_DONE)
			lb_fail(err, LB_AGAIN, "%s: %s", model->provider,
				l.why);
		else
			models = parse(model, &l, err);
	}
	lb_buf_release(&l.body);
	return models;
}
