#include <string.h>

#include "base/buf.h"
#include "base/near.h"
#include "config/keys.h"
#include "platform/ingest.h"
#include "platform/send.h"

const struct lb_source lb_sources[] = {
	{"jsonl", "objects with text or chain, one a line", lb_ingest_jsonl,
	 false},
	{"telegram", "a Telegram bot, by long poll", lb_ingest_telegram, true},
	{"text", "lines of text, each a message", lb_ingest_text, false},
	{0},
};

const struct lb_sink *const lb_sinks[] = {
	&lb_sink_jsonl, &lb_sink_null, &lb_sink_stdout, &lb_sink_telegram, NULL,
};

const struct lb_source *lb_source_find(const char *name)
{
	for (const struct lb_source *s = lb_sources; s->name; s++)
		if (strcmp(s->name, name) == 0)
			return s;
	return NULL;
}

const struct lb_sink *lb_sink_find(const char *name)
{
	for (const struct lb_sink *const *s = lb_sinks; *s; s++)
		if (strcmp((*s)->name, name) == 0)
			return *s;
	return NULL;
}

/* The n-th adapter that reads, or that sends; NULL after the last. */
static const char *nth(bool source, size_t n)
{
	if (source)
		return lb_sources[n].name;
	return lb_sinks[n] ? lb_sinks[n]->name : NULL;
}

int lb_adapter_unknown(const char *name, bool source, struct lb_error *err)
{
	const struct lb_key *key = lb_key_find("bots.-.adapter");
	struct lb_slip slip = {.typed = name};
	lb_autobuf struct lb_buf all = {0};
	const char *one;

	for (size_t i = 0; (one = nth(source, i)); i++) {
		lb_slip_try(&slip, one);
		if (i > 0)
			lb_buf_puts(&all, nth(source, i + 1) ? ", " : " and ");
		lb_buf_puts(&all, one);
	}
	if (lb_key_has_word(key->foreign, name))
		return lb_fail(err, LB_USAGE,
			       "adapter '%s' is not in this version; there "
			       "are %s",
			       name, lb_buf_str(&all));
	if (slip.meant)
		return lb_fail(err, LB_USAGE,
			       "there is no adapter '%.64s' (did you mean "
			       "'%s'?); there are %s",
			       name, slip.meant, lb_buf_str(&all));
	return lb_fail(err, LB_USAGE,
		       "there is no adapter '%.64s'; there are %s", name,
		       lb_buf_str(&all));
}
