/* What an endpoint offers, as its protocol tells it, on a loop of its own. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "llm/classify.h"
#include "llm/llm.h"
#include "llm/protocol.h"
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
	struct lb_wire wire = {.method = "GET"};
	lb_autofree const char **headers = NULL;
	struct lb_http_request request = {
		.method = wire.method,
		.connect_ms = model->connect_ms,
		.first_byte_ms = model->first_byte_ms,
		.idle_ms = model->idle_ms,
		.total_ms = MAX_LISTING_MS,
		.max_body = 16 << 20,
		.ca_file = lb_config_env("SSL_CERT_FILE"),
	};
	int r = -1;

	lb_wire_url(&wire, model->base_url, model->protocol->models.path);
	model->protocol->authorize(model, &wire);
	request.url = wire.url.data;
	request.headers = headers = lb_wire_lines(&wire);
	if (lb_http_start(http, &request, &events, l, err)) {
		r = 0;
		while (!l->over && lb_loop_turn(loop, -1))
			;
	}
	lb_http_close(http);
	lb_loop_close(loop);
	lb_wire_release(&wire);
	return r;
}

/* The rows with the name of each as its id, whatever it is called there. */
static json_t *rows_of(json_t *list, const struct lb_models_listing *how)
{
	json_t *rows = json_array(), *row;
	size_t i, n = how->before ? strlen(how->before) : 0;

	json_array_foreach(list, i, row)
	{
		const char *id = lb_json_str(row, how->id);
		json_t *copy;

		if (!id)
			continue;
		if (n > 0 && strncmp(id, how->before, n) == 0)
			id += n;
		copy = lb_json_pack("{s:s}", "id", id);
		json_object_update_missing(copy, row);
		json_array_append_new(rows, copy);
	}
	return rows;
}

static json_t *parse(const struct lb_model *model, const struct listing *l,
		     struct lb_error *err)
{
	lb_autobuf struct lb_buf mended = {0};
	json_auto_t *body =
		lb_record_load(lb_buf_str(&l->body), l->body.len, &mended);
	const struct lb_models_listing *how = &model->protocol->models;
	json_t *data = json_object_get(body, how->list);
	struct lb_failure f;

	if (l->end.status / 100 != 2) {
		lb_classify_body(body, l->end.status, &f);
		lb_fail(err, lb_code_exit(f.code), "%s: HTTP %d: %s",
			model->provider, l->end.status, f.message);
		return NULL;
	}
	if (!json_is_array(data)) {
		lb_fail(err, LB_PROTOCOL, "%s: the answer is no list of models",
			model->provider);
		return NULL;
	}
	return rows_of(data, how);
}

json_t *lb_llm_models(const struct lb_model *model, struct lb_error *err)
{
	struct listing l = {.over = false};
	json_t *models = NULL;

	if (!model->protocol->models.path) {
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
