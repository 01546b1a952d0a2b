/*
 * test-encode - requests as each protocol puts them. A case is a file in
 * tests/data/llm/requests: {"model","reasoning"?,"stream"?,"messages",
 * "tools"?,"options"?,"extra"?,"changes"?,"about"?}; what must leave is in
 * tests/data/llm/PROTOCOL/NAME.request.json, as `lb-llm --dry-run` shows it,
 * or {"error"} with the reason why nothing does. Case wire-03 is `tools`.
 * Prints TAP.
 */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "llm/llm.h"
#include "llm/protocol.h"

static const struct {
	const char *protocol, *provider, *base_url;
} endpoints[] = {
	{"anthropic-messages", "anthropic", "https://api.anthropic.com"},
	{"gemini", "gemini", "https://example.com/v1beta"},
	{"ollama-chat", "ollama", "http://127.0.0.1:11434"},
	{"openai-chat", "some", "https://example.com/v1"},
	{"openai-responses", "openai", "https://api.openai.com/v1"},
};

static int n_tests;

/* A model's name may be another with each protocol. */
static char *name_of(const json_t *test, const char *protocol)
{
	const json_t *model = json_object_get(test, "model");
	const char *name = json_string_value(model);

	if (!name)
		name = lb_json_str(model, protocol);
	return lb_strdup(name ? name : "m");
}

static json_t *encode(const json_t *test, size_t which)
{
	const char *protocol = endpoints[which].protocol;
	lb_autofree char *name = name_of(test, protocol);
	lb_autofree char *label =
		lb_printf("%s/%s", endpoints[which].provider, name);
	struct lb_model model = {
		.label = label,
		.provider = lb_strdup(endpoints[which].provider),
		.name = name,
		.protocol = lb_protocol_find(protocol),
		.base_url = lb_strdup(endpoints[which].base_url),
		.key = "sk-1234",
		.extra = json_object_get(test, "extra"),
		.about = json_object_get(test, "about"),
	};
	const struct lb_llm_request request = {
		.messages = json_object_get(test, "messages"),
		.tools = json_object_get(test, "tools"),
		.options = json_object_get(test, "options"),
		.reasoning = lb_json_str(test, "reasoning"),
		.changes = json_object_get(test, "changes"),
		.stream = lb_json_bool(test, "stream", false),
	};
	struct lb_error err;
	json_t *out = lb_llm_dry_run(&model, &request, &err);

	free(model.provider);
	free(model.base_url);
	return out ? out : lb_json_pack("{s:s}", "error", err.text);
}

static int try(const char *data, const char *name, size_t which)
{
	const char *protocol = endpoints[which].protocol;
	lb_autofree char *from = lb_printf("%s/requests/%s", data, name);
	lb_autofree char *to =
		lb_printf("%s/%s/%.*s.request.json", data, protocol,
			  (int)strcspn(name, "."), name);
	json_auto_t *test = json_load_file(from, 0, NULL);
	json_auto_t *expected = json_load_file(to, 0, NULL);
	json_auto_t *got = encode(test, which);
	bool ok = test && json_equal(expected, got);

	printf("%sok %d - %s: %s\n", ok ? "" : "not ", ++n_tests, protocol,
	       name);
	if (!ok) {
		lb_autofree char *text = json_dumps(got, JSON_COMPACT);

		printf("# got %s\n", text);
	}
	return !ok;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_case(const struct dirent *entry)
{
	const char *dot = strchr(entry->d_name, '.');

	return dot && strcmp(dot, ".json") == 0;
}

int main(void)
{
	const char *top = getenv("srcdir");
	lb_autofree char *data =
		lb_printf("%s/tests/data/llm", top ? top : ".");
	lb_autofree char *dir = lb_printf("%s/requests", data);
	struct dirent **found = NULL;
	int n = scandir(dir, &found, is_case, by_name), bad = n < 5;

	lb_log_level(LB_ERROR);
	for (int i = 0; i < n; i++) {
		for (size_t p = 0; p < 5; p++)
			bad |= try(data, found[i]->d_name, p);
		free(found[i]);
	}
	free(found);
	printf("1..%d\n", n_tests);
	return bad;
}
