#include "platform/markup-inline.h"

#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "record/cut.h"

enum { CHUNK = 32 << 10 }; /* bytes within which marks find partners */

static bool is_punct(char c)
{
	return (c > ' ' && c < '0') || (c > '9' && c < 'A') ||
	       (c > 'Z' && c < 'a') || (c > 'z' && c < 0x7f);
}

void lb_inline_flush(struct lb_inline *s, size_t to)
{
	if (to > s->plain)
		lb_tokens_add(&s->tokens, LB_TOKEN_TEXT, s->text + s->plain,
			      to - s->plain);
	s->plain = to;
}

void lb_inline_take(struct lb_inline *s, size_t n, const char *text, size_t len)
{
	lb_inline_flush(s, s->at);
	if (len > 0)
		lb_tokens_add(&s->tokens, LB_TOKEN_TEXT, text, len);
	s->at += n;
	s->plain = s->at;
}

static size_t run_of(const struct lb_inline *s, size_t at)
{
	size_t n = at;

	while (n < s->len && s->text[n] == s->text[at])
		n++;
	return n - at;
}

/* Where the run of n backticks is that closes one; 0: nowhere. */
static size_t closing_ticks(struct lb_inline *s, size_t from, size_t n)
{
	if (s->ticks_known && s->ticks[n] <= from)
		return 0;
	for (size_t at = from; at < s->len;) {
		const char *p = memchr(s->text + at, '`', s->len - at);
		size_t run;

		if (!p)
			break;
		at = (size_t)(p - s->text);
		run = run_of(s, at);
		if (run <= LB_MAX_TICKS)
			s->ticks[run] = at;
		if (run == n)
			return at;
		at += run;
	}
	s->ticks_known = true;
	return 0;
}

static void code(struct lb_inline *s)
{
	size_t n = run_of(s, s->at), from = s->at + n, end, len;
	const char *text = s->text + from;

	end = n <= LB_MAX_TICKS ? closing_ticks(s, from, n) : 0;
	if (end == 0) {
		s->at += n;
		return;
	}
	len = end - from;
	lb_inline_flush(s, s->at);
	if (len > 2 && text[0] == ' ' && text[len - 1] == ' ' &&
	    strspn(text, " ") < len) {
		text++;
		len -= 2;
	}
	lb_tokens_add(&s->tokens, LB_TOKEN_CODE, text, len);
	s->at = s->plain = end + n;
}

/* The sides of a run. Letters that are not Latin bind to any mark: there are
 * no blanks between words in Chinese. */
struct side {
	bool blank, punct, foreign;
};

static struct side side(const char *text, size_t len, bool there)
{
	if (!there || len == 0)
		return (struct side){.blank = true};
	if (len >= 3 && memcmp(text, "\xe3\x80\x80", 3) == 0)
		return (struct side){.blank = true};
	if (len >= 2 && memcmp(text, "\xc2\xa0", 2) == 0)
		return (struct side){.blank = true};
	return (struct side){lb_is_blank(*text), is_punct(*text),
			     (*text & 0x80) != 0};
}

static void emphasis(struct lb_inline *s)
{
	size_t n = run_of(s, s->at), back = s->at < 3 ? s->at : 3;
	const char *p = s->text + s->at;
	struct side a, b = side(p + n, s->len - s->at - n, true);
	struct lb_token *run;
	bool left, right;
	int id;

	while (back > 1 && lb_utf8_char(p - back, back) != back)
		back--;
	a = side(p - back, back, back > 0);
	left = !b.blank && (!b.punct || a.blank || a.punct || a.foreign);
	right = !a.blank && (!a.punct || b.blank || b.punct || b.foreign);
	if ((*p == '~' && n != 2) || (!left && !right)) {
		s->at += n;
		return;
	}
	lb_inline_flush(s, s->at);
	id = (int)s->tokens.n;
	run = lb_tokens_add(&s->tokens, LB_TOKEN_RUN, p, n);
	run->count = run->was = n;
	run->opens = left && (*p != '_' || !right || a.punct);
	run->closes = right && (*p != '_' || !left || b.punct);
	run->prev = s->tokens.last_run;
	if (run->prev != LB_NO_TOKEN)
		s->tokens.at[run->prev].next = id;
	s->tokens.last_run = id;
	s->at += n;
	s->plain = s->at;
}

/* <http://...>, <br>; else a '<' is text. */
static void angle(struct lb_inline *s)
{
	const char *p = s->text + s->at;
	size_t left = s->len - s->at;
	size_t n = left < LB_MAX_URL ? left : LB_MAX_URL, i = 1;

	if (left >= 4 && strncasecmp(p, "<br", 3) == 0) {
		i = 3;
		while (i < n && (p[i] == ' ' || p[i] == '/'))
			i++;
		if (i < n && i < 8 && p[i] == '>') {
			lb_inline_take(s, i + 1, "\n", 1);
			return;
		}
	}
	i = 1;
	if (left > 8 &&
	    (strncmp(p, "<http://", 8) == 0 || strncmp(p, "<https:/", 8) == 0))
		while (i < n && (unsigned char)p[i] > ' ' && p[i] != '<' &&
		       p[i] != '>')
			i++;
	if (i > 8 && i < n && p[i] == '>')
		lb_inline_take(s, i + 1, p + 1, i - 1);
	else
		s->at++;
}

/* An address in the text: its marks are no marks. */
static bool bare_url(struct lb_inline *s)
{
	const char *p = s->text + s->at;
	size_t left = s->len - s->at, n = 7;

	if (left < 9 ||
	    (strncmp(p, "http://", 7) != 0 && strncmp(p, "https://", 8) != 0))
		return false;
	while (n < left && (unsigned char)p[n] > ' ' &&
	       !strchr("<>\"*`[]()|~\\", p[n]))
		n++;
	s->at += n;
	return true;
}

static void entity(struct lb_inline *s)
{
	static const struct {
		const char *name, *text;
	} entities[] = {
		{"&lt;", "<"},    {"&gt;", ">"},  {"&amp;", "&"},
		{"&quot;", "\""}, {"&#39;", "'"}, {"&nbsp;", " "},
	};
	size_t left = s->len - s->at;

	for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++) {
		size_t n = strlen(entities[i].name);

		if (n <= left &&
		    memcmp(s->text + s->at, entities[i].name, n) == 0) {
			lb_inline_take(s, n, entities[i].text, 1);
			return;
		}
	}
	s->at++;
}

static void backslash(struct lb_inline *s)
{
	char next = s->at + 1 < s->len ? s->text[s->at + 1] : '\0';

	if (next == '\n' || is_punct(next))
		lb_inline_take(s, 2, s->text + s->at + 1, 1);
	else
		s->at++;
}

static void one(struct lb_inline *s)
{
	bool image = s->at + 1 < s->len && s->text[s->at + 1] == '[';

	switch (s->text[s->at]) {
	case '`':
		code(s);
		break;
	case '*':
	case '_':
	case '~':
		emphasis(s);
		break;
	case '[':
		lb_inline_open(s, false);
		break;
	case '!':
		if (image)
			lb_inline_open(s, true);
		else
			s->at++;
		break;
	case ']':
		lb_inline_close(s);
		break;
	case '<':
		angle(s);
		break;
	case '&':
		entity(s);
		break;
	case '\\':
		backslash(s);
		break;
	case 'h':
		if (!bare_url(s))
			s->at++;
		break;
	default:
		s->at++;
	}
}

static void read_chunk(struct lb_markup_out *out, const char *text, size_t len)
{
	struct lb_inline s = {.text = text, .len = len};

	s.tokens.last_run = LB_NO_TOKEN;
	while (s.at < len)
		one(&s);
	lb_inline_flush(&s, len);
	lb_tokens_pair(&s.tokens, LB_NO_TOKEN);
	lb_tokens_show(&s.tokens, out);
	free(s.tokens.at);
	free(s.tokens.matches);
	free(s.brackets);
}

void lb_markup_inline(struct lb_markup_out *out, const char *text, size_t len)
{
	while (len > 0) {
		size_t n = lb_cut_first(text, len, CHUNK, LB_UNIT_BYTES);

		read_chunk(out, text, n);
		text += n;
		len -= n;
	}
}
