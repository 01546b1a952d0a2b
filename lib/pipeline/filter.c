/* filter - what a pipeline leaves alone, and what it does not want to read. */
#include <string.h>

#include "base/json.h"
#include "pipeline/prefix.h"
#include "pipeline/stages.h"
#include "record/chain.h"

/*
 * Words that stand in no text of the message and that a model reads all the
 * same: of what is quoted or forwarded. All of it is one text, as the time that
 * patterns may take is that of a text.
 */
static bool found_within(const struct lb_message *m)
{
	lb_autobuf struct lb_buf text = {0};
	json_t *part;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)m->chain, i, part)
	{
		const char *type = lb_json_str(part, "type");

		if (strcmp(type, "Forward") == 0)
			lb_forward_put(&text, part);
		else if (strcmp(type, "Quote") == 0 && m->flow->quotes)
			lb_chain_text(json_object_get(part, "origin"), &text);
		else
			continue;
		lb_buf_putc(&text, '\n');
	}
	return text.len > 0 &&
	       lb_words_found(m->flow->rules->words, text.data, text.len);
}

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
	    (lb_words_found(rules->words, text, len) || found_within(m)))
		return lb_refuse(m, "content-filtered",
				 "the content filter has a word of it");
	return LB_PASS;
}
