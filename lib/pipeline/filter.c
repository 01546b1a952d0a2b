/* filter - what a pipeline leaves alone, and what it does not want to read. */
#include <string.h>

#include "pipeline/prefix.h"
#include "pipeline/stages.h"

enum lb_verdict lb_stage_filter(struct lb_message *m, struct lb_error *err)
{
	const struct lb_rules *rules = m->flow->rules;
	const struct lb_buf *form;
	const char *text, *by;
	size_t len;

	(void)err;
	if (json_array_size(rules->ignore.prefixes) == 0 &&
	    rules->ignore.patterns.n == 0 &&
	    !lb_words_apply(rules->words, LB_WORDS_IN))
		return LB_PASS;
	form = lb_message_form(m);
	text = lb_buf_str(form);
	text += strspn(text, " \t\r\n");
	len = form->len - (size_t)(text - lb_buf_str(form));
	while (len > 0 && strchr(" \t\r\n", text[len - 1]))
		len--;
	by = lb_prefix_find(rules->ignore.prefixes, text, len, false);
	if (by)
		return lb_because(m, LB_DROP, "ignore rule: prefix '%s'", by);
	by = lb_patterns_match(&rules->ignore.patterns, text, len);
	if (by)
		return lb_because(m, LB_DROP, "ignore rule: regexp '%s'", by);
	if (lb_words_apply(rules->words, LB_WORDS_IN) &&
	    lb_words_found(rules->words, text, len))
		return lb_refuse(m, "content-filtered",
				 "the content filter has a word of it");
	return LB_PASS;
}
