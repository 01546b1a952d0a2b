#include "mcp/market.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "box/spec.h"
#include "config/coerce.h"
#include "mcp/server.h"
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

/* 1: it is there; 0: it is not; -1: nobody can say. */
static int ask(const struct lb_config *config, const char *url, json_t **facts,
	       struct lb_error *err)
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
	int is = -1;

	allowed(config, allow);
	c.failed = !lb_fetch_start(http, &request, &events, &c, err);
	while (!c.failed && !c.over && lb_loop_turn(loop, -1))
		;
	if (!c.failed)
		*facts = json_loadb(lb_buf_str(&c.text), c.text.len, 0, NULL);
	if (c.failed)
		is = c.status == 404 ? 0 : -1;
	else if (*facts)
		is = 1;
	else
		lb_fail(err, LB_DATA, "the marketplace answers no JSON");
	lb_http_close(http);
	lb_loop_close(loop);
	lb_buf_release(&c.text);
	return is;
}

/* It is no server. Is it something else, for which there is a program? */
static void tell_what_it_is(const struct lb_config *config, const char *market,
			    const char *name, struct lb_error *err)
{
	lb_autofree char *skill =
		lb_printf("%s/api/v1/marketplace/skills/%s", market, name);
	lb_autofree char *plugin =
		lb_printf("%s/api/v1/marketplace/plugins/%s/versions", market,
			  name);
	json_auto_t *facts = NULL, *more = NULL;
	struct lb_error why;

	if (ask(config, skill, &facts, &why) > 0)
		lb_fail(err, LB_UNAVAILABLE,
			"'%s' is a skill there: 'lb-skill install market:%s' "
			"installs it",
			name, name);
	else if (ask(config, plugin, &more, &why) > 0)
		lb_fail(err, LB_UNAVAILABLE,
			"'%s' is a plugin there, which is no MCP server", name);
	else
		lb_fail(err, LB_UNAVAILABLE,
			"there is no MCP server '%s' at '%s'", name, market);
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

/* "env:KEY" would give a stranger what is secret here, "cmd:..." run what he
 * likes. */
static int check_texts(const json_t *extra, const char *path,
		       struct lb_error *err)
{
	const char *name;
	json_t *text;

	json_object_foreach((json_t *)(uintptr_t)lb_json_path(extra, path),
			    name, text)
	{
		const char *is = json_string_value(text);

		if (is && *is && !lb_secret_is_literal(is))
			return lb_fail(err, LB_DENIED,
				       "%s.%.60s of the marketplace's answer "
				       "refers to what is on this machine",
				       path, name);
	}
	return 0;
}

/* A script by its path shows the folder that it is in (stage.c), and what is a
 * path here is not what the one who wrote it means. */
static int check_paths(const json_t *extra, struct lb_error *err)
{
	static const char inside[] = LB_BOX_WORKSPACE;
	const char *command = lb_json_str(extra, "command");
	const json_t *one;
	bool is = command && strchr(command, '/');
	size_t i;

	json_array_foreach(json_object_get(extra, "args"), i, one)
	{
		const char *text = json_string_value(one);

		is = is || (text && *text == '/' &&
			    strncmp(text, inside, sizeof(inside) - 1) != 0);
	}
	return is ? lb_fail(err, LB_DENIED,
			    "the command of the marketplace's answer has a "
			    "path of this machine in it")
		  : 0;
}

/* What an operator writes may be anywhere; a stranger's is asked for by POST, and
 * what listens on this machine or beside it may do what it is told. */
static int check_url(const json_t *extra, struct lb_error *err)
{
	const char *url = lb_mcp_entity_url(extra);
	const char *host = url ? strstr(url, "://") : NULL;
	size_t len = host ? strcspn(host + 3, ":/?#") : 0;
	struct lb_error why;

	if (!url)
		return 0;
	if (lb_fetch_check(url, &why) < 0)
		return lb_fail(err, LB_DENIED,
			       "the url of the marketplace's answer: %s",
			       why.text);
	while (len > 0 && host[len + 2] == '.')
		len--;
	if (len >= 9 && strncasecmp(host + len + 3 - 9, "localhost", 9) == 0 &&
	    (len == 9 || host[len + 3 - 10] == '.'))
		return lb_fail(err, LB_DENIED,
			       "the url of the marketplace's answer is one of "
			       "this machine");
	return 0;
}

/* What is the operator's to say alone: to be outside of a sandbox, to see a
 * folder of this machine. */
static void drop_ours(json_t *entity)
{
	lb_autobuf struct lb_buf named = {0};

	json_object_del(entity, "name");
	json_object_del(entity, "trust_env");
	lb_mcp_entity_tame(entity, true, &named);
}

/* {mode, extra_args...} as an entity; what is said at the top wins. */
static json_t *entity_of(const json_t *mcp, struct lb_error *err)
{
	static const char *const texts[] = {"env", "headers", "box.env", NULL};
	const json_t *extra = json_object_get(mcp, "extra_args");
	const char *mode = lb_json_str(mcp, "mode");
	const char *readme = lb_json_str(mcp, "readme");
	json_t *entity;

	if (!mode) {
		lb_fail(err, LB_DATA, "the marketplace's answer has no mode");
		return NULL;
	}
	for (size_t i = 0; texts[i]; i++)
		if (check_texts(extra, texts[i], err) < 0)
			return NULL;
	if (check_paths(extra, err) < 0 || check_url(extra, err) < 0)
		return NULL;
	entity = json_is_object(extra) ? json_deep_copy(extra) : json_object();
	/* Names of LangBot's for what is one thing here. */
	if (strcmp(mode, "http") == 0 || strcmp(mode, "sse") == 0)
		mode = "remote";
	lb_json_set_str(entity, "mode", mode, strlen(mode));
	drop_ours(entity);
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
	int is;

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
	is = ask(config, url, &facts, err);
	if (is == 0)
		tell_what_it_is(config, market, name, err);
	if (is <= 0)
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
