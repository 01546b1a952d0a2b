/*
 * test-reader - what real gateways send, and what must come of it. Each answer
 * is fed whole, one byte at a time and cut in two at every place; the events
 * must be the same. Prints TAP.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "llm/calls.h"
#include "llm/reader.h"

#define D(text) "data: {\"choices\":[{\"index\":0,\"delta\":" text "}]}\n\n"
#define T(text) D("{\"content\":\"" text "\"}")
#define DONE "data: [DONE]\n\n"
#define CALL(rest)                                                             \
	"data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[" rest    \
	"]}}]}\n\n"
#define STOP                                                                   \
	"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"

struct row {
	const char *what;
	const char *input;
	/*
	 * t(text) r(reasoning) c(id name arguments) u(in,out,cached)
	 * end(finish) fail(code)
	 */
	const char *expected;
	bool strict;
	size_t len; /* of the input; 0: up to its NUL */
};

#define NUL_BEHIND                                                             \
	"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\0\0\n\n" DONE

static size_t len_of(const struct row *row)
{
	return row->len ? row->len : strlen(row->input);
}

static const struct row rows[] = {
	{"a frame with a NUL behind it is no JSON, and skipped", NUL_BEHIND,
	 "fail(malformed)", false, sizeof(NUL_BEHIND) - 1},
	{"a plain stream", T("Hel") T("lo") STOP DONE, "t(Hello) end(stop)",
	 false},
	{"llm-01: calls without an index: a new id is a new call",
	 CALL("{\"id\":\"a1\",\"type\":\"function\",\"function\":{\"name\":"
	      "\"clock\",\"arguments\":\"{}\"}}") "data: "
						  "{\"choices\":[{\"index\":0,"
						  "\"delta\":{\"tool_calls\":["
						  "{\"id\":\"b2\",\"type\":"
						  "\"function\",\"function\":{"
						  "\"name\":"
						  "\"dice\",\"arguments\":\"{"
						  "\\\"n\\\":6}\"}}]},"
						  "\"finish_reason\":\"tool_"
						  "calls\"}]}\n\n" DONE,
	 "c(a1 clock {}) c(b2 dice {\"n\":6}) end(tool_calls)", false},
	{"calls without an index or id: the last one grows",
	 CALL("{\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":"
	      "\"{\\\"x\\\":\"}}") CALL("{\"function\":{\"arguments\":\"1}\"}}")
		 STOP DONE,
	 "c(a f {\"x\":1}) end(stop)", false},
	{"several calls without index or id: by position",
	 CALL("{\"function\":{\"name\":\"f\",\"arguments\":\"[1\"}},"
	      "{\"function\":{\"name\":\"g\",\"arguments\":\"[2\"}}")
		 CALL("{\"function\":{\"arguments\":\"]\"}},"
		      "{\"function\":{\"arguments\":\"]\"}}") STOP DONE,
	 "c(? f [1]) c(? g [2]) end(stop)", false},
	{"index 0 for every call, but new ids",
	 CALL("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\"}}") CALL(
		 "{\"index\":0,\"id\":\"b\",\"function\":{\"name\":\"g\"}}")
		 STOP DONE,
	 "c(a f {}) c(b g {}) end(stop)", false},
	{"interleaved pieces by index",
	 CALL("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\","
	      "\"arguments\":\"{\"}},{\"index\":1,\"id\":\"b\",\"function\":"
	      "{\"name\":\"g\",\"arguments\":\"[\"}}")
		 CALL("{\"index\":1,\"function\":{\"arguments\":\"]\"}}")
			 CALL("{\"index\":0,\"function\":{\"arguments\":"
			      "\"}\"}}") STOP DONE,
	 "c(a f {}) c(b g []) end(stop)", false},
	{"arguments as an object",
	 CALL("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\","
	      "\"arguments\":{\"x\":1}}}") STOP DONE,
	 "c(a f {\"x\":1}) end(stop)", false},
	{"llm-03: empty, blank and null arguments are an empty object",
	 "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":null,"
	 "\"tool_calls\":[{\"id\":\"t1\",\"type\":\"function\",\"function\":{"
	 "\"name\":\"now\",\"arguments\":\"\"}},{\"id\":\"t2\",\"function\":{"
	 "\"name\":\"b\",\"arguments\":\" \\n\"}},{\"id\":\"t3\",\"function\":"
	 "{\"name\":\"c\",\"arguments\":null}},{\"id\":\"t4\",\"function\":{"
	 "\"name\":\"d\",\"arguments\":\"null\"}}]},"
	 "\"finish_reason\":\"tool_calls\"}]}",
	 "c(t1 now {}) c(t2 b {}) c(t3 c {}) c(t4 d {}) end(tool_calls)",
	 false},
	{"llm-05: no choices in the chunk of the usage",
	 T("Hi") "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,"
		 "\"completion_tokens\":1,\"total_tokens\":4}}\n\n" DONE,
	 "t(Hi) u(3,1,-1) end(stop)", false},
	{"no choices in the first chunk",
	 "data: {\"choices\":[],\"prompt_filter_results\":[]}\n\n" T("Hi") DONE,
	 "t(Hi) end(stop)", false},
	{"usage as text and as reals, with what was cached",
	 T("a") "data: {\"choices\":[{\"delta\":{}}],\"usage\":{"
		"\"prompt_tokens\":\"12\",\"completion_tokens\":3.0,"
		"\"prompt_tokens_details\":{\"cached_tokens\":5}}}\n\n" DONE,
	 "t(a) u(12,3,5) end(stop)", false},
	{"llm-06: no blank after the colon",
	 "data:{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ok\"},"
	 "\"finish_reason\":\"stop\"}]}\n\ndata:[DONE]\n\n",
	 "t(ok) end(stop)", false},
	{"sse-07: comments before, between and behind frames",
	 ": PROCESSING\n\n:ping\n" T("x") ": cost=0.01\n" DONE,
	 "t(x) end(stop)", false},
	{"sse-08: a comment wrapped as data is skipped",
	 "data: : PROCESSING\n\n" T("y") DONE, "t(y) end(stop)", false},
	{"... and is an error when strict",
	 "data: : PROCESSING\n\n" T("y") DONE, "fail(malformed)", true},
	{"sse-10: CRLF, cut anywhere",
	 "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}"
	 "\r\n\r\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":"
	 "\"b\"}}]}\r\n\r\ndata: [DONE]\r\n\r\n",
	 "t(ab) end(stop)", false},
	{"lone CR, and a BOM first",
	 "\xef\xbb\xbf"
	 "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\r\rdata: "
	 "[DONE]\r\r",
	 "t(a) end(stop)", false},
	{"sse-11: cut: neither a finish reason nor [DONE]", T("The answer is"),
	 "t(The answer is) fail(truncated)", false},
	{"sse-12: a finish reason without [DONE] is enough",
	 "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"done\"},"
	 "\"finish_reason\":\"stop\"}]}\n\n",
	 "t(done) end(stop)", false},
	{"[DONE] without a finish reason is enough", T("done") DONE,
	 "t(done) end(stop)", false},
	{"an unknown finish reason ends it too",
	 "data: {\"choices\":[{\"delta\":{\"content\":\"z\"},"
	 "\"finish_reason\":\"eos\"}]}\n\n",
	 "t(z) end(eos)", false},
	{"the last frame lacks its blank line",
	 T("q") "data: {\"choices\":[{\"delta\":{},\"finish_reason\":"
		"\"stop\"}]}",
	 "t(q) end(stop)", false},
	{"llm-13: an error object with status 200",
	 "{\"error\":{\"code\":429,\"message\":\"upstream busy\"}}",
	 "fail(rate)", false},
	{"an error in the first choice",
	 "{\"choices\":[{\"error\":{\"code\":502,\"message\":\"x\"}}]}",
	 "fail(overloaded)", false},
	{"an error inside the stream, after text",
	 T("Part") "data: {\"error\":{\"message\":\"boom\",\"type\":"
		   "\"server_error\"}}\n\n",
	 "t(Part) fail(overloaded)", false},
	{"context length by its code",
	 "{\"error\":{\"code\":\"context_length_exceeded\",\"message\":\"m\"}}",
	 "fail(context_length)", false},
	{"a null error is none",
	 "{\"error\":null,\"choices\":[{\"message\":{\"content\":\"k\"},"
	 "\"finish_reason\":\"stop\"}]}",
	 "t(k) end(stop)", false},
	{"llm-17: think tags over deltas, words that look like tags",
	 T("<th") T("ink>secret</t") T("hink>\\n\\nHi <thead> 1 <") T("2")
		 STOP DONE,
	 "r(secret) t(Hi <thead> 1 <2) end(stop)", false},
	{"a '<' at the very end is text", T("1 <") STOP DONE,
	 "t(1 <) end(stop)", false},
	{"<<think> and <think-tank>",
	 T("<<think>x</think>y <think-tank>") STOP DONE,
	 "t(<) r(x) t(y <think-tank>) end(stop)", false},
	{"thinking that never ends is no answer", T("<think>hmm") STOP DONE,
	 "r(hmm) fail(truncated)", false},
	{"reasoning in fields of its own",
	 D("{\"reasoning_content\":\"a\"}") D("{\"reasoning\":\"b\"}") D(
		 "{\"reasoning_details\":[{\"text\":\"c\"}]}") T("d") STOP DONE,
	 "r(abc) t(d) end(stop)", false},
	{"content as parts",
	 D("{\"content\":[{\"type\":\"text\",\"text\":\"a\"},\"b\"]}")
		 STOP DONE,
	 "t(ab) end(stop)", false},
	{"a whole message in a stream",
	 "data: {\"choices\":[{\"message\":{\"content\":\"w\"},"
	 "\"finish_reason\":\"stop\"}]}\n\n",
	 "t(w) end(stop)", false},
	{"one JSON value although a stream was asked for",
	 " {\"choices\":[{\"message\":{\"content\":\"v\"},"
	 "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1,"
	 "\"completion_tokens\":2}}\n",
	 "t(v) u(1,2,-1) end(stop)", false},
	{"blanks around a mark of byte order",
	 " \n\xef\xbb\xbf\r\n {\"choices\":[{\"message\":{\"content\":"
	 "\"v\"}}]}",
	 "t(v) end(stop)", false},
	{"blanks before a stream", "\n\n \n" T("b") STOP, "t(b) end(stop)",
	 false},
	{"half a mark of byte order", " \xef\xbb", "fail(truncated)", false},
	{"a JSON value that is cut", "{\"choices\":[{\"mess", "fail(malformed)",
	 false},
	{"a web page", "<!DOCTYPE html><html>sign in</html>", "fail(malformed)",
	 false},
	{"nothing at all", "", "fail(malformed)", false},
	{"only comments", ": ping\n\n: ping\n\n", "fail(truncated)", false},
	{"an empty answer", STOP DONE, "fail(malformed)", false},
	{"an answer without choices", "{\"object\":\"x\"}", "fail(malformed)",
	 false},
	{"content filtered",
	 T("no") "data: {\"choices\":[{\"delta\":{},"
		 "\"finish_reason\":\"content_filter\"}]}"
		 "\n\n",
	 "t(no) fail(content_filter)", false},
	{"wire-01: lone surrogates are mended",
	 D("{\"content\":\"ok \\ud83d!\"}") STOP DONE,
	 "t(ok \xef\xbf\xbd!) end(stop)", false},
	{"characters of four bytes, cut anywhere",
	 T("\xf0\x9f\x98\x80") STOP DONE, "t(\xf0\x9f\x98\x80) end(stop)",
	 false},
	{"escapes of all kinds",
	 T("a\\n\\t\\\"\\\\\\/\\b\\f\\r|") T("\\u4f60\\ud83d\\ude00") STOP DONE,
	 "t(a\n\t\"\\/\b\f\r|\xe4\xbd\xa0\xf0\x9f\x98\x80) end(stop)", false},
	{"a frame that only begins like one is skipped",
	 T("a") "data: {\"choices\":[{\"delta\":{\"content\":\"b\"}}]} x\n\n"
		"data: {\"choices\":[{\"delta\":{\"content\":\"c\"}}]\n\n"
		"data: {\"n\":01,\"choices\":[{\"delta\":{\"content\":"
		"\"d\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":"
		"\"e\tf\"}}]}\n\n" T("g") STOP DONE,
	 "t(ag) end(stop)", false},
	{"members that say nothing are passed over, in any order",
	 "data: {\"x\":1.5e3,\"choices\":[{\"finish_reason\":null,\"delta\":{"
	 "\"role\":\"assistant\",\"content\":\"a\",\"refusal\":null,"
	 "\"tool_calls\":null,\"reasoning\":null},\"logprobs\":null}],"
	 "\"usage\":null,\"error\":null,\"obfuscation\":\"x\\u0001\"}\n\n"
	 "data: { \"choices\" : [ { \"delta\" : { \"content\" : \"b\" } , "
	 "\"index\" : 0 } ] , \"n\" : -1 , \"t\" : true }\n\n" STOP DONE,
	 "t(ab) end(stop)", false},
	{"two choices: the first is the answer",
	 "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}},{\"delta\":{"
	 "\"content\":\"b\"}}]}\n\n" STOP DONE,
	 "t(a) end(stop)", false},
	{"a member twice: the last counts",
	 "data: {\"choices\":[{\"delta\":{\"content\":\"a\",\"content\":"
	 "\"b\"}}]}\n\n" STOP DONE,
	 "t(b) end(stop)", false},
	{"nothing after [DONE] counts", T("a") DONE T("b") STOP,
	 "t(a) end(stop)", false},
};

struct got {
	char text[1024];
	size_t len;
	char last; /* of the piece before: t or r run together */
};

static void add(struct got *g, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void add(struct got *g, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(g->text + g->len, sizeof(g->text) - g->len, fmt, args);
	va_end(args);
	g->len = strlen(g->text);
}

/* Pieces of one channel are one, wherever they were cut. */
static void add_piece(struct got *g, char channel, const char *text, size_t len)
{
	if (g->last == channel)
		g->text[--g->len] = '\0';
	else
		add(g, "%s%c(", g->len ? " " : "", channel);
	add(g, "%.*s)", (int)len, text);
	g->last = channel;
}

/* An id that was made up is another each time. */
static const char *id_of(const char *id)
{
	return strlen(id) == LB_CALL_ID_SIZE - 1 ? "?" : id;
}

static void on_event(void *arg, const struct lb_llm_event *e)
{
	struct got *g = arg;
	const char *gap = g->len ? " " : "";

	if (e->kind == LB_LLM_KEEP)
		return; /* test-wire.c has those */
	if (e->kind == LB_LLM_TEXT || e->kind == LB_LLM_REASONING) {
		add_piece(g, e->kind == LB_LLM_TEXT ? 't' : 'r', e->text,
			  e->len);
		return;
	}
	g->last = 0;
	if (e->kind == LB_LLM_TOOL_CALL)
		add(g, "%sc(%s %s %s)", gap, id_of(e->call_id), e->name,
		    e->text);
	else if (e->kind == LB_LLM_USAGE)
		add(g, "%su(%d,%d,%d)", gap, (int)e->usage.input,
		    (int)e->usage.output, (int)e->usage.cached);
	else if (e->kind == LB_LLM_END)
		add(g, "%send(%s)", gap, e->finish);
	else
		add(g, "%sfail(%s)", gap, lb_code_name(e->code));
}

/* The protocol, or the same without its short cut. */
static struct lb_protocol protocol;

/* Feed the answer cut at `at` (0: not), or a byte at a time (SIZE_MAX). */
static void play(const struct row *row, size_t at, struct got *g)
{
	struct lb_reader *r =
		lb_reader_open(&protocol, row->strict, on_event, g);
	size_t len = len_of(row);

	*g = (struct got){.len = 0};
	for (size_t i = 0; at == SIZE_MAX && i < len; i++)
		if (lb_reader_feed(r, row->input + i, 1) < 0)
			break;
	if (at != SIZE_MAX && lb_reader_feed(r, row->input, at) == 0)
		lb_reader_feed(r, row->input + at, len - at);
	lb_reader_finish(r, LB_CODE_NETWORK, NULL);
	lb_reader_close(r);
}

static bool passes(const struct row *row, struct got *g)
{
	protocol = lb_openai_chat;
	protocol.quick = NULL;
	play(row, SIZE_MAX, g);
	if (strcmp(g->text, row->expected) != 0)
		return false;
	protocol = lb_openai_chat;
	play(row, SIZE_MAX, g);
	if (strcmp(g->text, row->expected) != 0)
		return false;
	for (size_t at = 0; at <= len_of(row); at++) {
		play(row, at, g);
		if (strcmp(g->text, row->expected) != 0)
			return false;
	}
	return true;
}

/* A peer that sends blanks for ever must not cost more with each of them. */
static bool endless_blanks(void)
{
	static char blanks[1024];
	struct got g = {.len = 0};
	struct lb_reader *r =
		lb_reader_open(&lb_openai_chat, false, on_event, &g);

	memset(blanks, ' ', sizeof(blanks));
	alarm(30); /* else it would take many minutes */
	for (int i = 0; i < 65 * 1024; i++)
		if (lb_reader_feed(r, blanks, sizeof(blanks)) < 0)
			break;
	alarm(0);
	lb_reader_close(r);
	return strcmp(g.text, "fail(limit)") == 0;
}

int main(void)
{
	size_t n = sizeof(rows) / sizeof(rows[0]);
	int bad = 0;

	lb_log_level(LB_ERROR);
	printf("1..%zu\n", n + 1);
	for (size_t i = 0; i < n; i++) {
		struct got g;
		bool ok = passes(&rows[i], &g);

		bad |= !ok;
		printf("%sok %zu - %s\n", ok ? "" : "not ", i + 1,
		       rows[i].what);
		if (!ok)
			printf("# expected '%s', got '%s'\n", rows[i].expected,
			       g.text);
	}
	if (!endless_blanks()) {
		bad = 1;
		printf("not ");
	}
	printf("ok %zu - blanks without end\n", n + 1);
	return bad;
}
