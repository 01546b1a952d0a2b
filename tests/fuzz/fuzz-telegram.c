/*
 * fuzz-telegram - any JSON as an update: each record that comes of it is one,
 * and the same update has the same ids.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "platform/telegram.h"
#include "record/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const char *line, size_t len)
{
	struct lb_record r = {0};
	struct lb_error err;
	const char *kind;

	if (lb_record_parse(&r, line, len, &err) < 0)
		abort();
	kind = json_string_value(json_object_get(r.json, "kind"));
	if (!kind || !json_object_get(r.json, "time") || r.repaired.len > 0)
		abort();
	if (strcmp(kind, "message") == 0 &&
	    (!json_is_array(json_object_get(r.json, "chain")) ||
	     !json_is_boolean(json_object_get(r.json, "mentioned_me"))))
		abort();
	lb_record_release(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char name[] = "lb_bot";
	static const struct lb_telegram_self self = {99, name, false};
	struct lb_telegram_parse p = {.self = &self,
				      .bot = "main",
				      .state = "/state",
				      .now = 1};
	struct lb_buf mended = {0};
	json_t *update = lb_record_load((const char *)data, size, &mended);
	struct lb_error err;

	if (update && lb_telegram_parse(&p, update, &err) == 0) {
		const char *at = lb_buf_str(&p.records), *nl;

		for (; (nl = strchr(at, '\n')); at = nl + 1)
			check(at, (size_t)(nl - at));
		if (*at)
			abort();
	}
	lb_telegram_parse_release(&p);
	lb_buf_release(&mended);
	json_decref(update);
	return 0;
}
