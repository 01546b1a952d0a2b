/*
 * telegram-html.h - a strict reader of the HTML that Telegram takes: only its
 * tags, balanced, nested as it allows, entities right, text in UTF-8.
 */
#ifndef LB_TESTS_TELEGRAM_HTML_H
#define LB_TESTS_TELEGRAM_HTML_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

enum html_tag { H_B, H_I, H_S, H_CODE, H_PRE, H_A, H_QUOTE, H_TAGS };

struct html {
	const char *at, *end;
	enum html_tag open[H_TAGS];
	size_t depth;
	long units; /* of the text, UTF-16 */
	bool in[H_TAGS];
};

static inline bool html_skip(struct html *h, const char *s)
{
	size_t n = strlen(s);

	if ((size_t)(h->end - h->at) < n || memcmp(h->at, s, n) != 0)
		return false;
	h->at += n;
	return true;
}

static inline bool html_entity(struct html *h)
{
	h->units++;
	return html_skip(h, "&amp;") || html_skip(h, "&lt;") ||
	       html_skip(h, "&gt;") || html_skip(h, "&quot;");
}

/* The value of an attribute, behind its quote. */
static inline bool html_value(struct html *h)
{
	long units = h->units;
	bool ok = true;

	while (ok && h->at < h->end && *h->at != '"') {
		if (*h->at == '&')
			ok = html_entity(h);
		else
			ok = !strchr("<>\n", *h->at++);
	}
	h->units = units;
	return ok && html_skip(h, "\"");
}

static inline bool html_enter(struct html *h, enum html_tag tag)
{
	bool code =
		tag == H_CODE && h->depth > 0 && h->open[h->depth - 1] == H_PRE;

	if (h->in[tag] || (h->in[H_PRE] && !code) || h->in[H_CODE])
		return false;
	if ((tag == H_PRE || tag == H_QUOTE) && h->depth > 0)
		return false;
	h->in[tag] = true;
	h->open[h->depth++] = tag;
	return true;
}

static inline bool html_tag(struct html *h)
{
	static const char *const names[] = {"b",   "i", "s",         "code",
					    "pre", "a", "blockquote"};
	char text[32];

	for (enum html_tag i = 0; i < H_TAGS; i++) {
		snprintf(text, sizeof(text), "</%s>", names[i]);
		if (html_skip(h, text)) {
			if (h->depth == 0 || h->open[--h->depth] != i)
				return false;
			h->in[i] = false;
			return true;
		}
		snprintf(text, sizeof(text), "<%s>", names[i]);
		if (i != H_A && html_skip(h, text))
			return html_enter(h, i);
	}
	if (html_skip(h, "<a href=\""))
		return html_value(h) && html_skip(h, ">") && html_enter(h, H_A);
	if (html_skip(h, "<code class=\"language-"))
		return h->depth > 0 && h->open[h->depth - 1] == H_PRE &&
		       html_value(h) && html_skip(h, ">") &&
		       html_enter(h, H_CODE);
	return false;
}

/* Units of what people see, or -1: Telegram would refuse it. */
static inline long html_units(const char *text, size_t len)
{
	struct html h = {.at = text, .end = text + len};

	while (h.at < h.end) {
		size_t n = lb_utf8_char(h.at, (size_t)(h.end - h.at));

		if (*h.at == '<') {
			if (!html_tag(&h))
				return -1;
			continue;
		}
		if (*h.at == '&') {
			if (!html_entity(&h))
				return -1;
			continue;
		}
		if (n == 0 || *h.at == '>' || *h.at == '\r' ||
		    (unsigned char)*h.at < '\t')
			return -1;
		h.units += n == 4 ? 2 : 1;
		h.at += n;
	}
	return h.depth == 0 ? h.units : -1;
}

#endif
