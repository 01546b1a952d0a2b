/* test.c - what does a model do: text, a stream, tools, images? */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/table.h"
#include "llm.h"
#include "test.h"

static const char *config_file, *use_word;
static bool as_json, strictly;

const struct lb_opt test_options[] = {
	{'e', "exit-status", .help = "exit 1 also for what it does not do",
	 .flag = &strictly},
	{0, "config", "FILE", "read this configuration file",
	 .text = &config_file},
	{0, "for", "USE", "chat (the default), embedding or rerank",
	 .text = &use_word},
	{0, "json", .help = "print JSON lines also on a terminal",
	 .flag = &as_json},
	{0},
};

/* A square that is red all over. */
static const char red[] =
	"data:image/png;base64,"
	"iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAS0lEQVR4"
	"2u3PQQkAAAgAsetfWiP4FgYrsKZeS0BAQEBAQEBAQEBAQEBAQEBAQEBA"
	"QEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEDgsqnc8OJg6Ln3AAAAAElF"
	"TkSuQmCC";

static const char tool[] =
	"[{\"type\":\"function\",\"function\":{\"name\":\"code_word\","
	"\"description\":\"Tells the code word\",\"parameters\":"
	"{\"type\":\"object\",\"properties\":{}}}}]";

static size_t deltas;

static void count(void *arg, const char *text, size_t len)
{
	(void)arg;
	(void)text;
	(void)len;
	deltas++;
}

/* Does it fail because the model has no such thing, or for another reason? */
static bool means_no(enum lb_code code)
{
	return code == LB_CODE_BAD_REQUEST || code == LB_CODE_NOT_FOUND ||
	       code == LB_CODE_USAGE;
}

void test_put(struct trial *t, const char *what, const char *result,
	      enum lb_code code, const char *note)
{
	json_t *o =
		lb_json_pack("{s:s, s:s, s:I}", "test", what, "result", result,
			     "ms", (json_int_t)(lb_clock_mono() - t->began));

	if (code != LB_CODES)
		json_object_set_new(o, "code", json_string(lb_code_name(code)));
	lb_json_set_str(o, "note", note, strlen(note));
	lb_table_row(t->table, o);
	if (strcmp(result, "failed") == 0)
		t->failed = true;
	if (strcmp(result, "no") == 0)
		t->lacks = true;
}

/* Ask; -1: it failed, which is told, as "no" where `may_lack` and it may be. */
static int ask(struct trial *t, const char *what, json_t *messages,
	       json_t *tools, bool stream, bool may_lack, struct ask *a)
{
	struct lb_error err;
	bool no;

	t->began = lb_clock_mono();
	deltas = 0;
	if (ask_wait(a, t->model,
		     &(struct lb_llm_request){.messages = messages,
					      .tools = tools,
					      .stream = stream},
		     0, &err) < 0) {
		test_put(t, what, "failed", lb_code_of(&err), err.text);
		return -1;
	}
	if (!a->failed)
		return 0;
	no = may_lack && means_no(a->code);
	test_put(t, what, no ? "no" : "failed", a->code, a->message);
	return -1;
}

static void say(struct trial *t, const char *what, const struct ask *a,
		bool good, const char *if_not)
{
	char note[64] = "";

	if (what[0] == 's')
		snprintf(note, sizeof(note), "%zu piece%s, ", deltas,
			 deltas == 1 ? "" : "s");
	if (a->usage.output >= 0)
		snprintf(note + strlen(note), sizeof(note) - strlen(note),
			 "%lld tokens, ", (long long)a->usage.output);
	if (*note)
		note[strlen(note) - 2] = '\0';
	test_put(t, what, good ? "ok" : if_not, LB_CODES,
		 good ? note : "the answer shows nothing of it");
}

static void try_text(struct trial *t, const char *what, bool stream)
{
	json_auto_t *messages =
		lb_json_pack("[{s:s, s:s}, {s:s, s:s}]", "role", "system",
			     "content", "Answer with one word.", "role", "user",
			     "content", "Say hello.");
	struct ask a = {.on_text = count};

	if (ask(t, what, messages, NULL, stream, false, &a) == 0)
		say(t, what, &a, a.text.len > 0, "failed");
	ask_release(&a);
}

/* What it called, and what that said. */
static void add_turn(json_t *messages, const struct ask *a, const json_t *call)
{
	json_array_append_new(
		messages,
		lb_json_pack("{s:s, s:s, s:[{s:O, s:s, s:{s:O, s:O}}], s:O*}",
			     "role", "assistant", "content",
			     lb_buf_str(&a->text), "tool_calls", "id",
			     json_object_get(call, "id"), "type", "function",
			     "function", "name", json_object_get(call, "name"),
			     "arguments", json_object_get(call, "arguments"),
			     "keep", a->keep));
	json_array_append_new(messages,
			      lb_json_pack("{s:s, s:O, s:s}", "role", "tool",
					   "tool_call_id",
					   json_object_get(call, "id"),
					   "content", "heliotrope"));
}

/* A call, and an answer made of what it said. */
static void try_tools(struct trial *t)
{
	json_auto_t *tools = json_loads(tool, 0, NULL);
	json_auto_t *messages =
		lb_json_pack("[{s:s, s:s}]", "role", "user", "content",
			     "What is the code word? Call code_word, then tell "
			     "it.");
	struct ask a = {.on_text = count};

	if (ask(t, "tools", messages, tools, false, true, &a) < 0) {
		ask_release(&a);
		return;
	}
	if (json_array_size(a.calls) != 1) {
		say(t, "tools", &a, false, "no");
		ask_release(&a);
		return;
	}
	add_turn(messages, &a, json_array_get(a.calls, 0));
	if (ask(t, "tools", messages, tools, false, false, &a) == 0)
		say(t, "tools", &a,
		    strcasestr(lb_buf_str(&a.text), "heliotrope") != NULL,
		    "failed");
	ask_release(&a);
}

static void try_vision(struct trial *t)
{
	json_auto_t *messages =
		lb_json_pack("[{s:s, s:[{s:s, s:s}, {s:s, s:s}]}]", "role",
			     "user", "content", "type", "text", "text",
			     "Which colour is this square? Answer with one "
			     "word.",
			     "type", "image_base64", "image_base64", red);
	struct ask a = {.on_text = count};

	t->began = lb_clock_mono();
	if (t->model->blind) {
		test_put(t, "vision", "no", LB_CODES, "it is shown no images");
		return;
	}
	if (ask(t, "vision", messages, NULL, false, true, &a) == 0)
		say(t, "vision", &a,
		    strcasestr(lb_buf_str(&a.text), "red") != NULL, "no");
	ask_release(&a);
}

static enum lb_model_use use_of(const char *word)
{
	if (!word || strcmp(word, "chat") == 0)
		return LB_FOR_CHAT;
	if (strcmp(word, "embedding") == 0)
		return LB_FOR_EMBEDDING;
	if (strcmp(word, "rerank") != 0)
		lb_usage("--for: '%s' is not chat, embedding or rerank", word);
	return LB_FOR_RERANK;
}

static int run(struct trial *t, enum lb_model_use use)
{
	static const char *const columns[] = {"test", "result", "ms", "note",
					      NULL};

	t->table = lb_table_open(columns, as_json);
	if (use == LB_FOR_EMBEDDING) {
		test_embedding(t);
	} else if (use == LB_FOR_RERANK) {
		test_rerank(t);
	} else {
		try_text(t, "text", false);
		try_text(t, "stream", true);
		try_tools(t);
		try_vision(t);
	}
	lb_table_close(t->table);
	return t->failed || (strictly && t->lacks) ? LB_NO : LB_OK;
}

int test_main(int argc, char **argv)
{
	enum lb_model_use use = use_of(use_word);
	struct lb_error err;
	struct lb_config *config = lb_config_load(config_file, &err);
	struct trial t = {
		.model = config ? lb_model_open_for(config, use,
						    argc ? argv[0] : NULL, &err)
				: NULL,
	};
	int code = t.model ? run(&t, use) : lb_report(&err);

	lb_model_close(t.model);
	lb_config_close(config);
	return code;
}
