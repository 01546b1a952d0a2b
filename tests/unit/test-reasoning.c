/*
 * test-reasoning - which levels of thinking each family of models has, and how
 * its endpoint is told of them. Prints TAP.
 */
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "llm/llm.h"
#include "llm/protocol.h"
#include "llm/reasoning.h"
#include "tap.h"

static const char chat[] = "openai-chat", claude[] = "anthropic-messages";
static const char gemini[] = "gemini", ollama[] = "ollama-chat";

#define ALL "disabled enabled minimal low medium high xhigh max"

/* `family` is what the provider says; NULL: nothing. */
static const struct {
	const char *protocol, *family, *model, *levels;
} has[] = {
	{chat, "deepseek", "deepseek-v4-pro", "disabled low high xhigh max"},
	{chat, "deepseek", "deepseek-reasoner", ""},
	{chat, NULL, "deepseek-ai/DeepSeek-R1", ""},
	{chat, "deepseek", "deepseek-chat", "disabled enabled"},
	{chat, NULL, "deepseek-chat", "disabled enabled"},
	{chat, "kimi", "kimi-k3", "low high max"},
	{chat, "kimi", "kimi-k2.7-code-preview", ""},
	{chat, "kimi", "kimi-k2.5", "disabled enabled"},
	{chat, NULL, "moonshotai/Kimi-K2.6", "disabled enabled"},
	{chat, "kimi", "kimi-k2-thinking", ""},
	{chat, "qwen", "kimi-k2.5", "disabled enabled"},
	{chat, "qwen", "qwq-plus", ""},
	{chat, "qwen", "qwen3-235b-a22b-thinking-2507", "low medium high"},
	{chat, "qwen", "qwen-thinking", ""},
	{chat, NULL, "Qwen/Qwen3-8B", "disabled enabled low medium high"},
	{chat, "qwen", "qwen-plus", "disabled enabled"},
	{chat, "doubao", "doubao-seed-1-6", "disabled low medium high"},
	{chat, NULL, "seed-2", "disabled low medium high"},
	{chat, "mimo", "mimo-v2.5-pro", "disabled enabled"},
	{chat, "volcengine", "doubao-x", "disabled low medium high"},
	{chat, "volcengine", "deepseek-v4-flash",
	 "disabled low high xhigh max"},
	{claude, NULL, "claude-sonnet-4-5", "low medium high"},
	{claude, NULL, "claude-opus-4-6", "disabled low medium high xhigh max"},
	{claude, NULL, "claude-sonnet-5", "disabled low medium high xhigh max"},
	{chat, NULL, "anthropic/claude-sonnet-4-5", "low medium high"},
	{chat, "openai", "o3", "low medium high"},
	{chat, "openai", "o4-mini", "low medium high"},
	{chat, "openai", "gpt-4o", ""},
	{chat, NULL, "openai/gpt-4.1", ""},
	{chat, "openai", "gpt-5", ALL},
	{ollama, NULL, "gpt-oss:20b", "disabled low medium high"},
	{ollama, "deepseek", "deepseek-r1:8b", "disabled enabled"},
	{gemini, NULL, "gemini-3-pro", "low medium high"},
	{gemini, NULL, "gemini-3-flash", "minimal low medium high"},
	{gemini, NULL, "gemini-2.5-pro", "enabled low medium high"},
	{gemini, NULL, "gemini-2.5-flash",
	 "disabled enabled minimal low medium high"},
	{gemini, NULL, "gemini-2.0-flash", ""},
	{chat, NULL, "a-model-of-nobody", ALL},
};

static const struct {
	const char *protocol, *family, *model, *level, *body;
} told[] = {
	{chat, "deepseek", "deepseek-chat", "enabled",
	 "{\"thinking\":{\"type\":\"enabled\"}}"},
	{chat, "deepseek", "deepseek-v4-pro", "disabled",
	 "{\"thinking\":{\"type\":\"disabled\"}}"},
	{chat, "deepseek", "deepseek-v4-pro", "max",
	 "{\"thinking\":{\"type\":\"enabled\"},\"reasoning_effort\":\"max\"}"},
	{chat, "kimi", "kimi-k2.5", "disabled",
	 "{\"thinking\":{\"type\":\"disabled\"}}"},
	{chat, "kimi", "kimi-k3", "high", "{\"reasoning_effort\":\"high\"}"},
	{chat, "qwen", "qwen-plus", "disabled", "{\"enable_thinking\":false}"},
	{chat, "qwen", "kimi-k2.5", "disabled",
	 "{\"thinking\":{\"type\":\"disabled\"}}"},
	{chat, "qwen", "qwen3-8b", "medium",
	 "{\"enable_thinking\":true,\"thinking_budget\":4096}"},
	{chat, "doubao", "doubao-x", "disabled",
	 "{\"thinking\":{\"type\":\"disabled\"}}"},
	{chat, "volcengine", "ep-2025", "enabled",
	 "{\"thinking\":{\"type\":\"enabled\"}}"},
	{chat, NULL, "ep-2025", "low", "{\"reasoning_effort\":\"low\"}"},
	{claude, NULL, "claude-sonnet-4-5", "low",
	 "{\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":1024}}"},
	{claude, NULL, "claude-opus-4-6", "max",
	 "{\"thinking\":{\"type\":\"adaptive\"},\"output_config\":{\"effort\":"
	 "\"max\"}}"},
	{ollama, NULL, "qwen3", "enabled", "{\"think\":true}"},
	{ollama, NULL, "gpt-oss", "high", "{\"think\":\"high\"}"},
	{"openai-responses", NULL, "o3", "medium",
	 "{\"reasoning\":{\"effort\":\"medium\"}}"},
	{chat, NULL, "o3", "provider_default", "{}"},
};

static json_t *ask(const char *protocol, const char *family, const char *name,
		   const char *level, struct lb_error *err)
{
	lb_autofree char *wire_name = lb_strdup(name);
	json_auto_t *about = json_object();
	/* whatever the operator calls it says nothing */
	struct lb_model m = {.label = (char[]){"deepseek/m"},
			     .provider = (char[]){"deepseek"},
			     .name = wire_name,
			     .protocol = lb_protocol_find(protocol),
			     .about = about};

	if (family)
		json_object_set_new(about, "reasoning-family",
				    json_string(family));
	return lb_reasoning(&m, &(struct lb_llm_request){.reasoning = level},
			    err);
}

static void try_levels(size_t i)
{
	static const char *const levels[] = {"disabled", "enabled", "minimal",
					     "low",      "medium",  "high",
					     "xhigh",    "max",     "deep"};
	lb_autobuf struct lb_buf got = {0};
	struct lb_error err;

	for (size_t k = 0; k < sizeof(levels) / sizeof(levels[0]); k++) {
		json_t *body = ask(has[i].protocol, has[i].family, has[i].model,
				   levels[k], &err);

		if (body)
			lb_buf_printf(&got, "%s%s", got.len ? " " : "",
				      levels[k]);
		else
			tap_ok(err.code == LB_USAGE, "it is told as a mistake");
		json_decref(body);
	}
	tap_same(has[i].levels, lb_buf_str(&got), has[i].model);
}

int main(void)
{
	lb_log_level(LB_ERROR);
	for (size_t i = 0; i < sizeof(has) / sizeof(has[0]); i++)
		try_levels(i);
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		lb_autobuf struct lb_buf text = {0};
		struct lb_error err;
		json_auto_t *body = ask(told[i].protocol, told[i].family,
					told[i].model, told[i].level, &err);

		if (body)
			lb_buf_json(&text, body);
		tap_same(told[i].body, lb_buf_str(&text), told[i].model);
	}
	return tap_end();
}
