/* test-coerce - values as their keys want them, a row a case. Prints TAP. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "config/coerce.h"
#include "config/yaml.h"

static const struct lb_key keys[] = {
	[LB_KEY_STRING] = {.type = LB_KEY_STRING},
	[LB_KEY_BOOL] = {.type = LB_KEY_BOOL},
	[LB_KEY_INT] = {.type = LB_KEY_INT, .min = -5, .max = 100},
	[LB_KEY_NUMBER] = {.type = LB_KEY_NUMBER, .min = 0, .max = 1},
	[LB_KEY_DURATION] = {.type = LB_KEY_DURATION},
	[LB_KEY_SIZE] = {.type = LB_KEY_SIZE},
	[LB_KEY_ENUM] = {.type = LB_KEY_ENUM,
			 .values = "one two",
			 .foreign = "three"},
	[LB_KEY_LIST] = {.type = LB_KEY_LIST},
	[LB_KEY_SECRET] = {.type = LB_KEY_SECRET},
	[LB_KEY_SECRETS] = {.type = LB_KEY_SECRETS},
	[LB_KEY_OBJECT] = {.type = LB_KEY_OBJECT},
	[LB_KEY_MODEL] = {.type = LB_KEY_MODEL},
	[LB_KEY_MESSAGES] = {.type = LB_KEY_MESSAGES},
	[LB_KEY_NETWORK] = {.type = LB_KEY_NETWORK},
};

struct row {
	enum lb_key_type type;
	char from; /* 't' a line of text, 'j' a JSON value */
	const char *input;
	const char *expected; /* JSON; NULL when it is refused */
};

static const struct row rows[] = {
	{LB_KEY_STRING, 't', "a, b", "\"a, b\""},
	{LB_KEY_STRING, 't', "12", "\"12\""},
	{LB_KEY_STRING, 't', "\xff", "\"\xef\xbf\xbd\""},
	{LB_KEY_STRING, 'j', "12", NULL},
	{LB_KEY_BOOL, 't', "true", "true"},
	{LB_KEY_BOOL, 't', "ON", "true"},
	{LB_KEY_BOOL, 't', "1", "true"},
	{LB_KEY_BOOL, 't', "Yes", "true"},
	{LB_KEY_BOOL, 't', "no", "false"},
	{LB_KEY_BOOL, 't', "0", "false"},
	{LB_KEY_BOOL, 't', "maybe", NULL},
	{LB_KEY_BOOL, 'j', "false", "false"},
	{LB_KEY_BOOL, 'j', "1", NULL},
	{LB_KEY_INT, 't', "42", "42"},
	{LB_KEY_INT, 't', "-5", "-5"},
	{LB_KEY_INT, 't', "-6", NULL},
	{LB_KEY_INT, 't', "101", NULL},
	{LB_KEY_INT, 't', "4x", NULL},
	{LB_KEY_INT, 't', "1.5", NULL},
	{LB_KEY_INT, 't', "99999999999999999999", NULL},
	{LB_KEY_INT, 'j', "7.0", "7"},
	{LB_KEY_INT, 'j', "true", NULL},
	{LB_KEY_NUMBER, 't', "0.5", "0.5"},
	{LB_KEY_NUMBER, 't', ".5e0", "0.5"},
	{LB_KEY_NUMBER, 't', "1.1", NULL},
	{LB_KEY_NUMBER, 't', ".nan", NULL},
	{LB_KEY_DURATION, 't', "90s", "\"90s\""},
	{LB_KEY_DURATION, 't', "none", "\"none\""},
	{LB_KEY_DURATION, 't', "0", NULL},
	{LB_KEY_DURATION, 't', "0s", NULL},
	{LB_KEY_DURATION, 't', "soon", NULL},
	{LB_KEY_DURATION, 'j', "1.5", "1.5"},
	{LB_KEY_DURATION, 'j', "-1", NULL},
	{LB_KEY_SIZE, 't', "64k", "\"64k\""},
	{LB_KEY_SIZE, 't', "64q", NULL},
	{LB_KEY_ENUM, 't', "two", "\"two\""},
	{LB_KEY_ENUM, 't', "three", NULL},
	{LB_KEY_ENUM, 't', "tw", NULL},
	{LB_KEY_ENUM, 't', "one two", NULL},
	{LB_KEY_ENUM, 't', "", NULL},
	{LB_KEY_LIST, 't', " a b ,, c,", "[\"a b\",\"c\"]"},
	{LB_KEY_LIST, 't', "[a, 'b,c']", "[\"a\",\"b,c\"]"},
	{LB_KEY_LIST, 't', "", "[]"},
	{LB_KEY_LIST, 'j', "\"a\"", NULL},
	{LB_KEY_LIST, 'j', "[1]", NULL},
	{LB_KEY_SECRET, 't', "env:A", "\"env:A\""},
	{LB_KEY_SECRET, 'j', "1", NULL},
	{LB_KEY_SECRETS, 't', "env:A, b", "[\"env:A\",\"b\"]"},
	{LB_KEY_SECRETS, 'j', "\"a,b\"", "[\"a,b\"]"},
	{LB_KEY_SECRETS, 'j', "[null]", NULL},
	{LB_KEY_OBJECT, 't', "{a: 1, b: [x]}", "{\"a\":1,\"b\":[\"x\"]}"},
	{LB_KEY_OBJECT, 't', "a", NULL},
	{LB_KEY_OBJECT, 't', "{a: *b}", NULL},
	{LB_KEY_NETWORK, 't', "on", "\"on\""},
	{LB_KEY_NETWORK, 'j', "\"off\"", "\"off\""},
	{LB_KEY_NETWORK, 't', "a.b, *.c.d:8443",
	 "{\"allow\":[\"a.b\",\"*.c.d:8443\"]}"},
	{LB_KEY_NETWORK, 't', "{allow: [a.b]}", "{\"allow\":[\"a.b\"]}"},
	{LB_KEY_NETWORK, 'j', "[\"a\"]", "{\"allow\":[\"a\"]}"},
	{LB_KEY_NETWORK, 'j', "{\"allow\":[]}", "{\"allow\":[]}"},
	{LB_KEY_NETWORK, 't', "onn", NULL},
	{LB_KEY_NETWORK, 't', "http://a.b", NULL},
	{LB_KEY_NETWORK, 'j', "true", NULL},
	{LB_KEY_NETWORK, 'j', "{}", NULL},
	{LB_KEY_NETWORK, 'j', "[1]", NULL},
	{LB_KEY_NETWORK, 'j', "{\"allow\":\"a.b\"}", NULL},
	{LB_KEY_NETWORK, 'j', "{\"allow\":[\"a.b\"],\"deny\":[]}", NULL},
	{LB_KEY_NETWORK, 'j', "{\"allow\":[\"*\"]}", NULL},
	{LB_KEY_MODEL, 't', "p/m", "{\"primary\":\"p/m\"}"},
	{LB_KEY_MODEL, 't', "{primary: p/m}", "{\"primary\":\"p/m\"}"},
	{LB_KEY_MODEL, 'j', "{\"fallbacks\":[],\"reasoning\":{}}",
	 "{\"fallbacks\":[],\"reasoning\":{}}"},
	{LB_KEY_MODEL, 'j', "{\"fallbacks\":[\"a\"]}",
	 "{\"fallbacks\":[\"a\"]}"},
	{LB_KEY_MODEL, 'j', "{\"fallbacks\":\"a\"}", NULL},
	{LB_KEY_MODEL, 'j', "{\"reasoning\":{\"a\":\"high\"}}",
	 "{\"reasoning\":{\"a\":\"high\"}}"},
	{LB_KEY_MODEL, 'j', "{\"reasoning\":{\"a\":\"deep\"}}", NULL},
	{LB_KEY_MODEL, 'j', "{\"reasoning\":{\"effort\":1}}", NULL},
	{LB_KEY_MODEL, 'j', "{\"primary\":1}", NULL},
	{LB_KEY_MODEL, 'j', "{\"backup\":\"a\"}", NULL},
	{LB_KEY_MESSAGES, 't', "[{role: user, content: hi}]",
	 "[{\"content\":\"hi\",\"role\":\"user\"}]"},
	{LB_KEY_MESSAGES, 'j', "[]", "[]"},
	{LB_KEY_MESSAGES, 'j', "[{\"role\":\"tool\",\"content\":\"x\"}]", NULL},
	{LB_KEY_MESSAGES, 'j', "[{\"role\":\"user\"}]", NULL},
	{LB_KEY_MESSAGES, 'j', "\"\"", NULL},
	{LB_KEY_MESSAGES, 'j', "\"hi\"",
	 "[{\"content\":\"hi\",\"role\":\"system\"}]"},
	{LB_KEY_MESSAGES, 't', "Be: a, pirate",
	 "[{\"content\":\"Be: a, pirate\",\"role\":\"system\"}]"},
	{LB_KEY_MESSAGES, 't', " - role: user\n   content: hi",
	 "[{\"content\":\"hi\",\"role\":\"user\"}]"},
	{LB_KEY_MESSAGES, 't', "[hi]", NULL},
};

/* What a duration or a size comes to. */
static const struct amount {
	enum lb_key_type type;
	const char *json;
	int64_t expected;
} amounts[] = {
	{LB_KEY_DURATION, "\"1.5s\"", 1500},
	{LB_KEY_DURATION, "2", 2000},
	{LB_KEY_DURATION, "0.25", 250},
	{LB_KEY_DURATION, "\"5m\"", 300000},
	{LB_KEY_DURATION, "\"none\"", INT64_MAX},
	{LB_KEY_SIZE, "\"2k\"", 2048},
	{LB_KEY_SIZE, "7", 7},
};

static const struct plain {
	const char *text, *expected;
} plains[] = {
	{"", "null"},           {"~", "null"},
	{"Null", "null"},       {"nULL", "\"nULL\""},
	{"True", "true"},       {"yes", "\"yes\""},
	{"0o17", "15"},         {"0x1F", "31"},
	{"0x", "\"0x\""},       {"+12", "12"},
	{"012", "12"},          {"1_000", "\"1_000\""},
	{"-", "\"-\""},         {".", "\".\""},
	{"1.", "1.0"},          {"1e3", "1000.0"},
	{"1e", "\"1e\""},       {"12:30", "\"12:30\""},
	{"1.2.3", "\"1.2.3\""}, {"2026-01-01", "\"2026-01-01\""},
};

static size_t n, bad;

static void ok(bool good, const char *what, const char *input, const char *got)
{
	n++;
	bad += !good;
	printf("%sok %zu - %s of '%s'\n", good ? "" : "not ", n, what, input);
	if (!good)
		printf("# got %s\n", got);
}

static char *dump(const json_t *value)
{
	char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY |
						       JSON_SORT_KEYS)
			   : NULL;

	return text ? text : strdup("nothing");
}

static void test_row(const struct row *row)
{
	struct lb_error err = {0};
	const struct lb_key *key = &keys[row->type];
	json_t *in = NULL, *out;
	char *got;

	if (row->from == 'j') {
		in = json_loads(row->input, JSON_DECODE_ANY, NULL);
		out = lb_coerce(key, in, &err);
	} else {
		out = lb_coerce_text(key, row->input, &err);
	}
	got = dump(out);
	ok(row->expected ? strcmp(got, row->expected) == 0
			 : !out && err.code == LB_CONFIG && *err.text,
	   "the value", row->input, got);
	free(got);
	json_decref(in);
	json_decref(out);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		test_row(&rows[i]);
	for (size_t i = 0; i < sizeof(amounts) / sizeof(amounts[0]); i++) {
		json_t *in = json_loads(amounts[i].json, JSON_DECODE_ANY, NULL);
		int64_t v = lb_coerced_amount(&keys[amounts[i].type], in);
		char got[32];

		snprintf(got, sizeof(got), "%lld", (long long)v);
		ok(v == amounts[i].expected, "the amount", amounts[i].json,
		   got);
		json_decref(in);
	}
	for (size_t i = 0; i < sizeof(plains) / sizeof(plains[0]); i++) {
		json_t *value = lb_yaml_plain(plains[i].text);
		char *got = dump(value);

		ok(strcmp(got, plains[i].expected) == 0, "the plain scalar",
		   plains[i].text, got);
		free(got);
		json_decref(value);
	}
	printf("1..%zu\n", n);
	return bad > 0;
}
