/*
 * markup-link.c - [text](address "title") and ![text](address).
 *
 * An address is at most LB_MAX_URL bytes, and its parentheses are counted, so
 * looking for one costs little wherever a ']' stands.
 */
#include <string.h>

#include "base/mem.h"
#include "platform/markup-inline.h"

enum { MAX_PARENS = 16 };

void lb_inline_open(struct lb_inline *s, bool image)
{
	size_t n = image ? 2 : 1;

	if (s->n_brackets == s->cap_brackets) {
		s->cap_brackets = s->cap_brackets ? 2 * s->cap_brackets : 16;
		s->brackets = lb_grow(s->brackets,
				      s->cap_brackets * sizeof(*s->brackets));
	}
	lb_inline_take(s, n, s->text + s->at, n);
	s->brackets[s->n_brackets++] = (struct lb_bracket){
		s->tokens.n - 1,
		image,
		s->tokens.last_run,
	};
}

/* What follows the address: a title, perhaps, and ')'. Its end or 0. */
static size_t link_tail(const struct lb_inline *s, size_t at, size_t end)
{
	char quote;

	while (at < end && lb_is_blank(s->text[at]))
		at++;
	if (at < end && (s->text[at] == '"' || s->text[at] == '\'')) {
		quote = s->text[at++];
		while (at < end && s->text[at] != quote)
			at += s->text[at] == '\\' ? 2 : 1;
		at++;
		while (at < end && lb_is_blank(s->text[at]))
			at++;
	}
	return at < end && s->text[at] == ')' ? at + 1 : 0;
}

/* The address at "(": its span, and where the link ends; 0: it is none. */
static size_t link_to(const struct lb_inline *s, size_t at, const char **url,
		      size_t *len)
{
	size_t end = s->len - at > LB_MAX_URL ? at + LB_MAX_URL : s->len;
	size_t from, parens = 0;

	while (++at < end && lb_is_blank(s->text[at]))
		;
	from = at;
	if (at < end && s->text[at] == '<') {
		for (at++; at < end && !strchr("<>\n", s->text[at]);)
			at++;
		if (at >= end || s->text[at] != '>')
			return 0;
		*url = s->text + from + 1;
		*len = at - from - 1;
		return link_tail(s, at + 1, end);
	}
	for (; at < end && (unsigned char)s->text[at] > ' '; at++) {
		if (s->text[at] == '(' && ++parens > MAX_PARENS)
			return 0;
		if (s->text[at] == ')' && parens-- == 0)
			break;
	}
	*url = s->text + from;
	*len = at - from;
	return link_tail(s, at, end);
}

/* The text of an image is followed by its address. */
static void end_image(struct lb_inline *s, const struct lb_bracket *b,
		      const char *url, size_t len)
{
	bool alone = b->token + 1 == s->tokens.n;

	s->tokens.at[b->token].len = 0;
	if (len == 0)
		return;
	if (!alone)
		lb_tokens_add(&s->tokens, LB_TOKEN_TEXT, " (", 2);
	lb_tokens_add(&s->tokens, LB_TOKEN_TEXT, url, len);
	if (!alone)
		lb_tokens_add(&s->tokens, LB_TOKEN_TEXT, ")", 1);
}

static void end_link(struct lb_inline *s, const struct lb_bracket *b,
		     const char *url, size_t len)
{
	struct lb_token *open = &s->tokens.at[b->token];

	if (b->token + 1 == s->tokens.n) { /* no text: the address is */
		open->at = url;
		open->len = len;
		return;
	}
	if (len == 0) {
		open->len = 0;
		return;
	}
	open->type = LB_TOKEN_LINK;
	open->at = url;
	open->len = len;
	lb_tokens_add(&s->tokens, LB_TOKEN_LINK_END, url, len);
}

void lb_inline_close(struct lb_inline *s)
{
	struct lb_bracket b;
	const char *url;
	size_t len, end = 0;

	if (s->n_brackets == 0) {
		s->at++;
		return;
	}
	b = s->brackets[--s->n_brackets];
	if (s->at + 1 < s->len && s->text[s->at + 1] == '(')
		end = link_to(s, s->at + 1, &url, &len);
	if (end == 0) {
		s->at++;
		return;
	}
	lb_inline_flush(s, s->at);
	lb_tokens_pair(&s->tokens, b.bottom);
	if (b.image) {
		end_image(s, &b, url, len);
	} else {
		end_link(s, &b, url, len);
		s->n_brackets = 0; /* no link within a link */
	}
	s->at = s->plain = end;
}
