#include "llm/facts.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"

static bool holds_one(const char *text, const char *const *parts)
{
	for (; *parts; parts++)
		if (strstr(text, *parts))
			return true;
	return false;
}

/* Is `word` in the list of texts at `key`? */
static bool lists(const json_t *row, const char *key, const char *word)
{
	const json_t *list = lb_json_path(row, key), *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		const char *text = json_string_value(item);

		if (text && strcmp(text, word) == 0)
			return true;
	}
	return false;
}

static bool is_true(const json_t *row, const char *path)
{
	return json_is_true(lb_json_path(row, path));
}

/* What the row says of itself, in the words of the services that do. */
static const char *told_type(const json_t *row)
{
	const char *type = lb_json_str(row, "type");

	if (type && strcmp(type, "rerank") == 0)
		return "rerank";
	if (type && strcmp(type, "embedding") == 0)
		return "embedding";
	if (lists(row, "endpoints", "rerank"))
		return "rerank";
	if (lists(row, "endpoints", "chat") ||
	    lists(row, "supportedGenerationMethods", "generateContent"))
		return "llm";
	if (lists(row, "endpoints", "embed") ||
	    lists(row, "capabilities", "embedding") ||
	    lists(row, "supportedGenerationMethods", "embedContent"))
		return "embedding";
	return NULL;
}

static const char *type_of(const char *name, const json_t *row)
{
	static const char *const rerank[] = {"rerank", "re-rank", "re_rank",
					     NULL};
	static const char *const embedding[] = {"embedding", "embed", "bge-",
						"e5-",       "m3e",   "gte-",
						NULL};
	const char *told = told_type(row);

	if (told)
		return told;
	if (holds_one(name, rerank))
		return "rerank";
	return holds_one(name, embedding) ? "embedding" : "llm";
}

/* Families whose models think before they answer. */
static bool is_thinker(const char *name)
{
	static const char *const patterns[] = {
		"o1*",          "o3*",           "o4*",
		"gpt-5*",       "gpt-oss*",      "deepseek-v4-*",
		"*reasoner*",   "*-r1",          "*-r1-*",
		"*-r1:*",       "kimi-k2.5*",    "kimi-k2.6*",
		"kimi-k3*",     "*thinking*",    "qwq*",
		"qwen3*",       "doubao-seed-*", "mimo-v2*",
		"claude-*-4-*", "claude-*-5*",   "claude-3-7-*",
		"gemini-2.5-*", "gemini-3*",     "grok-4*",
		NULL,
	};
	const char *slash = strrchr(name, '/');

	name = slash ? slash + 1 : name;
	for (size_t i = 0; patterns[i]; i++)
		if (fnmatch(patterns[i], name, 0) == 0)
			return true;
	return false;
}

static json_t *abilities_of(const char *name, const json_t *row)
{
	json_t *out = json_array();

	if (lists(row, "supported_parameters", "tools") ||
	    lists(row, "capabilities", "tools") ||
	    lists(row, "features", "tools") ||
	    is_true(row, "capabilities.function_calling") ||
	    is_true(row, "supports_tools"))
		json_array_append_new(out, json_string("func_call"));
	if (is_true(row, "supports_image_in") ||
	    is_true(row, "supports_vision") ||
	    is_true(row, "capabilities.vision") ||
	    is_true(row, "capabilities.image_input.supported") ||
	    lists(row, "capabilities", "vision") ||
	    lists(row, "features", "vision") ||
	    lists(row, "input_modalities", "image") ||
	    lists(row, "architecture.input_modalities", "image"))
		json_array_append_new(out, json_string("vision"));
	if (is_true(row, "supports_reasoning") || is_true(row, "thinking") ||
	    is_true(row, "capabilities.thinking.supported") ||
	    lists(row, "capabilities", "thinking") ||
	    lists(row, "supported_parameters", "reasoning") || is_thinker(name))
		json_array_append_new(out, json_string("reasoning"));
	return out;
}

/* A whole number above zero, or one in digits; 0 for none. */
static int64_t count_at(const json_t *row, const char *key)
{
	const char *text = lb_json_str(row, key);
	int64_t n = 0;

	if (text && *text && strlen(text) < 16 &&
	    !text[strspn(text, "0123456789")])
		n = strtoll(text, NULL, 10);
	else
		lb_json_int(row, key, &n);
	return n > 0 ? n : 0;
}

static int64_t context_of(const char *name, const json_t *row)
{
	static const char *const keys[] = {
		"context_length",          "context_window",
		"max_context_length",      "max_model_len",
		"inputTokenLimit",         "max_input_tokens",
		"max_position_embeddings", NULL,
	};
	static const struct {
		const char *pattern;
		int64_t tokens;
	} known[] = {
		{"deepseek-v4-*", 1000000},    {"kimi-k2.5*", 262144},
		{"kimi-k2.6*", 262144},        {"moonshot-v1-8k*", 8192},
		{"moonshot-v1-32k*", 32768},   {"moonshot-v1-128k*", 131072},
		{"moonshot-v1-auto*", 131072},
	};
	const char *slash = strrchr(name, '/');

	for (size_t i = 0; keys[i]; i++) {
		int64_t n = count_at(row, keys[i]);

		if (n > 0)
			return n;
	}
	name = slash ? slash + 1 : name;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (fnmatch(known[i].pattern, name, 0) == 0)
			return known[i].tokens;
	return 0;
}

/* Some of the row's own words, under one name. */
static void put_words(json_t *out, const json_t *row)
{
	static const struct {
		const char *key, *from;
	} words[] = {
		{"owned_by", "owned_by"},
		{"owned_by", "organization"},
		{"display_name", "display_name"},
		{"display_name", "displayName"},
		{"description", "description"},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *text = lb_json_str(row, words[i].from);

		if (text && *text && !json_object_get(out, words[i].key))
			lb_json_set_str(out, words[i].key, text, strlen(text));
	}
}

json_t *lb_model_facts(const char *id, const json_t *row)
{
	lb_autofree char *name = lb_strdup(id);
	const char *type;
	json_t *out;
	int64_t context;

	for (char *p = name; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	type = type_of(name, row);
	out = lb_json_pack("{s:s, s:s}", "id", id, "type", type);
	if (strcmp(type, "llm") == 0)
		json_object_set_new(out, "abilities", abilities_of(name, row));
	context = context_of(name, row);
	if (context > 0)
		json_object_set_new(out, "context_length",
				    json_integer(context));
	put_words(out, row);
	return out;
}

static int in_order(const void *a, const void *b)
{
	const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
	bool chat_x = strcmp(lb_json_str(x, "type"), "llm") == 0;
	bool chat_y = strcmp(lb_json_str(y, "type"), "llm") == 0;
	int by_name;

	if (chat_x != chat_y)
		return chat_x ? -1 : 1;
	by_name = strcasecmp(lb_json_str(x, "id"), lb_json_str(y, "id"));
	return by_name ? by_name
		       : strcmp(lb_json_str(x, "id"), lb_json_str(y, "id"));
}

void lb_models_sort(json_t *rows)
{
	size_t n = json_array_size(rows);
	lb_autofree json_t **list = lb_alloc((n + 1) * sizeof(json_t *));

	for (size_t i = 0; i < n; i++)
		list[i] = json_incref(json_array_get(rows, i));
	qsort(list, n, sizeof(json_t *), in_order);
	json_array_clear(rows);
	for (size_t i = 0; i < n; i++)
		json_array_append_new(rows, list[i]);
}
