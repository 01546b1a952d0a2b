/* prices.c - what tokens cost. */
#include "config/prices.h"

#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "config/blocks.h"

enum { MAX_PRICES = 512 * 1024 };

/* A price of a row; a missing one is `otherwise`. */
static int read_price(const json_t *row, const char *key, double otherwise,
		      double *price, struct lb_error *err)
{
	const json_t *value = json_object_get(row, key);
	const char *text = json_string_value(value);
	char *end = NULL;

	*price = otherwise;
	if (text)
		*price = strtod(text, &end);
	else if (json_is_number(value))
		*price = json_number_value(value);
	else if (value)
		*price = -1;
	if ((text && (!*text || *end)) || !(*price >= 0 && *price <= 1e9))
		return lb_fail(err, LB_CONFIG, "%s '%s' is not a price", key,
			       text ? text : "");
	return 0;
}

static int read_row(const json_t *row, struct lb_price *take,
		    struct lb_error *err)
{
	struct lb_price p = {.known = true};

	if (read_price(row, "input", 0, &p.input, err) < 0 ||
	    read_price(row, "output", 0, &p.output, err) < 0 ||
	    read_price(row, "cached", p.input, &p.cached, err) < 0)
		return -1;
	*take = p;
	return 0;
}

int lb_prices_check(struct lb_config *config, struct lb_error *err)
{
	const json_t *row;
	size_t i;

	json_array_foreach(lb_config_get(config, "llm.prices"), i, row)
	{
		struct lb_price any;
		bool whole = lb_json_str(row, "model") &&
			     json_object_size(row) ==
				     1U + !!lb_json_str(row, "input") +
					     !!lb_json_str(row, "output") +
					     !!lb_json_str(row, "cached");

		if (!whole)
			lb_fail(err, LB_CONFIG,
				"it is not {model, input, output, cached}");
		if (!whole || read_row(row, &any, err) < 0) {
			lb_error_wrap(err, "price %zu", i + 1);
			return lb_config_blame(config, "llm.prices", err);
		}
	}
	return 0;
}

static bool is_priced(void *arg, const char *key, const char *text, size_t len)
{
	const char *name = arg;

	(void)text;
	(void)len;
	return lb_glob(key, name, strlen(name));
}

/* In the file: its own row, else the first pattern that fits. */
static struct lb_price listed(const char *name)
{
	lb_autofree char *path = lb_config_share("prices.yaml");
	struct lb_price price = {.known = false};
	struct lb_error err;
	json_auto_t *rows = lb_blocks_load(path, MAX_PRICES, is_priced,
					   (char *)(uintptr_t)name, &err);
	const json_t *row = json_object_get(rows, name);
	const char *key;
	json_t *value;

	if (!rows) {
		lb_warn("cannot read the prices: %s", err.text);
		return price;
	}
	json_object_foreach(rows, key, value)
	{
		if (!row && lb_glob(key, name, strlen(name)))
			row = value;
	}
	if (row && read_row(row, &price, &err) < 0)
		lb_warn("cannot read the prices: %s: %s", name, err.text);
	return price;
}

struct lb_price lb_price_of(struct lb_config *config, const char *label,
			    bool elsewhere)
{
	const char *slash = strchr(label, '/'), *preset;
	lb_autofree char *provider = NULL, *name = NULL;
	const json_t *row, *own;
	size_t i;

	json_array_foreach(lb_config_get(config, "llm.prices"), i, row)
	{
		const char *model = lb_json_str(row, "model");
		struct lb_price price;
		struct lb_error err;

		if (model && lb_glob(model, label, strlen(label)) &&
		    read_row(row, &price, &err) == 0)
			return price;
	}
	if (!slash || elsewhere)
		return (struct lb_price){.known = false};
	provider = lb_strndup(label, (size_t)(slash - label));
	own = json_object_get(lb_config_section(config, "providers"), provider);
	preset = lb_json_str(own, "preset");
	if (lb_json_str(own, "base-url"))
		return (struct lb_price){.known = false};
	name = lb_printf("%s%s", preset ? preset : provider, slash);
	return listed(name);
}
