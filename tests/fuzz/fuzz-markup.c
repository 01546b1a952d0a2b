/*
 * fuzz-markup - any bytes as Markdown: Telegram takes what comes of it, and
 * people do not see more than was there.
 */
#include <stdint.h>
#include <stdlib.h>

#include "../unit/telegram-html.h"
#include "platform/markup.h"
#include "record/cut.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	size_t max = lb_text_units(text, size, LB_UNIT_UTF16);
	lb_autobuf struct lb_buf html = {0}, plain = {0};
	long units;

	lb_markup(text, size, LB_MARKUP_TELEGRAM_HTML, &html);
	units = html_units(lb_buf_str(&html), html.len);
	if (units < 0 || (size_t)units > max)
		abort();
	lb_markup(text, size, LB_MARKUP_PLAIN, &plain);
	if (!lb_utf8_valid(lb_buf_str(&plain), plain.len) ||
	    lb_text_units(lb_buf_str(&plain), plain.len, LB_UNIT_UTF16) > max)
		abort();
	return 0;
}
