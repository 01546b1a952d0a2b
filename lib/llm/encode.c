#include "llm/encode.h"

#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"

/* What stands in for a file is a line of its own: `own`, and then the next. */
static void add_text(json_t *parts, const char *text, bool own)
{
	json_t *last = json_array_get(parts, json_array_size(parts) - 1);
	const char *before = last ? lb_json_str(last, "text") : NULL;
	lb_autobuf struct lb_buf joined = {0};

	if (!before) {
		json_array_append_new(parts,
				      lb_json_pack("{s:s, s:s}", "type", "text",
						   "text", text));
		return;
	}
	lb_buf_puts(&joined, before);
	if (own && joined.len > 0 && joined.data[joined.len - 1] != '\n' &&
	    text[0] != '\n')
		lb_buf_putc(&joined, '\n');
	lb_buf_puts(&joined, text);
	lb_json_set_str(last, "text", joined.data, joined.len);
}

static void add_image(json_t *parts, const char *url)
{
	json_array_append_new(parts, lb_json_pack("{s:s, s:{s:s}}", "type",
						  "image_url", "image_url",
						  "url", url));
}

/* `note`: the part before was a file. */
static void add_part(json_t *parts, const json_t *part, bool *note)
{
	const char *type = lb_json_str(part, "type"), *value;
	bool is_note = false;

	if (!type)
		return;
	if (strcmp(type, "text") == 0) {
		value = lb_json_str(part, "text");
		if (value && *value)
			add_text(parts, value, *note);
	} else if (strcmp(type, "image_base64") == 0) {
		value = lb_json_str(part, "image_base64");
		if (value && *value)
			add_image(parts, value);
	} else if (strcmp(type, "image_url") == 0) {
		const json_t *image = json_object_get(part, "image_url");

		value = lb_json_str(image, "url");
		if (value && *value)
			add_image(parts, value);
	} else if (strncmp(type, "file_", 5) == 0) {
		lb_autofree char *text = NULL;

		value = lb_json_str(part, "file_name");
		text = lb_printf("[file: %s]", value ? value : "unnamed");
		add_text(parts, text, true);
		is_note = true;
	}
	*note = is_note;
}

/* Parts as one string when they are text alone. */
static json_t *content_of(const json_t *content)
{
	json_auto_t *parts = json_array();
	const json_t *part;
	bool note = false;
	size_t i;

	if (!json_is_array(content))
		return json_deep_copy(content);
	json_array_foreach(content, i, part) add_part(parts, part, &note);
	if (json_array_size(parts) == 0)
		return json_string("");
	part = json_object_get(json_array_get(parts, 0), "text");
	if (json_array_size(parts) == 1 && part)
		return json_deep_copy(part);
	return json_incref(parts);
}

static json_t *encode_one(const json_t *message)
{
	static const char *const kept[] = {"name", "tool_calls",
					   "tool_call_id"};
	json_t *out = json_object();
	const json_t *content = json_object_get(message, "content");

	json_object_set(out, "role", json_object_get(message, "role"));
	json_object_set_new(out, "content",
			    content ? content_of(content) : json_null());
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		json_t *value = json_object_get(message, kept[i]);

		if (value && !json_is_null(value))
			json_object_set(out, kept[i], value);
	}
	return out;
}

json_t *lb_encode_messages(const json_t *messages, struct lb_error *err)
{
	json_t *out = json_array();
	const json_t *message;
	size_t i;

	json_array_foreach(messages, i, message)
	{
		if (!lb_json_str(message, "role"))
			break;
		json_array_append_new(out, encode_one(message));
	}
	if (i > 0 && i == json_array_size(messages))
		return out;
	json_decref(out);
	lb_fail(err, LB_USAGE,
		i == 0 ? "there are no messages" : "message %zu has no role",
		i);
	return NULL;
}
