#include "llm/reasoning.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "llm/model.h"
#include "llm/protocol.h"

enum level {
	DISABLED = 1 << 0,
	ENABLED = 1 << 1,
	MINIMAL = 1 << 2,
	LOW = 1 << 3,
	MEDIUM = 1 << 4,
	HIGH = 1 << 5,
	XHIGH = 1 << 6,
	MAX = 1 << 7,
};

enum {
	NONE = 0,
	LMH = LOW | MEDIUM | HIGH,
	ON_OFF = DISABLED | ENABLED,
	ALL = (MAX << 1) - 1,
};

static const char *const level_names[] = {
	"disabled", "enabled", "minimal", "low",
	"medium",   "high",    "xhigh",   "max",
};

/*
 * Families by the protocol, by what the provider says of itself
 * (reasoning-family), or by the model's name. NULL: what it says.
 */
static const struct {
	const char *protocol, *said, *model, *family;
} families[] = {
	{"anthropic-messages", "*", "*", "anthropic"},
	{"gemini", "*", "*", "gemini"},
	{"ollama-chat", "*", "*", "ollama"},
	{"*", "qwen", "kimi-*", "kimi"},
	{"*", "openai|anthropic|deepseek|kimi|qwen|doubao|mimo", "*", NULL},
	{"*", "*", "gpt-*|chatgpt-*|o[134]|o[134]-*", "openai"},
	{"*", "*", "claude-*", "anthropic"},
	{"*", "*", "deepseek-*", "deepseek"},
	{"*", "*", "kimi-*|moonshot-*", "kimi"},
	{"*", "*", "qwen-*|qwen3*|qwq*", "qwen"},
	{"*", "*", "doubao-*|seed-*", "doubao"},
	{"*", "*", "mimo-*", "mimo"},
	{"*", "volcengine", "*", NULL},
};

/* Patterns are those of a shell, with | between several. */
#define ADAPTIVE                                                               \
	"claude-*-4-[678]*|claude-*-4.[678]*|claude-opus-5*|claude-sonnet-5*|" \
	"claude-haiku-5*"

/* The first row that fits says which levels there are. */
static const struct {
	const char *family, *model;
	unsigned levels;
} levels[] = {
	{"deepseek", "deepseek-v4-*", DISABLED | LOW | HIGH | XHIGH | MAX},
	{"deepseek", "*reasoner*|*-r1*", NONE},
	{"deepseek", "*", ON_OFF},
	{"kimi", "kimi-k3*", LOW | HIGH | MAX},
	{"kimi", "kimi-k2.7-code*|*thinking*", NONE},
	{"kimi", "kimi-k2.[56]*", ON_OFF},
	{"qwen", "qwq*", NONE},
	{"qwen", "qwen3*-thinking*", LMH},
	{"qwen", "*-thinking*", NONE},
	{"qwen", "qwen3*", ON_OFF | LMH},
	{"qwen", "*", ON_OFF},
	{"doubao", "*", DISABLED | LMH},
	{"mimo", "mimo-v2.5*", ON_OFF},
	{"anthropic", ADAPTIVE, DISABLED | LMH | XHIGH | MAX},
	{"anthropic", "claude-*", LMH},
	{"openai", "gpt-[34]*", NONE},
	{"openai", "o[134]|o[134]-*", LMH},
	{"ollama", "gpt-oss*", DISABLED | LMH},
	{"ollama", "*", ON_OFF},
	{"gemini", "gemini-3*-pro*", LMH},
	{"gemini", "gemini-3*", MINIMAL | LMH},
	{"gemini", "gemini-2.5-pro*", ENABLED | LMH},
	{"gemini", "gemini-2.5*", ON_OFF | MINIMAL | LMH},
	{"gemini", "gemini-[12]*", NONE},
};

/*
 * What is sent: the first row of the protocol, family and model that has the
 * level. %s is the name of the level.
 */
static const struct {
	const char *protocol, *family, *model;
	unsigned levels;
	const char *body;
} bodies[] = {
	{"anthropic-messages", "*", "*", DISABLED,
	 "{\"thinking\":{\"type\":\"disabled\"}}"},
	{"anthropic-messages", "*", ADAPTIVE, ALL,
	 "{\"thinking\":{\"type\":\"adaptive\"},"
	 "\"output_config\":{\"effort\":\"%s\"}}"},
	{"anthropic-messages", "*", "*", ENABLED | MINIMAL | LOW,
	 "{\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":1024}}"},
	{"anthropic-messages", "*", "*", MEDIUM,
	 "{\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":2048}}"},
	{"anthropic-messages", "*", "*", ALL,
	 "{\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":4096}}"},
	{"ollama-chat", "*", "*", DISABLED, "{\"think\":false}"},
	{"ollama-chat", "*", "gpt-oss*", ALL, "{\"think\":\"%s\"}"},
	{"ollama-chat", "*", "*", ALL, "{\"think\":true}"},
	{"gemini", "*", "gemini-3*", ALL,
	 "{\"generationConfig\":{\"thinkingConfig\":{\"thinkingLevel\":\"%s\","
	 "\"includeThoughts\":true}}}"},
	{"gemini", "*", "*", DISABLED,
	 "{\"generationConfig\":{\"thinkingConfig\":{\"thinkingBudget\":0}}}"},
	{"gemini", "*", "*", ENABLED,
	 "{\"generationConfig\":{\"thinkingConfig\":{\"thinkingBudget\":-1,"
	 "\"includeThoughts\":true}}}"},
	{"gemini", "*", "*", MINIMAL,
	 "{\"generationConfig\":{\"thinkingConfig\":{\"thinkingBudget\":512,"
	 "\"includeThoughts\":true}}}"},
	{"gemini", "*", "*", LOW,
	 "{\"generationConfig\":{\"thinkingConfig\":{\"thinkingBudget\":1024,"
	 "\"includeThoughts\":true}}}"},
	{"gemini", "*", "*", MEDIUM,
	 "{\"generationConfig\":{\"thinkingConfig\":{\"thinkingBudget\":4096,"
	 "\"includeThoughts\":true}}}"},
	{"gemini", "*", "*", ALL,
	 "{\"generationConfig\":{\"thinkingConfig\":{\"thinkingBudget\":8192,"
	 "\"includeThoughts\":true}}}"},
	{"openai-responses", "*", "*", DISABLED,
	 "{\"reasoning\":{\"effort\":\"none\"}}"},
	{"openai-responses", "*", "*", ENABLED,
	 "{\"reasoning\":{\"effort\":\"low\"}}"},
	{"openai-responses", "*", "*", ALL,
	 "{\"reasoning\":{\"effort\":\"%s\"}}"},
	{"*", "qwen", "*", DISABLED, "{\"enable_thinking\":false}"},
	{"*", "qwen", "*", ENABLED, "{\"enable_thinking\":true}"},
	{"*", "qwen", "*", LOW,
	 "{\"enable_thinking\":true,\"thinking_budget\":1024}"},
	{"*", "qwen", "*", MEDIUM,
	 "{\"enable_thinking\":true,\"thinking_budget\":4096}"},
	{"*", "qwen", "*", HIGH,
	 "{\"enable_thinking\":true,\"thinking_budget\":8192}"},
	{"*", "deepseek", "*", LOW | MEDIUM | HIGH | XHIGH | MAX,
	 "{\"thinking\":{\"type\":\"enabled\"},\"reasoning_effort\":\"%s\"}"},
	{"*", "deepseek", "*", ON_OFF, "{\"thinking\":{\"type\":\"%s\"}}"},
	{"*", "kimi|mimo|doubao|volcengine", "*", ON_OFF,
	 "{\"thinking\":{\"type\":\"%s\"}}"},
	{"*", "*", "*", DISABLED, "{\"reasoning_effort\":\"none\"}"},
	{"*", "*", "*", ENABLED, "{\"reasoning_effort\":\"low\"}"},
	{"*", "*", "*", ALL, "{\"reasoning_effort\":\"%s\"}"},
};

/*
 * Who refuses an answer that called tools and comes back without its
 * reasoning, also where another model gave it.
 */
static const struct {
	const char *family, *model;
} wanting[] = {
	{"kimi", "kimi-k2.[5-9]*|kimi-k[3-9]*|*thinking*"},
	{"deepseek", "deepseek-v4*|*reasoner*"},
};

static bool fits(const char *patterns, const char *text)
{
	size_t len;

	if (strcmp(patterns, "*") == 0)
		return true;
	for (;; patterns += len + 1) {
		char one[40];

		len = strcspn(patterns, "|");
		snprintf(one, sizeof(one), "%.*s", (int)len, patterns);
		if (fnmatch(one, text, 0) == 0)
			return true;
		if (!patterns[len])
			return false;
	}
}

/* "deepseek-ai/DeepSeek-R1" is "deepseek-r1". Caller frees. */
static char *short_name(const struct lb_model *m)
{
	const char *slash = strrchr(m->name, '/');
	char *name = lb_strdup(slash ? slash + 1 : m->name);

	for (char *p = name; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return name;
}

static const char *family_of(const struct lb_model *m, const char *name)
{
	const char *said = lb_json_str(m->about, "reasoning-family");

	if (!said)
		said = "";
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (fits(families[i].protocol, m->protocol->name) &&
		    fits(families[i].said, said) &&
		    fits(families[i].model, name))
			return families[i].family ? families[i].family : said;
	return "";
}

static unsigned levels_of(const char *family, const char *name)
{
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (fits(levels[i].family, family) &&
		    fits(levels[i].model, name))
			return levels[i].levels;
	return ALL;
}

static int no_such_level(const struct lb_model *m, const char *level,
			 unsigned has, struct lb_error *err)
{
	lb_autobuf struct lb_buf names = {0};

	lb_buf_puts(&names, "provider_default");
	for (size_t i = 0; has >> i; i++)
		if (has & 1u << i)
			lb_buf_printf(&names, " %s", level_names[i]);
	return lb_fail(err, LB_USAGE,
		       "model '%s' has no reasoning level '%s'; there are: %s",
		       m->label, level, names.data);
}

/* An option that says the same must not say another thing. */
static int check_options(const struct lb_model *m,
			 const struct lb_llm_request *request,
			 struct lb_error *err)
{
	static const char *const names[] = {
		"reasoning_effort", "thinking",  "enable_thinking",
		"thinking_budget",  "reasoning", "think",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (lb_wire_option(m, request, names[i]))
			return lb_fail(err, LB_USAGE,
				       "reasoning level '%s' and option '%s' "
				       "exclude each other",
				       request->reasoning, names[i]);
	return 0;
}

static json_t *body_of(const struct lb_model *m, const char *family,
		       const char *name, unsigned level, const char *text)
{
	const size_t n = sizeof(bodies) / sizeof(bodies[0]);
	lb_autobuf struct lb_buf body = {0};
	const char *at;
	size_t i = 0;

	while (i < n - 1 &&
	       !(fits(bodies[i].protocol, m->protocol->name) &&
		 fits(bodies[i].family, family) &&
		 fits(bodies[i].model, name) && (bodies[i].levels & level)))
		i++;
	at = strstr(bodies[i].body, "%s");
	if (!at)
		return json_loads(bodies[i].body, 0, NULL);
	lb_buf_put(&body, bodies[i].body, (size_t)(at - bodies[i].body));
	lb_buf_puts(&body, text);
	lb_buf_puts(&body, at + 2);
	return json_loads(body.data, 0, NULL);
}

json_t *lb_reasoning(const struct lb_model *m,
		     const struct lb_llm_request *request, struct lb_error *err)
{
	const char *level = request->reasoning, *family;
	lb_autofree char *name = short_name(m);
	unsigned has, is = 0;

	if (!level || !*level || strcmp(level, "provider_default") == 0)
		return json_object();
	family = family_of(m, name);
	has = levels_of(family, name);
	for (size_t i = 0; i < sizeof(level_names) / sizeof(level_names[0]);
	     i++)
		if (strcmp(level, level_names[i]) == 0)
			is = 1u << i;
	if (!(has & is)) {
		no_such_level(m, level, has, err);
		return NULL;
	}
	if (check_options(m, request, err) < 0)
		return NULL;
	return body_of(m, family, name, is, level);
}

int lb_model_thinks(const struct lb_model *m, const char *level,
		    struct lb_error *err)
{
	const struct lb_llm_request request = {.reasoning = level};
	json_auto_t *body = lb_reasoning(m, &request, err);

	return body ? 0 : -1;
}

bool lb_reasoning_goes_back(const struct lb_model *m,
			    const struct lb_llm_request *request)
{
	static const char all[] = " deepseek kimi qwen doubao mimo volcengine ";
	lb_autofree char *name = short_name(m);
	lb_autofree char *word = lb_printf(" %s ", family_of(m, name));

	if (request->reasoning && strcmp(request->reasoning, "disabled") == 0)
		return false;
	return strlen(word) > 2 && strstr(all, word);
}

bool lb_reasoning_is_wanted(const struct lb_model *m,
			    const struct lb_llm_request *request)
{
	lb_autofree char *name = short_name(m);
	const char *family = family_of(m, name);

	if (!lb_reasoning_goes_back(m, request))
		return false;
	for (size_t i = 0; i < sizeof(wanting) / sizeof(wanting[0]); i++)
		if (fits(wanting[i].family, family) &&
		    fits(wanting[i].model, name))
			return true;
	return false;
}

bool lb_reasoning_is_there(const struct lb_model *m)
{
	lb_autofree char *name = short_name(m);

	return levels_of(family_of(m, name), name) != NONE;
}

bool lb_reasoning_fits(const struct lb_model *m, const char *patterns)
{
	lb_autofree char *name = short_name(m);

	return fits(patterns, name);
}
