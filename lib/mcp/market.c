#include "mcp/market.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "mcp/shelf.h"
#include "net/fetch.h"

enum { MAX_FACTS = 1 << 20, FETCH_MS = 15 * 1000, MAX_PART = 128, HOSTS = 64 };

struct coming {
	struct lb_buf text;
	bool over;
	int status;
	struct lb_error *err;
	bool failed;
};

static int on_data(void *arg, const char *data, size_t len)
{
	struct coming *c = arg;

	lb_buf_put(&c->text, data, len); /* fetch bounds it */
	return 0;
}

static void on_end(void *arg, const struct lb_fetch_end *end)
{
	struct coming *c = arg;

	c->over = true;
	c->status = end->status;
	c->failed = end->code != LB_OK;
	if (c->failed)
		lb_fail(c->err, end->code, "%s", end->why);
}

static const struct lb_fetch_events events = {on_data, on_end};

/* Networks that may be asked although they are not public. */
static void allowed(const struct lb_config *config, const char **to)
{
	const json_t *list = lb_config_get(config, "net.fetch-allow"), *one;
	size_t i, n = 0;

	json_array_foreach((json_t *)(uintptr_t)list, i, one)
	{
		if (n < HOSTS)
			to[n++] = json_string_value(one);
	}
	to[n] = NULL;
}

static json_t *get(const struct lb_config *config, const char *url,
		   const char *name, struct lb_error *err)
{
	struct lb_loop *loop = lb_loop_open();
	struct lb_http *http = lb_http_open(loop);
	struct coming c = {.err = err};
	const char *allow[HOSTS + 1];
	const char *proxy = lb_config_str(config, "net.fetch-proxy");
	const struct lb_fetch_request request = {
		.url = url,
		.max = MAX_FACTS,
		.total_ms = FETCH_MS,
		.proxy = proxy && *proxy ? proxy : NULL,
		.allow = allow,
	};
	json_t *facts = NULL;

	allowed(config, allow);
	c.failed = !lb_fetch_start(http, &request, &events, &c, err);
	while (!c.failed && !c.over && lb_loop_turn(loop, -1))
		;
	if (!c.failed)
		facts = json_loadb(lb_buf_str(&c.text), c.text.len, 0, NULL);
	if (!c.failed && !facts)
		lb_fail(err, LB_DATA, "the marketplace answers no JSON");
	else if (c.failed && c.status == 404)
		lb_fail(err, LB_UNAVAILABLE,
			"there is no MCP server '%s' in the marketplace", name);
	lb_http_close(http);
	lb_loop_close(loop);
	lb_buf_release(&c.text);
	return facts;
}

static bool is_part(const char *text, size_t len)
{
	if (len == 0 || len > MAX_PART || *text == '.')
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr("._-", text[i]))
			return false;
	return true;
}

/* {mode, extra_args...} as an entity; what is said at the top wins. */
static json_t *entity_of(const json_t *mcp, struct lb_error *err)
{
	const json_t *extra = json_object_get(mcp, "extra_args");
	const char *mode = lb_json_str(mcp, "mode");
	const char *readme = lb_json_str(mcp, "readme");
	json_t *entity;

	if (!mode) {
		lb_fail(err, LB_DATA, "the marketplace's answer has no mode");
		return NULL;
	}
	entity = json_is_object(extra) ? json_deep_copy(extra) : json_object();
	/* Names of LangBot's for what is one thing here. */
	if (strcmp(mode, "http") == 0 || strcmp(mode, "sse") == 0)
		mode = "remote";
	lb_json_set_str(entity, "mode", mode, strlen(mode));
	json_object_del(entity, "name");
	json_object_del(entity, "trust_env");
	if (readme && *readme)
		lb_json_set_str(entity, "readme", readme,
				strlen(readme) < 4000 ? strlen(readme) : 4000);
	return entity;
}

json_t *lb_mcp_market_get(const struct lb_config *config, const char *name,
			  struct lb_error *err)
{
	const char *market = lb_config_str(config, "space.url");
	size_t n = strcspn(name, "/");
	lb_autofree char *url = NULL, *joined = NULL, *clean = NULL;
	json_auto_t *facts = NULL;
	const json_t *mcp;
	json_t *entity;

	if (!name[n] || !is_part(name, n) ||
	    !is_part(name + n + 1, strlen(name + n + 1))) {
		lb_fail(err, LB_USAGE, "'%.100s' is no AUTHOR/NAME", name);
		return NULL;
	}
	if (!market || !*market) {
		lb_fail(err, LB_CONFIG,
			"space.url is empty: there is no marketplace");
		return NULL;
	}
	url = lb_printf("%s/api/v1/marketplace/mcps/%s", market, name);
	facts = get(config, url, name, err);
	if (!facts)
		return NULL;
	mcp = lb_json_path(facts, "data.mcp");
	entity = json_is_object(mcp) ? entity_of(mcp, err) : NULL;
	if (!entity) {
		if (!json_is_object(mcp))
			lb_fail(err, LB_DATA,
				"the marketplace's answer is none");
		return NULL;
	}
	joined = lb_printf("%.*s__%s", (int)n, name, name + n + 1);
	clean = lb_mcp_name_clean(joined);
	return lb_json_pack("{s:s, s:o}", "name", clean, "entity", entity);
}
