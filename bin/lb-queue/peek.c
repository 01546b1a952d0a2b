/* lb-queue peek, lb-queue dead */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/table.h"
#include "base/utf8.h"
#include "queue.h"
#include "record/chain.h"
#include "record/record.h"

enum { WORDS = 40 }; /* characters of a text that a table shows */

static bool done, dead, failed, ready, json;
static long most;

#define LIST_OPTIONS                                                           \
	{.name = "json", .help = "write a line of JSON each", .flag = &json},  \
	{                                                                      \
		'n', "limit", "N", "at most N of them",                        \
			.number = &most, .min = 1, .max = 1000000000           \
	}

const struct lb_opt peek_options[] = {
	{.name = "dead", .help = "the dead letters", .flag = &dead},
	{.name = "done",
	 .help = "those that ended, with what ended them",
	 .flag = &done},
	{.name = "failed",
	 .help = "those that an error ended, the dead letters too",
	 .flag = &failed},
	{.name = "ready",
	 .help = "the first of each session that may be taken now",
	 .flag = &ready},
	LIST_OPTIONS,
	{0},
};

const struct lb_opt dead_options[] = {LIST_OPTIONS, {0}};

static const char *const columns[] = {"key", "session", "put", "state",
				      "why", "said",    NULL};

static const char *state_of(const struct lb_queue_row *row, int64_t now)
{
	switch (row->how) {
	case LB_QUEUE_DONE:
		return "done";
	case LB_QUEUE_DEAD:
		return "dead";
	case LB_QUEUE_MOVED:
		return "moved";
	default:
		if (row->held)
			return "held";
		return row->not_before > now ? "delayed" : "waiting";
	}
}

/* The records stand in it as they came, byte for byte. */
static void write_json(const struct lb_queue_row *row)
{
	lb_autobuf struct lb_buf b = {0};

	lb_buf_puts(&b, "{\"key\":");
	lb_buf_json_str(&b, row->key, strlen(row->key));
	if (row->session)
		lb_put_str(&b, "session", row->session);
	lb_put_str(&b, "state", state_of(row, lb_clock_now()));
	lb_put_int(&b, "put", row->put);
	if (row->how)
		lb_put_int(&b, "ended", row->ended);
	else
		lb_put_int(&b, "not_before", row->not_before);
	lb_put_int(&b, "tries", row->tries);
	lb_put_int(&b, "deaths", row->deaths);
	lb_put_raw(&b, "record", row->text, row->len);
	if (row->outcome)
		lb_put_raw(&b, "outcome", row->outcome, row->outcome_len);
	lb_put_end(&b);
	fwrite(b.data, b.len, 1, stdout);
}

struct listing {
	struct lb_table *table; /* for people, else NULL */
	struct lb_record record;
};

/* The first words of a text, as JSON. */
static json_t *words(const char *text, size_t len)
{
	size_t cut = 0, n = 0;

	for (; cut < len && n < WORDS; n++) {
		size_t one = lb_utf8_char(text + cut, len - cut);

		cut += one > 0 ? one : 1;
	}
	return lb_json_text(text, cut < len ? cut : len);
}

/* What ended it: of an error its message, of a drop its reason. */
static json_t *why_of(const struct lb_queue_row *row)
{
	json_auto_t *end = json_loadb(row->outcome ? row->outcome : "",
				      row->outcome_len, JSON_ALLOW_NUL, NULL);
	const char *text = lb_json_str(end, "message");

	if (!text)
		text = lb_json_str(end, "reason");
	return words(text ? text : "", text ? strlen(text) : 0);
}

static json_t *said_in(struct listing *l, const struct lb_queue_row *row)
{
	lb_autobuf struct lb_buf text = {0};
	struct lb_error err;

	if (lb_record_parse(&l->record, row->text, row->len, &err) == 0)
		lb_chain_text(json_object_get(l->record.json, "chain"), &text);
	return words(lb_buf_str(&text), text.len);
}

static int one(void *arg, const struct lb_queue_row *row)
{
	const char *session = row->session ? row->session : "";
	struct listing *l = arg;
	char put[LB_CLOCK_TEXT];

	if (!l->table) {
		write_json(row);
		return ferror(stdout); /* lb_finish() says why */
	}
	lb_clock_local(row->put, put);
	lb_table_row(l->table,
		     lb_json_pack("{s:o, s:o, s:s, s:s, s:o, s:o}", "key",
				  lb_json_text(row->key, strlen(row->key)),
				  "session",
				  lb_json_text(session, strlen(session)), "put",
				  put, "state", state_of(row, lb_clock_now()),
				  "why", why_of(row), "said", said_in(l, row)));
	return 0;
}

static int list(const char *name, enum lb_queue_list which)
{
	bool people = !json && isatty(STDOUT_FILENO);
	struct listing l = {people ? lb_table_open(columns, false) : NULL, {0}};
	struct lb_queue *q;
	struct lb_error err;
	int r = queue_look(name, &q, &err);

	if (r > 0)
		r = lb_queue_each(q, which, most ? most : -1, lb_clock_now(),
				  one, &l, &err);
	lb_queue_close(q);
	if (l.table)
		lb_table_close(l.table);
	lb_record_release(&l.record);
	return r < 0 ? lb_report(&err) : LB_OK;
}

int peek_verb(int argc, char **argv)
{
	const char *name = queue_name(argc, argv);

	if (done + dead + failed + ready > 1)
		lb_usage("--done, --dead, --failed and --ready exclude each "
			 "other");
	return list(name, done     ? LB_QUEUE_LIST_DONE
			  : dead   ? LB_QUEUE_LIST_DEAD
			  : failed ? LB_QUEUE_LIST_FAILED
			  : ready  ? LB_QUEUE_LIST_READY
				   : LB_QUEUE_ALL);
}

int dead_verb(int argc, char **argv)
{
	return list(queue_name(argc, argv), LB_QUEUE_LIST_DEAD);
}
