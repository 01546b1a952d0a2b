/* repeat.c - a call that is made over and over, with the same result. */
#include <stdlib.h>
#include <string.h>

#include "agent/turn.h"
#include "base/json.h"
#include "base/mem.h"

/*
 * A text that stands for a value, whatever the order of its members: FNV-1a
 * and the length. Whoever makes two the same on purpose stops a model that
 * asks him twice, which he could do anyhow.
 */
static char *digest_of(const char *name, const json_t *value)
{
	lb_autofree char *text =
		json_dumps(value,
			   JSON_SORT_KEYS | JSON_COMPACT | JSON_ENCODE_ANY);
	const char *all[] = {name, text ? text : ""};
	uint64_t h = 14695981039346656037ull;
	size_t len = 0;

	for (size_t i = 0; i < 2; i++) {
		for (const char *c = all[i]; *c; c++, len++)
			h = (h ^ (unsigned char)*c) * 1099511628211ull;
		h = (h ^ 0xff) * 1099511628211ull; /* in no UTF-8 */
	}
	return lb_printf("%zu-%016llx", len, (unsigned long long)h);
}

char *repeat_key(const char *name, const json_t *arguments)
{
	return digest_of(name, arguments);
}

static int64_t limit_of(const struct turn *t)
{
	int64_t limit = 3;

	lb_json_int(lb_json_path(lb_config_pipeline(agent_of_session(t->session)
							    ->options->config,
						    t->pipeline),
				 "ai.local-agent"),
		    "repeat-limit", &limit);
	return limit;
}

bool repeat_is_over(const struct turn *t, const char *key)
{
	return lb_json_bool(json_object_get(t->repeats, key), "told", false);
}

bool repeat_note(struct turn *t, const char *key, const json_t *came)
{
	lb_autofree char *digest = digest_of("", came);
	json_t *seen = json_object_get(t->repeats, key);
	const char *was = lb_json_str(seen, "result");
	int64_t n = 0, limit = limit_of(t);

	if (limit == 0)
		return false;
	if (!t->repeats)
		t->repeats = json_object();
	if (was && strcmp(was, digest) == 0)
		lb_json_int(seen, "n", &n);
	n++;
	json_object_set_new(t->repeats, key,
			    lb_json_pack("{s:s, s:I, s:b}", "result", digest,
					 "n", (json_int_t)n, "told",
					 n >= limit));
	return n >= limit;
}
