/* change.c - parameters that a model refuses, and how to do without. */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "llm/classify.h"
#include "llm/llm.h"

/* Members that one can do without, and the one that stands in for some. */
static const struct {
	const char *name, *instead;
} known[] = {
	{"max_tokens", "max_completion_tokens"},
	{"max_completion_tokens", "max_tokens"},
	{"temperature", NULL},
	{"top_p", NULL},
	{"top_k", NULL},
	{"min_p", NULL},
	{"presence_penalty", NULL},
	{"frequency_penalty", NULL},
	{"repetition_penalty", NULL},
	{"logit_bias", NULL},
	{"logprobs", NULL},
	{"top_logprobs", NULL},
	{"seed", NULL},
	{"stop", NULL},
	{"user", NULL},
	{"store", NULL},
	{"metadata", NULL},
	{"service_tier", NULL},
	{"stream_options", NULL},
	{"parallel_tool_calls", NULL},
	{"reasoning_effort", NULL},
	{"reasoning", NULL},
	{"thinking", NULL},
	{"thinking_budget", NULL},
	{"enable_thinking", NULL},
	{"think", NULL},
	{"output_config", NULL},
	{"include", NULL},
};

/* Words that say that the member itself is the mistake, not its value. */
static const char *const refusals[] = {
	"unsupported",       "not supported",  "does not support",
	"not support",       "unrecognized",   "unknown",
	"unexpected",        "not permitted",  "extra inputs",
	"deprecated",        "not allowed",    "not available",
	"is not compatible", "cannot be used", "unsupported_parameter",
};

/* The first place where it stands as a word of its own. */
static const char *find_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = text; (p = strstr(p, word)); p += n) {
		char before = p > text ? p[-1] : ' ', after = p[n];

		if (!isalnum((unsigned char)before) && before != '_' &&
		    !isalnum((unsigned char)after) && after != '_')
			return p;
	}
	return NULL;
}

static bool is_refusal(const char *text)
{
	char low[400];
	size_t n = 0;

	for (; text && text[n] && n < sizeof(low) - 1; n++)
		low[n] = (char)tolower((unsigned char)text[n]);
	low[n] = '\0';
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		if (strstr(low, refusals[i]))
			return true;
	return false;
}

void lb_refused_param(const char *words, const char *param, const char *message,
		      char out[64])
{
	const char *first = NULL;

	out[0] = '\0';
	if (!is_refusal(words) && !is_refusal(message))
		return;
	if (param && *param) { /* "thinking.type" is a matter of "thinking" */
		snprintf(out, 64, "%.*s", (int)strcspn(param, "."), param);
		return;
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const char *at = find_word(message, known[i].name);

		if (!at || (first && first < at))
			continue;
		first = at;
		snprintf(out, 64, "%s", known[i].name);
	}
}

json_t *lb_llm_change(const struct lb_llm_event *f)
{
	json_t *change = NULL;

	if (f->kind != LB_LLM_FAILED || f->code != LB_CODE_BAD_REQUEST ||
	    !f->param)
		return NULL;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(f->param, known[i].name) == 0)
			change = lb_json_pack("{s:s?}", known[i].name,
					      known[i].instead);
	/* Ollama speaks of thinking, and means `think`. */
	if (change && strcmp(f->param, "thinking") == 0)
		json_object_set_new(change, "think", json_null());
	return change;
}

bool lb_llm_is_change(const json_t *changes)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)changes, name, value)
	{
		size_t n = sizeof(known) / sizeof(known[0]), i = 0;
		const char *instead = json_string_value(value);

		while (i < n && strcmp(known[i].name, name) != 0)
			i++;
		if (i == n ||
		    (instead ? !known[i].instead ||
				       strcmp(known[i].instead, instead) != 0
			     : !json_is_null(value)))
			return false;
	}
	return json_is_object(changes);
}
