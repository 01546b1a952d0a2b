/*
 * telegram-words.c - text of a chain: Markdown, and mentions within it.
 *
 * A mention must survive the Markdown and the cutting, and nobody's text may
 * forge one. So it stands in the text between noncharacters, which no text
 * from outside keeps: BEGIN index MIDDLE name END.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "platform/markup.h"
#include "platform/telegram-call.h"
#include "record/chain.h"

#define BEGIN "\xef\xb7\x90"  /* U+FDD0 */
#define MIDDLE "\xef\xb7\x91" /* U+FDD1 */
#define END "\xef\xb7\x92"    /* U+FDD2 */
enum { MARK = 3, MAX_MENTIONS = 1000 };

static bool is_mark(const char *p, size_t len)
{
	return len >= MARK &&
	       (memcmp(p, BEGIN, MARK) == 0 || memcmp(p, MIDDLE, MARK) == 0 ||
		memcmp(p, END, MARK) == 0);
}

/* Nobody sees it, and what has nothing else is no message. */
static bool is_control(char c)
{
	return (unsigned char)c < ' ' ? c != '\n' && c != '\t' : c == 0x7f;
}

/* Text from outside, without marks of ours and control characters. */
static void put_text(struct lb_buf *b, const char *text, size_t len)
{
	size_t from = 0;

	for (size_t i = 0; i < len; i++) {
		bool mark = text[i] == BEGIN[0] && is_mark(text + i, len - i);

		if (!mark && !is_control(text[i]))
			continue;
		lb_buf_put(b, text + from, i - from);
		i += mark ? MARK - 1 : 0;
		from = i + 1;
	}
	lb_buf_put(b, text + from, len - from);
}

/* Text that is not Markdown: its marks are no marks. */
static void put_literal(struct lb_buf *b, const char *text, size_t len)
{
	lb_autobuf struct lb_buf clean = {0};

	put_text(&clean, text, len);
	for (size_t i = 0; i < clean.len; i++) {
		if (clean.data[i] && strchr("\\`*_~[]<>&#!|", clean.data[i]))
			lb_buf_putc(b, '\\');
		lb_buf_putc(b, clean.data[i]);
	}
}

static void put_id(struct lb_buf *b, const json_t *id)
{
	if (json_is_string(id))
		put_literal(b, json_string_value(id), json_string_length(id));
	else if (json_is_integer(id))
		lb_buf_json(b, id);
}

/* The digits of a user's id, or NULL. Caller frees. */
static char *user_id(const json_t *id)
{
	const char *text = json_string_value(id);

	if (json_is_integer(id) && json_integer_value(id) > 0)
		return lb_printf("%lld", (long long)json_integer_value(id));
	if (text && *text && strlen(text) < 19 &&
	    strspn(text, "0123456789") == strlen(text))
		return lb_strdup(text);
	return NULL;
}

static void at(struct lb_telegram_render *r, const json_t *part)
{
	const json_t *target = json_object_get(part, "target");
	const json_t *name = json_object_get(part, "display");
	lb_autofree char *id = user_id(target);
	const char *text = json_string_value(target);
	struct lb_buf *b = &r->text;

	if (!json_is_string(name) || json_string_length(name) == 0)
		name = target;
	if (id && json_array_size(r->ids) < MAX_MENTIONS) {
		json_array_append_new(r->ids, json_string(id));
		lb_buf_printf(b, BEGIN "%zu" MIDDLE,
			      json_array_size(r->ids) - 1);
		put_id(b, name);
		lb_buf_puts(b, END);
		return;
	}
	if (!text || *text != '@')
		lb_buf_putc(b, '@');
	put_id(b, text && *text == '@' ? target : name);
}

/* A conversation as lines of who and what. */
static void forward(struct lb_buf *b, const json_t *part)
{
	const json_t *node;
	size_t i;

	json_array_foreach(json_object_get(part, "node_list"), i, node)
	{
		const json_t *name = json_object_get(node, "sender_name");
		lb_autobuf struct lb_buf text = {0};

		lb_chain_text(json_object_get(node, "message_chain"), &text);
		if (b->len > 0)
			lb_buf_putc(b, '\n');
		put_id(b, name);
		lb_buf_puts(b, json_string_length(name) > 0 ? ": " : "");
		/* Nobody's name: the bot itself speaks, and in Markdown. */
		if (json_string_length(name) > 0)
			put_literal(b, lb_buf_str(&text), text.len);
		else
			put_text(b, lb_buf_str(&text), text.len);
	}
}

void lb_telegram_words(struct lb_telegram_render *r, const json_t *part)
{
	const char *type = lb_json_str(part, "type");
	const json_t *text = json_object_get(part, "text");
	const char *name = lb_json_str(part, "face_name");
	enum lb_chain_name last = r->name;

	r->name = lb_chain_name(type, &r->text);
	if (strcmp(type, "Plain") == 0) {
		if (json_is_string(text))
			lb_buf_puts(&r->text,
				    lb_chain_gap(last,
						 json_string_value(text)));
		if (json_is_string(text))
			put_text(&r->text, json_string_value(text),
				 json_string_length(text));
	} else if (strcmp(type, "At") == 0) {
		at(r, part);
	} else if (strcmp(type, "AtAll") == 0) {
		lb_buf_puts(&r->text, "@all");
	} else if (strcmp(type, "Forward") == 0) {
		forward(&r->text, part);
	} else if (strcmp(type, "Face") == 0 && name && *name) {
		put_literal(&r->text, name, strlen(name));
	} else if (strcmp(type, "Unknown") != 0) {
		json_auto_t *one = json_array();
		lb_autobuf struct lb_buf words = {0};

		json_array_append(one, (json_t *)(uintptr_t)part);
		lb_chain_text(one, &words);
		put_literal(&r->text, lb_buf_str(&words), words.len);
	}
}

/* Is the tag at p one in which no link may stand? */
static int shuts(const char *p)
{
	if (strncmp(p, "<code", 5) == 0 || strncmp(p, "<pre", 4) == 0 ||
	    strncmp(p, "<a ", 3) == 0)
		return 1;
	if (strncmp(p, "</code", 6) == 0 || strncmp(p, "</pre", 5) == 0 ||
	    strncmp(p, "</a", 3) == 0)
		return -1;
	return 0;
}

/* Of one mention in a text whose tags are there already. */
struct mention {
	const char *name, *end; /* where its mark begins; NULL: not here */
	const json_t *id;
};

/* Read it at BEGIN; what a cut has left of it may be anything. */
static struct mention read_mention(const struct lb_telegram_render *r,
				   const char *p, const char *end)
{
	struct mention m = {.name = p + MARK};
	size_t i = strtoul(m.name, NULL, 10);

	m.name += strspn(m.name, "0123456789");
	if (!is_mark(m.name, (size_t)(end - m.name)))
		return m;
	m.name += MARK;
	m.id = json_array_get(r->ids, i);
	m.end = memmem(m.name, (size_t)(end - m.name), END, MARK);
	/* A tag within would cross ours. */
	if (m.end && memchr(m.name, '<', (size_t)(m.end - m.name)))
		m.end = NULL;
	return m;
}

/* Marks become links, where one may stand, or go. */
static char *resolve(const struct lb_telegram_render *r,
		     const struct lb_buf *text, bool html)
{
	struct lb_buf out = {0};
	const char *p = lb_buf_str(text), *end = p + text->len, *close = NULL;
	int shut = 0;

	lb_buf_put(&out, "", 0); /* a string, though there be no text */
	while (p < end) {
		struct mention m;

		if (!is_mark(p, (size_t)(end - p))) {
			if (html && *p == '<')
				shut += shuts(p);
			lb_buf_putc(&out, *p++);
			continue;
		}
		if (memcmp(p, BEGIN, MARK) != 0) {
			if (p == close)
				lb_buf_puts(&out, "</a>");
			p += MARK;
			continue;
		}
		m = read_mention(r, p, end);
		p = m.name;
		if (!html || shut > 0 || !m.id || !m.end || m.end == m.name)
			continue;
		close = m.end;
		lb_buf_printf(&out, "<a href=\"tg://user?id=%s\">",
			      json_string_value(m.id));
	}
	return lb_buf_take(&out);
}

/* Is nothing there to be seen? Telegram refuses that. */
static bool is_blank(const char *s, bool html)
{
	for (; *s; s++) {
		if (html && *s == '<')
			s = strchr(s, '>'); /* its tags are whole */
		else if (!strchr(" \t\n", *s))
			return false;
	}
	return true;
}

bool lb_telegram_set_text(struct lb_telegram_render *r,
			  struct lb_telegram_call *call, const char *field,
			  const char *markdown, size_t len)
{
	lb_autobuf struct lb_buf html = {0}, plain = {0};
	lb_autofree char *marked = NULL;

	lb_markup(markdown, len, LB_MARKUP_TELEGRAM_HTML, &html);
	lb_markup(markdown, len, LB_MARKUP_PLAIN, &plain);
	marked = resolve(r, &html, true);
	call->plain = resolve(r, &plain, false);
	/* Nothing but marks: they are shown as they are. */
	if (is_blank(call->plain, false) || is_blank(marked, true)) {
		lb_buf_reset(&plain);
		lb_buf_put(&plain, markdown, len);
		free(call->plain);
		call->plain = resolve(r, &plain, false);
		lb_buf_reset(&html);
		lb_markup_escape(call->plain, strlen(call->plain), &html);
		free(lb_steal(&marked));
		marked = lb_strdup(lb_buf_str(&html));
	}
	if (is_blank(call->plain, false)) { /* half of a mention, cut off */
		free(lb_steal(&call->plain));
		return false;
	}
	call->text_field = field;
	lb_json_set_str(call->params, field, marked, strlen(marked));
	json_object_set_new(call->params, "parse_mode", json_string("HTML"));
	return true;
}
