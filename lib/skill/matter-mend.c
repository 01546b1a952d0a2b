/*
 * matter-mend.c - quotes where people leave them out.
 *
 * "description: Reads tables: headers, units" is no YAML, and the commonest
 * mistake there is. The first colon of a line splits it; a text that goes on in
 * indented lines goes on with them, whatever colons these have.
 */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "skill/matter.h"

/* A line, without its end. */
struct line {
	const char *at;
	size_t len, indent;
};

struct mending {
	const char *text;
	size_t len, next; /* the line that comes next begins there */
	size_t n;         /* lines that were read */
	struct lb_buf *out;
	struct lb_skill_findings *found;
	bool nested; /* below a key that has no value of its own */
	bool mended;
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool peek(const struct mending *m, struct line *l, size_t *next)
{
	const char *end;

	if (m->next >= m->len)
		return false;
	l->at = m->text + m->next;
	end = memchr(l->at, '\n', m->len - m->next);
	l->len = end ? (size_t)(end - l->at) : m->len - m->next;
	*next = m->next + l->len + (end != NULL);
	while (l->len > 0 && is_space(l->at[l->len - 1]))
		l->len--;
	for (l->indent = 0; l->indent < l->len && is_space(l->at[l->indent]);)
		l->indent++;
	return true;
}

static bool take(struct mending *m, struct line *l)
{
	size_t next;

	if (!peek(m, l, &next))
		return false;
	m->next = next;
	m->n++;
	return true;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* Where the value of "key: value" begins; 0: the line is none. */
static size_t value_of(const struct line *l)
{
	size_t at = l->indent;

	while (at < l->len && is_word(l->at[at]))
		at++;
	if (at == l->indent || at == l->len || l->at[at] != ':')
		return 0;
	at++;
	if (at < l->len && !is_space(l->at[at]))
		return 0;
	while (at < l->len && is_space(l->at[at]))
		at++;
	return at;
}

static bool has_colon(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] == ':' && (i + 1 == len || is_space(text[i + 1])))
			return true;
	return false;
}

/* Of a text that YAML would begin otherwise: "[beta] ...", "*now* ...". */
static bool is_odd(const char *v, size_t len)
{
	if (len == 0)
		return false;
	switch (*v) {
	case '[':
		return v[len - 1] != ']';
	case '{':
		return v[len - 1] != '}';
	case '*':
		return memchr(v + 1, '*', len - 1) != NULL;
	case '@':
	case '`':
	case '%':
		return true;
	}
	return false;
}

/* Quotes, a block or a flow: what YAML has its own end for. */
static bool is_plain(const char *v, size_t len)
{
	return len == 0 || !strchr("\"'|>[{&!", *v);
}

/*
 * The lines that go on with a value: what is indented deeper than its key,
 * blank lines between. Joined by blanks into `more`; true when one of them has
 * a colon that would end it.
 */
static bool read_on(struct mending *m, size_t indent, struct lb_buf *more)
{
	bool colon = false;
	struct line l;
	size_t next;

	while (peek(m, &l, &next) && l.len > 0 && l.indent > indent) {
		take(m, &l);
		lb_buf_putc(more, ' ');
		lb_buf_put(more, l.at + l.indent, l.len - l.indent);
		colon = colon || has_colon(l.at + l.indent, l.len - l.indent);
	}
	return colon;
}

static void quote(struct mending *m, const struct line *l, size_t value,
		  const struct lb_buf *more, size_t line)
{
	lb_autobuf struct lb_buf whole = {0};
	lb_autobuf struct lb_buf clean = {0};

	lb_buf_put(&whole, l->at + value, l->len - value);
	lb_buf_put(&whole, lb_buf_str(more), more->len);
	lb_utf8_clean(&clean, lb_buf_str(&whole), whole.len);
	lb_buf_put(m->out, l->at, value);
	lb_buf_json_str(m->out, lb_buf_str(&clean), clean.len);
	lb_buf_putc(m->out, '\n');
	lb_skill_find(m->found, LB_SKILL_OFF, line, "colon",
		      is_odd(l->at + value, l->len - value)
			      ? "a text that needs quotes has none; put it in "
				"quotes"
			      : "unquoted colon; put the text in quotes");
	m->mended = true;
}

/* Lines from `from` on go out as they are. */
static void copy(struct mending *m, size_t from)
{
	lb_buf_put(m->out, m->text + from, m->next - from);
}

static void do_line(struct mending *m)
{
	lb_autobuf struct lb_buf more = {0};
	size_t from = m->next, line = m->n + 1, value, len;
	struct line l;
	bool colon;

	take(m, &l);
	value = l.indent == 0 || m->nested ? value_of(&l) : 0;
	len = value ? l.len - value : 0;
	if (l.indent == 0 && l.len > 0)
		m->nested = value > 0 && len == 0;
	if (value == 0 || len == 0 ||
	    (!is_plain(l.at + value, len) && !is_odd(l.at + value, len))) {
		copy(m, from);
		return;
	}
	colon = has_colon(l.at + value, len);
	colon = read_on(m, l.indent, &more) || colon;
	/* A list or a mapping over several lines is none of those. */
	if ((!colon && !is_odd(l.at + value, len)) ||
	    (more.len > 0 && !is_plain(l.at + value, len))) {
		copy(m, from);
		return;
	}
	quote(m, &l, value, &more, line);
	for (; line < m->n; line++)
		lb_buf_putc(m->out, '\n');
}

bool lb_matter_mend(const char *text, size_t len, struct lb_buf *out,
		    struct lb_skill_findings *found)
{
	struct mending m = {.text = text,
			    .len = len,
			    .out = out,
			    .found = found};

	while (m.next < m.len)
		do_line(&m);
	return m.mended;
}
