/*
 * Gemini's generateContent, the answers: each event is an answer of its own
 * kind, with the parts that are new. A thoughtSignature goes back with the part
 * that it came with, and so does the id of a call, which not all have.
 */
#include <string.h>

#include "base/json.h"
#include "llm/gemini.h"
#include "llm/reader.h"

void lb_gemini_release(void *state)
{
	struct lb_gemini_state *s = state;

	lb_layout_release(&s->layout);
}

json_t *lb_gemini_keep(struct lb_reader *r)
{
	struct lb_gemini_state *s = lb_reader_state(r);

	return lb_layout_keep(&s->layout);
}

static void put_call(struct lb_reader *r, const json_t *part, json_t *signature)
{
	struct lb_gemini_state *s = lb_reader_state(r);
	const json_t *call = json_object_get(part, "functionCall");
	json_t *with = json_object(), *args = json_object_get(call, "args");
	lb_autobuf struct lb_buf text = {0};

	if (json_is_object(args))
		lb_buf_json(&text, args);
	lb_reader_tool(r, &(struct lb_call_piece){
				  .index = s->calls++,
				  .id = lb_json_str(call, "id"),
				  .name = lb_json_str(call, "name"),
				  .arguments = lb_buf_str(&text),
				  .arguments_len = text.len,
				  .whole = true,
			  });
	if (lb_json_str(call, "id"))
		json_object_set(with, "id", json_object_get(call, "id"));
	if (signature)
		json_object_set(with, "thoughtSignature", signature);
	if (json_object_size(with) == 0) {
		json_decref(with);
		with = NULL;
	}
	lb_layout_call(&s->layout, with);
}

static void put_text(struct lb_reader *r, const json_t *part, json_t *signature)
{
	struct lb_gemini_state *s = lb_reader_state(r);
	size_t len = json_string_length(json_object_get(part, "text"));

	if (signature)
		lb_layout_end_text(&s->layout, NULL);
	lb_layout_text(&s->layout, len);
	lb_reader_text_at(r, part, "text");
	if (signature && len > 0)
		lb_layout_end_text(&s->layout,
				   lb_json_pack("{s:O}", "thoughtSignature",
						signature));
	else if (signature)
		lb_layout_block(&s->layout,
				lb_json_pack("{s:s, s:O}", "text", "",
					     "thoughtSignature", signature));
}

static void put_part(struct lb_reader *r, const json_t *part)
{
	json_t *signature = json_object_get(part, "thoughtSignature");

	if (json_string_length(signature) == 0)
		signature = NULL;
	if (json_is_object(json_object_get(part, "functionCall")))
		put_call(r, part, signature);
	else if (json_is_true(json_object_get(part, "thought")))
		lb_reader_reasoning_at(r, part, "text");
	else if (json_is_string(json_object_get(part, "text")))
		put_text(r, part, signature);
}

static void put_usage(struct lb_reader *r, const json_t *value)
{
	const json_t *usage = json_object_get(value, "usageMetadata");
	int64_t said, thought;

	if (!json_is_object(usage))
		return;
	said = lb_reader_count(usage, "candidatesTokenCount");
	thought = lb_reader_count(usage, "thoughtsTokenCount");
	lb_reader_usage(
		r,
		(struct lb_usage){
			.input = lb_reader_count(usage, "promptTokenCount"),
			.output = said < 0 && thought < 0
					  ? -1
					  : (said > 0 ? said : 0) +
						    (thought > 0 ? thought : 0),
			.cached = lb_reader_count(usage,
						  "cachedContentTokenCount"),
		});
}

static void put_finish(struct lb_reader *r, const json_t *candidate)
{
	static const struct {
		const char *theirs, *ours;
	} reasons[] = {
		{"STOP", "stop"},
		{"MAX_TOKENS", "length"},
		{"SAFETY", "content_filter"},
		{"RECITATION", "content_filter"},
		{"LANGUAGE", "content_filter"},
		{"BLOCKLIST", "content_filter"},
		{"PROHIBITED_CONTENT", "content_filter"},
		{"SPII", "content_filter"},
		{"IMAGE_SAFETY", "content_filter"},
	};
	const char *reason = lb_json_str(candidate, "finishReason");
	const char *message = lb_json_str(candidate, "finishMessage");

	if (!reason || !*reason)
		return;
	if (strcmp(reason, "MALFORMED_FUNCTION_CALL") == 0 ||
	    strcmp(reason, "UNEXPECTED_TOOL_CALL") == 0) {
		lb_reader_fail(r, LB_CODE_MALFORMED, 0,
			       message ? message
				       : "the model wrote a call of a tool "
					 "that is none");
		return;
	}
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (strcmp(reason, reasons[i].theirs) == 0)
			reason = reasons[i].ours;
	if (strcmp(reason, "stop") == 0 && lb_reader_has_calls(r))
		reason = "tool_calls";
	lb_reader_set_finish(r, reason);
}

int lb_gemini_event(struct lb_reader *r, const json_t *value,
		    struct lb_error *err)
{
	const json_t *candidate =
		json_array_get(json_object_get(value, "candidates"), 0);
	const json_t *error = json_object_get(value, "error"), *part;
	const char *blocked =
		lb_json_str(json_object_get(value, "promptFeedback"),
			    "blockReason");
	size_t i;

	(void)err;
	if (json_is_object(error) || json_is_string(error)) {
		lb_reader_refused(r, error);
		return 0;
	}
	put_usage(r, value);
	if (!candidate && blocked) {
		lb_reader_fail(r, LB_CODE_CONTENT_FILTER, 0,
			       "the provider's filter refused the request");
		return 0;
	}
	json_array_foreach(json_object_get(json_object_get(candidate,
							   "content"),
					   "parts"),
			   i, part) put_part(r, part);
	put_finish(r, candidate);
	return 0;
}

int lb_gemini_body(struct lb_reader *r, const json_t *value,
		   struct lb_error *err)
{
	if (!json_object_get(value, "error") &&
	    !json_object_get(value, "candidates") &&
	    !json_object_get(value, "promptFeedback"))
		return lb_fail(err, LB_PROTOCOL,
			       "the answer has no candidates");
	return lb_gemini_event(r, value, err);
}
