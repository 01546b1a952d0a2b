/*
 * OpenAI's Responses, the answers: items, of which each is added, grows and is
 * done; the last event has the response with its usage.
 */
#include <string.h>

#include "base/json.h"
#include "llm/openai-responses.h"
#include "llm/reader.h"

void lb_responses_release(void *state)
{
	struct lb_responses_state *s = state;

	lb_layout_release(&s->layout);
}

json_t *lb_responses_keep(struct lb_reader *r)
{
	struct lb_responses_state *s = lb_reader_state(r);

	return lb_layout_keep(&s->layout);
}

/*
 * What a message has that must go back with it; NULL: nothing. Not its id:
 * nothing is stored there under it.
 */
static json_t *own(const json_t *item)
{
	json_t *phase = json_object_get(item, "phase");

	return json_is_string(phase) ? lb_json_pack("{s:O}", "phase", phase)
				     : NULL;
}

static void put_call(struct lb_reader *r, const json_t *item, int64_t index,
		     bool whole)
{
	const json_t *arguments = json_object_get(item, "arguments");

	lb_reader_tool(r,
		       &(struct lb_call_piece){
			       .index = index,
			       .id = lb_json_str(item, "call_id"),
			       .name = lb_json_str(item, "name"),
			       .arguments = json_string_value(arguments),
			       .arguments_len = json_string_length(arguments),
			       .whole = whole,
		       });
}

/* The text of a message, of which the first bytes were shown. */
static void put_message(struct lb_reader *r, struct lb_responses_state *s,
			const json_t *item)
{
	const json_t *part;
	size_t i, skip = s->shown;

	json_array_foreach(json_object_get(item, "content"), i, part)
	{
		const json_t *text = json_object_get(part, "text");
		size_t len, from;

		if (!text)
			text = json_object_get(part, "refusal");
		len = json_string_length(text);
		from = skip < len ? skip : len;
		skip -= from;
		lb_layout_text(&s->layout, len);
		if (len > from)
			lb_reader_text(r, json_string_value(text) + from,
				       len - from);
	}
	lb_layout_end_text(&s->layout, own(item));
	s->shown = 0;
}

/* Thoughts that did not come piece by piece. */
static void put_thoughts(struct lb_reader *r, struct lb_responses_state *s,
			 const json_t *item)
{
	static const char *const lists[] = {"summary", "content"};
	const json_t *part;
	size_t i;

	for (size_t n = 0; s->thought == 0 && n < 2; n++)
		json_array_foreach(json_object_get(item, lists[n]), i, part)
			lb_reader_reasoning_at(r, part, "text");
	s->thought = 0;
}

/* An item that is whole. */
static void put_item(struct lb_reader *r, json_t *item, int64_t index)
{
	struct lb_responses_state *s = lb_reader_state(r);
	const char *type = lb_json_str(item, "type");
	json_t *copy;

	s->itemized = true;
	if (!type)
		return;
	if (strcmp(type, "message") == 0) {
		put_message(r, s, item);
	} else if (strcmp(type, "function_call") == 0) {
		put_call(r, item, index, true);
		lb_layout_call(&s->layout, NULL);
	} else if (strcmp(type, "reasoning") == 0) {
		put_thoughts(r, s, item);
		if (!lb_json_str(item, "encrypted_content"))
			return; /* no more than what was shown */
		copy = json_copy(item);
		json_object_del(copy, "status");
		lb_layout_block(&s->layout, copy);
	}
}

static void put_usage(struct lb_reader *r, const json_t *response)
{
	const json_t *usage = json_object_get(response, "usage");

	if (!json_is_object(usage))
		return;
	lb_reader_usage(r,
			(struct lb_usage){
				.input = lb_reader_count(usage, "input_tokens"),
				.output =
					lb_reader_count(usage, "output_tokens"),
				.cached = lb_reader_count(
					json_object_get(usage,
							"input_tokens_details"),
					"cached_tokens"),
			});
}

static void put_finish(struct lb_reader *r, const json_t *response)
{
	const char *why =
		lb_json_str(json_object_get(response, "incomplete_details"),
			    "reason");

	if (!why)
		why = lb_reader_has_calls(r) ? "tool_calls" : "stop";
	else if (strcmp(why, "max_output_tokens") == 0)
		why = "length";
	lb_reader_set_finish(r, why);
}

/* The response as a whole, at its end. */
static void put_response(struct lb_reader *r, const json_t *response)
{
	struct lb_responses_state *s = lb_reader_state(r);
	const json_t *error = json_object_get(response, "error");
	json_t *item;
	size_t i;

	if (json_is_object(error) || json_is_string(error)) {
		lb_reader_refused(r, error);
		return;
	}
	if (!s->itemized)
		json_array_foreach(json_object_get(response, "output"), i, item)
			put_item(r, item, (int64_t)i);
	put_usage(r, response);
	put_finish(r, response);
}

static void put_text(struct lb_reader *r, const json_t *value)
{
	struct lb_responses_state *s = lb_reader_state(r);

	s->shown += json_string_length(json_object_get(value, "delta"));
	lb_reader_text_at(r, value, "delta");
}

/* Parts of a summary are paragraphs. */
static void put_thought(struct lb_reader *r, const json_t *value)
{
	struct lb_responses_state *s = lb_reader_state(r);
	int64_t part = 0;

	lb_json_int(value, "summary_index", &part);
	if (s->thought > 0 && part + 1 != s->thought)
		lb_reader_reasoning(r, "\n\n", 2);
	s->thought = part + 1;
	lb_reader_reasoning_at(r, value, "delta");
}

/* What grows: "response." and the rest of the type. */
static void put_delta(struct lb_reader *r, const char *what,
		      const json_t *value, int64_t index)
{
	const json_t *delta = json_object_get(value, "delta");

	if (strcmp(what, "output_text.delta") == 0 ||
	    strcmp(what, "refusal.delta") == 0)
		put_text(r, value);
	else if (strcmp(what, "reasoning_summary_text.delta") == 0 ||
		 strcmp(what, "reasoning_text.delta") == 0)
		put_thought(r, value);
	else if (strcmp(what, "function_call_arguments.delta") == 0)
		lb_reader_tool(r, &(struct lb_call_piece){
					  .index = index,
					  .arguments = json_string_value(delta),
					  .arguments_len =
						  json_string_length(delta),
				  });
}

static void put_added(struct lb_reader *r, const json_t *item, int64_t index)
{
	struct lb_responses_state *s = lb_reader_state(r);
	const char *type = lb_json_str(item, "type");

	s->shown = 0;
	s->thought = 0;
	if (type && strcmp(type, "function_call") == 0)
		put_call(r, item, index, false);
}

int lb_responses_event(struct lb_reader *r, const json_t *value,
		       struct lb_error *err)
{
	const char *type = lb_json_str(value, "type");
	const json_t *error = json_object_get(value, "error");
	const json_t *response = json_object_get(value, "response");
	int64_t index = 0;

	(void)err;
	lb_json_int(value, "output_index", &index);
	if (json_is_object(error)) {
		lb_reader_refused(r, error);
	} else if (!type) {
		return 0;
	} else if (strcmp(type, "error") == 0) {
		lb_reader_refused(r, value);
	} else if (strncmp(type, "response.", 9) != 0) {
		return 0;
	} else if (strcmp(type + 9, "output_item.added") == 0) {
		put_added(r, json_object_get(value, "item"), index);
	} else if (strcmp(type + 9, "output_item.done") == 0) {
		put_item(r, json_object_get(value, "item"), index);
	} else if (strcmp(type + 9, "completed") == 0 ||
		   strcmp(type + 9, "incomplete") == 0) {
		put_response(r, response);
		lb_reader_end(r);
	} else if (strcmp(type + 9, "failed") == 0) {
		lb_reader_refused(r, json_object_get(response, "error"));
	} else {
		put_delta(r, type + 9, value, index);
	}
	return 0;
}

int lb_responses_body(struct lb_reader *r, const json_t *value,
		      struct lb_error *err)
{
	const json_t *error = json_object_get(value, "error");

	if (!json_is_object(error) && !json_is_string(error) &&
	    !json_is_array(json_object_get(value, "output")))
		return lb_fail(err, LB_PROTOCOL, "the answer has no output");
	put_response(r, value);
	return 0;
}
