#include "tool/pattern.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"

/* Patterns that braces may stand for; braces in braces; names in a path. */
enum { MAX_FORMS = 64, MAX_DEPTH = 8 };

/* What stands between two slashes. */
struct part {
	const char *at; /* in the form's text */
	size_t len;
	bool any_depth; /* ** */
	bool plain;     /* no character in it means anything else */
};

struct form {
	char *text;
	struct part *parts;
	size_t n;
	bool folders_only;
};

struct lb_path_pattern {
	struct form forms[MAX_FORMS];
	size_t n;
};

/* ---- one name ---- */

/* The end of a bracket expression at p, behind the ']'; NULL: there is none. */
static const char *bracket_end(const char *p, const char *end)
{
	p++;
	if (p < end && (*p == '!' || *p == '^'))
		p++;
	if (p < end && *p == ']')
		p++;
	while (p < end && *p != ']')
		p += *p == '\\' && p + 1 < end ? 2 : 1;
	return p < end ? p + 1 : NULL;
}

/* What is no character is one of a byte. */
static size_t char_len(const char *at, const char *end)
{
	size_t n = lb_utf8_char(at, (size_t)(end - at));

	return n > 0 ? n : 1;
}

/* A character of a set, which is moved behind it. */
static unsigned set_char(const char **p, const char *end)
{
	unsigned code = 0;
	size_t n;

	if (**p == '\\' && *p + 1 < end)
		(*p)++;
	n = char_len(*p, end);
	for (size_t i = 0; i < n; i++)
		code = code << 8 | (unsigned char)(*p)[i];
	*p += n;
	return code;
}

/* Is the character, as set_char() has it, in the set from p to its end? UTF-8
 * as a number keeps the order of characters. */
static bool in_set(const char *p, const char *end, unsigned c)
{
	bool inverted = p[1] == '!' || p[1] == '^', found = false;

	p += inverted ? 2 : 1;
	end--; /* the ']' */
	while (p < end) {
		unsigned from = set_char(&p, end), to = from;

		if (p + 1 < end && *p == '-') {
			p++;
			to = set_char(&p, end);
		}
		found |= from <= c && c <= to;
	}
	return found != inverted;
}

/* Does the next character of the text fit what is at p? Both move on. */
static bool fits(const char **p, const char *end, const char **text,
		 const char *text_end)
{
	const char *next = *p + 1, *at = *text;
	unsigned c;

	if (at == text_end)
		return false;
	if (**p == '?' || **p == '[') {
		c = 0;
		for (size_t n = char_len(at, text_end); n > 0; n--)
			c = c << 8 | (unsigned char)*(*text)++;
		if (**p == '[') {
			next = bracket_end(*p, end);
			if (!next || !in_set(*p, next, c))
				return false;
		}
		*p = next;
		return true;
	}
	if (**p == '\\' && next < end)
		(*p)++;
	if (**p != *at)
		return false;
	(*p)++;
	(*text)++;
	return true;
}

/* The last star takes more whenever the rest does not fit. */
static bool match_name(const struct part *part, const char *text, size_t len)
{
	const char *p = part->at, *end = p + part->len, *text_end = text + len;
	const char *star = NULL, *again = NULL;

	if (part->plain)
		return part->len == len && memcmp(p, text, len) == 0;
	while (p < end || text < text_end) {
		if (p < end && *p == '*') {
			star = ++p;
			again = text;
		} else if (p == end || !fits(&p, end, &text, text_end)) {
			if (!star || again == text_end)
				return false;
			p = star;
			again += char_len(again, text_end);
			text = again;
		}
	}
	return true;
}

/* ---- a path ---- */

struct names {
	const char *at, *end; /* the rest of the path */
};

static size_t next_name(const struct names *n)
{
	const char *slash = memchr(n->at, '/', (size_t)(n->end - n->at));

	return (size_t)((slash ? slash : n->end) - n->at);
}

static void skip_name(struct names *n, size_t len)
{
	n->at += len;
	if (n->at < n->end)
		n->at++;
}

/* As with stars in a name, the last ** takes one more folder. */
static bool match_form(const struct form *f, const char *path, size_t len)
{
	struct names names = {path, path + len}, again = names;
	size_t i = 0, star = SIZE_MAX;

	while (i < f->n || names.at < names.end) {
		size_t name = next_name(&names);

		if (i < f->n && f->parts[i].any_depth) {
			if (i + 1 == f->n) /* all that is below, but not it */
				return names.at < names.end;
			star = ++i;
			again = names;
		} else if (i < f->n && names.at < names.end &&
			   match_name(&f->parts[i], names.at, name)) {
			i++;
			skip_name(&names, name);
		} else {
			if (star == SIZE_MAX || again.at == again.end)
				return false;
			skip_name(&again, next_name(&again));
			names = again;
			i = star;
		}
	}
	return true;
}

/* A pattern for the last name alone, the commonest: ** and one part. */
static bool match_last(const struct form *f, const char *path, size_t len)
{
	const char *slash = memrchr(path, '/', len);
	const char *name = slash ? slash + 1 : path;

	return match_name(&f->parts[1], name, len - (size_t)(name - path));
}

bool lb_path_pattern_match(const struct lb_path_pattern *p, const char *path,
			   size_t len, bool is_folder)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct form *f = &p->forms[i];

		if (f->folders_only && !is_folder)
			continue;
		if (f->n == 2 && f->parts[0].any_depth && !f->parts[1].any_depth
			    ? match_last(f, path, len)
			    : match_form(f, path, len))
			return true;
	}
	return false;
}

static bool form_reaches(const struct form *f, const char *path, size_t len)
{
	struct names names = {path, path + len};

	for (size_t i = 0; names.at < names.end; i++) {
		size_t name = next_name(&names);

		if (i < f->n && f->parts[i].any_depth)
			return true;
		if (i + 1 >= f->n || !match_name(&f->parts[i], names.at, name))
			return false;
		skip_name(&names, name);
	}
	return true;
}

bool lb_path_pattern_reaches(const struct lb_path_pattern *p,
			     const char *folder, size_t len)
{
	for (size_t i = 0; i < p->n; i++)
		if (form_reaches(&p->forms[i], folder, len))
			return true;
	return false;
}

/* ---- reading a pattern ---- */

static int check_name(const char *p, const char *end, struct lb_error *err)
{
	while (p < end) {
		if (*p == '[')
			p = bracket_end(p, end);
		else
			p += *p == '\\' && p + 1 < end ? 2 : 1;
		if (!p)
			return lb_fail(err, LB_USAGE,
				       "a '[' without its ']'; write \\[ for "
				       "the character itself");
	}
	return 0;
}

static void add_part(struct form *f, const char *at, size_t len)
{
	bool any_depth = len == 2 && at[0] == '*' && at[1] == '*';

	if (any_depth && f->n > 0 && f->parts[f->n - 1].any_depth)
		return;
	f->parts = lb_grow(f->parts, (f->n + 1) * sizeof(*f->parts));
	f->parts[f->n++] = (struct part){
		.at = at,
		.len = len,
		.any_depth = any_depth,
		.plain = !memchr(at, '*', len) && !memchr(at, '?', len) &&
			 !memchr(at, '[', len) && !memchr(at, '\\', len),
	};
}

static int add_form(struct lb_path_pattern *p, const char *text, size_t len,
		    struct lb_error *err)
{
	struct form *f = &p->forms[p->n];
	const char *at;
	bool has_slash = len >= 2 && text[0] == '.' && text[1] == '/';

	if (p->n == MAX_FORMS)
		return lb_fail(err, LB_USAGE,
			       "its braces stand for more than %d patterns",
			       MAX_FORMS);
	p->n++;
	while (len >= 2 && text[0] == '.' && text[1] == '/')
		text += 2, len -= 2;
	f->folders_only = len > 1 && text[len - 1] == '/';
	f->text = lb_strndup(text, len - f->folders_only);
	has_slash = has_slash || strchr(f->text, '/');
	if (!has_slash)
		add_part(f, "**", 2);
	for (at = f->text + strspn(f->text, "/"); *at;) {
		size_t n = strcspn(at, "/");

		if (check_name(at, at + n, err) < 0)
			return -1;
		add_part(f, at, n);
		at += n;
		at += strspn(at, "/");
	}
	return *f->text && f->n > 0
		       ? 0
		       : lb_fail(err, LB_USAGE, "it names nothing");
}

/* The end of a brace, or of one of its choices: behind text[from]. */
static size_t choice_end(const char *text, size_t from)
{
	size_t depth = 0, i = from;

	for (; text[i]; i++) {
		if (text[i] == '\\' && text[i + 1])
			i++;
		else if (text[i] == '{')
			depth++;
		else if (depth == 0 && (text[i] == ',' || text[i] == '}'))
			break;
		else if (text[i] == '}')
			depth--;
	}
	return i;
}

/* The first brace, escapes passed over. */
static size_t find_brace(const char *text)
{
	size_t i = 0;

	for (; text[i] && text[i] != '{'; i++)
		if (text[i] == '\\' && text[i + 1])
			i++;
	return i;
}

static int expand(struct lb_path_pattern *p, const char *text, int depth,
		  struct lb_error *err)
{
	size_t open = find_brace(text), close = open, from;

	if (!text[open])
		return add_form(p, text, strlen(text), err);
	do
		close = choice_end(text, close + 1);
	while (text[close] == ',');
	if (!text[close] || depth == MAX_DEPTH)
		return lb_fail(err, LB_USAGE,
			       depth == MAX_DEPTH
				       ? "it has too many braces"
				       : "a '{' without its '}'; write \\{ for "
					 "the character itself");
	for (from = open + 1; from <= close;) {
		size_t end = choice_end(text, from);
		lb_autofree char *one =
			lb_printf("%.*s%.*s%s", (int)open, text,
				  (int)(end - from), text + from,
				  text + close + 1);

		if (expand(p, one, depth + 1, err) < 0)
			return -1;
		from = end + 1;
	}
	return 0;
}

struct lb_path_pattern *lb_path_pattern_open(const char *text,
					     struct lb_error *err)
{
	struct lb_path_pattern *p;
	int r;

	if (strlen(text) > LB_PATTERN_MAX) {
		lb_fail(err, LB_USAGE, "the pattern is longer than %d bytes",
			LB_PATTERN_MAX);
		return NULL;
	}
	p = lb_alloc(sizeof(*p));
	r = *text ? expand(p, text, 0, err)
		  : lb_fail(err, LB_USAGE, "it is empty");
	if (r == 0)
		return p;
	lb_error_wrap(err, "'%.100s' is no pattern", text);
	lb_path_pattern_close(p);
	return NULL;
}

void lb_path_pattern_close(struct lb_path_pattern *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++) {
		free(p->forms[i].text);
		free(p->forms[i].parts);
	}
	free(p);
}
