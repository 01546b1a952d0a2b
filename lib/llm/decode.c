/* decode.c - what the decoders of protocols share. */
#include <stdlib.h>

#include "base/json.h"
#include "llm/classify.h"
#include "llm/reader.h"

/* More tokens than that were never counted: sums of them stay whole. */
static const int64_t max_count = 1000LL * 1000 * 1000 * 1000;

int64_t lb_reader_count(const json_t *o, const char *key)
{
	const json_t *value = json_object_get(o, key);
	int64_t n = -1;

	if (json_is_string(value))
		n = strtoll(json_string_value(value), NULL, 10);
	else
		lb_json_int(o, key, &n);
	return n >= 0 && n <= max_count ? n : -1;
}

void lb_reader_text_at(struct lb_reader *r, const json_t *o, const char *key)
{
	const json_t *text = json_object_get(o, key);

	lb_reader_text(r, json_string_value(text), json_string_length(text));
}

void lb_reader_reasoning_at(struct lb_reader *r, const json_t *o,
			    const char *key)
{
	const json_t *text = json_object_get(o, key);

	lb_reader_reasoning(r, json_string_value(text),
			    json_string_length(text));
}

void lb_reader_refused(struct lb_reader *r, const json_t *error)
{
	struct lb_failure f;

	lb_classify(error, 0, &f);
	lb_reader_fail(r, f.code, f.status, f.message);
}
