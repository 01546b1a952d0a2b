/*
 * fuzz-box-output - a stream in any pieces: what is shown is UTF-8, never more
 * than it may be, the same as of the whole stream at once, and begins and ends
 * as the stream does.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "box/output.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool show(const char *text, size_t len, size_t shown, size_t piece,
		 struct lb_buf *out)
{
	struct lb_box_output o = {.shown = shown};
	bool truncated;

	for (size_t at = 0; at < len; at += piece)
		lb_box_output_add(&o, text + at,
				  len - at < piece ? len - at : piece);
	lb_box_output_text(&o, out, &truncated);
	if (o.bytes != len || o.head.len > len || o.tail.len > shown * 4 ||
	    lb_box_output_is_binary(&o) == lb_utf8_valid(text, len))
		abort();
	lb_box_output_release(&o);
	return truncated;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data + 2;
	lb_autobuf struct lb_buf whole = {0}, pieces = {0}, clean = {0};
	size_t shown, chars;
	bool truncated;

	if (size < 2)
		return 0;
	size -= 2;
	shown = data[0];
	lb_utf8_clean(&clean, text, size);
	chars = lb_utf8_count(lb_buf_str(&clean), clean.len);
	truncated = show(text, size, shown, size + 1, &whole);
	if (show(text, size, shown, data[1] % 16 + 1, &pieces) != truncated ||
	    strcmp(lb_buf_str(&whole), lb_buf_str(&pieces)) != 0 ||
	    truncated != (chars > shown) ||
	    !lb_utf8_valid(lb_buf_str(&whole), whole.len))
		abort();
	if (lb_utf8_count(lb_buf_str(&whole), whole.len) !=
	    (truncated ? shown : chars))
		abort();
	if (!truncated && strcmp(lb_buf_str(&whole), lb_buf_str(&clean)) != 0)
		abort();
	return 0;
}
