/*
 * What an endpoint offers, as its protocol tells it, page by page, on a loop
 * of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "llm/exchange.h"
#include "llm/facts.h"
#include "llm/llm.h"
#include "llm/protocol.h"

enum { MAX_PAGES = 100, MAX_MODELS = 20000, MAX_CURSOR = 2048 };

struct listing {
	struct lb_model *model;
	const struct lb_models_listing *how;
	json_t *rows;
	char *cursor; /* of the next page; NULL: there is none */
	struct lb_error *err;
	bool over, failed;
	bool refused; /* for its key: another may do */
};

static int fail(struct listing *l, enum lb_exit code, const char *why)
{
	l->failed = true;
	return lb_fail(l->err, code, "%s: %s", l->model->provider, why);
}

static int take_rows(struct listing *l, const json_t *value)
{
	json_t *list = json_object_get(value, l->how->list), *row;
	size_t i, n = l->how->before ? strlen(l->how->before) : 0;

	/* some have the list alone, Ollama without models has null */
	if (!json_is_array(list) && !json_is_null(list))
		return fail(l, LB_PROTOCOL, "the answer is no list of models");
	json_array_foreach(list, i, row)
	{
		const char *id = lb_json_str(row, l->how->id);

		if (!id || !*id)
			continue;
		if (json_array_size(l->rows) == MAX_MODELS)
			return fail(l, LB_PROTOCOL, "the list has no end");
		if (n > 0 && strncmp(id, l->how->before, n) == 0)
			id += n;
		json_array_append_new(l->rows, lb_model_facts(id, row));
	}
	return 0;
}

/* Where the next page is, if there is one, and not this one again. */
static int take_cursor(struct listing *l, const json_t *value)
{
	const char *next =
		l->how->next ? lb_json_str(value, l->how->next) : NULL;
	lb_autofree char *before = lb_steal(&l->cursor);

	if (l->how->more && !lb_json_bool(value, l->how->more, false))
		next = NULL;
	if (!next || !*next)
		return 0;
	if (strlen(next) > MAX_CURSOR || (before && strcmp(before, next) == 0))
		return fail(l, LB_PROTOCOL, "the list has no end");
	l->cursor = lb_strdup(next);
	return 0;
}

static void on_answer(void *arg, const struct lb_answer *answer)
{
	struct listing *l = arg;

	l->over = true;
	if (!answer->value) {
		l->failed = true;
		l->refused = answer->code == LB_CODE_AUTH ||
			     answer->code == LB_CODE_RATE;
		lb_fail(l->err, lb_code_exit(answer->code), "%s",
			answer->message);
	} else if (take_rows(l, answer->value) == 0) {
		take_cursor(l, answer->value);
	}
}

static void put_escaped(struct lb_buf *url, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-._~";

	for (; *text; text++)
		if (strchr(plain, *text))
			lb_buf_putc(url, *text);
		else
			lb_buf_printf(url, "%%%02X", (unsigned char)*text);
}

static void put_url(const struct listing *l, struct lb_wire *wire)
{
	struct lb_buf *url = &wire->url;
	const char *whole = lb_json_str(l->model->about, "models-url");

	if (whole && *whole)
		lb_buf_puts(url, whole);
	else
		lb_wire_url(wire, l->model->base_url, l->how->path);
	if (!l->cursor)
		return;
	lb_buf_printf(url, "%c%s=", strchr(url->data, '?') ? '&' : '?',
		      l->how->parameter);
	put_escaped(url, l->cursor);
}

static void ask_page(struct listing *l, struct lb_loop *loop,
		     struct lb_http *http)
{
	struct lb_wire wire = {.method = "GET"};
	struct lb_error err;

	put_url(l, &wire);
	l->model->protocol->authorize(l->model, &wire);
	l->over = false;
	if (lb_exchange_start(http, l->model, &wire, on_answer, l, &err)) {
		while (!l->over && lb_loop_turn(loop, -1))
			;
	} else {
		*l->err = err;
		l->failed = true;
	}
	lb_wire_release(&wire);
}

/* The next key, from the last that was refused on; false: there is none. */
static bool next_key(struct listing *l)
{
	struct lb_model *m = l->model;

	if (!l->refused || m->key_in_use + 1 >= m->n_keys)
		return false;
	lb_model_use_key(m, m->key_in_use + 1);
	lb_warn("%s; asking with key %zu of %zu", l->err->text,
		m->key_in_use + 1, m->n_keys);
	l->failed = l->refused = false;
	return true;
}

/* Not every list is of a protocol of chat. */
static const struct lb_models_listing *how_of(const struct lb_model *model)
{
	static const struct lb_models_listing cohere = {
		.path = "/models",
		.list = "models",
		.id = "name",
		.next = "next_page_token",
		.parameter = "page_token",
	};
	const char *embedding = lb_json_str(model->about, "embedding-protocol");

	if (embedding && strcmp(embedding, "cohere") == 0)
		return &cohere;
	return &model->protocol->models;
}

json_t *lb_llm_models(struct lb_model *model, struct lb_error *err)
{
	struct listing l = {.model = model, .how = how_of(model), .err = err};
	struct lb_loop *loop;
	struct lb_http *http;

	if (!l.how->path) {
		lb_fail(err, LB_USAGE, "model '%s' has no endpoint",
			model->label);
		return NULL;
	}
	loop = lb_loop_open();
	http = lb_http_open(loop);
	l.rows = json_array();
	for (int page = 0; page < MAX_PAGES; page++) {
		do
			ask_page(&l, loop, http);
		while (l.failed && next_key(&l));
		if (l.failed || !l.cursor)
			break;
	}
	if (!l.failed && l.cursor)
		fail(&l, LB_PROTOCOL, "the list has no end");
	free(l.cursor);
	lb_http_close(http);
	lb_loop_close(loop);
	if (l.failed)
		json_decref(l.rows);
	else
		lb_models_sort(l.rows);
	return l.failed ? NULL : l.rows;
}
