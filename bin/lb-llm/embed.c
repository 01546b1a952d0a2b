/* embed.c - texts as vectors. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "record/line.h"
#include "record/record.h"
#include "vectors.h"

static const char *model_spec, *config_file;
static struct lb_list settings;
static bool dry_run, want_usage, as_query;
static int64_t timeout_ms, max_line;

const struct lb_opt embed_options[] = {
	{'m', "model", "MODEL", "provider/name, or offline",
	 .text = &model_spec},
	{'o', "option", "KEY=VALUE", "a member of the request's body",
	 .list = &settings},
	{'u', "usage", .help = "say on stderr what it cost",
	 .flag = &want_usage},
	{0, "config", "FILE", "read this configuration file",
	 .text = &config_file},
	{0, "dry-run", .help = "print the first request, its key hidden",
	 .flag = &dry_run},
	{0, "max-line", "SIZE", "refuse longer texts", .size = &max_line},
	{0, "query", .help = "they are what is looked for, not looked in",
	 .flag = &as_query},
	{0, "timeout", "TIME", "for each request", .duration = &timeout_ms},
	{0},
};

struct embedding {
	struct lb_model *model;
	json_t *options;
	struct lb_out *out;
	json_t *texts; /* of this batch */
	size_t done;   /* texts before it */
	struct lb_usage sum;
	struct vectors got;
};

static void put_line(void *arg, const struct lb_vectors_answer *a)
{
	struct embedding *e = arg;
	lb_autobuf struct lb_buf line = {0};

	for (size_t i = 0; i < a->n; i++) {
		const json_t *text = json_array_get(e->texts, i);

		lb_buf_reset(&line);
		lb_buf_printf(&line, "{\"index\":%zu", e->done + i);
		lb_put_strn(&line, "text", json_string_value(text),
			    json_string_length(text));
		lb_put_str(&line, "model", e->model->label);
		lb_buf_puts(&line, ",\"embedding\":");
		lb_put_vector(&line, a->vectors + i * a->dimensions,
			      a->dimensions);
		lb_put_end(&line);
		lb_out_put(e->out, line.data, line.len);
	}
	lb_usage_add(&e->sum, &a->usage);
}

/* What was gathered is asked for and written. Returns what to exit with. */
static int flush(struct embedding *e)
{
	const struct lb_embed_request request = {.texts = e->texts,
						 .query = as_query,
						 .options = e->options};
	int code;

	if (json_array_size(e->texts) == 0)
		return LB_OK;
	e->got.fn = put_line;
	e->got.arg = e;
	code = vectors_embed(&e->got, e->model, &request, timeout_ms);
	if (code != LB_OK)
		return code;
	e->done += json_array_size(e->texts);
	json_array_clear(e->texts);
	return vectors_flush(e->out);
}

static int show(struct embedding *e)
{
	const struct lb_embed_request request = {.texts = e->texts,
						 .query = as_query,
						 .options = e->options};
	struct lb_error err;

	return vectors_show(lb_embed_dry_run(e->model, &request, &err), &err);
}

/* Texts from standard input, a batch at a time: memory is that of one. */
static int read_texts(struct embedding *e)
{
	enum { BATCH = 256, BATCH_BYTES = 4 << 20 };
	size_t most = max_line ? (size_t)max_line : LB_MAX_TEXT, bytes = 0;
	struct lb_lines *in = lb_lines_open(STDIN_FILENO, most);
	struct lb_error err;
	struct lb_line line;
	int got, code = LB_OK;

	while (code == LB_OK && (got = lb_lines_next(in, &line, &err)) != 0) {
		if (got < 0) {
			code = lb_report(&err);
			break;
		}
		json_array_append_new(e->texts,
				      lb_json_text(line.text, line.len));
		bytes += line.len;
		if (json_array_size(e->texts) < BATCH && bytes < BATCH_BYTES)
			continue;
		if (dry_run)
			break;
		code = flush(e);
		bytes = 0;
	}
	lb_lines_close(in);
	return code;
}

static int run(struct embedding *e, int argc, char **argv)
{
	int code = LB_OK;

	if (argc == 0)
		code = read_texts(e);
	for (int i = 0; i < argc; i++)
		json_array_append_new(e->texts,
				      lb_json_text(argv[i], strlen(argv[i])));
	if (code == LB_OK && dry_run)
		return show(e);
	if (code == LB_OK)
		code = flush(e);
	if (want_usage)
		tell_usage(&e->sum);
	return code;
}

int embed_main(int argc, char **argv)
{
	struct lb_error err;
	struct lb_config *config = lb_config_load(config_file, &err);
	struct embedding e = {
		.options = parse_settings(&settings),
		.texts = json_array(),
		.sum = {-1, -1, -1},
	};
	int code;

	lb_note_terminal();
	if (config)
		e.model = lb_model_open_for(config, LB_FOR_EMBEDDING,
					    model_spec, &err);
	if (e.model) {
		e.out = lb_out_open(STDOUT_FILENO);
		code = run(&e, argc, argv);
	} else {
		code = lb_report(&err);
	}
	vectors_release(&e.got);
	lb_out_close(e.out);
	json_decref(e.texts);
	json_decref(e.options);
	lb_model_close(e.model);
	lb_config_close(config);
	return code;
}
