#define PCRE2_CODE_UNIT_WIDTH 8
#include "base/regex.h"

#include <pcre2.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"

enum { MATCH_LIMIT = 100000, DEPTH_LIMIT = 10000, HEAP_KIB = 4096 };

/*
 * The match limit counts steps back, not bytes that are looked through: a
 * pattern may look through all of a text once a step, and from each byte of it
 * once more. So a text longer than SHORT has fewer steps, and is searched in
 * stretches, with a look at the clock between them.
 */
enum { SHORT = 16 * 1024, STRETCH = SHORT * SHORT, PATIENCE_MS = 500 };

struct lb_regex {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *context;
	bool whole; /* where a search began matters to it */
	bool any;   /* texts may be ill-formed */
};

static struct lb_regex *compile(const char *pattern, uint32_t flags,
				struct lb_error *err)
{
	struct lb_regex *re;
	PCRE2_UCHAR why[128];
	PCRE2_SIZE at;
	int bad;
	bool lines = flags & PCRE2_MULTILINE;
	pcre2_compile_context *how = pcre2_compile_context_create(NULL);
	pcre2_code *code;

	if (lines && how)
		pcre2_set_newline(how, PCRE2_NEWLINE_ANYCRLF);
	code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
			     PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C |
				     PCRE2_USE_OFFSET_LIMIT | flags,
			     &bad, &at, how);
	pcre2_compile_context_free(how);
	if (!code) {
		pcre2_get_error_message(bad, why, sizeof(why));
		lb_fail(err, LB_USAGE, "'%s' is not a pattern: %s at %zu",
			pattern, (const char *)why, (size_t)at);
		return NULL;
	}
	pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
	re = lb_alloc(sizeof(*re));
	re->code = code;
	/* \G, and verbs that end a search */
	re->any = lines;
	re->whole = (flags & PCRE2_ANCHORED) || strstr(pattern, "\\G") ||
		    strstr(pattern, "(*");
	re->data = pcre2_match_data_create(1, NULL);
	re->context = pcre2_match_context_create(NULL);
	if (!re->data || !re->context) {
		lb_regex_close(re);
		lb_fail(err, LB_OS, "no memory for a pattern");
		return NULL;
	}
	pcre2_set_depth_limit(re->context, DEPTH_LIMIT);
	pcre2_set_heap_limit(re->context, HEAP_KIB);
	return re;
}

struct lb_regex *lb_regex_open(const char *pattern, struct lb_error *err)
{
	return compile(pattern, 0, err);
}

struct lb_regex *lb_regex_open_anchored(const char *pattern,
					struct lb_error *err)
{
	return compile(pattern, PCRE2_ANCHORED, err);
}

struct lb_regex *lb_regex_open_lines(const char *pattern, struct lb_error *err)
{
	return compile(pattern, PCRE2_MULTILINE | PCRE2_MATCH_INVALID_UTF, err);
}

void lb_regex_close(struct lb_regex *re)
{
	if (!re)
		return;
	pcre2_match_data_free(re->data);
	pcre2_match_context_free(re->context);
	pcre2_code_free(re->code);
	free(re);
}

/* Processor time of this process, ms: what others do here does not count. */
static int64_t spent(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* The wall clock is cheap to read, and can only be ahead of the other. */
static bool is_over(int64_t wall, int64_t cpu)
{
	return lb_clock_mono() - wall > PATIENCE_MS &&
	       spent() - cpu > PATIENCE_MS;
}

struct subject {
	const char *text;
	size_t len, at;
	uint32_t flags;
};

/* A match that begins before `end`, a byte of the text or behind it. */
static int match_until(struct lb_regex *re, const struct subject *s, size_t end)
{
	pcre2_set_offset_limit(re->context, end > s->len ? s->len : end - 1);
	return pcre2_match(re->code, (PCRE2_SPTR)s->text, s->len, s->at,
			   s->flags, re->data, re->context);
}

static int match_long(struct lb_regex *re, struct subject *s)
{
	size_t stretch = 1 + STRETCH / s->len;
	int64_t wall = lb_clock_mono(), cpu = spent();
	int r = PCRE2_ERROR_NOMATCH;

	while (r == PCRE2_ERROR_NOMATCH && s->at <= s->len) {
		size_t end = s->at + stretch;

		while (end < s->len &&
		       ((unsigned char)s->text[end] & 0xc0) == 0x80)
			end++;
		if (re->whole || end >= s->len)
			end = s->len + 1;
		r = match_until(re, s, end);
		s->at = end;
		if (!re->any)
			s->flags |= PCRE2_NO_UTF_CHECK; /* it was */
		if (r == PCRE2_ERROR_NOMATCH && s->at <= s->len &&
		    is_over(wall, cpu))
			return PCRE2_ERROR_MATCHLIMIT;
	}
	return r;
}

static int match(struct lb_regex *re, struct subject s, bool *gave_up)
{
	bool is_long = s.len > SHORT;
	uint64_t steps = (uint64_t)MATCH_LIMIT * SHORT / (is_long ? s.len : 1);
	int r;

	pcre2_set_match_limit(re->context,
			      is_long ? (uint32_t)steps + 1 : MATCH_LIMIT);
	r = is_long ? match_long(re, &s) : match_until(re, &s, s.len + 1);
	if (gave_up)
		*gave_up = r < 0 && r != PCRE2_ERROR_NOMATCH;
	return r;
}

bool lb_regex_search(struct lb_regex *re, const char *text, size_t len,
		     bool *gave_up)
{
	return match(re, (struct subject){.text = text, .len = len}, gave_up) >=
	       0;
}

bool lb_regex_find(struct lb_regex *re, const char *text, size_t len,
		   struct lb_regex_place *place, bool *gave_up)
{
	const struct subject s = {
		.text = text,
		.len = len,
		.at = place->at,
		.flags = (re->any ? 0 : PCRE2_NO_UTF_CHECK) |
			 (place->inner_start ? PCRE2_NOTBOL : 0) |
			 (place->inner_end ? PCRE2_NOTEOL : 0),
	};
	const PCRE2_SIZE *found;

	if (match(re, s, gave_up) < 0)
		return false;
	found = pcre2_get_ovector_pointer(re->data);
	/* \K in a lookahead can put the start behind the end */
	place->from = found[0] < found[1] ? found[0] : found[1];
	place->to = found[0] < found[1] ? found[1] : found[0];
	return true;
}
