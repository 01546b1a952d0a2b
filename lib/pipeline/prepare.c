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

/* The parts so far, and what the text before reads like. */
struct parts {
	struct lb_buf *b;
	bool in_line; /* a text that its next one would run into */
	bool note;    /* ... and it is a note of ours */
};

static void other_part(struct parts *p, const char *type)
{
	open_part(p->b, type);
	p->in_line = p->note = false;
}

static void put_text(struct parts *p, const char *text, size_t len,
		     bool is_note)
{
	lb_autobuf struct lb_buf line = {0};

	if (len == 0)
		return;
	/* The parts are one text to most models: a note has its own line. */
	if (p->in_line && (is_note || p->note) && text[0] != '\n')
		lb_buf_putc(&line, '\n');
	lb_buf_put(&line, text, len);
	open_part(p->b, "text");
	lb_put_strn(p->b, "text", line.data, line.len);
	lb_buf_putc(p->b, '}');
	p->in_line = text[len - 1] != '\n';
	p->note = is_note;
}

static void note_part(struct parts *p, const char *text, size_t len)
{
	put_text(p, text, len, true);
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

static void image_part(struct parts *p, const json_t *part)
{
	struct lb_buf *b = p->b;
	const char *base64 = filled(part, "base64"), *url = filled(part, "url");

	if (base64) {
		other_part(p, "image_base64");
		lb_put_str(b, "image_base64", base64);
		lb_buf_putc(b, '}');
	} else if (url) {
		other_part(p, "image_url");
		lb_buf_puts(b, ",\"image_url\":{\"url\":");
		lb_buf_json_str(b, url, strlen(url));
		lb_buf_puts(b, "}}");
	} else if (is_elsewhere(part)) {
		note_part(p, "[Image]", strlen("[Image]"));
	}
}

static void file_part(struct parts *p, const json_t *part, const char *name)
{
	struct lb_buf *b = p->b;
	const char *base64 = filled(part, "base64"), *url = filled(part, "url");

	if (!base64 && !url) {
		lb_autobuf struct lb_buf note = {0};

		if (is_elsewhere(part))
			lb_buf_printf(&note, "[%s]", name);
		note_part(p, lb_buf_str(&note), note.len);
		return;
	}
	other_part(p, base64 ? "file_base64" : "file_url");
	lb_put_str(b, base64 ? "file_base64" : "file_url",
		   base64 ? base64 : url);
	lb_put_str(b, "file_name", name);
	lb_buf_putc(b, '}');
}

/* What is quoted, each line behind "> ", so the model can tell whose it is. */
static void quote_part(struct parts *p, const json_t *part)
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
	note_part(p, quoted.data, quoted.len);
}

static void put_part(struct parts *p, const json_t *part)
{
	const char *type = lb_json_str(part, "type");
	const json_t *text = json_object_get(part, "text");
	const char *words = json_string_value(text);
	size_t len = json_string_length(text);

	if (strcmp(type, "Plain") == 0) {
		put_text(p, words, len, false);
	} else if (strcmp(type, "Unknown") == 0) {
		note_part(p, words, len); /* a place, a contact: in words */
	} else if (strcmp(type, "Image") == 0) {
		image_part(p, part);
	} else if (strcmp(type, "Voice") == 0) {
		file_part(p, part, "voice");
	} else if (strcmp(type, "File") == 0) {
		const char *name = filled(part, "name");

		file_part(p, part, name ? name : "file");
	} else if (strcmp(type, "Quote") == 0) {
		quote_part(p, part);
	}
}

/* Nothing but a call by name, or a face: that is what was said. */
static void put_bare(struct parts *p, const json_t *chain)
{
	json_auto_t *bare = json_array();
	lb_autobuf struct lb_buf text = {0};
	const json_t *part;
	size_t i;

	json_array_foreach(chain, i, part)
	{
		const char *type = lb_json_str(part, "type");

		if (strcmp(type, "At") == 0 || strcmp(type, "Face") == 0)
			json_array_append_new(bare, json_deep_copy(part));
	}
	lb_chain_text(bare, &text);
	put_text(p, lb_buf_str(&text), text.len, false);
}

enum lb_verdict lb_stage_prepare(struct lb_message *m, struct lb_error *err)
{
	struct parts parts = {.b = &m->content};
	const json_t *part;
	size_t i;

	(void)err;
	lb_chain_plain(m->chain, &m->text);
	lb_buf_putc(&m->content, '[');
	json_array_foreach(m->chain, i, part) put_part(&parts, part);
	if (m->content.len == 1)
		put_bare(&parts, m->chain);
	if (m->content.len == 1) {
		lb_buf_reset(&m->reason);
		lb_buf_puts(&m->reason, "nothing in it that can be answered");
		return LB_DROP;
	}
	lb_buf_putc(&m->content, ']');
	return LB_PASS;
}
