/*
 * fuzz-heal - any stored bytes: healing must stop, must not leak, and what
 * comes out must be writable and read back the same.
 */
#include <stdint.h>
#include <stdlib.h>

#include "store/heal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A mended turn needs no mending. */
static void check_turn(json_t *value)
{
	struct lb_buf told = {0};

	if (!json_is_array(value))
		return;
	lb_heal_turn(value, &told);
	if (lb_heal_turn(value, &told) != 0)
		abort();
	lb_buf_release(&told);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *value = lb_heal_load((const char *)data, size), *again;
	char *text;

	if (!value)
		return 0;
	text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
	if (!text)
		abort();
	again = json_loads(text, JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL);
	if (!again)
		abort();
	json_decref(again);
	check_turn(value);
	json_decref(value);
	free(text);
	return 0;
}
