#include "llm/classify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/utf8.h"

static enum lb_code code_of_status(int status)
{
	switch (status) {
	case 401:
	case 403:
		return LB_CODE_AUTH;
	case 402:
	case 429:
		return LB_CODE_RATE;
	case 404:
		return LB_CODE_NOT_FOUND;
	case 408:
		return LB_CODE_TIMEOUT;
	case 413:
		return LB_CODE_CONTEXT_LENGTH;
	default:
		return status >= 500 ? LB_CODE_OVERLOADED : LB_CODE_BAD_REQUEST;
	}
}

/* Words of providers' `code` and `type` that say more than the status. */
static enum lb_code code_of_word(const char *word)
{
	static const struct {
		const char *part;
		enum lb_code code;
	} words[] = {
		{"context_length", LB_CODE_CONTEXT_LENGTH},
		{"content_filter", LB_CODE_CONTENT_FILTER},
		{"content_policy", LB_CODE_CONTENT_FILTER},
		{"rate_limit", LB_CODE_RATE},
		{"insufficient_quota", LB_CODE_RATE},
		{"overloaded", LB_CODE_OVERLOADED},
		{"server_error", LB_CODE_OVERLOADED},
		{"invalid_api_key", LB_CODE_AUTH},
		{"authentication", LB_CODE_AUTH},
		{"model_not_found", LB_CODE_NOT_FOUND},
		{"timeout", LB_CODE_TIMEOUT},
	};

	for (size_t i = 0; word && i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(word, words[i].part))
			return words[i].code;
	return LB_CODES;
}

/* A status in the object's `code` or `status`: 429 or "429". */
static int status_at(const json_t *error, const char *key)
{
	const char *text = lb_json_str(error, key);
	int64_t n = 0;

	if (text)
		n = strtol(text, NULL, 10);
	else
		lb_json_int(error, key, &n);
	return n >= 100 && n <= 599 ? (int)n : 0;
}

static void set_message(struct lb_failure *f, const char *text)
{
	size_t len = strlen(text);

	len = lb_utf8_cut(text, len, sizeof(f->message) - 1);
	memcpy(f->message, text, len);
	f->message[len] = '\0';
}

void lb_classify(const json_t *error, int status, struct lb_failure *f)
{
	const char *text = json_is_string(error)
				   ? json_string_value(error)
				   : lb_json_str(error, "message");
	enum lb_code word = code_of_word(lb_json_str(error, "code"));

	if (word == LB_CODES)
		word = code_of_word(lb_json_str(error, "type"));
	if (status == 0)
		status = status_at(error, "code");
	if (status == 0)
		status = status_at(error, "status");
	f->status = status;
	f->code = word;
	if (word == LB_CODES)
		f->code = status ? code_of_status(status) : LB_CODE_OVERLOADED;
	set_message(f, text && *text ? text : "no reason given");
}
