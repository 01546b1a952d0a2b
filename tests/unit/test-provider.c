/* test-provider - providers that do as they should, and others. TAP. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "provider/client.h"
#include "provider/names.h"
#include "provider/parameters.h"
#include "tap.h"

#define HELLO "read -r h; echo '{\"version\":1,\"name\":\"t\"}'; "
#define OK(id, text)                                                           \
	"echo '{\"id\":\"" id "\",\"ok\":true,\"content\":\"" text "\"}'; "
#define NO(id, text)                                                           \
	"echo '{\"id\":\"" id "\",\"ok\":false,\"error\":{\"code\":\"c\","     \
	"\"message\":\"" text "\"}}'; "

static struct lb_loop *loop;
static struct lb_guard *guard;

/* What came of a call. */
struct got {
	struct lb_buf text;
	int times;
	bool early; /* before the call that asked returned */
};

static bool asking;

static void on_answer(void *arg, const struct lb_provider_answer *a)
{
	struct got *got = arg;

	got->times++;
	got->early |= asking;
	if (!a->content)
		lb_buf_printf(&got->text, "%s: %s", a->code, a->message);
	else if (json_is_string(a->content))
		lb_buf_puts(&got->text, json_string_value(a->content));
	else
		lb_buf_json(&got->text, a->content);
}

static int changes; /* that were told of */

static void on_changed(void *arg)
{
	(void)arg;
	changes++;
}

static struct lb_provider *open_sh(const char *script, size_t max_line)
{
	const char *const argv[] = {"sh", "-c", script, NULL};
	const char *const env[] = {"PATH=/usr/bin:/bin", "X=y", NULL};

	return lb_provider_open(loop,
				&(struct lb_provider_how){.name = "t",
							  .argv = argv,
							  .env = env,
							  .guard = guard,
							  .max_line = max_line,
							  .hello_ms = 2000,
							  .cancel_ms = 300,
							  .changed =
								  on_changed});
}

static struct lb_provider_call *call(struct lb_provider *p, int64_t timeout_ms,
				     struct got *got)
{
	json_auto_t *none = json_object();
	struct lb_provider_call *c;

	asking = true;
	c = lb_provider_start(p,
			      &(struct lb_provider_request){.name = "x",
							    .arguments = none,
							    .context = none,
							    .timeout_ms =
								    timeout_ms},
			      on_answer, got);
	asking = false;
	return c;
}

static void wait_for(struct got *got)
{
	int64_t until = lb_clock_mono() + 20000;

	while (got->times == 0 && lb_clock_mono() < until)
		lb_loop_turn(loop, 100);
}

static void wait_ms(int64_t ms)
{
	int64_t until = lb_clock_mono() + ms;

	while (lb_clock_mono() < until)
		lb_loop_turn(loop, 20);
}

struct row {
	const char *what, *script;
	int calls;
	int64_t timeout_ms;
	size_t max_line;
	const char *want; /* of each, '|' between */
};

static const struct row rows[] = {
	{"an answer", HELLO "read -r l; " OK("1", "hi") "cat", 1, 5000, 0,
	 "hi"},
	{"no answer to what was not asked, none twice",
	 HELLO "read -r l; read -r l; " OK("9", "no") OK("2", "b") OK("2", "B")
		 OK("1", "a") "cat",
	 2, 5000, 0, "a|b"},
	{"rubbish between answers is left out",
	 HELLO "echo rubbish; echo '[1]'; echo '{'; echo '{\"id\":7}'; "
	       "printf '\\000\\377\\n'; read -r l; " OK("1", "hi") "cat",
	 1, 5000, 0, "hi"},
	{"rubbish before hello, too",
	 "echo rubbish; " HELLO "read -r l; " OK("1", "hi") "cat", 1, 5000, 0,
	 "hi"},
	{"a refusal", HELLO "read -r l; " NO("1", "not you") "cat", 1, 5000, 0,
	 "c: not you"},
	{"an answer that is none",
	 HELLO "read -r l; echo '{\"id\":\"1\",\"ok\":true,\"content\":7}'; "
	       "echo '{\"id\":\"2\"}'; cat",
	 2, 5000, 0,
	 "malformed: 'content' is neither a text nor an array|malformed: "
	 "'ok' is neither true nor false"},
	{"one that dies takes its calls with it",
	 HELLO "read -r l; read -r l; " OK("2", "b") "exit 3", 2, 5000, 0,
	 "tool: provider 't': it exited 3|b"},
	{"one that is killed", HELLO "read -r l; kill -9 $$", 1, 5000, 0,
	 "tool: provider 't': it died by signal 9"},
	{"one that closes its output", HELLO "read -r l; exec >&-; sleep 60", 1,
	 5000, 0, "tool: provider 't': it closed its output"},
	{"one that dies while a child holds its output",
	 HELLO "read -r l; sleep 60 & " OK("1", "hi") "exit 3", 2, 5000, 0,
	 "hi|tool: provider 't': it exited 3"},
	{"one that is not there to hear hello", "exit 4", 1, 5000, 0,
	 "tool: provider 't': it exited 4"},
	{"one that is silent", "sleep 60", 1, 5000, 0,
	 "tool: provider 't': it did not answer hello in time "
	 "(does it flush each line?)"},
	{"one of another version", "read -r h; echo '{\"version\":2}'; cat", 1,
	 5000, 0,
	 "tool: provider 't': it does not speak version 1 of lb-provider(7)"},
	{"a line that is too long",
	 HELLO "read -r l; head -c 3000 /dev/zero |"
	       " tr '\\000' x; sleep 60",
	 1, 5000, 2000, "tool: provider 't': it wrote a line that is too long"},
	{"a call that is too long to be made", HELLO "cat > /dev/null", 1, 5000,
	 40, "limit: the call is longer than a line may be"},
	{"no more than it may get of our environment",
	 HELLO "read -r l; printf '{\"id\":\"1\",\"ok\":true,\"content\":\"%s"
	       "\"}\\n' \"$X$HOME$LB_SECRET\"; cat",
	 1, 5000, 0, "y"},
	{"time runs out, and another call is answered",
	 HELLO
	 "read -r a; read -r b; " OK("2",
				     "b") "read -r c; " NO("1",
							   "cancelled") "cat",
	 2, 400, 0, "timeout: there was no answer in time|b"},
	{NULL, NULL, 0, 0, 0, NULL},
};

static void test_row(const struct row *row)
{
	struct lb_provider *p = open_sh(row->script, row->max_line);
	struct got got[2] = {0};
	lb_autobuf struct lb_buf all = {0};
	bool once = true;

	for (int i = 0; i < row->calls; i++)
		call(p, row->timeout_ms, &got[i]);
	for (int i = 0; i < row->calls; i++) {
		wait_for(&got[i]);
		once &= got[i].times == 1 && !got[i].early;
		lb_buf_printf(&all, "%s%s", i ? "|" : "",
			      lb_buf_str(&got[i].text));
	}
	lb_provider_close(p, lb_clock_mono() + 50);
	tap_same(row->want, lb_buf_str(&all), row->what);
	tap_ok(once && got[0].times == 1, "each is told once, and not early");
	lb_buf_release(&got[0].text);
	lb_buf_release(&got[1].text);
}

/* A line of nearly 16 MiB is an answer like any other. */
static void test_long(void)
{
	struct lb_provider *p =
		open_sh(HELLO "read -r l; printf '{\"id\":\"1\",\"ok\":true,"
			      "\"content\":\"'; head -c 16000000 /dev/zero |"
			      " tr '\\000' x; echo '\"}'; cat",
			0);
	struct got got = {0};

	call(p, 15000, &got);
	wait_for(&got);
	tap_ok(got.text.len == 16000000, "a line of 16 MB");
	lb_provider_close(p, lb_clock_mono() + 50);
	lb_buf_release(&got.text);
}

/* The process whose number is in a file. One that nobody waited for is dead. */
static bool is_alive(const char *file)
{
	lb_autofree char *text = NULL, *stat = NULL, *of = NULL;
	struct lb_error err;
	size_t len;

	if (lb_path_read(file, 100, &text, &len, &err) < 0)
		return true;
	of = lb_printf("/proc/%ld/stat", strtol(text, NULL, 10));
	return lb_path_read(of, 4096, &stat, &len, &err) == 0 &&
	       !strstr(stat, ") Z");
}

/* Who ignores cancel is killed with its children, and starts anew. */
static void test_ignores_cancel(const char *folder)
{
	lb_autofree char *child = lb_printf("%s/child", folder);
	lb_autofree char *script =
		lb_printf(HELLO
			  "sleep 1000 & echo $! > '%s'; "
			  "while read -r l; do case $l in "
			  "*'\"id\":\"3\"'*) " OK("3", "new") ";; esac; done",
			  child);
	struct lb_provider *p = open_sh(script, 0);
	struct got got[3] = {0};
	struct lb_provider_call *c = call(p, 20000, &got[0]);

	call(p, 20000, &got[1]);
	wait_ms(200);
	lb_provider_cancel(c);
	wait_for(&got[1]);
	tap_same("tool: provider 't': it does not end a call that was "
		 "cancelled",
		 lb_buf_str(&got[1].text), "who ignores cancel is killed");
	tap_ok(got[0].times == 0, "a cancelled call has no answer");
	for (int i = 0; i < 100 && is_alive(child); i++)
		wait_ms(20); /* a signal takes its time */
	tap_ok(!is_alive(child), "its children are, too");
	call(p, 20000, &got[2]);
	wait_for(&got[2]);
	tap_same("new", lb_buf_str(&got[2].text), "it starts again");
	lb_provider_close(p, lb_clock_mono() + 50);
	for (int i = 0; i < 3; i++)
		lb_buf_release(&got[i].text);
}

/* Pauses double; what would wait too long fails at once. */
static void test_backoff(void)
{
	struct lb_provider *p = open_sh("exit 1", 0);
	struct got got[5] = {0};
	int64_t began = lb_clock_mono(), at[5];

	for (int i = 0; i < 5; i++) {
		call(p, 20000, &got[i]);
		wait_for(&got[i]);
		at[i] = lb_clock_mono() - began;
	}
	tap_ok(at[0] < 900 && at[1] >= 1000 && at[2] >= 3000 && at[3] >= 7000 &&
		       at[3] < 12000,
	       "it starts after 1, 2 and 4 s");
	tap_ok(at[4] - at[3] < 900, "what would wait longer fails at once");
	tap_same("tool: provider 't' does not run", lb_buf_str(&got[4].text),
		 "and says so");
	lb_provider_close(p, lb_clock_mono() + 50);
	for (int i = 0; i < 5; i++)
		lb_buf_release(&got[i].text);
}

static void list(struct lb_provider *p, const char *pipeline, struct got *got)
{
	json_auto_t *none = json_object();

	lb_provider_list(p, pipeline, none, 5000, on_answer, got);
}

/* One request for who asks at once; kept until it changes. */
static void test_list(void)
{
	struct lb_provider *p =
		open_sh(HELLO "n=0; while read -r l; do n=$((n + 1)); "
			      "case $l in *'\"op\":\"call\"'*) "
			      "echo '{\"event\":\"changed\"}'; ;; esac; "
			      "id=${l#*'\"id\":\"'}; id=${id%%'\"'*}; "
			      "echo \"{\\\"id\\\":\\\"$id\\\",\\\"ok\\\":true,"
			      "\\\"content\\\":\\\"\\\",\\\"tools\\\":"
			      "[{\\\"name\\\":\\\"tool$n\\\"}]}\"; done",
			0);
	struct got a = {0}, b = {0}, c = {0}, d = {0};
	const char *want = "[{\"own\":\"tool1\",\"name\":\"t__tool1\",\"spec\":"
			   "{\"type\":\"function\",\"function\":{\"name\":"
			   "\"t__tool1\",\"description\":\"\",\"parameters\":"
			   "{\"type\":\"object\",\"properties\":{}}}}}]";

	tap_ok(!lb_provider_tools(p, "one"), "nothing is known at first");
	list(p, "one", &a);
	list(p, "one", &b);
	list(p, "two", &c);
	wait_for(&a);
	wait_for(&b);
	wait_for(&c);
	tap_same(want, lb_buf_str(&a.text), "a list");
	tap_same(want, lb_buf_str(&b.text), "the same for who asks with it");
	tap_ok(strstr(lb_buf_str(&c.text), "tool2"), "another pipeline's");
	tap_ok(lb_provider_tools(p, "one") && lb_provider_tools(p, "two"),
	       "they are kept");
	changes = 0;
	call(p, 5000, &d);
	wait_for(&d);
	tap_ok(!lb_provider_tools(p, "one"), "until they change");
	tap_ok(changes == 1, "which is told");
	lb_provider_close(p, lb_clock_mono() + 50);
	tap_ok(changes == 1, "its end by us is no change");
	lb_buf_release(&a.text);
	lb_buf_release(&b.text);
	lb_buf_release(&c.text);
	lb_buf_release(&d.text);
}

/* The end of its input: it finishes what it has. */
static void test_end(const char *folder)
{
	lb_autofree char *file = lb_printf("%s/end", folder);
	lb_autofree char *script =
		lb_printf(HELLO
			  "read -r l; " OK("1",
					   "hi") "cat > /dev/null; sleep 0.2; "
						 "echo $$ > '%s'",
			  file);
	struct lb_provider *p = open_sh(script, 0);
	struct got got = {0};

	call(p, 5000, &got);
	wait_for(&got);
	lb_provider_close(p, lb_clock_mono() + 10000);
	tap_ok(access(file, F_OK) == 0, "at the end it may finish");
	tap_ok(!is_alive(file), "and is gone then");
	lb_buf_release(&got.text);
}

static void test_name(const char *provider, const char *name, const char *want)
{
	lb_autobuf struct lb_buf out = {0};

	lb_tool_name(&out, provider, name);
	tap_same(want, lb_buf_str(&out), name);
	tap_ok(lb_tool_name_is_clean(lb_buf_str(&out)), "which is clean");
}

static void test_names(void)
{
	lb_autobuf struct lb_buf a = {0}, b = {0}, told = {0};
	char longer[200];
	json_auto_t *in = json_loads("[{\"name\":\"\"}, 7, {\"name\":\"a.b\","
				     "\"parameters\":{\"required\":[\"x\"]}},"
				     " {\"name\":\"c\",\"parameters\":[]}]",
				     0, NULL);
	json_auto_t *out = lb_tools_read(in, NULL, &told);

	test_name("calc", "add", "calc__add");
	test_name(NULL, "read", "read");
	test_name("my srv", "a.b/c", "my_srv__a_b_c");
	memset(longer, 'x', sizeof(longer));
	longer[199] = '\0';
	lb_tool_name(&a, "p", longer);
	longer[198] = 'y';
	lb_tool_name(&b, "p", longer);
	tap_ok(a.len == 64 && b.len == 64 && strcmp(a.data, b.data) != 0,
	       "long names are cut and stay apart");
	tap_ok(!lb_tool_name_is_clean("a b") && !lb_tool_name_is_clean(""),
	       "names that are not clean");
	tap_ok(json_array_size(out) == 1, "what is no tool is left out");
	tap_same("tool '' is left out: it has no name; "
		 "tool '' is left out: it has no name; "
		 "tool 'c' is left out: its parameters are no object",
		 lb_buf_str(&told), "and said");
	lb_buf_reset(&a);
	lb_buf_json(&a, lb_json_path(out, "0.spec.function.parameters"));
	tap_same("{\"required\":[\"x\"],\"type\":\"object\",\"properties\":{}}",
		 lb_buf_str(&a), "a schema is made whole");
}

/* Two tools are not one because a model API takes no dots and ideographs. */
static void test_apart(void)
{
	lb_autobuf struct lb_buf names = {0}, told = {0};
	json_auto_t *in = json_loads(
		"[{\"name\":\"a.b\"},{\"name\":\"a_b\"},{\"name\":\"c.d\"},"
		"{\"name\":\"\u5929\u6c14\"},{\"name\":\"\u65b0\u95fb\"}]",
		0, NULL);
	json_auto_t *out = lb_tools_read(in, "p", &told);
	const json_t *one;
	size_t i;

	json_array_foreach(out, i, one)
	{
		const json_t *spec = json_object_get(one, "spec");

		lb_buf_printf(&names, "%s ", lb_json_str(one, "name"));
		tap_same(lb_json_str(one, "name"),
			 lb_json_str(json_object_get(spec, "function"), "name"),
			 "a model is told the name");
	}
	tap_same("p__a_b_37d38824 p__a_b p__c_d p_________81667c67 "
		 "p_________8a97bebc ",
		 lb_buf_str(&names), "names that would be one are two");
}

static void test_parameters(void)
{
	static const struct {
		const char *given, *want, *what;
	} schemas[] = {
		{"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":"
		 "\"array\"}}}",
		 "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":"
		 "\"array\","
		 "\"items\":{}}}}",
		 "an array has items"},
		{"{\"properties\":{\"a\":{\"type\":[\"array\",\"null\"],"
		 "\"items\":"
		 "{\"type\":[\"object\",\"null\"]}}}}",
		 "{\"properties\":{\"a\":{\"type\":[\"array\",\"null\"],"
		 "\"items\":"
		 "{\"type\":[\"object\",\"null\"],\"properties\":{}}}},"
		 "\"type\":\"object\"}",
		 "an object has properties, wherever it is"},
		{"{\"type\":\"object\",\"properties\":{\"v\":true,\"w\":false},"
		 "\"additionalProperties\":false}",
		 "{\"type\":\"object\",\"properties\":{\"v\":{},\"w\":{\"not\":"
		 "{}}},"
		 "\"additionalProperties\":false}",
		 "no property is true or false"},
		{"{\"type\":\"object\",\"properties\":{\"c\":{\"anyOf\":[true,"
		 "{\"type\":\"array\",\"items\":false}]}},\"$defs\":{\"d\":"
		 "true}}",
		 "{\"type\":\"object\",\"properties\":{\"c\":{\"anyOf\":[{},"
		 "{\"type\":\"array\",\"items\":{\"not\":{}}}]}},\"$defs\":"
		 "{\"d\":{}}}",
		 "nor is what it refers to"},
		{"{\"type\":\"object\",\"properties\":{\"type\":{\"enum\":["
		 "\"array\"],"
		 "\"default\":{\"type\":\"array\"}}}}",
		 "{\"type\":\"object\",\"properties\":{\"type\":{\"enum\":["
		 "\"array\"],"
		 "\"default\":{\"type\":\"array\"}}}}",
		 "what is no schema stays as it is"},
	};

	for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++) {
		json_auto_t *given = json_loads(schemas[i].given, 0, NULL);
		json_auto_t *got = lb_tool_parameters(given);
		lb_autobuf struct lb_buf text = {0};

		lb_buf_json(&text, got);
		tap_same(schemas[i].want, lb_buf_str(&text), schemas[i].what);
	}
}

int main(void)
{
	char folder[] = "/tmp/test-provider-XXXXXX";
	struct lb_error err;

	signal(SIGPIPE, SIG_IGN);
	setenv("LB_SECRET", "s", 1);
	lb_log_start("test-provider");
	loop = lb_loop_open();
	guard = lb_guard_open(&err);
	if (!guard || !mkdtemp(folder))
		return 99;
	for (const struct row *row = rows; row->what; row++)
		test_row(row);
	test_long();
	test_ignores_cancel(folder);
	test_backoff();
	test_list();
	test_end(folder);
	test_names();
	test_apart();
	test_parameters();
	lb_guard_close(guard);
	lb_loop_close(loop);
	return tap_end();
}
