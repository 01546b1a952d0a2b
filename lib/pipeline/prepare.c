/* prepare - the user message: a chain as parts that a model understands. */
#include <string.h>

#include "base/json.h"
#include "pipeline/pipeline.h"
#include "record/chain.h"

static void open_part(struct lb_buf *b, const char *type)
{
	lb_buf_puts(b, b->len > 1 ? ",{\"type\":\"" : "{\"type\":\"");
	lb_buf_puts(b, type);
	lb_buf_putc(b, '"');
}

static void text_part(struct lb_buf *b, const char *text, size_t len)
{
	if (len == 0)
		return;
	open_part(b, "text");
	lb_put_strn(b, "text", text, len);
	lb_buf_putc(b, '}');
}

static const char *filled(const json_t *part, const char *key)
{
	const char *text = lb_json_str(part, key);

	return text && *text ? text : NULL;
}

/* A file that the platform has, or that lies beside the messages: the model
 * is told that it is there. */
static bool is_elsewhere(const json_t *part)
{
	return filled(part, "ref") || filled(part, "path");
}

static void image_part(struct lb_buf *b, const json_t *part)
{
	const char *base64 = filled(part, "base64"), *url = filled(part, "url");

	if (base64) {
		open_part(b, "image_base64");
		lb_put_str(b, "image_base64", base64);
		lb_buf_putc(b, '}');
	} else if (url) {
		open_part(b, "image_url");
		lb_buf_puts(b, ",\"image_url\":{\"url\":");
		lb_buf_json_str(b, url, strlen(url));
		lb_buf_puts(b, "}}");
	} else if (is_elsewhere(part)) {
		text_part(b, "[Image]", strlen("[Image]"));
	}
}

static void file_part(struct lb_buf *b, const json_t *part, const char *name)
{
	const char *base64 = filled(part, "base64"), *url = filled(part, "url");

	if (!base64 && !url) {
		lb_autobuf struct lb_buf note = {0};

		if (is_elsewhere(part))
			lb_buf_printf(&note, "[%s]", name);
		text_part(b, lb_buf_str(&note), note.len);
		return;
	}
	open_part(b, base64 ? "file_base64" : "file_url");
	lb_put_str(b, base64 ? "file_base64" : "file_url",
		   base64 ? base64 : url);
	lb_put_str(b, "file_name", name);
	lb_buf_putc(b, '}');
}

/* What is quoted, each line behind "> ", so the model can tell whose it is. */
static void quote_part(struct lb_buf *b, const json_t *part)
{
	lb_autobuf struct lb_buf text = {0}, quoted = {0};

	lb_chain_text(json_object_get(part, "origin"), &text);
	if (text.len == 0)
		return;
	lb_buf_puts(&quoted, "> ");
	for (size_t i = 0; i < text.len; i++) {
		lb_buf_putc(&quoted, text.data[i]);
		if (text.data[i] == '\n')
			lb_buf_puts(&quoted, "> ");
	}
	lb_buf_putc(&quoted, '\n');
	text_part(b, quoted.data, quoted.len);
}

static void put_part(struct lb_message *m, const json_t *part)
{
	const char *type = lb_json_str(part, "type");
	struct lb_buf *b = &m->content;

	if (strcmp(type, "Plain") == 0) {
		const json_t *text = json_object_get(part, "text");

		text_part(b, json_string_value(text), json_string_length(text));
	} else if (strcmp(type, "Image") == 0) {
		image_part(b, part);
	} else if (strcmp(type, "Voice") == 0) {
		file_part(b, part, "voice");
	} else if (strcmp(type, "File") == 0) {
		const char *name = filled(part, "name");

		file_part(b, part, name ? name : "file");
	} else if (strcmp(type, "Quote") == 0) {
		quote_part(b, part);
	}
}

enum lb_verdict lb_stage_prepare(struct lb_message *m, struct lb_error *err)
{
	const json_t *part;
	size_t i;

	(void)err;
	lb_chain_plain(m->chain, &m->text);
	lb_buf_putc(&m->content, '[');
	json_array_foreach(m->chain, i, part) put_part(m, part);
	if (m->content.len == 1) {
		lb_buf_reset(&m->reason);
		lb_buf_puts(&m->reason, "nothing in it that can be answered");
		return LB_DROP;
	}
	lb_buf_putc(&m->content, ']');
	return LB_PASS;
}
