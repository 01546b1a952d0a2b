/* anthropic.c - Anthropic's Messages. */
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "double.h"

/* The ids of calls that the next message has to answer, and of all. */
struct open {
	json_t *ids, *seen;
};

static const char signature[] = "EqQBsigned";

static bool image_block_ok(const json_t *b, struct fault *f)
{
	const json_t *source = json_object_get(b, "source");
	const char *type = lb_json_str(source, "type");

	if (type && strcmp(type, "url") == 0)
		return strncmp(lb_json_str(source, "url"), "https://", 8) ==
			       0 ||
		       wrong(f, NULL, "Only HTTPS URLs are supported.");
	if (!type || strcmp(type, "base64") != 0)
		return wrong(f, NULL, "messages: image: no such source");
	if (!image_ok(lb_json_str(source, "data"),
		      lb_json_str(source, "media_type")))
		return wrong(f, NULL,
			     "messages: Image does not match the provided "
			     "media type");
	return true;
}

static bool parts_ok(const json_t *content, struct fault *f)
{
	json_t *b;
	size_t i;

	if (!content || json_is_string(content))
		return true;
	json_array_foreach(content, i, b)
	{
		const char *type = lb_json_str(b, "type");
		const char *text = lb_json_str(b, "text");

		if (!type)
			return wrong(f, NULL, "messages: a block has no type");
		if (strcmp(type, "image") == 0 && !image_block_ok(b, f))
			return false;
		if (strcmp(type, "text") == 0 &&
		    (!text || !text[strspn(text, " \t\r\n")]))
			return wrong(f, NULL,
				     "messages: text content blocks must be "
				     "non-empty");
	}
	return true;
}

static bool user_block_ok(struct open *o, const json_t *b, bool *said,
			  struct fault *f)
{
	const char *type = lb_json_str(b, "type");
	const char *id = lb_json_str(b, "tool_use_id");

	if (strcmp(type, "tool_result") != 0) {
		*said = true;
		return strcmp(type, "text") == 0 ||
		       strcmp(type, "image") == 0 ||
		       wrong(f, NULL, "messages: a user has no '%s'", type);
	}
	if (*said)
		return wrong(f, NULL,
			     "messages: tool_result blocks must come first");
	if (!id || json_object_del(o->ids, id) < 0)
		return wrong(f, NULL,
			     "messages: unexpected `tool_use_id` found in "
			     "`tool_result` blocks: %s",
			     id ? id : "none");
	return parts_ok(json_object_get(b, "content"), f);
}

static bool assistant_block_ok(struct open *o, const json_t *b, struct fault *f)
{
	const char *type = lb_json_str(b, "type");
	const char *id = lb_json_str(b, "id"), *text = lb_json_str(b, "text");

	if (strcmp(type, "text") == 0)
		return text != NULL;
	if (strcmp(type, "thinking") == 0)
		return (lb_json_str(b, "thinking") &&
			lb_json_str(b, "signature") &&
			strcmp(lb_json_str(b, "signature"), signature) == 0) ||
		       wrong(f, NULL,
			     "messages: Invalid `signature` in "
			     "`thinking` block");
	if (strcmp(type, "redacted_thinking") == 0)
		return lb_json_str(b, "data") != NULL;
	if (strcmp(type, "tool_use") != 0)
		return wrong(f, NULL, "messages: an assistant has no '%s'",
			     type);
	if (!name_ok(id, 128) || !name_ok(lb_json_str(b, "name"), 200))
		return wrong(f, NULL,
			     "messages: tool_use.id: String should match "
			     "pattern '^[a-zA-Z0-9_-]+$'");
	if (!json_is_object(json_object_get(b, "input")))
		return wrong(f, NULL,
			     "messages: tool_use.input: Input should "
			     "be a valid dictionary");
	if (json_object_get(o->seen, id))
		return wrong(f, NULL,
			     "messages: `tool_use` ids must be "
			     "unique");
	json_object_set_new(o->ids, id, json_true());
	json_object_set_new(o->seen, id, json_true());
	return true;
}

static bool blocks_ok(struct open *o, const json_t *content, bool user,
		      struct fault *f)
{
	bool said = false;
	json_t *b;
	size_t i;

	if (!parts_ok(content, f))
		return false;
	json_array_foreach(content, i,
			   b) if (user ? !user_block_ok(o, b, &said, f)
				       : !assistant_block_ok(o, b, f)) return *f
			->message
		? false
		: wrong(f, NULL, "messages: a block is cut");
	return true;
}

static bool message_ok(struct open *o, const json_t *m, bool first,
		       struct fault *f)
{
	const char *role = lb_json_str(m, "role");
	const json_t *content = json_object_get(m, "content");
	bool user = role && strcmp(role, "user") == 0;

	if (!user && (!role || strcmp(role, "assistant") != 0))
		return wrong(f, NULL,
			     "messages: Unexpected role \"%s\". Allowed roles "
			     "are \"user\" or \"assistant\"",
			     role ? role : "");
	if (first && !user)
		return wrong(f, NULL,
			     "messages: first message must use the \"user\" "
			     "role");
	if (json_string_length(content) + json_array_size(content) == 0)
		return wrong(f, NULL,
			     "messages: all messages must have "
			     "non-empty content");
	if (!blocks_ok(o, content, user, f))
		return false;
	if (user && json_object_size(o->ids) > 0)
		return wrong(f, NULL,
			     "messages: `tool_use` ids were found without "
			     "`tool_result` blocks immediately after");
	return true;
}

static bool messages_ok(const json_t *messages, struct fault *f)
{
	json_auto_t *ids = json_object(), *seen = json_object();
	struct open o = {ids, seen};
	json_t *m;
	size_t i;

	if (json_array_size(messages) == 0)
		return wrong(f, NULL,
			     "messages: at least one message is required");
	json_array_foreach(messages, i,
			   m) if (!message_ok(&o, m, i == 0, f)) return false;
	return json_object_size(ids) == 0 ||
	       wrong(f, NULL,
		     "messages: `tool_use` ids were found without "
		     "`tool_result` blocks immediately after");
}

static bool tools_ok(const json_t *body, struct fault *f)
{
	static const char *const names[] = {"name", "description",
					    "input_schema", "type", NULL};
	json_t *tool;
	size_t i;

	json_array_foreach(json_object_get(body, "tools"), i, tool)
	{
		const char *type =
			lb_json_str(json_object_get(tool, "input_schema"),
				    "type");

		if (!knows_all(tool, names, f))
			return wrong(f, NULL,
				     "tools: Extra inputs are not permitted");
		if (!name_ok(lb_json_str(tool, "name"), 128))
			return wrong(f, NULL,
				     "tools.name: String should match pattern "
				     "'^[a-zA-Z0-9_-]{1,128}$'");
		if (!type || strcmp(type, "object") != 0)
			return wrong(f, NULL,
				     "tools.input_schema.type: Field required");
	}
	return true;
}

/* What calls tools, thinks, and goes on has to begin with its thinking. */
static bool goes_on_ok(const json_t *messages, struct fault *f)
{
	size_t n = json_array_size(messages);
	const json_t *last = json_array_get(messages, n - 1), *block;
	const char *type;

	block = json_array_get(json_object_get(last, "content"), 0);
	type = lb_json_str(block, "type");
	if (n < 2 || !type || strcmp(type, "tool_result") != 0)
		return true;
	last = json_array_get(messages, n - 2);
	block = json_array_get(json_object_get(last, "content"), 0);
	type = lb_json_str(block, "type");
	return !type || strstr(type, "thinking") ||
	       wrong(f, NULL,
		     "messages.%zu.content.0.type: Expected `thinking` or "
		     "`redacted_thinking`, but found `%s`.",
		     n - 2, type);
}

static bool thinking_ok(const json_t *body, struct fault *f)
{
	const json_t *thinking = json_object_get(body, "thinking");
	const char *type = lb_json_str(thinking, "type");
	const char *choice =
		lb_json_str(json_object_get(body, "tool_choice"), "type");
	int64_t budget = 0, most = 0;

	if (!type || strcmp(type, "disabled") == 0)
		return true;
	lb_json_int(body, "max_tokens", &most);
	if (lb_json_int(thinking, "budget_tokens", &budget) &&
	    (budget < 1024 || budget >= most))
		return wrong(f, NULL,
			     "`max_tokens` must be greater than "
			     "`thinking.budget_tokens`");
	if (strcmp(type, "enabled") == 0 &&
	    !goes_on_ok(json_object_get(body, "messages"), f))
		return false;
	if (json_object_get(body, "temperature") ||
	    json_object_get(body, "top_k"))
		return wrong(f, NULL,
			     "`temperature` may only be set to 1 when thinking "
			     "is enabled");
	return !choice || strcmp(choice, "auto") == 0 ||
	       strcmp(choice, "none") == 0 ||
	       wrong(f, NULL,
		     "Thinking may not be enabled when tool_choice "
		     "forces tool use.");
}

static bool key_ok(const struct twin *how, const struct request *r,
		   struct fault *f)
{
	const char *key = lb_json_str(r->headers, "x-api-key");

	if (key && (!how->key || strcmp(key, how->key) == 0))
		return true;
	wrong(f, NULL, "%s",
	      key ? "invalid x-api-key" : "x-api-key header is required");
	f->status = 401;
	f->code = "authentication_error";
	return false;
}

static bool ok(const struct request *r, const json_t *body, struct fault *f)
{
	static const char *const names[] =
		{"model",          "messages", "max_tokens",  "system",
		 "tools",          "stream",   "temperature", "top_p",
		 "stop_sequences", "top_k",    "tool_choice", "thinking",
		 "output_config",  "metadata", NULL};
	int64_t most;

	if (!lb_json_str(r->headers, "anthropic-version"))
		return wrong(f, NULL, "anthropic-version: header is required");
	if (!knows_all(body, names, f))
		return wrong(f, NULL, "%s: Extra inputs are not permitted",
			     f->param);
	if (!lb_json_str(body, "model"))
		return wrong(f, NULL, "model: Field required");
	if (!lb_json_int(body, "max_tokens", &most) || most < 1)
		return wrong(f, NULL, "max_tokens: Field required");
	return messages_ok(json_object_get(body, "messages"), f) &&
	       tools_ok(body, f) && thinking_ok(body, f) &&
	       in_range(body, "temperature", 0, 1, f);
}

static json_t *refuse(const struct fault *f)
{
	return lb_json_pack("{s:s,s:{s:s,s:s},s:s}", "type", "error", "error",
			    "type", f->code, "message", f->message,
			    "request_id", "req_1");
}

static const char *last(const json_t *body, bool *tools)
{
	const json_t *content;
	const char *text = "";
	json_t *m, *b;
	size_t i, j;

	json_array_foreach(json_object_get(body, "messages"), i, m)
	{
		if (strcmp(lb_json_str(m, "role"), "user") != 0)
			continue;
		content = json_object_get(m, "content");
		*tools = false;
		if (json_is_string(content))
			text = json_string_value(content);
		json_array_foreach(content, j, b)
		{
			if (lb_json_str(b, "text"))
				text = lb_json_str(b, "text");
			*tools |= lb_json_str(b, "tool_use_id") != NULL;
		}
	}
	return text;
}

static bool wants_stream(const struct request *r, const json_t *body)
{
	(void)r;
	return lb_json_bool(body, "stream", false);
}

static json_t *message_of(struct turn *t, json_t *take_content,
			  const char *reason, int output)
{
	return lb_json_pack(
		"{s:s,s:s,s:s,s:s,s:o,s:s?,s:n,s:{s:i,s:i,s:i,s:i}}", "id",
		"msg_1", "type", "message", "role", "assistant", "model",
		lb_json_str(t->body, "model"), "content", take_content,
		"stop_reason", reason, "stop_sequence", "usage", "input_tokens",
		7, "cache_creation_input_tokens", 0, "cache_read_input_tokens",
		2, "output_tokens", output);
}

static json_t *call_of(const struct turn *t, size_t i, bool whole)
{
	const json_t *call = json_array_get(t->calls, i);
	json_t *input = json_object_get(call, "arguments");
	lb_autofree char *id =
		lb_printf("toolu_%zu_%zu", i,
			  json_array_size(
				  json_object_get(t->body, "messages")));

	return lb_json_pack("{s:s,s:s,s:O,s:o}", "type", "tool_use", "id", id,
			    "name", json_object_get(call, "name"), "input",
			    whole ? json_deep_copy(input) : json_object());
}

static bool thinks(const struct turn *t)
{
	const char *type =
		lb_json_str(json_object_get(t->body, "thinking"), "type");

	return type && strcmp(type, "disabled") != 0;
}

/* What it thought, of which the signature comes last. */
static json_t *thought(bool whole)
{
	return lb_json_pack("{s:s,s:s,s:s}", "type", "thinking", "thinking",
			    whole ? "Tools it is." : "", "signature",
			    whole ? signature : "");
}

static void send_block(struct turn *t, const char *type, size_t index,
		       const char *name, json_t *take)
{
	send_json(t,
		  lb_json_pack("{s:s,s:I,s:o*}", "type", type, "index",
			       (json_int_t)index, name, take),
		  FRAME_NAMED, t->how->pace_ms);
}

static void word(void *arg, const char *text, size_t n)
{
	send_block(arg, "content_block_delta", 0, "delta",
		   lb_json_pack("{s:s,s:o}", "type", "text_delta", "text",
				lb_json_text(text, n)));
}

static void stream_thought(struct turn *t)
{
	send_block(t, "content_block_start", 0, "content_block",
		   thought(false));
	send_block(t, "content_block_delta", 0, "delta",
		   lb_json_pack("{s:s,s:s}", "type", "thinking_delta",
				"thinking", "Tools it is."));
	send_block(t, "content_block_delta", 0, "delta",
		   lb_json_pack("{s:s,s:s}", "type", "signature_delta",
				"signature", signature));
	send_block(t, "content_block_stop", 0, "x", NULL);
}

/* `at`: which block of the answer it is. */
static void stream_call(struct turn *t, size_t i, size_t at)
{
	lb_autofree char *arguments =
		json_dumps(json_object_get(json_array_get(t->calls, i),
					   "arguments"),
			   JSON_COMPACT);
	size_t half = strlen(arguments) / 2;

	send_block(t, "content_block_start", at, "content_block",
		   call_of(t, i, false));
	send_block(t, "content_block_delta", at, "delta",
		   lb_json_pack("{s:s,s:s%}", "type", "input_json_delta",
				"partial_json", arguments, half));
	send_block(t, "content_block_delta", at, "delta",
		   lb_json_pack("{s:s,s:s}", "type", "input_json_delta",
				"partial_json", arguments + half));
	send_block(t, "content_block_stop", at, "x", NULL);
}

static void stream(struct turn *t)
{
	size_t calls = json_array_size(t->calls);

	send_json(t,
		  lb_json_pack("{s:s,s:o}", "type", "message_start", "message",
			       message_of(t, json_array(), NULL, 1)),
		  FRAME_NAMED, 0);
	send_json(t, lb_json_pack("{s:s}", "type", "ping"), FRAME_NAMED, 0);
	if (calls == 0) {
		send_block(t, "content_block_start", 0, "content_block",
			   lb_json_pack("{s:s,s:s}", "type", "text", "text",
					""));
		each_word(t->text, word, t);
		send_block(t, "content_block_stop", 0, "x", NULL);
	}
	if (calls > 0 && thinks(t))
		stream_thought(t);
	for (size_t i = 0; i < calls; i++)
		stream_call(t, i, i + thinks(t));
	send_json(t,
		  lb_json_pack("{s:s,s:{s:s,s:n},s:{s:i}}", "type",
			       "message_delta", "delta", "stop_reason",
			       calls ? "tool_use" : "end_turn", "stop_sequence",
			       "usage", "output_tokens", 5),
		  FRAME_NAMED, 0);
	send_json(t, lb_json_pack("{s:s}", "type", "message_stop"), FRAME_NAMED,
		  0);
}

static void whole(struct turn *t)
{
	json_t *content = json_array();

	if (thinks(t))
		json_array_append_new(content, thought(true));
	if (*t->text)
		json_array_append_new(content,
				      lb_json_pack("{s:s,s:s}", "type", "text",
						   "text", t->text));
	for (size_t i = 0; i < json_array_size(t->calls); i++)
		json_array_append_new(content, call_of(t, i, true));
	send_json(t,
		  message_of(t, content,
			     json_array_size(t->calls) ? "tool_use"
						       : "end_turn",
			     5),
		  FRAME_VALUE, 0);
}

const struct service anthropic_service = {
	.name = "anthropic",
	.key_ok = key_ok,
	.ok = ok,
	.refuse = refuse,
	.last = last,
	.wants_stream = wants_stream,
	.stream_type = "text/event-stream",
	.stream = stream,
	.whole = whole,
};
