/* test-heal - turns as any model takes them. Prints TAP. */
#include "store/heal.h"

#include <stdlib.h>

#include "tap.h"

#define U "{\"role\":\"user\",\"content\":\"q\"}"
#define A "{\"role\":\"assistant\",\"content\":\"a\"}"
#define CALL(id, args)                                                         \
	"{\"id\":\"" id "\",\"type\":\"function\",\"function\":{\"name\":"     \
	"\"f\",\"arguments\":" args "}}"
#define CALLS(list)                                                            \
	"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" list "]}"
#define TOOL(id)                                                               \
	"{\"role\":\"tool\",\"tool_call_id\":\"" id "\",\"content\":\"r\"}"

static const struct {
	const char *what, *stored, *mended; /* NULL: as it was */
} rows[] = {
	{"a plain turn", U "," A, NULL},
	{"a call, its result, an answer",
	 U "," CALLS(CALL("1", "\"{\\\"x\\\":1}\"")) "," TOOL("1") "," A, NULL},
	{"two calls, answered in another order",
	 U "," CALLS(CALL("1", "\"{}\"") "," CALL("2", "\"{}\"")) "," TOOL(
		 "2") "," TOOL("1") "," A,
	 U "," CALLS(CALL("1", "\"{}\"") "," CALL("2", "\"{}\"")) "," TOOL(
		 "1") "," TOOL("2") "," A},
	{"a result without its call", U "," TOOL("1") "," A, U "," A},
	{"a result that comes too late",
	 U "," CALLS(CALL("1", "\"{}\"")) "," A "," TOOL("1"), U "," A},
	{"a call without its result", U "," CALLS(CALL("1", "\"{}\"")) "," A,
	 U "," A},
	{"one of two calls is answered",
	 U "," CALLS(CALL("1", "\"{}\"") "," CALL("2", "\"{}\"")) "," TOOL(
		 "2") "," A,
	 U "," CALLS(CALL("2", "\"{}\"")) "," TOOL("2") "," A},
	{"the same id twice",
	 U "," CALLS(CALL("1", "\"{}\"") "," CALL("1", "\"{}\"")) "," TOOL(
		 "1") "," TOOL("1") "," A,
	 U "," CALLS(CALL("1", "\"{}\"")) "," TOOL("1") "," A},
	{"arguments cut by an older program stay valid JSON",
	 U "," CALLS(CALL("1", "\"{\\\"text\\\":\\\"aa\"")) "," TOOL("1") "," A,
	 U "," CALLS(
		 CALL("1",
		      "\"{\\\"truncated\\\":true,\\\"text\\\":\\\"{\\\\\\"
		      "\"text\\\\\\\":\\\\\\\"aa\\\"}\"")) "," TOOL("1") "," A},
	{"arguments that are an object",
	 U "," CALLS(CALL("1", "{\"x\":1}")) "," TOOL("1") "," A,
	 U "," CALLS(CALL("1", "\"{\\\"x\\\":1}\"")) "," TOOL("1") "," A},
	{"no arguments", U "," CALLS(CALL("1", "\"\"")) "," TOOL("1") "," A,
	 U "," CALLS(CALL("1", "\"{}\"")) "," TOOL("1") "," A},
	{"a turn that ends in a result",
	 U "," CALLS(CALL("1", "\"{}\"")) "," TOOL("1"), ""},
	{"a question without an answer", U, ""},
	{"an answer without a question", A, ""},
	{"an empty answer", U ",{\"role\":\"assistant\",\"content\":\"\"}", ""},
	{"roles of others",
	 "{\"role\":\"plugin\",\"content\":\"x\"}," U
	 ",{\"role\":\"command\",\"content\":\"x\"}," A ",7,{}",
	 U "," A},
	{"an image without its data is no part",
	 "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"q\"},"
	 "{\"type\":\"image_base64\",\"image_base64\":null},"
	 "{\"type\":\"image_url\",\"image_url\":{\"url\":\"\"}}]}," A,
	 "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"q\"}]"
	 "}," A},
	{"nothing", "", ""},
};

static void check(const char *what, const char *stored, const char *mended)
{
	lb_autobuf struct lb_buf text = {0}, told = {0}, want = {0};
	json_auto_t *messages = NULL;
	size_t n;

	lb_buf_printf(&text, "[%s]", stored);
	lb_buf_printf(&want, "[%s]", mended ? mended : stored);
	messages = json_loads(text.data, 0, NULL);
	n = lb_heal_turn(messages, &told);
	lb_buf_reset(&text);
	lb_buf_json(&text, messages);
	tap_same(want.data, text.data, what);
	tap_ok((n > 0) == (told.len > 0) && (mended || n == 0),
	       "what was done is told");
	/* what is mended needs no mending */
	tap_ok(lb_heal_turn(messages, &told) == 0, "once is enough");
}

int main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check(rows[i].what, rows[i].stored, rows[i].mended);
	return tap_end();
}
