/* settings.c - what -o says, and what -u is told. */
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "llm.h"

json_t *parse_settings(const struct lb_list *settings)
{
	json_t *all = json_object();

	for (size_t i = 0; i < settings->n; i++) {
		const char *eq = strchr(settings->at[i], '=');
		json_t *value;

		if (!eq || eq == settings->at[i])
			lb_usage("-o: '%s' is not KEY=VALUE", settings->at[i]);
		value = json_loads(eq + 1, JSON_DECODE_ANY, NULL);
		if (!value)
			value = lb_json_text(eq + 1, strlen(eq + 1));
		json_object_setn_new(all, settings->at[i],
				     (size_t)(eq - settings->at[i]), value);
	}
	return all;
}

void tell_usage(const struct lb_usage *u)
{
	lb_autobuf struct lb_buf line = {0};

	if (u->input < 0 && u->output < 0) {
		lb_tell(NULL, "the provider told no usage");
		return;
	}
	lb_buf_printf(&line, "in %lld", (long long)u->input);
	if (u->output >= 0)
		lb_buf_printf(&line, " out %lld", (long long)u->output);
	if (u->cached >= 0)
		lb_buf_printf(&line, " cached %lld", (long long)u->cached);
	if (u->priced)
		lb_buf_printf(&line, " cost %.10g", u->cost);
	lb_tell(NULL, "%s", line.data);
}
