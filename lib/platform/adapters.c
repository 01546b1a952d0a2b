#include <string.h>

#include "platform/ingest.h"
#include "platform/send.h"

const struct lb_source lb_sources[] = {
	{"jsonl", "objects with text or chain, one a line", lb_ingest_jsonl},
	{"text", "lines of text, each a message", lb_ingest_text},
	{NULL, NULL, NULL},
};

const struct lb_sink *const lb_sinks[] = {
	&lb_sink_jsonl,
	&lb_sink_null,
	&lb_sink_stdout,
	NULL,
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
