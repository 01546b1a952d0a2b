#include "pipeline/wrap.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "record/chain.h"
#include "record/cut.h"

static const char *text_at(const json_t *config, const char *path)
{
	return json_string_value(lb_json_path(config, path));
}

static struct lb_output *output_open(const char *name, const json_t *config)
{
	struct lb_output *o = lb_alloc(sizeof(*o));
	const char *mode = text_at(config, "output.misc.exception-handling");
	const char *hint = text_at(config, "output.misc.failure-hint");
	const char *how =
		text_at(config, "output.long-text-processing.strategy");
	const json_t *threshold =
		lb_json_path(config, "output.long-text-processing.threshold");

	o->pipeline = lb_strdup(name);
	o->failures = LB_SHOW_HINT;
	if (mode && strcmp(mode, "show-error") == 0)
		o->failures = LB_SHOW_ERROR;
	else if (mode && strcmp(mode, "hide") == 0)
		o->failures = LB_HIDE;
	o->hint = lb_strdup(hint && *hint ? hint : "Request failed.");
	o->split = how && strcmp(how, "split") == 0;
	o->threshold = (size_t)json_integer_value(threshold);
	return o;
}

static const struct lb_output *output_find(struct lb_wrap *wrap,
					   const char *name)
{
	const json_t *config;
	struct lb_output *o;

	for (o = wrap->outputs; o; o = o->next)
		if (strcmp(o->pipeline, name) == 0)
			return o;
	config = lb_config_pipeline(wrap->config, name);
	if (!config)
		config = lb_config_pipeline(wrap->config, "default");
	o = output_open(name, config);
	o->next = wrap->outputs;
	wrap->outputs = o;
	return o;
}

void lb_wrap_release(struct lb_wrap *wrap)
{
	while (wrap->outputs) {
		struct lb_output *o = wrap->outputs;

		wrap->outputs = o->next;
		free(o->pipeline);
		free(o->hint);
		free(o);
	}
}

/* The pipeline that made the reply: its own word, else the bot's. */
static const struct lb_output *output_of(struct lb_wrap *wrap,
					 const struct lb_record *r)
{
	const char *name = lb_json_str(r->json, "pipeline");
	const char *bot = lb_json_str(r->json, "bot");
	const json_t *conf = bot ? lb_config_bot(wrap->config, bot) : NULL;

	if (!name && conf)
		name = lb_json_str(conf, "pipeline");
	return output_find(wrap, name ? name : "default");
}

static bool only_plain(const json_t *chain)
{
	const json_t *part;
	size_t i;

	json_array_foreach(chain, i, part)
	{
		const char *type = lb_json_str(part, "type");

		if (!type || strcmp(type, "Plain") != 0)
			return false;
	}
	return true;
}

/* One part of the answer, made of r. */
static void put_part(struct lb_buf *out, const struct lb_record *r,
		     const char *text, size_t len, int64_t part, bool final)
{
	static const char *const changed[] = {"chain", "text", "part", "final",
					      NULL};
	/* What is said of the whole answer stands in its last part. */
	static const char *const not_yet[] = {
		"chain", "text",   "part",  "final", "failed",
		"usage", "rounds", "tools", "model", NULL,
	};

	lb_splice(out, r, "reply", final ? changed : not_yet);
	lb_buf_puts(out, ",\"chain\":");
	lb_chain_put_plain(out, text, len);
	lb_put_strn(out, "text", text, len);
	lb_put_int(out, "part", part);
	lb_put_bool(out, "final", final);
	lb_put_end(out);
}

static void put_parts(struct lb_buf *out, const struct lb_record *r,
		      const struct lb_buf *text, const struct lb_output *o,
		      struct lb_buf *why)
{
	const char *at = lb_buf_str(text);
	size_t left = text->len;
	int64_t part = 1;

	for (; o->split; part++) {
		size_t n = lb_cut_first(at, left, o->threshold,
					LB_UNIT_CODE_POINTS);

		if (n == left)
			break;
		put_part(out, r, at, n, part, false);
		at += n;
		left -= n;
	}
	put_part(out, r, at, left, part, true);
	if (part > 1)
		lb_buf_printf(why, "%s%lld parts", why->len ? "; " : "",
			      (long long)part);
}

/* What the user reads of a failure, behind what was streamed already. */
static void add_words(struct lb_buf *text, const struct lb_output *o,
		      const json_t *failed)
{
	const char *message = lb_json_str(failed, "message");

	if (text->len > 0)
		lb_buf_puts(text, "\n\n");
	if (o->failures == LB_SHOW_ERROR && message && *message)
		lb_buf_puts(text, message);
	else
		lb_buf_puts(text, o->hint);
}

static void put_hidden(struct lb_buf *out, const struct lb_record *r,
		       const json_t *failed)
{
	const char *message = lb_json_str(failed, "message");
	const struct lb_problem p = {
		.stage = "lb-wrap",
		.code = lb_code_find(lb_json_str(failed, "code")),
		.message = message ? message : "the reply failed",
		.sent_parts = -1,
	};

	lb_put_error(out, r, &p);
}

void lb_wrap_reply(struct lb_wrap *wrap, const struct lb_record *r,
		   struct lb_buf *out, struct lb_buf *why)
{
	const struct lb_output *o = output_of(wrap, r);
	const json_t *failed = json_object_get(r->json, "failed");
	const json_t *chain = json_object_get(r->json, "chain");
	lb_autobuf struct lb_buf text = {0};
	bool plain = only_plain(chain);

	if (json_is_null(failed))
		failed = NULL;
	if (failed && o->failures == LB_HIDE) {
		put_hidden(out, r, failed);
		lb_buf_puts(why, "a failure that the pipeline hides");
		return;
	}
	lb_chain_plain(chain, &text);
	if (failed) {
		add_words(&text, o, failed);
		lb_buf_puts(why, "words for a failure");
	}
	if (failed ||
	    (plain && o->split &&
	     lb_utf8_count(lb_buf_str(&text), text.len) > o->threshold)) {
		put_parts(out, r, &text, o, why);
		return;
	}
	lb_buf_put(out, r->text, r->len);
	lb_buf_putc(out, '\n');
}
