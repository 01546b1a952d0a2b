/* prepare - the user message: a chain as parts that a model understands. */
#include <string.h>

#include "base/json.h"
#include "base/utf8.h"
#include "pipeline/stages.h"
#include "record/chain.h"

enum {
	MAX_SPEAKER = 64,
	MAX_SENDER = 100,
	MAX_NODES = 100,
	MAX_FORWARD = 64 * 1024
};

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

/* lb-agent opens it: a record holds small files only. */
static void path_part(struct parts *p, const char *type, const char *path)
{
	other_part(p, type);
	lb_put_str(p->b, type, path);
}

static void image_part(struct parts *p, const json_t *part)
{
	struct lb_buf *b = p->b;
	const char *base64 = filled(part, "base64"), *url = filled(part, "url");

	if (base64) {
		other_part(p, "image_base64");
		lb_put_str(b, "image_base64", base64);
		lb_buf_putc(b, '}');
	} else if (filled(part, "path")) {
		path_part(p, "image_path", filled(part, "path"));
		lb_buf_putc(b, '}');
	} else if (url) {
		other_part(p, "image_url");
		lb_buf_puts(b, ",\"image_url\":{\"url\":");
		lb_buf_json_str(b, url, strlen(url));
		lb_buf_puts(b, "}}");
	} else if (filled(part, "ref")) { /* the platform has it */
		note_part(p, "[Image]", strlen("[Image]"));
	}
}

static void file_part(struct parts *p, const json_t *part, const char *name)
{
	static const char *const types[][2] = {{"base64", "file_base64"},
					       {"path", "file_path"},
					       {"url", "file_url"}};
	lb_autobuf struct lb_buf note = {0};

	for (size_t i = 0; i < 3; i++) {
		const char *value = filled(part, types[i][0]);

		if (!value)
			continue;
		path_part(p, types[i][1], value);
		lb_put_str(p->b, "file_name", name);
		lb_buf_putc(p->b, '}');
		return;
	}
	if (filled(part, "ref"))
		lb_buf_printf(&note, "[%s]", name);
	note_part(p, lb_buf_str(&note), note.len);
}

/*
 * What is quoted, each line behind "> ", so the model can tell whose it is;
 * pictures in it follow.
 */
static void quote_part(struct parts *p, const json_t *part)
{
	const json_t *origin = json_object_get(part, "origin"), *inner;
	lb_autobuf struct lb_buf text = {0}, quoted = {0};
	size_t i;

	lb_chain_text(origin, &text);
	if (text.len == 0)
		return;
	lb_buf_puts(&quoted, "> ");
	for (i = 0; i < text.len; i++) {
		lb_buf_putc(&quoted, text.data[i]);
		if (text.data[i] == '\n')
			lb_buf_puts(&quoted, "> ");
	}
	lb_buf_putc(&quoted, '\n');
	note_part(p, quoted.data, quoted.len);
	json_array_foreach((json_t *)(uintptr_t)origin, i, inner)
	{
		const char *type = lb_json_str(inner, "type");

		if (type && strcmp(type, "Image") == 0)
			image_part(p, inner);
	}
}

/* A name is its owner's to choose: it stays on its line. */
static void put_name(struct lb_buf *out, const char *name)
{
	size_t len = lb_utf8_cut(name, strlen(name), MAX_SENDER);

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)name[i];

		lb_buf_putc(out, c < 0x20 || c == 0x7f ? ' ' : (char)c);
	}
}

/* The lines behind the first are set in: none can pass for another message. */
static void put_said(struct lb_buf *out, const json_t *chain)
{
	lb_autobuf struct lb_buf said = {0};

	lb_chain_text(chain, &said);
	for (size_t i = 0; i < said.len; i++) {
		lb_buf_putc(out, said.data[i]);
		if (said.data[i] == '\n')
			lb_buf_puts(out, ">   ");
	}
}

void lb_forward_put(struct lb_buf *out, const json_t *part)
{
	size_t began = out->len, i;
	const json_t *node;

	lb_buf_puts(out, "[Chat history]\n");
	json_array_foreach(json_object_get(part, "node_list"), i, node)
	{
		const char *name = filled(node, "sender_name");

		if (i == MAX_NODES || out->len - began > MAX_FORWARD)
			break;
		lb_buf_puts(out, "> ");
		put_name(out, name ? name : "?");
		lb_buf_puts(out, ": ");
		put_said(out, json_object_get(node, "message_chain"));
		lb_buf_putc(out, '\n');
	}
	if (i < json_array_size(json_object_get(part, "node_list")))
		lb_buf_puts(out, "> ...\n");
}

static void forward_part(struct parts *p, const json_t *part)
{
	lb_autobuf struct lb_buf lines = {0};

	lb_forward_put(&lines, part);
	note_part(p, lines.data, lines.len);
}

/* Any other: in the words that people read. A name stands in a sentence. */
static void other_words(struct parts *p, json_t *part, bool is_note)
{
	json_auto_t *alone = json_array();
	lb_autobuf struct lb_buf text = {0};

	json_array_append(alone, part);
	lb_chain_text(alone, &text);
	put_text(p, lb_buf_str(&text), text.len, is_note);
}

/*
 * In a group, who says it. A name is its owner's to choose: it cannot end the
 * mark, nor begin a line.
 */
static void put_speaker(struct parts *p, const struct lb_message *m)
{
	const char *name = *m->sender_name ? m->sender_name : m->sender_id;
	lb_autobuf struct lb_buf mark = {0};
	size_t len = lb_utf8_cut(name, strlen(name), MAX_SPEAKER);

	lb_buf_putc(&mark, '[');
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)name[i];

		lb_buf_putc(&mark, c < 0x20 || c == 0x7f ? ' '
				   : c == '['            ? '('
				   : c == ']'            ? ')'
							 : (char)c);
	}
	lb_buf_puts(&mark, "] ");
	put_text(p, mark.data, mark.len, false);
}

static void put_part(struct parts *p, const struct lb_message *m, json_t *part)
{
	const char *type = lb_json_str(part, "type");
	const json_t *text = json_object_get(part, "text");

	if (strcmp(type, "Plain") == 0) {
		put_text(p, json_string_value(text), json_string_length(text),
			 false);
	} else if (strcmp(type, "Unknown") == 0) {
		/* a place, a contact: in words */
		note_part(p, json_string_value(text), json_string_length(text));
	} else if (strcmp(type, "Image") == 0) {
		image_part(p, part);
	} else if (strcmp(type, "Voice") == 0) {
		file_part(p, part, "voice");
	} else if (strcmp(type, "File") == 0) {
		const char *name = filled(part, "name");

		file_part(p, part, name ? name : "file");
	} else if (strcmp(type, "Quote") == 0) {
		if (m->flow->quotes)
			quote_part(p, part);
	} else if (strcmp(type, "Forward") == 0) {
		forward_part(p, part);
	} else {
		other_words(p, part,
			    strncmp(type, "At", 2) != 0 &&
				    strcmp(type, "Face") != 0);
	}
}

/*
 * `addressed`: a mention in front of all words is the bot's own, as nobody who
 * knows its id has taken that out. It says whom the words are for, and is none
 * of them.
 */
static void put_parts(struct parts *p, const struct lb_message *m,
		      const json_t *chain, bool addressed)
{
	size_t began = p->b->len, i;
	json_t *part;

	json_array_foreach((json_t *)(uintptr_t)chain, i, part)
	{
		bool first = addressed && p->b->len == began;

		if (first && strcmp(lb_json_str(part, "type"), "At") == 0)
			addressed = false;
		else
			put_part(p, m, part);
	}
}

enum lb_verdict lb_stage_prepare(struct lb_message *m, struct lb_error *err)
{
	const json_t *chain = json_object_get(m->record->json, "chain");
	struct parts parts = {.b = &m->content};
	size_t began;

	(void)err;
	lb_chain_plain(m->chain, &m->text);
	lb_buf_putc(&m->content, '[');
	if (m->flow->speakers && strcmp(m->launcher_type, "group") == 0)
		put_speaker(&parts, m);
	began = m->content.len;
	put_parts(&parts, m, m->chain, m->chain == chain);
	/* A bare call by name, which was taken out, is a message. */
	if (m->content.len == began)
		put_parts(&parts, m, chain, false);
	if (m->content.len == began) {
		lb_buf_reset(&m->reason);
		lb_buf_puts(&m->reason, "nothing in it that can be answered");
		return LB_DROP;
	}
	lb_buf_putc(&m->content, ']');
	return LB_PASS;
}
