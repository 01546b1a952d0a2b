/*
 * fuzz-telegram-render - any JSON as a chain: what is sent is what Telegram
 * takes, in both forms, and no longer than it may be.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/telegram-html.h"
#include "base/json.h"
#include "platform/telegram.h"
#include "record/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct lb_telegram_call *call, size_t most)
{
	const char *text;
	long units;

	if (!call->text_field)
		return;
	text = lb_json_str(call->params, call->text_field);
	units = text ? html_units(text, strlen(text)) : -1;
	if (units <= 0 || (size_t)units > most || !call->plain ||
	    lb_text_units(call->plain, strlen(call->plain), LB_UNIT_UTF16) >
		    most)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lb_limits limits = *lb_limits_find("telegram");
	const struct lb_telegram_chat chat = {.id = -1, .thread = 7};
	struct lb_telegram_calls calls = {0};
	struct lb_buf mended = {0};
	struct lb_error err;
	json_t *chain;

	if (size == 0)
		return 0;
	limits.text = 8 + data[0];
	limits.caption = limits.text / 2;
	chain = lb_record_load((const char *)data + 1, size - 1, &mended);
	if (json_is_array(chain) &&
	    lb_telegram_render(chain, &chat, &limits, &calls, &err) == 0)
		for (size_t i = 0; i < calls.n; i++)
			check(&calls.at[i], limits.text);
	lb_telegram_calls_release(&calls);
	lb_buf_release(&mended);
	json_decref(chain);
	return 0;
}
