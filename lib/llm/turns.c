#include "llm/turns.h"

#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "llm/call-ids.h"
#include "llm/image.h"
#include "record/load.h"

enum { MAX_NAME = 64 };

static const char no_answer[] = "there is no result of this call";

struct work {
	const struct lb_model *model;
	const char *protocol; /* whose `keep` counts */
	struct lb_image_count images;
	json_t *out;
	json_t *ids; /* of calls so far */
};

/* What stands in for a file is a line of its own: `own`, and then the next. */
static void add_text(json_t *parts, const char *text, bool own)
{
	json_t *last = json_array_get(parts, json_array_size(parts) - 1);
	const char *before = last ? lb_json_str(last, "text") : NULL;
	lb_autobuf struct lb_buf joined = {0};

	if (!before) {
		json_array_append_new(parts,
				      lb_json_pack("{s:s}", "text", text));
		return;
	}
	lb_buf_puts(&joined, before);
	if (own && joined.len > 0 && joined.data[joined.len - 1] != '\n' &&
	    text[0] != '\n')
		lb_buf_putc(&joined, '\n');
	lb_buf_puts(&joined, text);
	lb_json_set_str(last, "text", joined.data, joined.len);
}

static int add_image(struct work *w, json_t *parts, const json_t *part,
		     struct lb_error *err)
{
	const json_t *data = json_object_get(part, "image_base64");
	const char *url =
		lb_json_str(json_object_get(part, "image_url"), "url");
	json_t *image;

	if (json_string_length(data) == 0 && (!url || !*url))
		return 0;
	if (w->model->blind) {
		add_text(parts, "[Image]", true);
		return 0;
	}
	image = json_string_length(data) > 0
			? lb_image_read(json_string_value(data),
					json_string_length(data), &w->images,
					err)
			: lb_image_at(url, &w->images, err);
	if (!image)
		return -1;
	if (lb_json_str(image, "text"))
		add_text(parts, lb_json_str(image, "text"), true);
	else
		json_array_append(parts, image);
	json_decref(image);
	return 0;
}

/* `note`: the part before was a file. */
static int add_part(struct work *w, json_t *parts, const json_t *part,
		    bool *note, struct lb_error *err)
{
	const char *type = lb_json_str(part, "type"), *value;
	bool own = *note;

	if (!type)
		return 0;
	if (strcmp(type, "text") == 0) {
		value = lb_json_str(part, "text");
		if (!value || !*value)
			return 0;
		add_text(parts, value, own);
		*note = false;
	} else if (strncmp(type, "image", 5) == 0) {
		*note = false;
		return add_image(w, parts, part, err);
	} else if (strncmp(type, "file", 4) == 0) {
		lb_autofree char *text = NULL;

		value = lb_json_str(part, "file_name");
		text = lb_printf("[file: %s]", value ? value : "unnamed");
		add_text(parts, text, true);
		*note = true;
	}
	return 0;
}

/* The parts of a content, new; NULL with err. */
static json_t *parts_of(struct work *w, const json_t *content,
			struct lb_error *err)
{
	json_t *parts = json_array();
	const json_t *part;
	bool note = false;
	size_t i;

	if (json_string_length(content) > 0)
		json_array_append_new(parts,
				      lb_json_pack("{s:O}", "text", content));
	json_array_foreach(content, i, part)
	{
		if (add_part(w, parts, part, &note, err) == 0)
			continue;
		json_decref(parts);
		return NULL;
	}
	return parts;
}

/* A model may write any name; an endpoint takes but some as one again. */
static json_t *name_of(const char *name)
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789_-";
	char clean[MAX_NAME + 1];
	size_t n;

	for (n = 0; n < MAX_NAME && name[n]; n++)
		clean[n] = name[n];
	clean[n] = '\0';
	for (n = strspn(clean, good); clean[n]; n += strspn(clean + n, good))
		clean[n] = '_';
	return json_string(*clean ? clean : "_");
}

/* What a model wrote as arguments, as the object that they should be. */
static json_t *call_of(const json_t *call)
{
	const json_t *function = json_object_get(call, "function");
	const json_t *given = json_object_get(function, "arguments");
	const char *id = lb_json_str(call, "id");
	const char *name = lb_json_str(function, "name");
	const char *text = json_string_value(given);
	lb_autobuf struct lb_buf again = {0}, mended = {0};
	size_t len = json_string_length(given);
	json_error_t why;
	json_t *value = NULL;

	if (!id || !name)
		return NULL;
	if (json_is_object(given))
		value = json_deep_copy(given);
	else if (text) /* which it may tell of, mended */
		value = lb_load(&text, &len, &mended, &why);
	if (!json_is_object(value)) {
		json_decref(value);
		value = json_object();
		if (text && text[strspn(text, " \t\r\n")] &&
		    strcmp(text, "null") != 0)
			json_object_set(value, "arguments",
					(json_t *)(uintptr_t)given);
		text = NULL; /* is not what is sent */
	}
	if (!text) {
		lb_buf_json(&again, value);
		text = again.data;
	}
	return lb_json_pack("{s:s, s:o, s:o, s:s}", "id", id, "name",
			    name_of(name), "arguments", value, "text", text);
}

/* How many calls before this one have its id. */
static size_t before(const json_t *calls, size_t n, const char *id)
{
	size_t same = 0;

	while (n-- > 0)
		same += strcmp(lb_json_str(json_array_get(calls, n), "id"),
			       id) == 0;
	return same;
}

/* The answer to a call among the messages from `at`, as long as they are;
 * so many before it have the same id. */
static const json_t *answer_to(const json_t *messages, size_t at,
			       const char *id, size_t same)
{
	const json_t *m;

	for (; (m = json_array_get(messages, at)); at++) {
		const char *role = lb_json_str(m, "role");
		const char *to = lb_json_str(m, "tool_call_id");

		if (!role || strcmp(role, "tool") != 0)
			return NULL;
		if (to && strcmp(to, id) == 0 && same-- == 0)
			return m;
	}
	return NULL;
}

static json_t *result_of(struct work *w, const json_t *call,
			 const json_t *answer, struct lb_error *err)
{
	json_t *parts = parts_of(w, json_object_get(answer, "content"), err);

	if (!parts)
		return NULL;
	if (!answer)
		add_text(parts, no_answer, false);
	return lb_json_pack("{s:O, s:O, s:o, s:b}", "id",
			    json_object_get(call, "id"), "name",
			    json_object_get(call, "name"), "parts", parts,
			    "is_error",
			    !answer || lb_json_bool(answer, "is_error", false));
}

static int add_results(struct work *w, json_t *calls, const json_t *messages,
		       size_t at, struct lb_error *err)
{
	json_t *results = json_array(), *call, *result;
	size_t i;

	json_array_append_new(w->out, lb_json_pack("{s:s, s:o}", "role", "tool",
						   "results", results));
	json_array_foreach(calls, i, call)
	{
		const char *id = lb_json_str(call, "id");

		result = result_of(w, call,
				   answer_to(messages, at, id,
					     before(calls, i, id)),
				   err);
		if (!result)
			return -1;
		json_array_append_new(results, result);
	}
	lb_call_ids_fit(w->model, w->ids, calls, results);
	return 0;
}

/* What this provider wants back, if it is the one that gave it. */
static json_t *keep_of(const struct work *w, const json_t *message)
{
	const json_t *keep = json_object_get(message, "keep");
	const char *from = lb_json_str(keep, "provider");

	if (from && strcmp(from, w->model->provider) != 0)
		return NULL;
	return json_object_get(keep, w->protocol);
}

static int add_assistant(struct work *w, const json_t *messages, size_t at,
			 struct lb_error *err)
{
	const json_t *message = json_array_get(messages, at);
	json_t *keep = keep_of(w, message);
	json_t *parts = parts_of(w, json_object_get(message, "content"), err);
	json_t *calls = json_array(), *turn, *call;
	size_t i;

	if (!parts) {
		json_decref(calls);
		return -1;
	}
	turn = lb_json_pack("{s:s, s:o, s:o}", "role", "assistant", "parts",
			    parts, "calls", calls);
	json_array_foreach(json_object_get(message, "tool_calls"), i, call)
	{
		json_t *one = call_of(call);

		if (one)
			json_array_append_new(calls, one);
	}
	if (keep)
		json_object_set(turn, "keep", keep);
	if (json_array_size(parts) + json_array_size(calls) == 0 && !keep) {
		json_decref(turn);
		return 0;
	}
	json_array_append_new(w->out, turn);
	return json_array_size(calls) > 0
		       ? add_results(w, calls, messages, at + 1, err)
		       : 0;
}

static int add_message(struct work *w, const json_t *messages, size_t at,
		       struct lb_error *err)
{
	const json_t *message = json_array_get(messages, at);
	const char *role = lb_json_str(message, "role");
	const json_t *name = json_object_get(message, "name");
	json_t *parts, *turn;

	if (!role)
		return lb_fail(err, LB_USAGE, "message %zu has no role", at);
	if (strcmp(role, "tool") == 0)
		return 0; /* went with the message that called */
	if (strcmp(role, "assistant") == 0)
		return add_assistant(w, messages, at, err);
	parts = parts_of(w, json_object_get(message, "content"), err);
	if (!parts)
		return -1;
	turn = lb_json_pack("{s:s, s:o}", "role", role, "parts", parts);
	if (json_is_string(name))
		json_object_set(turn, "name", (json_t *)(uintptr_t)name);
	if (json_array_size(parts) > 0)
		json_array_append(w->out, turn);
	json_decref(turn);
	return 0;
}

json_t *lb_turns(const struct lb_model *model, const json_t *messages,
		 struct lb_error *err)
{
	json_auto_t *out = json_array(), *ids = json_object();
	struct work w = {.model = model,
			 .protocol = model->protocol->name,
			 .images.limits = &model->protocol->images,
			 .out = out,
			 .ids = ids};

	for (size_t i = 0; i < json_array_size(messages); i++)
		if (add_message(&w, messages, i, err) < 0)
			return NULL;
	if (json_array_size(out) == 0) {
		lb_fail(err, LB_USAGE, "there are no messages");
		return NULL;
	}
	return json_incref(out);
}

json_t *lb_turns_text(const json_t *parts)
{
	lb_autobuf struct lb_buf text = {0};
	const json_t *part;
	size_t i;

	json_array_foreach(parts, i, part)
	{
		const char *one = lb_json_str(part, "text");

		if (one && text.len > 0)
			lb_buf_puts(&text, "\n\n");
		if (one)
			lb_buf_puts(&text, one);
	}
	return lb_json_text(lb_buf_str(&text), text.len);
}

bool lb_turns_is_system(const json_t *turn)
{
	const char *role = lb_json_str(turn, "role");

	return strcmp(role, "system") == 0 || strcmp(role, "developer") == 0;
}

json_t *lb_turns_system(const json_t *turns)
{
	json_t *all = json_array();
	const json_t *turn;
	size_t i;

	json_array_foreach(turns, i, turn) if (lb_turns_is_system(turn))
		json_array_extend(all, json_object_get(turn, "parts"));
	if (json_array_size(all) > 0)
		return all;
	json_decref(all);
	return NULL;
}
