/*
 * test-config - what programs ask of a configuration, in a folder of its own.
 * Prints TAP.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "config/config.h"
#include "config/yaml.h"

static char folder[] = "/tmp/lb-test-XXXXXX";
static int n, bad;

static void ok(bool good, const char *what)
{
	n++;
	bad |= !good;
	printf("%sok %d - %s\n", good ? "" : "not ", n, what);
}

static bool same(const char *got, const char *expected)
{
	if (got && strcmp(got, expected) == 0)
		return true;
	printf("# expected '%s', got '%s'\n", expected, got ? got : "NULL");
	return false;
}

/* A file of the test's folder that holds text; its path. */
static const char *file(const char *name, const char *text)
{
	static char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		exit(99);
	return path;
}

static struct lb_config *load(const char *text, struct lb_error *err)
{
	setenv("LB_CONFIG", file("config.yaml", text), 1);
	return lb_config_load(NULL, err);
}

static void test_values(void)
{
	struct lb_error err = {0};
	struct lb_config *c =
		load("llm: {connect-timeout: 1500ms, idle-timeout: none}\n"
		     "providers: {p: {idle-timeout: 2m, api-keys: env:K}}\n"
		     "bots: {b: {pipeline: q}, \"-\": {stream: false}}\n"
		     "pipelines: {q: {ai: {local-agent: {model: p/m}}}}\n",
		     &err);
	const json_t *p, *q;

	ok(c != NULL, "a file loads");
	if (!c)
		return;
	p = lb_config_provider(c, "p");
	q = lb_config_pipeline(c, "q");
	ok(lb_config_ms(c, "llm.connect-timeout") == 1500 &&
		   lb_config_ms(c, "llm.first-byte-timeout") == 120000 &&
		   lb_config_ms(c, "llm.idle-timeout") == INT64_MAX,
	   "durations are ms, defaults too, and none is no limit");
	ok(lb_config_int(c, "concurrency.pipeline") == 20,
	   "a whole number not set is its default");
	ok(same(lb_config_str(c, "llm.model"), ""), "so is a text");
	ok(json_integer_value(json_object_get(p, "idle-timeout")) == 120000,
	   "durations of a provider are ms");
	ok(!json_object_get(p, "connect-timeout"),
	   "a key without a default is not there");
	ok(lb_json_path(q, "ai.local-agent.max-round") &&
		   same(json_string_value(
				lb_json_path(q,
					     "ai.local-agent.model.primary")),
			"p/m"),
	   "a pipeline has its own values and the defaults");
	ok(same(lb_json_str(lb_config_bot(c, "b"), "adapter"), "stdout") &&
		   !lb_json_bool(lb_config_bot(c, "-"), "stream", true),
	   "bots have defaults, and bot - can be told");
	ok(!lb_config_bot(c, "none") && !lb_config_pipeline(c, "none") &&
		   !lb_config_provider(c, "none"),
	   "what is not there is NULL");
	ok(lb_config_pipeline(c, "default") != NULL &&
		   lb_config_pipeline(c, "q") == q,
	   "pipeline default is there; asking twice gives one value");
	ok(json_object_size(lb_config_section(c, "bots")) == 2,
	   "a section is as written");
	lb_config_close(c);
}

static void test_secrets(void)
{
	static const struct row {
		const char *value, *expected, *error;
	} rows[] = {
		{"plain text", "plain text", NULL},
		{"env:LB_TEST_SECRET", "from the environment", NULL},
		{"env:LB_TEST_NONE", NULL,
		 "environment variable 'LB_TEST_NONE' is not set"},
		{"cmd:printf 'one\\ntwo'", "one", NULL},
		{"cmd:true", NULL,
		 "what the command of a secret says is empty"},
		{"cmd:exit 3", NULL,
		 "the command of a secret: '/bin/sh' exited 3"},
		{"file:relative", NULL,
		 "secret file 'relative' is not an absolute path"},
		{"file:/nonexistent", NULL,
		 "secret file: cannot open '/nonexistent': No such file or "
		 "directory"},
	};
	struct lb_error err;
	lb_autofree char *path = NULL, *got = NULL;

	setenv("LB_TEST_SECRET", "from the environment", 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		lb_autofree char *secret =
			lb_config_secret(rows[i].value, &err);

		ok(rows[i].expected ? same(secret, rows[i].expected)
				    : !secret && err.code == LB_CONFIG &&
					      same(err.text, rows[i].error),
		   rows[i].value);
	}
	path = lb_printf("file:%s", file("secret", "first\r\nsecond\n"));
	got = lb_config_secret(path, &err);
	ok(same(got, "first"), "the first line of a file");
}

static void test_places(void)
{
	struct lb_error err;
	lb_autofree char *own = NULL, *xdg = NULL, *home = NULL, *none = NULL;

	setenv("HOME", "/tmp", 1);
	setenv("LB_STATE", "/own", 1);
	own = lb_config_state(&err);
	setenv("LB_STATE", "", 1);
	setenv("XDG_STATE_HOME", "/xdg", 1);
	xdg = lb_config_state(&err);
	setenv("XDG_STATE_HOME", "relative", 1);
	home = lb_config_state(&err);
	unsetenv("HOME");
	none = lb_config_state(&err);
	ok(same(own, "/own"), "LB_STATE comes first");
	ok(same(xdg, "/xdg/lb"), "an empty LB_STATE is none");
	ok(same(home, "/tmp/.local/state/lb"),
	   "a relative XDG_STATE_HOME is ignored");
	ok(!none && err.code == LB_CONFIG, "without HOME it is an error");
	ok(lb_config_max_line() == 16 << 20, "a line has at most 16 MiB");
	setenv("LB_MAX_LINE", "64k", 1);
	ok(lb_config_max_line() == 65536, "LB_MAX_LINE sets that");
}

static void test_bounds(void)
{
	struct lb_error err = {0};
	json_t *value = lb_yaml_load(file("y.yaml", "a: [1, b]\n"), 100, &err);

	ok(lb_json_path(value, "a.0") != NULL, "any YAML file can be read");
	json_decref(value);
	ok(!lb_yaml_load(file("y.yaml", "a: 1234567\n"), 5, &err) &&
		   err.code == LB_DATA,
	   "but none longer than said");
	ok(!lb_yaml_load(file("y.yaml", "a: [\n"), 100, &err) &&
		   err.code == LB_DATA && strstr(err.text, "y.yaml:2: "),
	   "nor what is not YAML, with its line");
}

/* The promise is "well under a millisecond"; this only sees a blunder. */
static void test_speed(void)
{
	struct lb_error err;
	int64_t from = lb_clock_mono();

	setenv("LB_CONFIG", "/dev/null", 1);
	for (int i = 0; i < 100; i++)
		lb_config_close(lb_config_load(NULL, &err));
	ok(lb_clock_mono() - from < 1000,
	   "100 loads of nothing take no second");
}

int main(void)
{
	lb_autofree char *clean = NULL;

	if (!mkdtemp(folder))
		return 99;
	unsetenv("LB_MODEL");
	unsetenv("LB_MAX_LINE");
	test_values();
	test_secrets();
	test_places();
	test_bounds();
	test_speed();
	clean = lb_printf("rm -rf %s", folder);
	ok(system(clean) == 0, "the folder goes");
	printf("1..%d\n", n);
	return bad;
}
