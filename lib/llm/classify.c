#include "llm/classify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/utf8.h"

/* Of the provider's words, bytes that are looked at. */
enum { MAX_WORDS = 16 << 10 };

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
	lb_autobuf struct lb_buf words = {0};
	size_t len = lb_utf8_cut(text, strlen(text), MAX_WORDS);

	/* A key that is cut in two is found no more: so first the keys. */
	lb_buf_put(&words, text, len);
	lb_hide_secrets(&words);
	len = lb_utf8_cut(lb_buf_str(&words), words.len,
			  sizeof(f->message) - 1);
	memcpy(f->message, lb_buf_str(&words), len);
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
