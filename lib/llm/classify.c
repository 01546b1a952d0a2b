#include "llm/classify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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
		{"resource_exhausted", LB_CODE_RATE},
		{"billing", LB_CODE_RATE},
		{"unavailable", LB_CODE_OVERLOADED},
		{"invalid_api_key", LB_CODE_AUTH},
		{"authenticat", LB_CODE_AUTH},
		{"permission", LB_CODE_AUTH},
		{"not_found", LB_CODE_NOT_FOUND},
		{"timeout", LB_CODE_TIMEOUT},
		{"deadline_exceeded", LB_CODE_TIMEOUT},
	};

	for (size_t i = 0; word && i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasestr(word, words[i].part))
			return words[i].code;
	return LB_CODES;
}

/* What some say in their message alone, all of it under one status. */
static enum lb_code code_of_message(const char *text)
{
	static const struct {
		const char *part;
		enum lb_code code;
	} phrases[] = {
		{"prompt is too long", LB_CODE_CONTEXT_LENGTH},
		{"maximum context length", LB_CODE_CONTEXT_LENGTH},
		{"context window", LB_CODE_CONTEXT_LENGTH},
		{"available context size", LB_CODE_CONTEXT_LENGTH},
		{"exceeds the maximum number of tokens",
		 LB_CODE_CONTEXT_LENGTH},
		{"not found, try pulling", LB_CODE_NOT_FOUND},
		{"api key not valid", LB_CODE_AUTH},
		{"api key expired", LB_CODE_AUTH},
		{"credit balance is too low", LB_CODE_RATE},
	};

	for (size_t i = 0; text && i < sizeof(phrases) / sizeof(phrases[0]);
	     i++)
		if (strcasestr(text, phrases[i].part))
			return phrases[i].code;
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

/* The class of a refusal: what it is called, what it says, its status. */
static enum lb_code code_of(const json_t *error, const char *text, int status)
{
	static const char *const keys[] = {"code", "type", "status"};
	enum lb_code code = LB_CODES;
	const char *word;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (code == LB_CODES)
			code = code_of_word(lb_json_str(error, keys[i]));
	}
	if (code == LB_CODES && (status == 0 || status / 100 == 4))
		code = code_of_message(text);
	if (code != LB_CODES)
		return code;
	if (status)
		return code_of_status(status);
	word = lb_json_str(error, "type");
	if (!word)
		word = lb_json_str(error, "code");
	return word && strncasecmp(word, "invalid_", 8) == 0
		       ? LB_CODE_BAD_REQUEST
		       : LB_CODE_OVERLOADED;
}

void lb_classify(const json_t *error, int status, struct lb_failure *f)
{
	const char *text = json_is_string(error)
				   ? json_string_value(error)
				   : lb_json_str(error, "message");
	const char *word = lb_json_str(error, "code");

	if (status == 0)
		status = status_at(error, "code");
	if (status == 0)
		status = status_at(error, "status");
	f->status = status;
	f->code = code_of(error, text, status);
	set_message(f, text && *text ? text : "no reason given");
	lb_refused_param(word ? word : lb_json_str(error, "type"),
			 lb_json_str(error, "param"), f->message, f->param);
}

/* {"detail":[{"loc":["body","x"],"msg":...}]}, as a check of types has it. */
static json_t *error_of_details(const json_t *details)
{
	const json_t *first = json_array_get(details, 0);
	const json_t *where = json_object_get(first, "loc");
	const char *msg = lb_json_str(first, "msg");
	const char *type = lb_json_str(first, "type");
	const char *param = json_string_value(
		json_array_get(where, json_array_size(where) - 1));
	lb_autobuf struct lb_buf text = {0};

	if (!msg)
		return NULL;
	lb_buf_printf(&text, "%s%s%s", param ? param : "", param ? ": " : "",
		      msg);
	return lb_json_pack("{s:s, s:s?, s:s?}", "message", text.data, "param",
			    param, "type", type);
}

void lb_classify_body(const json_t *body, int status, struct lb_failure *f)
{
	const json_t *error = json_object_get(body, "error");
	const json_t *detail = json_object_get(body, "detail");
	const json_t *message = json_object_get(body, "message");
	json_auto_t *made = NULL;

	if (json_is_array(body)) /* of one, as Gemini streams it */
		error = json_object_get(json_array_get(body, 0), "error");
	if (!detail)
		detail = json_object_get(message, "detail");
	if (json_is_array(detail))
		error = made = error_of_details(detail);
	else if (!error && json_is_string(detail))
		error = detail;
	else if (!error && json_is_string(message))
		error = body;
	lb_classify(error, status, f);
}
