#include "platform/markup.h"

#include <string.h>

#include "base/utf8.h"
#include "platform/markup-inline.h"
#include "record/fence.h"

struct line {
	const char *at;
	size_t len;
};

/* A text that is read, line by line. */
struct reader {
	const char *next, *end;
	struct lb_markup_out out;
	struct lb_buf para; /* lines that belong together */
	bool any;           /* something was written */
	bool fresh;         /* a quote just began: its first line goes on */
	bool quote;         /* within <blockquote> */
	struct lb_fence fence;
	bool fence_quoted, fence_shown, fence_named;
};

/* The lines before this one are written: begin another. */
static void line_break(struct reader *r)
{
	if (r->any && !r->fresh)
		lb_buf_putc(r->out.to, '\n');
	r->any = true;
	r->fresh = false;
}

static void flush(struct reader *r)
{
	if (r->para.len == 0)
		return;
	line_break(r);
	lb_markup_inline(&r->out, r->para.data, r->para.len);
	lb_buf_reset(&r->para);
}

static void tag(struct reader *r, const char *text)
{
	if (r->out.tags)
		lb_buf_puts(r->out.to, text);
}

static void end_quote(struct reader *r)
{
	flush(r);
	if (r->quote)
		tag(r, "</blockquote>");
	r->quote = r->fresh = false;
}

static void begin_quote(struct reader *r)
{
	if (r->quote)
		return;
	flush(r);
	line_break(r);
	tag(r, "<blockquote>");
	r->quote = r->fresh = true;
}

static bool next_line(struct reader *r, struct line *line)
{
	const char *nl;

	if (r->next >= r->end)
		return false;
	nl = memchr(r->next, '\n', (size_t)(r->end - r->next));
	line->at = r->next;
	line->len = (size_t)((nl ? nl : r->end) - r->next);
	r->next = nl ? nl + 1 : r->end;
	return true;
}

static size_t blanks(struct line l)
{
	size_t n = 0;

	while (n < l.len &&
	       (l.at[n] == ' ' || l.at[n] == '\t' || l.at[n] == '\r'))
		n++;
	return n;
}

static struct line behind(struct line l, size_t n)
{
	return (struct line){l.at + n, l.len - n};
}

/* Behind the '>' of a quote. */
static bool quoted(struct line *l)
{
	size_t n = blanks(*l);

	if (n > 3 || n == l->len || l->at[n] != '>')
		return false;
	n++;
	if (n < l->len && l->at[n] == ' ')
		n++;
	*l = behind(*l, n);
	return true;
}

/* A language that can stand in a class; false leaves it out. */
static bool is_name(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		char c = (char)(s[i] | 0x20);

		if ((c < 'a' || c > 'z') &&
		    !memchr("0123456789+-#._", s[i], 15))
			return false;
	}
	return len > 0 && len <= 40;
}

static void begin_code(struct reader *r)
{
	size_t len;
	const char *language = lb_fence_language(&r->fence, &len);

	line_break(r);
	tag(r, "<pre>");
	r->fence_shown = true;
	r->fence_named = r->out.tags && is_name(language, len);
	if (!r->fence_named)
		return;
	lb_buf_puts(r->out.to, "<code class=\"language-");
	lb_markup_escape(language, len, r->out.to);
	lb_buf_puts(r->out.to, "\">");
}

static void end_code(struct reader *r)
{
	if (r->fence_shown && r->fence_named)
		tag(r, "</code>");
	if (r->fence_shown)
		tag(r, "</pre>");
	r->fence.mark = '\0';
}

/* A line within a fence; false: it is not, and the fence is over. */
static bool code_line(struct reader *r, struct line l)
{
	size_t n;

	if (r->fence_quoted && !quoted(&l)) {
		end_code(r);
		return false;
	}
	if (lb_fence_closes(l.at, l.len, &r->fence)) {
		end_code(r);
		return true;
	}
	if (r->fence_shown)
		lb_buf_putc(r->out.to, '\n');
	else
		begin_code(r);
	n = blanks(l);
	n = n < r->fence.indent ? n : r->fence.indent;
	lb_markup_text(&r->out, l.at + n, l.len - n);
	return true;
}

static bool open_fence(struct reader *r, struct line l, bool in_quote)
{
	if (!lb_fence_opens(l.at, l.len, &r->fence))
		return false;
	end_quote(r);
	r->fence_quoted = in_quote;
	r->fence_shown = false;
	return true;
}

/* Is it made of these characters alone, `must` among them at least n times? */
static bool only(struct line l, const char *these, char must, size_t n)
{
	size_t found = 0;

	for (size_t i = 0; i < l.len; i++) {
		if (!l.at[i] || !strchr(these, l.at[i]))
			return false;
		found += l.at[i] == must;
	}
	return found >= n;
}

static bool is_rule(struct line l)
{
	return only(l, "- \t\r", '-', 3) || only(l, "* \t\r", '*', 3) ||
	       only(l, "_ \t\r", '_', 3);
}

static bool has_bar(struct line l)
{
	return memchr(l.at, '|', l.len) != NULL;
}

/* The line, and the one behind it: the head of a table? */
static bool begins_table(const struct reader *r, struct line l)
{
	struct reader ahead = *r;
	struct line next;

	return has_bar(l) && next_line(&ahead, &next) && has_bar(next) &&
	       only(next, "|-: \t\r", '-', 1);
}

/* In letters of one width, where there are such; without tags within. */
static void table(struct reader *r, struct line l)
{
	struct lb_markup_out bare = {.to = r->out.to, .escape = r->out.escape};
	const char *was = r->next;
	bool more = false;

	end_quote(r);
	line_break(r);
	tag(r, "<pre>");
	do {
		if (more)
			lb_buf_putc(r->out.to, '\n');
		lb_markup_inline(&bare, l.at, l.len);
		more = true;
		was = r->next;
	} while (next_line(r, &l) && has_bar(l));
	if (was < r->end && !has_bar(l))
		r->next = was; /* this one is not of the table */
	tag(r, "</pre>");
}

static bool heading(struct reader *r, struct line l)
{
	size_t at = blanks(l), n = 0;

	while (at < l.len && l.at[at] == '#') {
		at++;
		n++;
	}
	if (n == 0 || n > 6 || (at < l.len && !lb_is_blank(l.at[at])))
		return false;
	l = behind(l, at);
	l = behind(l, blanks(l));
	for (n = l.len; n > 0 && l.at[n - 1] == '#';)
		n--;
	if (n == 0 || lb_is_blank(l.at[n - 1]))
		l.len = n;
	flush(r);
	line_break(r);
	lb_markup_style(&r->out, LB_STYLE_BOLD, true);
	lb_markup_inline(&r->out, l.at, l.len);
	lb_markup_style(&r->out, LB_STYLE_BOLD, false);
	return true;
}

static void add(struct reader *r, const char *text, size_t len)
{
	lb_buf_put(&r->para, text, len);
}

/* "- x": an item begins a paragraph of its own. */
static bool item(struct reader *r, struct line l)
{
	size_t n = blanks(l);
	const char *mark = "\xe2\x80\xa2 "; /* a bullet */
	struct line rest;

	if (n + 1 >= l.len || !strchr("-+*", l.at[n]) ||
	    !lb_is_blank(l.at[n + 1]))
		return false;
	rest = behind(l, n + 2);
	if (rest.len >= 4 && memcmp(rest.at, "[ ] ", 4) == 0) {
		mark = "\xe2\x98\x90 ";
		rest = behind(rest, 4);
	} else if (rest.len >= 4 && (memcmp(rest.at, "[x] ", 4) == 0 ||
				     memcmp(rest.at, "[X] ", 4) == 0)) {
		mark = "\xe2\x98\x91 ";
		rest = behind(rest, 4);
	}
	flush(r);
	add(r, l.at, n);
	add(r, mark, strlen(mark));
	add(r, rest.at, rest.len);
	return true;
}

/* "1. x" */
static bool is_numbered(struct line l)
{
	size_t n = blanks(l), digits = n;

	while (n < l.len && l.at[n] >= '0' && l.at[n] <= '9')
		n++;
	return n > digits && n + 1 < l.len &&
	       (l.at[n] == '.' || l.at[n] == ')') && l.at[n + 1] == ' ';
}

static void paragraph(struct reader *r, struct line l)
{
	while (l.len > 0 && strchr(" \t\r", l.at[l.len - 1]) && l.at[l.len - 1])
		l.len--;
	/* What a form does not know as quotes stays line by line. */
	if (is_numbered(l) || (blanks(l) < l.len && l.at[blanks(l)] == '>'))
		flush(r);
	if (r->para.len > 0)
		lb_buf_putc(&r->para, '\n');
	add(r, l.at, l.len);
}

/* A line that is no code: what is it? */
static void text_line(struct reader *r, struct line l)
{
	bool in_quote = r->out.tags && quoted(&l);

	if (open_fence(r, l, in_quote))
		return;
	if (in_quote)
		begin_quote(r);
	else if (r->quote)
		end_quote(r);
	if (blanks(l) == l.len) {
		flush(r);
		if (r->any)
			line_break(r);
	} else if (is_rule(l)) {
		flush(r);
		line_break(r);
		lb_buf_puts(r->out.to, "\xe2\x80\x94\xe2\x80\x94\xe2\x80\x94");
	} else if (!in_quote && begins_table(r, l)) {
		table(r, l);
	} else if (!heading(r, l) && !item(r, l)) {
		paragraph(r, l);
	}
}

static void read_all(struct reader *r)
{
	struct line l;

	while (next_line(r, &l)) {
		if (r->fence.mark && code_line(r, l))
			continue;
		text_line(r, l);
	}
	if (r->fence.mark)
		end_code(r);
	end_quote(r);
}

void lb_markup(const char *markdown, size_t len, enum lb_markup form,
	       struct lb_buf *out)
{
	lb_autobuf struct lb_buf clean = {0};
	struct reader r = {.next = markdown, .end = markdown + len};

	if (!lb_utf8_valid(markdown, len)) {
		lb_utf8_clean(&clean, markdown, len);
		r.next = clean.data;
		r.end = clean.data + clean.len;
	}
	r.out.to = out;
	r.out.escape = r.out.tags = form == LB_MARKUP_TELEGRAM_HTML;
	read_all(&r);
	lb_buf_release(&r.para);
}
