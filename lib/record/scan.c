#include "record/scan.h"

#include <string.h>

#include "base/mem.h"

void lb_members_release(struct lb_members *m)
{
	free(m->at);
	*m = (struct lb_members){0};
}

bool lb_span_is(struct lb_span span, const char *text)
{
	size_t len = strlen(text);

	return span.len == len && memcmp(span.at, text, len) == 0;
}

static int hex(char c)
{
	const char *digits = "0123456789abcdef0123456789ABCDEF";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)((at - digits) % 16) : -1;
}

bool lb_span_reads(struct lb_span name, const char *key)
{
	const char *p = name.at, *end = name.at + name.len;

	if (!memchr(p, '\\', name.len))
		return lb_span_is(name, key);
	for (; *key; key++) {
		if (p < end && *p == *key) {
			p++;
			continue;
		}
		if (end - p < 6 || memcmp(p, "\\u00", 4) != 0 ||
		    hex(p[4]) * 16 + hex(p[5]) != *key)
			return false;
		p += 6;
	}
	return p == end;
}

const char *lb_scan_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'))
		p++;
	return p;
}

/* p is behind an opening quote; returns the closing one, or NULL. */
static const char *string_end(const char *p, const char *end)
{
	const char *from = p;

	while ((p = memchr(p, '"', (size_t)(end - p)))) {
		const char *b = p;

		while (b > from && b[-1] == '\\')
			b--;
		if ((p - b) % 2 == 0)
			return p;
		p++;
	}
	return NULL;
}

/* The end of the array or object that opens at p; NULL if it never closes. */
static const char *container_end(const char *p, const char *end)
{
	size_t depth = 0;

	for (; p < end; p++) {
		switch (*p) {
		case '"':
			p = string_end(p + 1, end);
			if (!p)
				return NULL;
			break;
		case '{':
		case '[':
			depth++;
			break;
		case '}':
		case ']':
			if (--depth == 0)
				return p + 1;
			break;
		default:
			break;
		}
	}
	return NULL;
}

const char *lb_scan_value(const char *p, const char *end)
{
	if (p == end)
		return NULL;
	if (*p == '"') {
		p = string_end(p + 1, end);
		return p ? p + 1 : NULL;
	}
	if (*p == '{' || *p == '[')
		return container_end(p, end);
	while (p < end && !strchr(",}] \t\r\n", *p))
		p++;
	return p;
}

static void add(struct lb_members *m, struct lb_member member)
{
	if (m->n == m->cap) {
		m->cap = m->cap ? m->cap * 2 : 32;
		m->at = lb_grow(m->at, m->cap * sizeof(*m->at));
	}
	m->at[m->n++] = member;
}

/* One "key": value at p; returns what follows it, or NULL. */
static const char *one_member(const char *p, const char *end,
			      struct lb_members *m)
{
	struct lb_member member;
	const char *close;

	if (p == end || *p != '"')
		return NULL;
	close = string_end(p + 1, end);
	if (!close)
		return NULL;
	member.key.at = p + 1;
	member.key.len = (size_t)(close - p - 1);
	member.escaped = memchr(p + 1, '\\', member.key.len);
	p = lb_scan_blanks(close + 1, end);
	if (p == end || *p != ':')
		return NULL;
	p = lb_scan_blanks(p + 1, end);
	close = lb_scan_value(p, end);
	if (!close || close == p)
		return NULL;
	member.value.at = p;
	member.value.len = (size_t)(close - p);
	add(m, member);
	return lb_scan_blanks(close, end);
}

bool lb_scan(const char *text, size_t len, struct lb_members *m)
{
	const char *end = text + len, *p = lb_scan_blanks(text, end);

	m->n = 0;
	if (p == end || *p != '{')
		return false;
	p = lb_scan_blanks(p + 1, end);
	if (p < end && *p == '}')
		return lb_scan_blanks(p + 1, end) == end;
	for (;;) {
		p = one_member(p, end, m);
		if (!p || p == end)
			return false;
		if (*p == '}')
			return lb_scan_blanks(p + 1, end) == end;
		if (*p != ',')
			return false;
		p = lb_scan_blanks(p + 1, end);
	}
}

bool lb_member_is(const struct lb_member *m, const char *key)
{
	if (m->escaped)
		return lb_span_reads(m->key, key);
	return m->key.at[0] == key[0] && lb_span_is(m->key, key);
}

const struct lb_member *lb_member_find(const struct lb_members *m,
				       const char *key)
{
	for (size_t i = 0; i < m->n; i++)
		if (lb_member_is(&m->at[i], key))
			return &m->at[i];
	return NULL;
}

static bool kind_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
	       c == '-';
}

bool lb_scan_kind(const char *text, size_t len, struct lb_span *kind)
{
	static const char key[] = "\"kind\"";
	const char *end = text + len, *p = text;

	if (p == end || *p != '{')
		return false;
	p = lb_scan_blanks(p + 1, end);
	if ((size_t)(end - p) < sizeof(key) - 1 ||
	    memcmp(p, key, sizeof(key) - 1) != 0)
		return false;
	p = lb_scan_blanks(p + sizeof(key) - 1, end);
	if (p == end || *p != ':')
		return false;
	p = lb_scan_blanks(p + 1, end);
	if (p == end || *p != '"')
		return false;
	kind->at = ++p;
	while (p < end && kind_char(*p))
		p++;
	kind->len = (size_t)(p - kind->at);
	return kind->len > 0 && p < end && *p == '"';
}
