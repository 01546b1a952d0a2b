/* client-list.c - lists of a server, all pages of them. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/map.h"
#include "base/mem.h"
#include "mcp/client-in.h"
#include "mcp/param-headers.h"

static const struct kind {
	const char *what, *method, *capability;
} kinds[] = {
	{"tools", "tools/list", "tools"},
	{"resources", "resources/list", "resources"},
	{"resourceTemplates", "resources/templates/list", "resources"},
	{"prompts", "prompts/list", "prompts"},
};

struct lb_mcp_listing {
	struct lb_mcp_client *client;
	const struct kind *kind;
	struct lb_mcp_request *request;
	struct lb_timer timer;
	json_t *items, *cursor;
	struct lb_map seen; /* cursors */
	int pages;
	size_t bytes;
	int64_t timeout_ms;
	lb_peer_fn *fn;
	void *arg;
};

static void free_listing(struct lb_mcp_listing *l)
{
	lb_timer_cancel(l->client->loop, &l->timer);
	json_decref(l->items);
	json_decref(l->cursor);
	lb_map_release(&l->seen, NULL);
	free(l);
}

static void finish(struct lb_mcp_listing *l,
		   const struct lb_peer_answer *answer)
{
	lb_peer_fn *fn = l->fn;
	void *arg = l->arg;

	free_listing(l);
	fn(arg, answer);
}

static void done(struct lb_mcp_listing *l)
{
	json_auto_t *result = lb_json_pack("{s:O}", l->kind->what, l->items);

	finish(l, &(struct lb_peer_answer){.result = result});
}

static void nothing(void *arg)
{
	done(arg);
}

static void fail(struct lb_mcp_listing *l, const char *why)
{
	struct lb_error err;

	lb_fail(&err, LB_PROTOCOL, "%s: %s", l->kind->method, why);
	finish(l, &(struct lb_peer_answer){.error = &err});
}

static void next_page(struct lb_mcp_listing *l);

/* A tool whose arguments cannot go into the headers it wants is none. */
static bool is_usable(const struct lb_mcp_listing *l, const json_t *one)
{
	struct lb_mcp_client *c = l->client;
	const char *name = lb_json_str(one, "name");
	lb_autofree char *words = NULL;
	struct lb_error err;

	if (!json_is_object(one))
		return false;
	if (strcmp(l->kind->what, "tools") != 0 ||
	    !lb_mcp_is_modern(c->revision) ||
	    strcmp(lb_mcp_client_transport(c), "http") != 0 ||
	    lb_mcp_param_headers_check(json_object_get(one, "inputSchema"),
				       &err) == 0)
		return true;
	words = lb_printf("tool '%.64s' is left out: %s", name ? name : "",
			  err.text);
	if (c->how.events->on_words)
		c->how.events->on_words(c->how.arg, words, strlen(words));
	return false;
}

static void on_page(void *arg, const struct lb_peer_answer *answer)
{
	struct lb_mcp_listing *l = arg;
	const json_t *items = json_object_get(answer->result, l->kind->what);
	const char *cursor = lb_json_str(answer->result, "nextCursor");
	json_t *one;
	size_t i;

	l->request = NULL;
	if (!answer->result) {
		finish(l, answer);
		return;
	}
	json_array_foreach((json_t *)(uintptr_t)items, i, one)
	{
		if (is_usable(l, one))
			json_array_append(l->items, one);
	}
	l->bytes += answer->len;
	l->pages++;
	if (!json_is_array(items) && json_object_size(answer->result) > 0)
		fail(l, "it answers no list");
	else if (json_array_size(l->items) > LB_MCP_ITEMS ||
		 l->pages > LB_MCP_PAGES || l->bytes > LB_MCP_LIST_BYTES)
		fail(l, "it is too long");
	else if (!cursor)
		done(l);
	else if (lb_map_find(&l->seen, cursor))
		fail(l, "its pages go round in a circle");
	else {
		lb_map_add(&l->seen, cursor, l);
		json_decref(l->cursor);
		l->cursor = json_incref(
			json_object_get(answer->result, "nextCursor"));
		next_page(l);
	}
}

static void next_page(struct lb_mcp_listing *l)
{
	json_t *params = NULL;

	if (l->cursor)
		params = lb_json_pack("{s:O}", "cursor", l->cursor);
	l->request = lb_mcp_client_ask(l->client,
				       &(struct lb_mcp_ask){
					       .method = l->kind->method,
					       .take_params = params,
					       .timeout_ms = l->timeout_ms,
					       .fn = on_page,
					       .arg = l,
				       });
}

struct lb_mcp_listing *lb_mcp_client_list(struct lb_mcp_client *client,
					  const char *what, int64_t timeout_ms,
					  lb_peer_fn *fn, void *arg)
{
	struct lb_mcp_listing *l = lb_alloc(sizeof(*l));

	*l = (struct lb_mcp_listing){
		.client = client,
		.items = json_array(),
		.timeout_ms = timeout_ms,
		.fn = fn,
		.arg = arg,
	};
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].what, what) == 0)
			l->kind = &kinds[i];
	/* Some say nothing of what they have, and have it. */
	if (json_object_size(client->theirs) > 0 &&
	    !json_object_get(client->theirs, l->kind->capability))
		lb_timer_set(client->loop, &l->timer, lb_clock_mono(), nothing,
			     l);
	else
		next_page(l);
	return l;
}

void lb_mcp_listing_cancel(struct lb_mcp_listing *listing)
{
	if (listing->request)
		lb_mcp_request_cancel(listing->request, NULL);
	free_listing(listing);
}
