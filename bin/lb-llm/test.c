/* test.c - does a model answer, stream, take a system message? */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/table.h"
#include "llm.h"

static const char *config_file;
static bool as_json;

const struct lb_opt test_options[] = {
	{0, "config", "FILE", "read this configuration file",
	 .text = &config_file},
	{0, "json", .help = "print JSON lines also on a terminal",
	 .flag = &as_json},
	{0},
};

static size_t deltas;

static void count(void *arg, const char *text, size_t len)
{
	(void)arg;
	(void)text;
	(void)len;
	deltas++;
}

static json_t *row(const char *what, const struct ask *a, int64_t ms,
		   const char *note)
{
	json_t *o =
		lb_json_pack("{s:s, s:s, s:I}", "test", what, "result",
			     a->failed ? "failed" : "ok", "ms", (json_int_t)ms);

	if (a->failed)
		json_object_set_new(o, "code",
				    json_string(lb_code_name(a->code)));
	json_object_set_new(o, "note",
			    json_string(a->failed ? a->message : note));
	return o;
}

/* One try; returns what to exit with for it. */
static int try(struct lb_model *model, const char *what, bool stream,
	       struct lb_table *table)
{
	json_auto_t *messages =
		lb_json_pack("[{s:s, s:s}, {s:s, s:s}]", "role", "system",
			     "content", "Answer with one word.", "role", "user",
			     "content", "Say hello.");
	struct ask a = {.on_text = count};
	struct lb_error err;
	int64_t began = lb_clock_mono();
	char note[64] = "";
	int code = LB_OK;

	deltas = 0;
	if (ask_wait(&a, model,
		     &(struct lb_llm_request){.messages = messages,
					      .stream = stream},
		     0, &err) < 0)
		return lb_report(&err);
	if (stream)
		snprintf(note, sizeof(note), "%zu piece%s", deltas,
			 deltas == 1 ? "" : "s");
	if (a.usage.output >= 0)
		snprintf(note + strlen(note), sizeof(note) - strlen(note),
			 "%s%lld tokens", *note ? ", " : "",
			 (long long)a.usage.output);
	if (a.failed)
		code = lb_code_exit(a.code);
	lb_table_row(table, row(what, &a, lb_clock_mono() - began, note));
	ask_release(&a);
	return code;
}

int test_main(int argc, char **argv)
{
	static const char *const columns[] = {"test", "result", "ms", "note",
					      NULL};
	struct lb_error err;
	struct lb_config *config = lb_config_load(config_file, &err);
	struct lb_model *model =
		config ? lb_model_open(config, argc ? argv[0] : NULL, &err)
		       : NULL;
	struct lb_table *table;
	int text = LB_OK, stream = LB_OK;

	if (!model) {
		lb_config_close(config);
		return lb_report(&err);
	}
	table = lb_table_open(columns, as_json);
	text = try(model, "text", false, table);
	stream = try(model, "stream", true, table);
	lb_table_close(table);
	lb_model_close(model);
	lb_config_close(config);
	return text != LB_OK || stream != LB_OK ? LB_NO : LB_OK;
}
