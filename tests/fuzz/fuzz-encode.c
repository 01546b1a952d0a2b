/*
 * fuzz-encode - any JSON as a request, in each protocol: nothing is read that
 * is not there, and what comes of it is a JSON object or a reason.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/log.h"
#include "llm/llm.h"
#include "llm/protocol.h"
#include "record/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void encode(const struct lb_protocol *p, const json_t *test)
{
	static char provider[] = "p", name[] = "gemini-3", url[] = "http://h",
		    key[] = "k";
	struct lb_model model = {.label = name,
				 .provider = provider,
				 .name = name,
				 .protocol = p,
				 .base_url = url,
				 .key = key,
				 .about = json_object_get(test, "about"),
				 .extra = json_object_get(test, "extra")};
	const struct lb_llm_request request = {
		.messages = json_object_get(test, "messages"),
		.tools = json_object_get(test, "tools"),
		.options = json_object_get(test, "options"),
		.reasoning = lb_json_str(test, "reasoning"),
		.changes = json_object_get(test, "changes"),
		.stream = lb_json_bool(test, "stream", false),
	};
	struct lb_error err = {.code = LB_OK};
	json_t *out = lb_llm_dry_run(&model, &request, &err);

	if (!out && err.code == LB_OK)
		abort();
	if (out && !json_is_object(json_object_get(out, "body")))
		abort();
	json_decref(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	lb_autobuf struct lb_buf text = {0}, mended = {0};
	json_t *test;

	lb_log_level(LB_ERROR);
	lb_buf_put(&text, (const char *)data, size);
	test = lb_record_load(text.data, text.len, &mended);
	if (json_is_object(test)) {
		encode(&lb_anthropic, test);
		encode(&lb_gemini, test);
		encode(&lb_ollama, test);
		encode(&lb_openai_chat, test);
		encode(&lb_openai_responses, test);
	}
	json_decref(test);
	return 0;
}
