/* prices.c - what tokens cost. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "pipeline/prefix.h"
#include "pipeline/spend.h"

/* A price of a row; a missing one is none. */
static int read_price(const json_t *row, const char *key, double *price,
		      struct lb_error *err)
{
	const char *text = lb_json_str(row, key);
	char *end = NULL;

	*price = text ? strtod(text, &end) : 0;
	if (text && (!*text || *end || !(*price >= 0 && *price <= 1e9)))
		return lb_fail(err, LB_CONFIG, "%s '%s' is not a price", key,
			       text);
	return 0;
}

int lb_prices_check(struct lb_config *config, struct lb_error *err)
{
	const json_t *row;
	size_t i;
	double price;

	json_array_foreach(lb_config_get(config, "llm.prices"), i, row)
	{
		bool whole = lb_json_str(row, "model") &&
			     json_object_size(row) ==
				     1U + !!lb_json_str(row, "input") +
					     !!lb_json_str(row, "output");

		if (!whole)
			lb_fail(err, LB_CONFIG,
				"it is not {model, input, output}");
		if (!whole || read_price(row, "input", &price, err) < 0 ||
		    read_price(row, "output", &price, err) < 0) {
			lb_error_wrap(err, "price %zu", i + 1);
			return lb_config_blame(config, "llm.prices", err);
		}
	}
	return 0;
}

int64_t lb_spend_price(struct lb_config *config, const char *model,
		       int64_t input, int64_t output)
{
	const json_t *row;
	size_t i;

	json_array_foreach(lb_config_get(config, "llm.prices"), i, row)
	{
		const char *name = lb_json_str(row, "model");
		struct lb_error err;
		double in, out;

		if (!lb_glob(name, model, strlen(model)) ||
		    read_price(row, "input", &in, &err) < 0 ||
		    read_price(row, "output", &out, &err) < 0)
			continue;
		/* so much a million, in millionths: so much each */
		return llround(in * (double)input + out * (double)output);
	}
	return 0;
}
