/*
 * markup-show.c - tokens become text, with tags or without.
 */
#include <string.h>
#include <strings.h>

#include "platform/markup-inline.h"
#include "platform/markup.h"

void lb_markup_escape(const char *text, size_t len, struct lb_buf *out)
{
	for (size_t i = 0, from = 0; i <= len; i++) {
		const char *as = NULL;

		if (i < len && text[i] == '&')
			as = "&amp;";
		else if (i < len && text[i] == '<')
			as = "&lt;";
		else if (i < len && text[i] == '>')
			as = "&gt;";
		else if (i < len && text[i] == '"')
			as = "&quot;";
		if (!as && i < len)
			continue;
		lb_buf_put(out, text + from, i - from);
		if (as)
			lb_buf_puts(out, as);
		from = i + 1;
	}
}

static bool is_control(char c)
{
	return (unsigned char)c < ' ' ? c != '\n' && c != '\t' : c == 0x7f;
}

void lb_markup_text(struct lb_markup_out *out, const char *text, size_t len)
{
	size_t from = 0;

	for (size_t i = 0; i <= len; i++) {
		if (i < len && !is_control(text[i]))
			continue;
		if (out->escape)
			lb_markup_escape(text + from, i - from, out->to);
		else
			lb_buf_put(out->to, text + from, i - from);
		from = i + 1;
	}
}

static void tag(struct lb_markup_out *out, const char *text)
{
	if (out->tags)
		lb_buf_puts(out->to, text);
}

void lb_markup_style(struct lb_markup_out *out, enum lb_style style, bool on)
{
	static const char *const open[] = {"<b>", "<i>", "<s>"};
	static const char *const close[] = {"</b>", "</i>", "</s>"};

	if (on && out->depth[style]++ == 0)
		tag(out, open[style]);
	else if (!on && --out->depth[style] == 0)
		tag(out, close[style]);
}

static void show_run(const struct lb_tokens *t, const struct lb_token *run,
		     struct lb_markup_out *out)
{
	int m;

	for (m = run->close_first; m != LB_NO_TOKEN; m = t->matches[m].next)
		lb_markup_style(out, t->matches[m].style, false);
	lb_markup_text(out, run->at, run->count);
	for (m = run->open_first; m != LB_NO_TOKEN; m = t->matches[m].next)
		lb_markup_style(out, t->matches[m].style, true);
}

/* Addresses that may become links. */
static bool is_link(const struct lb_token *link)
{
	/* Not tg://: a text must not call people. */
	static const char *const schemes[] = {"http://", "https://",
					      "mailto:", "tel:"};

	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		size_t n = strlen(schemes[i]);

		if (link->len > n && strncasecmp(link->at, schemes[i], n) == 0)
			return true;
	}
	return false;
}

static void show_link(const struct lb_token *link, struct lb_markup_out *out)
{
	struct lb_markup_out in = {.to = out->to, .escape = true};

	if (!out->tags || !is_link(link))
		return;
	lb_buf_puts(out->to, "<a href=\"");
	lb_markup_text(&in, link->at, link->len);
	lb_buf_puts(out->to, "\">");
}

/* Where there is no link the address follows, unless it is the text. */
static void show_link_end(const struct lb_token *link, const struct lb_token *t,
			  struct lb_markup_out *out)
{
	if (out->tags && is_link(link)) {
		lb_buf_puts(out->to, "</a>");
		return;
	}
	if (t->type == LB_TOKEN_TEXT && t->len == link->len &&
	    memcmp(t->at, link->at, t->len) == 0)
		return;
	lb_markup_text(out, " (", 2);
	lb_markup_text(out, link->at, link->len);
	lb_markup_text(out, ")", 1);
}

static void show_code(const struct lb_token *code, struct lb_markup_out *out)
{
	tag(out, "<code>");
	for (size_t i = 0, n; i < code->len; i += n + 1) {
		const char *p = code->at + i;
		const char *nl = memchr(p, '\n', code->len - i);

		n = nl ? (size_t)(nl - p) : code->len - i;
		lb_markup_text(out, p, n);
		if (nl)
			lb_markup_text(out, " ", 1);
	}
	tag(out, "</code>");
}

void lb_tokens_show(const struct lb_tokens *t, struct lb_markup_out *out)
{
	for (const struct lb_token *k = t->at; k < t->at + t->n; k++) {
		switch (k->type) {
		case LB_TOKEN_TEXT:
			lb_markup_text(out, k->at, k->len);
			break;
		case LB_TOKEN_CODE:
			show_code(k, out);
			break;
		case LB_TOKEN_RUN:
			show_run(t, k, out);
			break;
		case LB_TOKEN_LINK:
			show_link(k, out);
			break;
		case LB_TOKEN_LINK_END:
			show_link_end(k, k - 1, out);
			break;
		}
	}
}
