#include "platform/deliver.h"

#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "record/chain.h"

/* Records given up on that are remembered at most. */
enum { MAX_GIVEN_UP = 10000 };

/* No answer has more parts than this. */
enum { MAX_PARTS = 1000000 };

/* Room for the keys of a receipt. */
enum { RECEIPT_KEYS = 1024 };

const char *const *lb_send_kinds(const struct lb_send *send)
{
	static const char *const all[] = {"chunk", "reply", "error", "drop",
					  NULL};
	static const char *const two[] = {"chunk", "reply", NULL};

	/* Who shows an answer as it comes must know when there is none. */
	return !send->sink || send->sink->text || send->sink->network ? all
								      : two;
}

struct lb_given_up {
	char *id;
	int64_t part; /* that failed */
};

static void give_up(struct lb_send *send, const struct lb_delivery *d)
{
	if (send->n_given_up == MAX_GIVEN_UP) {
		free(send->given_up[0].id);
		send->n_given_up--;
		memmove(send->given_up, send->given_up + 1,
			send->n_given_up * sizeof(*send->given_up));
	}
	send->given_up = lb_grow(send->given_up, (send->n_given_up +
						  1) * sizeof(*send->given_up));
	send->given_up[send->n_given_up++] =
		(struct lb_given_up){lb_strdup(d->id), d->part};
}

bool lb_send_gave_up(struct lb_send *send, const struct lb_delivery *d)
{
	size_t i = 0;
	bool again;

	while (i < send->n_given_up && strcmp(send->given_up[i].id, d->id) != 0)
		i++;
	if (i == send->n_given_up)
		return false;
	again = d->part > 0 && d->part <= send->given_up[i].part;
	if (d->final || again) { /* its one error was written */
		free(send->given_up[i].id);
		send->given_up[i] = send->given_up[--send->n_given_up];
	}
	return !again;
}

bool lb_send_held_back(struct lb_send *send, struct lb_delivery *d)
{
	if (!d->session)
		return false;
	d->behind = lb_hold_behind(&send->holds, d->session, d->id,
				   lb_clock_mono(), &d->code);
	if (!d->behind)
		return false;
	d->why = "what comes before it in its session is to be sent again";
	d->retryable = true;
	return true;
}

/* Where records go that come of a reply; NULL for nowhere: cron mails what a
 * job prints, and the one message of --to is no stream. */
static struct lb_out *records(const struct lb_send *send,
			      const struct lb_sink *sink)
{
	if (send->records)
		return send->records;
	if (send->only && (!sink || sink->network))
		return NULL;
	if (!sink)
		return send->text ? NULL : send->out;
	return sink->text ? NULL : send->out;
}

static void put_receipt(const struct lb_send *send, struct lb_buf *b,
			const struct lb_delivery *d)
{
	static const char *const set[] = {
		"replayed",    "chain",  "text",  "part",        "final",
		"failed",      "model",  "usage", "rounds",      "tools",
		"not_before",  "stream", "quote", "message_ids", "ended",
		"passed_over", NULL,
	};
	size_t began = b->len;

	lb_splice(b, d->record, "receipt", set + !d->replayed);
	if (b->len - began + RECEIPT_KEYS > send->max_line) {
		b->len = began; /* what a record may carry, it may not all */
		lb_pick_members(b, d->record, "receipt", lb_common_keys);
	}
	lb_put_int(b, "part", d->part);
	lb_put_bool(b, "final", d->final);
	lb_put_json(b, "message_ids", d->message_ids);
	if (d->replayed)
		lb_put_bool(b, "replayed", true);
	lb_put_end(b);
}

static void count_failure(struct lb_send *send, enum lb_code code)
{
	send->failures++;
	send->passing += lb_code_is_passing(code);
}

/* The user was told in his own words; whoever runs this wants to know why. */
static void tell_failure(const struct lb_delivery *d,
			 const struct lb_subject *of)
{
	const char *code = lb_json_str(d->failed, "code");
	const char *why = lb_json_str(d->failed, "message");

	lb_log(LB_WARNING, of, "%s: no answer: %s: %s",
	       of->session ? of->session : "", code ? code : "internal",
	       why ? why : "no reason given");
}

void lb_send_sent(struct lb_send *send, const struct lb_sink *sink,
		  const struct lb_delivery *d)
{
	struct lb_out *out = records(send, sink);
	const struct lb_subject of = lb_record_subject(d->record);

	send->delivered++;
	if (d->session && d->final)
		lb_hold_ended(&send->holds, d->session, d->id);
	lb_log(LB_INFO, &of, "part %lld delivered by %s", (long long)d->part,
	       sink->name);
	if (d->failed)
		count_failure(send,
			      lb_code_find(lb_json_str(d->failed, "code")));
	if (d->failed && sink->network)
		tell_failure(d, &of);
	if (!out)
		return;
	put_receipt(send, lb_out_buf(out), d);
	lb_out_built(out);
}

/* What is behind it must wait for it; or need not any more. */
static void hold(struct lb_send *send, const struct lb_delivery *d)
{
	if (!d->session || d->behind)
		return;
	if (d->retryable)
		lb_hold_failed(&send->holds, d->session, d->id, d->code,
			       lb_clock_mono());
	else
		lb_hold_ended(&send->holds, d->session, d->id);
}

void lb_send_not_sent(struct lb_send *send, const struct lb_sink *sink,
		      const struct lb_delivery *d)
{
	const struct lb_problem p = {"lb-send",    d->code,          d->why,
				     d->retryable, (int)d->part - 1, d->behind};
	const struct lb_subject of = lb_record_subject(d->record);
	struct lb_out *out = records(send, sink);
	enum lb_level level = LB_INFO;

	if (!sink || sink->text || send->only)
		level = LB_ERROR;
	else if (sink->network && !d->behind)
		level = LB_WARNING;
	lb_log(level, &of, "%s%spart %lld not delivered: %s",
	       of.session ? of.session : "", of.session ? ": " : "",
	       (long long)d->part, d->why);
	send->failures++;
	send->passing += d->retryable; /* what is lost may have arrived */
	if (!d->final)
		give_up(send, d);
	hold(send, d);
	if (!out)
		return;
	lb_put_error(lb_out_buf(out), d->record, &p);
	lb_out_built(out);
}

static bool cannot(struct lb_delivery *d, enum lb_code code, const char *why)
{
	d->code = code;
	d->why = why;
	return false;
}

bool lb_delivery_open(struct lb_delivery *d, const struct lb_record *r)
{
	const json_t *chain = json_object_get(r->json, "chain");
	struct lb_error err;

	d->record = r;
	d->code = LB_CODE_INTERNAL;
	d->why = "";
	d->id = lb_json_str(r->json, "id");
	d->part = 1;
	lb_json_int(r->json, "part", &d->part);
	d->final = lb_json_bool(r->json, "final", true);
	d->failed = json_object_get(r->json, "failed");
	if (json_is_null(d->failed))
		d->failed = NULL;
	d->message_ids = json_array();
	lb_chain_shown(chain, &d->text);
	if (d->failed && d->text.len == 0)
		lb_buf_puts(&d->text, LB_SEND_NOTICE);
	if (d->part < 1 || d->part > MAX_PARTS) {
		d->part = 0; /* sent_parts of the error is not said */
		return cannot(d, LB_CODE_DATA, "'part' is no number of a part");
	}
	if (!chain || lb_chain_check(chain, &err) == 0)
		return true;
	snprintf(d->reason, sizeof(d->reason), "%s", err.text);
	return cannot(d, LB_CODE_DATA, d->reason);
}

void lb_delivery_release(struct lb_delivery *d)
{
	lb_buf_release(&d->text);
	json_decref(d->message_ids);
}

static void send_reply(struct lb_send *send, const struct lb_sink *sink,
		       const struct lb_record *r, const char *session)
{
	struct lb_delivery d = {.record = r, .session = session};
	bool can = lb_delivery_open(&d, r);

	if (can && !sink)
		can = cannot(&d, LB_CODE_CONFIG,
			     "the adapter of its bot cannot send");
	if (lb_send_gave_up(send, &d)) {
		/* nothing more is said of it */
	} else if (lb_send_held_back(send, &d)) {
		lb_send_not_sent(send, sink, &d);
	} else if (can && sink->reply(send, &d) == LB_SENT) {
		lb_send_sent(send, sink, &d);
	} else {
		lb_send_not_sent(send, sink, &d);
	}
	lb_delivery_release(&d);
}

const struct lb_sink *lb_send_sink(struct lb_send *send,
				   const struct lb_record *r)
{
	const struct lb_sink *from;
	const char *bot, *name, *platform;
	const json_t *conf;

	if (send->sink)
		return send->sink;
	bot = lb_json_str(r->json, "bot");
	conf = bot ? lb_config_bot(send->config, bot) : NULL;
	name = conf ? lb_json_str(conf, "adapter") : NULL;
	platform = conf ? NULL : lb_json_str(r->json, "platform");
	from = platform ? lb_sink_find(platform) : NULL;
	/* What came over a network is not printed for want of a bot. */
	if (from && from->network)
		return from;
	if (!name || strcmp(name, "text") == 0)
		return &lb_sink_stdout;
	return lb_sink_find(name);
}

/* An error or drop that some stage before us ended a record with. */
static void other_end(struct lb_send *send, const struct lb_sink *sink,
		      const struct lb_record *r)
{
	const char *kind = lb_json_str(r->json, "kind");
	const char *code = lb_json_str(r->json, "code");
	struct lb_out *out = records(send, sink);

	if (!out && !send->text)
		out = send->out;
	if (sink && sink->ended)
		sink->ended(send, r);
	if (strcmp(kind, "error") == 0)
		count_failure(send, lb_code_find(code));
	if (out)
		lb_out_line(out, r->text, r->len);
}

void lb_send_record(struct lb_send *send, const struct lb_sink *sink,
		    const struct lb_record *r, const char *session)
{
	const char *kind = lb_json_str(r->json, "kind");

	if (strcmp(kind, "reply") == 0)
		send_reply(send, sink, r, session);
	else if (strcmp(kind, "chunk") != 0)
		other_end(send, sink, r);
	else if (sink && sink->chunk)
		sink->chunk(send, r);
}

void lb_send_end(struct lb_send *send)
{
	if (send->screen)
		lb_screen_end(send);
}

void lb_send_release(struct lb_send *send)
{
	lb_screen_close(send->screen);
	send->screen = NULL;
	for (size_t i = 0; i < send->n_given_up; i++)
		free(send->given_up[i].id);
	free(send->given_up);
	send->given_up = NULL;
	send->n_given_up = 0;
	lb_holds_release(&send->holds);
}

int lb_send_code(const struct lb_send *send)
{
	if (send->failures == 0)
		return LB_OK;
	return send->passing == send->failures ? LB_AGAIN : LB_UNAVAILABLE;
}
