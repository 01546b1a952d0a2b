/*
 * test-refusal - what services say when they refuse, the class it is of, and
 * what of a request is to be changed for it. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "llm/classify.h"
#include "llm/llm.h"

static const struct row {
	const char *what;
	int status;
	const char *body;
	const char *code;
	const char *change; /* NULL: none */
} rows[] = {
	{"llm-24: max_tokens is now another", 400,
	 "{\"error\":{\"code\":\"unsupported_parameter\",\"param\":"
	 "\"max_tokens\",\"message\":\"use max_completion_tokens\"}}",
	 "bad_request", "{\"max_tokens\":\"max_completion_tokens\"}"},
	{"the words alone, both names in them", 400,
	 "{\"error\":{\"message\":\"Unsupported parameter: 'max_tokens' is "
	 "not supported with this model. Use 'max_completion_tokens' "
	 "instead.\",\"type\":\"invalid_request_error\",\"param\":null,"
	 "\"code\":null}}",
	 "bad_request", "{\"max_tokens\":\"max_completion_tokens\"}"},
	{"the other way round", 400,
	 "{\"error\":{\"message\":\"max_completion_tokens is not supported, "
	 "use max_tokens\"}}",
	 "bad_request", "{\"max_completion_tokens\":\"max_tokens\"}"},
	{"a temperature that only has its default", 400,
	 "{\"error\":{\"message\":\"Unsupported value: 'temperature' does not "
	 "support 0.2 with this model. Only the default (1) value is "
	 "supported.\",\"type\":\"invalid_request_error\",\"param\":"
	 "\"temperature\",\"code\":\"unsupported_value\"}}",
	 "bad_request", "{\"temperature\":null}"},
	{"a value out of its range is nothing to leave out", 400,
	 "{\"error\":{\"message\":\"Invalid 'temperature': decimal above "
	 "maximum value. Expected a value <= 2\",\"param\":\"temperature\","
	 "\"code\":\"decimal_above_max_value\"}}",
	 "bad_request", NULL},
	{"a member that nobody knows", 400,
	 "{\"error\":{\"message\":\"Unrecognized request argument supplied: "
	 "reasoning_effort\",\"type\":\"invalid_request_error\"}}",
	 "bad_request", "{\"reasoning_effort\":null}"},
	{"a name within another is not meant", 400,
	 "{\"error\":{\"message\":\"unknown field 'my_temperature_x'\"}}",
	 "bad_request", NULL},
	{"what one cannot do without stays", 400,
	 "{\"error\":{\"message\":\"'messages' is not supported\",\"param\":"
	 "\"messages\"}}",
	 "bad_request", NULL},
	{"Anthropic, a member of a member", 400,
	 "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\","
	 "\"message\":\"thinking.type.enabled: Extra inputs are not "
	 "permitted\"}}",
	 "bad_request", "{\"thinking\":null,\"think\":null}"},
	{"a check of types, as Mistral and vLLM have it", 422,
	 "{\"detail\":[{\"type\":\"extra_forbidden\",\"loc\":[\"body\","
	 "\"min_p\"],\"msg\":\"Extra inputs are not permitted\"}]}",
	 "bad_request", "{\"min_p\":null}"},
	{"the same below message", 422,
	 "{\"object\":\"error\",\"message\":{\"detail\":[{\"type\":"
	 "\"extra_forbidden\",\"loc\":[\"body\",\"seed\"],\"msg\":\"Extra "
	 "inputs are not permitted\"}]}}",
	 "bad_request", "{\"seed\":null}"},
	{"thinking that an Ollama model has not", 400,
	 "{\"error\":\"\\\"llama3.2\\\" does not support thinking\"}",
	 "bad_request", "{\"thinking\":null,\"think\":null}"},
	{"a key that is wrong is no parameter", 401,
	 "{\"error\":{\"message\":\"unsupported user\"}}", "auth", NULL},
	{"Anthropic: the key", 401,
	 "{\"type\":\"error\",\"error\":{\"type\":\"authentication_error\","
	 "\"message\":\"invalid x-api-key\"}}",
	 "auth", NULL},
	{"Anthropic: no right", 403,
	 "{\"type\":\"error\",\"error\":{\"type\":\"permission_error\","
	 "\"message\":\"no\"}}",
	 "auth", NULL},
	{"Anthropic: no such model", 404,
	 "{\"type\":\"error\",\"error\":{\"type\":\"not_found_error\","
	 "\"message\":\"model: x\"}}",
	 "not_found", NULL},
	{"Anthropic: too many", 429,
	 "{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\","
	 "\"message\":\"slow\"}}",
	 "rate", NULL},
	{"Anthropic: overloaded", 529,
	 "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\","
	 "\"message\":\"Overloaded\"}}",
	 "overloaded", NULL},
	{"Anthropic: too long", 400,
	 "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\","
	 "\"message\":\"prompt is too long: 2 tokens > 1 maximum\"}}",
	 "context_length", NULL},
	{"Anthropic: no money", 400,
	 "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\","
	 "\"message\":\"Your credit balance is too low to access\"}}",
	 "rate", NULL},
	{"Gemini: a key under a 400", 400,
	 "{\"error\":{\"code\":400,\"message\":\"API key not valid. Please "
	 "pass a valid API key.\",\"status\":\"INVALID_ARGUMENT\"}}",
	 "auth", NULL},
	{"Gemini: in a list", 429,
	 "[{\"error\":{\"code\":429,\"message\":\"Quota exceeded\",\"status\":"
	 "\"RESOURCE_EXHAUSTED\"}}]",
	 "rate", NULL},
	{"Gemini: too long", 400,
	 "{\"error\":{\"code\":400,\"message\":\"The input token count "
	 "(1048577) exceeds the maximum number of tokens allowed (1048576).\","
	 "\"status\":\"INVALID_ARGUMENT\"}}",
	 "context_length", NULL},
	{"Gemini: too late", 504,
	 "{\"error\":{\"code\":504,\"message\":\"Deadline\",\"status\":"
	 "\"DEADLINE_EXCEEDED\"}}",
	 "timeout", NULL},
	{"Ollama: no such model", 404,
	 "{\"error\":\"model \\\"x\\\" not found, try pulling it first\"}",
	 "not_found", NULL},
	{"no JSON at all", 502, "<html>bad gateway</html>", "overloaded", NULL},
};

static bool passes(const struct row *row)
{
	json_auto_t *body = json_loads(row->body, 0, NULL);
	json_auto_t *expected =
		row->change ? json_loads(row->change, 0, NULL) : NULL;
	json_auto_t *got = NULL;
	struct lb_failure f;

	lb_classify_body(body, row->status, &f);
	got = lb_llm_change(&(struct lb_llm_event){
		.kind = LB_LLM_FAILED,
		.code = f.code,
		.status = f.status,
		.message = f.message,
		.param = *f.param ? f.param : NULL,
	});
	if (strcmp(lb_code_name(f.code), row->code) == 0 &&
	    (expected ? json_equal(got, expected) : !got))
		return true;
	printf("# got %s, param '%s'\n", lb_code_name(f.code), f.param);
	return false;
}

int main(void)
{
	size_t n = sizeof(rows) / sizeof(rows[0]);
	int bad = 0;

	printf("1..%zu\n", n);
	for (size_t i = 0; i < n; i++) {
		bool ok = passes(&rows[i]);

		bad |= !ok;
		printf("%sok %zu - %s\n", ok ? "" : "not ", i + 1,
		       rows[i].what);
	}
	return bad;
}
