/* schema.c - an answer that must be JSON of a certain shape. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "chat.h"
#include "llm/schema.h"
#include "record/record.h"

/* The JSON in a text: as it is, or inside a code fence. */
static json_t *json_of(const struct lb_buf *text)
{
	lb_autobuf struct lb_buf mended = {0};
	const char *all = lb_buf_str(text), *from, *to;
	json_t *value = lb_record_load(all, text->len, &mended);

	if (value)
		return value;
	from = strstr(all, "```");
	from = from ? strchr(from, '\n') : NULL;
	to = from ? strstr(from, "\n```") : NULL;
	if (!to)
		return NULL;
	return lb_record_load(from, (size_t)(to - from), &mended);
}

/* Does the answer keep to the schema? *value is new. */
static int checked(struct chat *c, json_t **value, struct lb_error *err)
{
	*value = json_of(&c->ask.text);
	if (!*value)
		return lb_fail(err, LB_DATA, "the answer is not JSON");
	if (lb_schema_check(c->schema, *value, err) == 0)
		return 0;
	json_decref(*value);
	*value = NULL;
	return -1;
}

/* Show the model its mistake and ask once more. */
static int repair(struct chat *c, const struct lb_error *why,
		  struct lb_error *err)
{
	json_auto_t *messages = json_deep_copy(c->messages);
	lb_autofree char *words = lb_printf("That was not right: %s. Answer "
					    "again with the JSON value "
					    "only.",
					    why->text);
	struct lb_llm_request again = c->request;

	json_array_append_new(messages,
			      lb_json_pack("{s:s, s:o}", "role", "assistant",
					   "content",
					   lb_json_text(lb_buf_str(
								&c->ask.text),
							c->ask.text.len)));
	json_array_append_new(messages, lb_json_pack("{s:s, s:s}", "role",
						     "user", "content", words));
	again.messages = messages;
	return ask_models(&c->ask, &c->models, &again, c->timeout_ms, err);
}

/* Replace the answer's text by the JSON in it. */
int keep_to_schema(struct chat *c, struct lb_error *err)
{
	json_auto_t *value = NULL;
	struct lb_error why;

	if (c->ask.failed)
		return 0;
	if (checked(c, &value, &why) < 0) {
		if (repair(c, &why, err) < 0)
			return -1;
		if (c->ask.failed)
			return 0;
		if (checked(c, &value, err) < 0) {
			fprintf(stderr, "%s\n", lb_buf_str(&c->ask.text));
			return lb_error_wrap(err, "the answer does not keep "
						  "to the schema");
		}
	}
	lb_buf_reset(&c->ask.text);
	lb_buf_json(&c->ask.text, value);
	return 0;
}
