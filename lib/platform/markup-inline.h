/*
 * platform/markup-inline.h - what the files of markup share, and nobody else.
 */
#ifndef LB_PLATFORM_MARKUP_INLINE_H
#define LB_PLATFORM_MARKUP_INLINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum lb_style { LB_STYLE_BOLD, LB_STYLE_ITALIC, LB_STYLE_STRIKE, LB_STYLES };

/* Where text goes to. */
struct lb_markup_out {
	struct lb_buf *to;
	bool escape, tags;
	unsigned depth[LB_STYLES]; /* how often a style is open: shown once */
};

void lb_markup_style(struct lb_markup_out *out, enum lb_style style, bool on);

/* Text as it is, without control characters. */
void lb_markup_text(struct lb_markup_out *out, const char *text, size_t len);

/* Emphasis, code, links and images. */
void lb_markup_inline(struct lb_markup_out *out, const char *text, size_t len);

enum { LB_NO_TOKEN = -1 };

enum lb_token_type {
	LB_TOKEN_TEXT,
	LB_TOKEN_CODE,
	LB_TOKEN_RUN, /* of * or _ or ~ */
	LB_TOKEN_LINK,
	LB_TOKEN_LINK_END,
};

struct lb_token {
	enum lb_token_type type;
	const char *at; /* TEXT, CODE: what it says; LINK: where to */
	size_t len;
	/* Of a run: */
	bool opens, closes;
	size_t count, was; /* marks that have no partner; all */
	int prev, next;    /* runs that may still find one */
	int open_first;    /* matches, outermost first */
	int close_first, close_last;
};

struct lb_match {
	enum lb_style style;
	int next;
};

/* Of one piece of text; zeroed, with last_run LB_NO_TOKEN. */
struct lb_tokens {
	struct lb_token *at;
	size_t n, cap;
	struct lb_match *matches;
	size_t n_matches, cap_matches;
	int last_run;
};

struct lb_token *lb_tokens_add(struct lb_tokens *t, enum lb_token_type type,
			       const char *at, size_t len);

/* Pair the runs behind token `bottom`; what finds no partner is text. */
void lb_tokens_pair(struct lb_tokens *t, int bottom);

/* As text or as tags. */
void lb_tokens_show(const struct lb_tokens *t, struct lb_markup_out *out);

enum {
	LB_MAX_URL = 2048,
	LB_MAX_TICKS = 64, /* a longer run of backticks is text */
};

/* A '[' that waits for its ']'. */
struct lb_bracket {
	size_t token;
	bool image;
	int bottom; /* the last run before it */
};

/* A text that is read. */
struct lb_inline {
	const char *text;
	size_t len, at, plain; /* text from `plain` on has no token yet */
	struct lb_tokens tokens;
	struct lb_bracket *brackets;
	size_t n_brackets, cap_brackets;
	bool ticks_known;               /* all runs of backticks were seen: */
	size_t ticks[LB_MAX_TICKS + 1]; /* where the last of each length is */
};

static inline bool lb_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* What was passed over becomes a token of text. */
void lb_inline_flush(struct lb_inline *s, size_t to);

/* Take n bytes as a token that says `text`, which outlives it. */
void lb_inline_take(struct lb_inline *s, size_t n, const char *text,
		    size_t len);

/* At a '[' or '![', and at a ']'. */
void lb_inline_open(struct lb_inline *s, bool image);
void lb_inline_close(struct lb_inline *s);

#endif
