#define PCRE2_CODE_UNIT_WIDTH 8
#include "base/regex.h"

#include <pcre2.h>

#include "base/mem.h"

enum { MATCH_LIMIT = 100000, DEPTH_LIMIT = 10000, HEAP_KIB = 4096 };

struct lb_regex {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *context;
};

static struct lb_regex *compile(const char *pattern, uint32_t flags,
				struct lb_error *err)
{
	struct lb_regex *re;
	PCRE2_UCHAR why[128];
	PCRE2_SIZE at;
	int bad;
	pcre2_code *code =
		pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
			      PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | flags, &bad,
			      &at, NULL);

	if (!code) {
		pcre2_get_error_message(bad, why, sizeof(why));
		lb_fail(err, LB_USAGE, "'%s' is not a pattern: %s at %zu",
			pattern, (const char *)why, (size_t)at);
		return NULL;
	}
	pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
	re = lb_alloc(sizeof(*re));
	re->code = code;
	re->data = pcre2_match_data_create(1, NULL);
	re->context = pcre2_match_context_create(NULL);
	if (re->context) {
		pcre2_set_match_limit(re->context, MATCH_LIMIT);
		pcre2_set_depth_limit(re->context, DEPTH_LIMIT);
		pcre2_set_heap_limit(re->context, HEAP_KIB);
	}
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

void lb_regex_close(struct lb_regex *re)
{
	if (!re)
		return;
	pcre2_match_data_free(re->data);
	pcre2_match_context_free(re->context);
	pcre2_code_free(re->code);
	free(re);
}

bool lb_regex_search(struct lb_regex *re, const char *text, size_t len,
		     bool *gave_up)
{
	int r = pcre2_match(re->code, (PCRE2_SPTR)text, len, 0, 0, re->data,
			    re->context);

	if (gave_up)
		*gave_up = r < 0 && r != PCRE2_ERROR_NOMATCH;
	return r >= 0;
}

bool lb_regex_find(struct lb_regex *re, const char *text, size_t len,
		   struct lb_regex_place *place, bool *gave_up)
{
	uint32_t flags = PCRE2_NO_UTF_CHECK |
			 (place->inner_start ? PCRE2_NOTBOL : 0) |
			 (place->inner_end ? PCRE2_NOTEOL : 0);
	int r = pcre2_match(re->code, (PCRE2_SPTR)text, len, place->at, flags,
			    re->data, re->context);
	const PCRE2_SIZE *found = pcre2_get_ovector_pointer(re->data);

	if (gave_up)
		*gave_up = r < 0 && r != PCRE2_ERROR_NOMATCH;
	if (r < 0)
		return false;
	/* \K in a lookahead can put the start behind the end */
	place->from = found[0] < found[1] ? found[0] : found[1];
	place->to = found[0] < found[1] ? found[1] : found[0];
	return true;
}
