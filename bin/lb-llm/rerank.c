/* rerank.c - lines by how well they answer a query. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "base/table.h"
#include "record/line.h"
#include "vectors.h"

static const char *model_spec, *config_file;
static struct lb_list settings;
static bool dry_run, want_usage, as_json;
static int64_t timeout_ms, max_line;
static long limit;

const struct lb_opt rerank_options[] = {
	{'m', "model", "MODEL", "provider/name, or offline",
	 .text = &model_spec},
	{'n', "limit", "N", "print the N best only", .number = &limit, .min = 1,
	 .max = LB_MAX_DOCUMENTS},
	{'o', "option", "KEY=VALUE", "a member of the request's body",
	 .list = &settings},
	{'u', "usage", .help = "say on stderr what it cost",
	 .flag = &want_usage},
	{0, "config", "FILE", "read this configuration file",
	 .text = &config_file},
	{0, "dry-run", .help = "print the request, its key hidden",
	 .flag = &dry_run},
	{0, "json", .help = "print JSON lines also on a terminal",
	 .flag = &as_json},
	{0, "max-line", "SIZE", "refuse longer lines", .size = &max_line},
	{0, "timeout", "TIME", "for the answer", .duration = &timeout_ms},
	{0},
};

struct ranking {
	json_t *documents;
	struct lb_table *table;
	struct lb_usage usage;
};

static void put_rows(void *arg, const struct lb_vectors_answer *a)
{
	struct ranking *r = arg;

	for (size_t i = 0; i < a->n_ranks; i++)
		lb_table_row(r->table,
			     lb_json_pack("{s:I, s:f, s:O}", "index",
					  (json_int_t)a->ranks[i].index,
					  "score", a->ranks[i].score, "text",
					  json_array_get(r->documents,
							 a->ranks[i].index)));
	r->usage = a->usage;
}

static int read_documents(json_t *documents)
{
	size_t most = max_line ? (size_t)max_line : LB_MAX_TEXT;
	struct lb_lines *in = lb_lines_open(STDIN_FILENO, most);
	struct lb_error err;
	struct lb_line line;
	int got, code = LB_OK;

	while (code == LB_OK && (got = lb_lines_next(in, &line, &err)) != 0) {
		/* one more than there may be is enough to say so */
		if (got < 0)
			code = lb_report(&err);
		else if (json_array_size(documents) > LB_MAX_DOCUMENTS)
			break;
		else
			json_array_append_new(documents,
					      lb_json_text(line.text,
							   line.len));
	}
	lb_lines_close(in);
	return code;
}

static int run(struct ranking *r, const struct lb_model *model,
	       const char *query)
{
	static const char *const columns[] = {"score", "text", NULL};
	json_auto_t *options = parse_settings(&settings);
	const struct lb_rerank_request request = {.query = query,
						  .documents = r->documents,
						  .top = (size_t)limit,
						  .options = options};
	struct vectors v = {.fn = put_rows, .arg = r};
	struct lb_error err;
	int code = read_documents(r->documents);

	if (code != LB_OK)
		return code;
	if (dry_run)
		return vectors_show(lb_rerank_dry_run(model, &request, &err),
				    &err);
	r->table = lb_table_open(columns, as_json);
	code = vectors_rerank(&v, model, &request, timeout_ms);
	lb_table_close(r->table);
	vectors_release(&v);
	if (want_usage && code == LB_OK)
		tell_usage(&r->usage);
	return code;
}

int rerank_main(int argc, char **argv)
{
	struct lb_error err;
	struct lb_config *config = lb_config_load(config_file, &err);
	struct lb_model *model = NULL;
	struct ranking r = {.documents = json_array()};
	int code;

	(void)argc;
	lb_note_terminal();
	if (config)
		model = lb_model_open_for(config, LB_FOR_RERANK, model_spec,
					  &err);
	code = model ? run(&r, model, argv[0]) : lb_report(&err);
	json_decref(r.documents);
	lb_model_close(model);
	lb_config_close(config);
	return code;
}
