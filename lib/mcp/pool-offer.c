/* pool-offer.c - what the members of a pool offer. */
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "mcp/pool-in.h"

/* One server's list is hostile to the others' where it is as long as it likes:
 * all of them share a line of lb-provider(7), and the tools that a model has. */
enum {
	MAX_TOOLS = 500,      /* of one server, and of all */
	MAX_TEXT = 8 << 10,   /* bytes of a description; the rest is cut */
	MAX_TOOL = 128 << 10, /* of all that is said of a tool, as JSON */
	MAX_OFFER = 12 << 20, /* and of all tools */
};

static size_t size_of(const json_t *value)
{
	return json_dumpb(value, NULL, 0, JSON_COMPACT);
}

static void cut_text(json_t *tool, const char *key)
{
	const json_t *value = json_object_get(tool, key);
	const char *text = json_string_value(value);
	size_t len = json_string_length(value);

	if (text && len > MAX_TEXT)
		json_object_set_new(tool, key,
				    lb_json_text(text, lb_utf8_cut(text, len,
								   MAX_TEXT)));
}

json_t *lb_mcp_tools_usable(const struct lb_mcp_member *m, const json_t *tools)
{
	json_t *good = json_array(), *one;
	size_t nameless = 0, large = 0, many = 0, i;

	json_array_foreach((json_t *)(uintptr_t)tools, i, one)
	{
		const char *name = lb_json_str(one, "name");
		json_auto_t *copy = json_copy(one);

		cut_text(copy, "description");
		cut_text(copy, "title");
		if (!name || !*name)
			nameless++; /* nobody could call it */
		else if (json_array_size(good) == MAX_TOOLS)
			many++;
		else if (size_of(copy) > MAX_TOOL)
			large++;
		else
			json_array_append(good, copy);
	}
	if (nameless > 0)
		lb_warn("MCP server '%s': left out: tools without a name (%zu)",
			m->server.name, nameless);
	if (large > 0)
		lb_warn("MCP server '%s': left out: tools of more than %d KiB "
			"(%zu)",
			m->server.name, MAX_TOOL >> 10, large);
	if (many > 0)
		lb_warn("MCP server '%s': left out: what is beyond %d tools "
			"(%zu)",
			m->server.name, MAX_TOOLS, many);
	return good;
}

static json_t *offer_of(const struct lb_mcp_member *m, const json_t *tool)
{
	const char *about = lb_json_str(tool, "description");
	const json_t *schema = json_object_get(tool, "inputSchema");
	lb_autofree char *full =
		lb_printf("%s__%s", m->server.name, lb_json_str(tool, "name"));
	json_t *offer = json_object();

	if (!about)
		about = lb_json_str(tool, "title");
	lb_json_set_str(offer, "name", full, strlen(full));
	lb_json_set_str(offer, "description", about ? about : "",
			about ? strlen(about) : 0);
	json_object_set_new(offer, "parameters",
			    json_is_object(schema)
				    ? json_incref((json_t *)(uintptr_t)schema)
				    : lb_json_pack("{s:s}", "type", "object"));
	return offer;
}

struct share {
	const struct lb_mcp_member *of[LB_MCP_MEMBERS];
	json_t *offers[LB_MCP_MEMBERS];
	size_t members, tools, bytes;
};

/* The k-th tool of each, as far as there is room; false: none has one. */
static bool share_out(struct share *s, size_t k)
{
	bool had = false;

	for (size_t i = 0; i < s->members; i++) {
		const json_t *tool = json_array_get(s->of[i]->tools, k);
		json_auto_t *offer = tool ? offer_of(s->of[i], tool) : NULL;
		size_t size = offer ? size_of(offer) : 0;

		had = had || tool;
		if (!tool || s->tools == MAX_TOOLS ||
		    s->bytes + size > MAX_OFFER)
			continue;
		json_array_append(s->offers[i], offer);
		s->tools++;
		s->bytes += size;
	}
	return had;
}

json_t *lb_mcp_pool_tools(const struct lb_mcp_pool *p, lb_mcp_may_fn *may,
			  const void *arg)
{
	struct share s = {.members = 0};
	json_t *all = json_array();
	size_t k = 0, n;

	for (size_t i = 0; i < p->n; i++)
		if (!may || may(arg, p->members[i]->server.name)) {
			s.of[s.members] = p->members[i];
			s.offers[s.members++] = json_array();
		}
	while (share_out(&s, k))
		k++;
	for (size_t i = 0; i < s.members; i++) {
		n = json_array_size(s.of[i]->tools) -
		    json_array_size(s.offers[i]);
		if (n > 0)
			lb_warn("MCP server '%s': left out: tools for which "
				"there is no room beside those of others (%zu)",
				s.of[i]->server.name, n);
		json_array_extend(all, s.offers[i]);
		json_decref(s.offers[i]);
	}
	return all;
}
