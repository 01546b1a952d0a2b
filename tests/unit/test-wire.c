/*
 * test-wire - answers of each protocol as its service sends them, in
 * tests/data/llm/PROTOCOL: NAME.sse, .ndjson or .json, and in NAME.events what
 * must come of it. Each is fed whole, one byte at a time and cut in two at
 * every place; the events must be the same. Prints TAP.
 *
 * The cases llm-04 (arguments-cut), llm-14 (overloaded) and llm-18
 * (no-last-newline) are among them.
 *
 * t(text) r(reasoning) c(id name arguments) k(what is to be kept)
 * u(input,output,cached) end(finish) fail(code status message); an id that was
 * made up is a ?.
 */
#include <dirent.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "llm/calls.h"
#include "llm/reader.h"

struct got {
	struct lb_buf text;
	char last; /* of the piece before: t or r run together */
};

static int n_tests;

static const char *id_of(const char *id)
{
	return strlen(id) == LB_CALL_ID_SIZE - 1 ? "?" : id;
}

/* Pieces of one channel are one, wherever they were cut. */
static void add_piece(struct got *g, char channel, const char *text, size_t len)
{
	if (g->last == channel)
		g->text.len--;
	else
		lb_buf_printf(&g->text, "%s%c(", g->text.len ? " " : "",
			      channel);
	for (size_t i = 0; i < len; i++)
		if (text[i] == '\n')
			lb_buf_puts(&g->text, "\\n");
		else
			lb_buf_putc(&g->text, text[i]);
	lb_buf_putc(&g->text, ')');
	g->last = channel;
}

static void on_event(void *arg, const struct lb_llm_event *e)
{
	struct got *g = arg;

	if (e->kind == LB_LLM_TEXT || e->kind == LB_LLM_REASONING) {
		add_piece(g, e->kind == LB_LLM_TEXT ? 't' : 'r', e->text,
			  e->len);
		return;
	}
	g->last = 0;
	if (g->text.len > 0)
		lb_buf_putc(&g->text, ' ');
	if (e->kind == LB_LLM_TOOL_CALL) {
		lb_buf_printf(&g->text, "c(%s %s %s)", id_of(e->call_id),
			      e->name, e->text);
	} else if (e->kind == LB_LLM_KEEP) {
		lb_buf_puts(&g->text, "k(");
		lb_buf_json(&g->text, e->keep);
		lb_buf_putc(&g->text, ')');
	} else if (e->kind == LB_LLM_USAGE) {
		lb_buf_printf(&g->text, "u(%d,%d,%d)", (int)e->usage.input,
			      (int)e->usage.output, (int)e->usage.cached);
	} else if (e->kind == LB_LLM_END) {
		lb_buf_printf(&g->text, "end(%s)", e->finish);
	} else {
		lb_buf_printf(&g->text, "fail(%s %d %s)", lb_code_name(e->code),
			      e->status, e->message);
	}
}

/* Feed the answer cut at `at` (0: not), or a byte at a time (SIZE_MAX). */
static void play(const struct lb_protocol *p, const char *text, size_t len,
		 size_t at, struct got *g)
{
	struct lb_reader *r = lb_reader_open(p, true, on_event, g);

	lb_buf_reset(&g->text);
	g->last = 0;
	for (size_t i = 0; at == SIZE_MAX && i < len; i++)
		if (lb_reader_feed(r, text + i, 1) < 0)
			break;
	if (at != SIZE_MAX && lb_reader_feed(r, text, at) == 0)
		lb_reader_feed(r, text + at, len - at);
	lb_reader_finish(r, LB_CODE_NETWORK, NULL);
	lb_reader_close(r);
}

static bool passes(const struct lb_protocol *p, const char *text, size_t len,
		   const char *expected, struct got *g)
{
	play(p, text, len, SIZE_MAX, g);
	for (size_t at = 0;
	     strcmp(lb_buf_str(&g->text), expected) == 0 && at <= len; at++)
		play(p, text, len, at, g);
	return strcmp(lb_buf_str(&g->text), expected) == 0;
}

/* "DIR/NAME.sse" against "DIR/NAME.events". */
static int try(const struct lb_protocol *p, const char *dir, const char *name)
{
	size_t stem = strcspn(name, ".");
	lb_autofree char *path = lb_printf("%s/%s", dir, name);
	lb_autofree char *events =
		lb_printf("%s/%.*s.events", dir, (int)stem, name);
	lb_autofree char *text = NULL, *expected = NULL;
	struct got g = {.last = 0};
	struct lb_error err;
	size_t len, n;
	bool ok = lb_path_read(path, 1 << 20, &text, &len, &err) == 0 &&
		  lb_path_read(events, 1 << 20, &expected, &n, &err) == 0;

	if (ok) {
		expected[strcspn(expected, "\n")] = '\0';
		ok = passes(p, text, len, expected, &g);
	}
	printf("%sok %d - %s: %s\n", ok ? "" : "not ", ++n_tests, p->name,
	       name);
	if (!ok)
		printf("# expected %s\n# got      %s\n",
		       expected ? expected : err.text, lb_buf_str(&g.text));
	lb_buf_release(&g.text);
	return !ok;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_answer(const struct dirent *entry)
{
	const char *dot = strchr(entry->d_name, '.');

	return dot && (strcmp(dot, ".sse") == 0 || strcmp(dot, ".json") == 0 ||
		       strcmp(dot, ".ndjson") == 0);
}

static int try_all(const char *data, const char *name)
{
	const struct lb_protocol *p = lb_protocol_find(name);
	lb_autofree char *dir = lb_printf("%s/%s", data, name);
	struct dirent **found = NULL;
	int n = scandir(dir, &found, is_answer, by_name), bad = n < 10 || !p;

	if (bad)
		printf("not ok %d - %s: there are answers\n", ++n_tests, name);
	for (int i = 0; i < n; i++) {
		bad |= p ? try(p, dir, found[i]->d_name) : 1;
		free(found[i]);
	}
	free(found);
	return bad;
}

int main(void)
{
	static const char *const names[] = {"anthropic-messages", "gemini",
					    "ollama-chat", "openai-chat",
					    "openai-responses"};
	const char *top = getenv("srcdir");
	lb_autofree char *data =
		lb_printf("%s/tests/data/llm", top ? top : ".");
	int bad = 0;

	lb_log_level(LB_ERROR);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		bad |= try_all(data, names[i]);
	printf("1..%d\n", n_tests);
	return bad;
}
