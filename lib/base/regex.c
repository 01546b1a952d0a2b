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

struct lb_regex *lb_regex_open(const char *pattern, struct lb_error *err)
{
	struct lb_regex *re;
	PCRE2_UCHAR why[128];
	PCRE2_SIZE at;
	int bad;
	pcre2_code *code =
		pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
			      PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C, &bad, &at,
			      NULL);

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
