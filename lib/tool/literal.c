#include "tool/literal.h"

#include <string.h>

/* Of the pattern as far as it was read. All that is not understood ends a run:
 * a literal that is too short costs time, a wrong one would lose matches. */
struct reading {
	const char *p;
	char run[LB_LITERAL_MAX];
	size_t len, last; /* of the run; where its last character begins */
	bool broken;      /* there was something else */
};

static void flush(struct reading *r, struct lb_literal *l)
{
	r->broken = true;
	if (r->len > l->len) {
		memcpy(l->text, r->run, r->len);
		l->len = r->len;
	}
	r->len = r->last = 0;
}

static void put(struct reading *r, struct lb_literal *l, char c)
{
	if (r->len == sizeof(r->run))
		flush(r, l);
	if (((unsigned char)c & 0xc0) != 0x80)
		r->last = r->len;
	r->run[r->len++] = c;
}

/* What stands for one character or a kind of them, and takes no other along, as
 * \c] does and \Q. */
#define SIMPLE "dDwWsSbBhHvVnrtfae"

static bool takes_more(char c)
{
	return !c || (((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) &&
		      !strchr(SIMPLE, c));
}

/* Behind a class, which begins at p; NULL: it is not understood. */
static const char *skip_class(const char *p)
{
	p++;
	p += *p == '^';
	p += *p == ']';
	while (*p && *p != ']') {
		size_t name = 0;

		if (*p == '\\' && takes_more(p[1]))
			return NULL;
		if (*p == '[' && p[1] == ':')
			name = 2 + strspn(p + 2, "^abcdefghijklmnopqrstuvwxyz");
		if (name > 0 && p[name] == ':' && p[name + 1] == ']')
			p += name + 2;
		else
			p += *p == '\\' ? 2 : 1;
	}
	return p + (*p == ']');
}

/* The same of a group. */
static const char *skip_group(const char *p)
{
	size_t depth = 0;

	while (p && *p) {
		if (*p == '[') {
			p = skip_class(p);
			continue;
		}
		if (*p == '\\' && takes_more(p[1]))
			return NULL;
		depth += *p == '(';
		depth -= *p == ')';
		p += *p == '\\' ? 2 : 1;
		if (depth == 0)
			break;
	}
	return p;
}

/*
 * The length of {2}, {2,} or {2,3}; 0: it is none. PCRE2 takes {,3} and blanks
 * for one, too, from 10.43 on: what may be one is never a literal.
 */
static size_t quantifier(const char *p)
{
	size_t n = 1 + strspn(p + 1, "0123456789, \t");

	return p[n] == '}' ? n + 1 : 0;
}

/* Behind a quantifier of what came before; the run ends with it. */
static void repeat(struct reading *r, struct lb_literal *l, size_t n)
{
	if (*r->p != '+') /* it may not be there at all */
		r->len = r->last;
	flush(r, l);
	r->p += n;
	r->p += *r->p == '?' || *r->p == '+';
}

/* False: nothing can be said of the pattern. */
static bool escape(struct reading *r, struct lb_literal *l)
{
	char c = r->p[1];

	if (takes_more(c) || (c >= '0' && c <= '9'))
		return false;
	if (strchr(SIMPLE, c)) {
		flush(r, l);
	} else {
		put(r, l, c);
		r->broken = true;
	}
	r->p += 2;
	return true;
}

static bool read_one(struct reading *r, struct lb_literal *l)
{
	switch (*r->p) {
	case '\\':
		return escape(r, l);
	case '|':
		return false;
	case '(':
		flush(r, l);
		r->p = skip_group(r->p);
		return r->p != NULL;
	case '[':
		flush(r, l);
		r->p = skip_class(r->p);
		return r->p != NULL;
	case '.':
	case '^':
	case '$':
		flush(r, l);
		r->p++;
		return true;
	case '*':
	case '+':
	case '?':
		repeat(r, l, 1);
		return true;
	case '{':
		if (quantifier(r->p) > 0) {
			repeat(r, l, quantifier(r->p));
			return true;
		}
		flush(r, l);
		r->p++;
		return true;
	default:
		/* It may be the end of a line, which is not looked at. */
		r->broken |= *r->p == '\r' || *r->p == '\n';
		put(r, l, *r->p++);
		return true;
	}
}

/* Could a line match alone, but not among others? */
static bool looks_around(const char *pattern)
{
	for (const char *p = pattern; *p; p++) {
		if (*p == '\\') {
			if (!*++p || strchr("AzZGRXKQECN", *p))
				return true;
		} else if (*p == '(' && p[1] == '*') {
			return true;
		} else if (*p == '(' && p[1] == '?') {
			if (p[2] != ':' && !(p[2] == 'i' && p[3] == ')'))
				return true;
		} else if (*p == '+' && p > pattern && strchr("+*?}", p[-1])) {
			return true;
		}
	}
	return false;
}

/* The commonest bytes of texts and programs, the commonest first. */
static size_t rank(char c)
{
	static const char common[] = " etaoinsrlcdupmfhg_.,()bv-yw=\"':;/TSE"
				     "IARCNx10>kLDOPF<MB";
	const char *at = c ? strchr(common, c) : NULL;

	return at ? (size_t)(at - common) : sizeof(common);
}

void lb_literal_read(struct lb_literal *l, const char *pattern)
{
	struct reading r = {.p = pattern};
	bool understood = true;

	*l = (struct lb_literal){.many = !looks_around(pattern)};
	/* Options in a group change what comes after it. */
	for (const char *p = pattern; (p = strstr(p, "(?")); p += 2)
		if (!strchr(":=!<>", p[2]))
			understood = false;
	understood = understood && !strstr(pattern, "(*");
	while (understood && *r.p)
		understood = read_one(&r, l);
	if (!understood) {
		l->len = 0;
		return;
	}
	l->whole = !r.broken;
	flush(&r, l);
	for (size_t i = 1; i < l->len; i++)
		if (rank(l->text[i]) > rank(l->text[l->rare]))
			l->rare = i;
}

const char *lb_literal_find(const struct lb_literal *l, const char *text,
			    size_t len)
{
	const char *end = text + len, *at = text + l->rare;

	if (len < l->len)
		return NULL;
	end -= l->len - l->rare - 1;
	while (at < end &&
	       (at = memchr(at, l->text[l->rare], (size_t)(end - at)))) {
		if (memcmp(at - l->rare, l->text, l->len) == 0)
			return at - l->rare;
		at++;
	}
	return NULL;
}
