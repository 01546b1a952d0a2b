/*
 * fuzz-ingest - any object as a caller of lb-ingest jsonl may send it: the
 * chain must come out as JSON that holds no `path`, all else as it was.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "record/prune.h"
#include "record/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The same by way of values: what lb_prune() must amount to. */
static void remove_paths(json_t *value)
{
	const char *key;
	json_t *kid;
	size_t i;

	json_object_del(value, "path");
	json_object_foreach(value, key, kid) remove_paths(kid);
	json_array_foreach(value, i, kid) remove_paths(kid);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	lb_autobuf struct lb_buf out = {0}, mended = {0};
	json_t *want, *got;

	want = json_loadb((const char *)data, size,
			  JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL);
	if (!want || memchr(data, '\0', size)) {
		json_decref(want);
		return 0;
	}
	lb_prune(&out, (struct lb_span){(const char *)data, size}, "path");
	got = lb_record_load(lb_buf_str(&out), out.len, &mended);
	if (!got)
		abort();
	remove_paths(want);
	if (!memmem(data, size, "\\u0000", 6) && !json_equal(want, got))
		abort();
	json_decref(want);
	json_decref(got);
	return 0;
}
