/*
 * transport-http.c - streamable HTTP: a request a message, whose answer is one
 * message or a stream of them. Where a stream breaks before the answer, it is
 * taken up again behind the last event that had an id. In the older era a server
 * may give us a session, and has a stream of its own for what nobody asked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "mcp/http-in.h"

static void put_version(struct lb_exchange *e, const char *revision)
{
	lb_words_add(&e->headers,
		     lb_printf("MCP-Protocol-Version: %s", revision));
}

/* A value as a header may hold it. */
static char *header_value(const char *text)
{
	lb_autobuf struct lb_buf coded = {0};
	size_t len = strlen(text);
	bool plain = len > 0 && !strchr(" \t", text[0]) &&
		     !strchr(" \t", text[len - 1]) &&
		     !(strncmp(text, "=?base64?", 9) == 0 && len > 11 &&
		       strcmp(text + len - 2, "?=") == 0);

	for (size_t i = 0; plain && i < len; i++)
		plain = (text[i] >= 0x20 && text[i] < 0x7f) || text[i] == '\t';
	if (plain)
		return lb_strdup(text);
	lb_base64_encode(&coded, text, len);
	return lb_printf("=?base64?%s?=", lb_buf_str(&coded));
}

/* The newer era has in headers what those on the way shall know. */
static void put_headers(struct lb_exchange *e, const struct lb_peer_out *out,
			const char *revision)
{
	const char *name = lb_json_str(out->params, "name"), *key;
	json_t *text;

	if (!name)
		name = lb_json_str(out->params, "uri");
	put_version(e, revision);
	lb_words_add(&e->headers, lb_printf("Mcp-Method: %s", out->method));
	if (name) {
		lb_autofree char *value = header_value(name);

		lb_words_add(&e->headers, lb_printf("Mcp-Name: %s", value));
	}
	json_object_foreach((json_t *)(uintptr_t)out->headers, key, text)
	{
		lb_autofree char *value = header_value(json_string_value(text));

		lb_words_add(&e->headers, lb_printf("%s: %s", key, value));
	}
}

static bool is_method(const struct lb_peer_out *out, const char *method)
{
	return out->method && strcmp(out->method, method) == 0;
}

/* What the server wants to say by itself. */
void lb_http_way_listen(struct lb_http_way *h)
{
	struct lb_exchange *e;

	if (!h->place.listen || h->listened || !h->session ||
	    lb_mcp_is_modern(h->revision))
		return;
	h->listened = true;
	e = lb_exchange_make(h, LB_LISTEN, 0);
	e->holds = true; /* what is asked may be answered by a question there */
	lb_words_add(&e->headers, lb_strdup("Accept: text/event-stream"));
	if (h->revision >= LB_MCP_2025_06_18)
		put_version(e, lb_mcp_revision_name(h->revision));
	lb_timer_set(h->t.loop, &e->timer, lb_clock_mono(),
		     lb_mcp_exchange_start, e);
}

static int http_send(struct lb_mcp_transport *t, const struct lb_peer_out *out,
		     struct lb_error *err)
{
	struct lb_http_way *h = (struct lb_http_way *)t;
	const char *modern = lb_json_str(json_object_get(out->params, "_meta"),
					 LB_MCP_META_VERSION);
	struct lb_exchange *e;

	(void)err;
	/* There, closing its stream is how a request is cancelled. */
	if (is_method(out, "notifications/cancelled") &&
	    lb_mcp_is_modern(h->revision))
		return 0;
	e = lb_exchange_make(h, LB_POST, out->id);
	lb_buf_put(&e->text, out->text, out->len);
	lb_words_add(&e->headers, lb_strdup("Content-Type: application/json"));
	lb_words_add(&e->headers,
		     lb_strdup("Accept: application/json, text/event-stream"));
	if (modern)
		put_headers(e, out, modern);
	else if (h->revision >= LB_MCP_2025_06_18 &&
		 !is_method(out, "initialize"))
		put_version(e, lb_mcp_revision_name(h->revision));
	e->starts_session = is_method(out, "initialize");
	e->once = is_method(out, "tools/call");
	e->holds = is_method(out, "notifications/initialized");
	if (e->holds || !h->held)
		lb_timer_set(t->loop, &e->timer, lb_clock_mono(),
			     lb_mcp_exchange_start, e);
	h->held = h->held || e->holds;
	return 0;
}

static void http_forget(struct lb_mcp_transport *t, int64_t id)
{
	struct lb_http_way *h = (struct lb_http_way *)t;

	for (struct lb_exchange *e = h->first, *next; e; e = next) {
		next = e->next;
		if (e->id == id && id != 0)
			lb_exchange_drop(e);
	}
}

static void http_settle(struct lb_mcp_transport *t,
			enum lb_mcp_revision revision)
{
	struct lb_http_way *h = (struct lb_http_way *)t;

	h->revision = revision;
	if (revision != LB_MCP_UNKNOWN)
		return;
	free(h->session);
	h->session = NULL;
	for (struct lb_exchange *e = h->first, *next; e; e = next) {
		next = e->next;
		if (e->what == LB_LISTEN)
			lb_exchange_drop(e);
	}
}

static void http_end(struct lb_mcp_transport *t)
{
	struct lb_http_way *h = (struct lb_http_way *)t;
	struct lb_exchange *e;

	if (h->ending)
		return;
	h->ending = true;
	while (h->first)
		lb_exchange_drop(h->first);
	if (!h->session)
		return;
	e = lb_exchange_make(h, LB_DELETE, 0);
	if (h->revision >= LB_MCP_2025_06_18)
		put_version(e, lb_mcp_revision_name(h->revision));
	lb_mcp_exchange_start(e);
}

static bool http_is_ending(const struct lb_mcp_transport *t)
{
	const struct lb_http_way *h = (const struct lb_http_way *)t;

	return h->ending && h->first;
}

static void http_close(struct lb_mcp_transport *t, int64_t until)
{
	struct lb_http_way *h = (struct lb_http_way *)t;

	(void)until;
	while (h->first)
		lb_exchange_drop(h->first);
	lb_mcp_place_release(&h->place);
	free(h->session);
	free(h);
}

static const struct lb_mcp_transport_kind http_kind = {
	.send = http_send,
	.forget = http_forget,
	.settle = http_settle,
	.end = http_end,
	.is_ending = http_is_ending,
	.close = http_close,
};

struct lb_mcp_transport *lb_mcp_http_open(
	struct lb_loop *loop, const struct lb_mcp_remote *remote,
	const struct lb_mcp_transport_events *events, void *arg)
{
	struct lb_http_way *h = lb_alloc(sizeof(*h));

	h->t = (struct lb_mcp_transport){&http_kind, loop, events, arg};
	lb_mcp_place_copy(&h->place, remote);
	return &h->t;
}
