#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "base/mem.h"
#include "llm/protocol.h"
#include "llm/reasoning.h"

void lb_wire_release(struct lb_wire *wire)
{
	lb_buf_release(&wire->url);
	lb_buf_release(&wire->body);
	for (size_t i = 0; i < wire->n_headers; i++)
		free(wire->headers[i].line);
	free(wire->headers);
}

static void add_line(struct lb_wire *wire, char *take, size_t secret)
{
	wire->headers = lb_grow(wire->headers,
				(wire->n_headers + 1) * sizeof(*wire->headers));
	wire->headers[wire->n_headers++] = (struct lb_header){take, secret};
}

int lb_wire_header(struct lb_wire *wire, const char *name, const char *value,
		   struct lb_error *err)
{
	static const char token[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-_.!#$%&'*+^`|~";

	if (!*name || name[strspn(name, token)] || strpbrk(value, "\r\n"))
		return lb_fail(err, LB_CONFIG, "'%s' makes no header", name);
	add_line(wire, lb_printf("%s: %s", name, value), 0);
	return 0;
}

void lb_wire_secret(struct lb_wire *wire, const char *name, const char *before,
		    const char *secret)
{
	char *line = lb_printf("%s: %s%s", name, before, secret);

	add_line(wire, line, strlen(line) - strlen(secret));
}

void lb_wire_bearer(const struct lb_model *model, struct lb_wire *wire)
{
	if (model->key)
		lb_wire_secret(wire, "Authorization", "Bearer ", model->key);
}

void lb_wire_url(struct lb_wire *wire, const char *base, const char *path)
{
	size_t n = 1 + strcspn(path + 1, "/"), len = strlen(base);

	lb_buf_puts(&wire->url, base);
	if (len > n && path[n] == '/' && memcmp(base + len - n, path, n) == 0)
		path += n;
	lb_buf_puts(&wire->url, path);
}

const char **lb_wire_lines(const struct lb_wire *wire)
{
	const char **lines = lb_alloc((wire->n_headers + 1) * sizeof(*lines));

	for (size_t i = 0; i < wire->n_headers; i++)
		lines[i] = wire->headers[i].line;
	return lines;
}

static const struct lb_option_place *place_of(
	const struct lb_option_place *places, const char *name)
{
	for (; places && places->name; places++)
		if (strcmp(places->name, name) == 0)
			return places;
	return NULL;
}

/* Join the members of one set of options to the body. */
static void add_options(json_t *body, const json_t *options,
			const struct lb_option_place *places)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)options, name, value)
	{
		const struct lb_option_place *place = place_of(places, name);
		json_auto_t *over = NULL;

		if (strcmp(name, "extra_body") == 0) {
			add_options(body, value, NULL);
			continue;
		}
		if (strcmp(name, "extra_headers") == 0 ||
		    (place && !place->path))
			continue;
		over = json_object();
		if (place)
			lb_json_put(over, place->path, json_incref(value));
		else
			json_object_set(over, name, value);
		lb_json_merge(body, over);
	}
}

/* One of that name would be there twice. */
static void drop_header(struct lb_wire *wire, const char *name)
{
	size_t len = strlen(name), kept = 0;

	for (size_t i = 0; i < wire->n_headers; i++) {
		struct lb_header h = wire->headers[i];

		if (strncasecmp(h.line, name, len) == 0 && h.line[len] == ':')
			free(h.line);
		else
			wire->headers[kept++] = h;
	}
	wire->n_headers = kept;
}

static int add_headers(struct lb_wire *wire, const json_t *options,
		       struct lb_error *err)
{
	json_t *headers = json_object_get(options, "extra_headers"), *value;
	const char *name;

	json_object_foreach(headers, name, value)
	{
		const char *text = json_string_value(value);

		if (!text)
			return lb_fail(err, LB_CONFIG,
				       "extra_headers: '%s' is no text", name);
		drop_header(wire, name);
		if (lb_wire_header(wire, name, text, err) < 0)
			return -1;
	}
	return 0;
}

/* Rename, or leave out, what the endpoint refused before. */
static void change(json_t *body, const json_t *changes)
{
	const char *name;
	json_t *to;

	json_object_foreach((json_t *)(uintptr_t)changes, name, to)
	{
		json_t *value = json_object_get(body, name);

		if (!value)
			continue;
		if (json_is_string(to) &&
		    !json_object_get(body, json_string_value(to)))
			json_object_set(body, json_string_value(to), value);
		json_object_del(body, name);
	}
}

int lb_wire_options(struct lb_wire *wire, json_t *body,
		    const struct lb_model *model,
		    const struct lb_llm_request *request,
		    const struct lb_option_place *places, struct lb_error *err)
{
	json_auto_t *reasoning = lb_reasoning(model, request, err);

	if (!reasoning)
		return -1;
	lb_json_merge(body, reasoning);
	add_options(body, model->extra, places);
	add_options(body, request->options, places);
	change(body, request->changes);
	if (add_headers(wire, model->extra, err) < 0)
		return -1;
	return add_headers(wire, request->options, err);
}

const json_t *lb_wire_option(const struct lb_model *model,
			     const struct lb_llm_request *request,
			     const char *name)
{
	const json_t *value = json_object_get(request->options, name);

	return value ? value : json_object_get(model->extra, name);
}

/* One that the operator adds may be a key, too. */
static bool may_be_key(const char *name)
{
	static const char *const words[] = {"auth",   "key",    "token",
					    "secret", "cookie", "password"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasestr(name, words[i]))
			return true;
	return false;
}

/* The values of a query that are keys become '***'. */
static void put_query(struct lb_buf *out, const char *query)
{
	while (*query) {
		size_t len = strcspn(query + 1, "&#") + 1;
		size_t name = strcspn(query + 1, "=&#") + 1;
		lb_autofree char *one = lb_strndup(query, name);

		if (*query != '#' && name < len && may_be_key(one))
			lb_buf_printf(out, "%s=***", one);
		else
			lb_buf_put(out, query, len);
		query += len;
	}
}

char *lb_wire_shown_url(const char *url)
{
	const char *scheme = strstr(url, "://");
	const char *host = scheme ? scheme + 3 : url;
	const char *end = host + strcspn(host, "/?#");
	const char *at = memrchr(host, '@', (size_t)(end - host));
	size_t path = strcspn(end, "?#");
	lb_autobuf struct lb_buf out = {0};

	lb_buf_put(&out, url, (size_t)(host - url));
	lb_buf_puts(&out, at ? "***" : "");
	lb_buf_put(&out, at ? at : host,
		   (size_t)(end + path - (at ? at : host)));
	put_query(&out, end + path);
	return lb_strdup(lb_buf_str(&out));
}

/* The headers for people. */
static json_t *headers_of(const struct lb_wire *wire)
{
	json_t *out = lb_json_pack("{s:s}", "Content-Type", "application/json");

	for (size_t i = 0; i < wire->n_headers; i++) {
		const struct lb_header *h = &wire->headers[i];
		const char *colon = strchr(h->line, ':');
		lb_autofree char *name =
			lb_strndup(h->line, (size_t)(colon - h->line));
		lb_autobuf struct lb_buf value = {0};
		size_t from = strlen(name) + 2;

		if (h->secret)
			lb_buf_printf(&value, "%.*s***",
				      (int)(h->secret - from), h->line + from);
		else
			lb_buf_puts(&value,
				    may_be_key(name) ? "***" : h->line + from);
		lb_json_set_str(out, name, lb_buf_str(&value), value.len);
	}
	return out;
}

json_t *lb_wire_shown(const struct lb_wire *wire)
{
	json_t *body = json_loadb(lb_buf_str(&wire->body), wire->body.len,
				  JSON_ALLOW_NUL, NULL);
	lb_autofree char *url = lb_wire_shown_url(lb_buf_str(&wire->url));

	return lb_json_pack("{s:s, s:s, s:o, s:o*}", "method",
			    wire->method ? wire->method : "POST", "url", url,
			    "headers", headers_of(wire), "body", body);
}

json_t *lb_llm_dry_run(const struct lb_model *model,
		       const struct lb_llm_request *request,
		       struct lb_error *err)
{
	const struct lb_protocol *p = model->protocol;
	struct lb_wire wire = {0};
	json_t *out = NULL;

	if (!p->encode) {
		lb_fail(err, LB_USAGE, "model '%s' sends nothing",
			model->label);
		return NULL;
	}
	p->authorize(model, &wire);
	if (p->encode(model, request, &wire, err) == 0)
		out = lb_wire_shown(&wire);
	lb_wire_release(&wire);
	return out;
}
