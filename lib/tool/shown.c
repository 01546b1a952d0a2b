#include "tool/shown.h"

#include "base/utf8.h"

static const char unknown[] = "\xef\xbf\xbd";

/* Plain ASCII goes in one piece. */
static size_t plain(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && text[n] > 0 && text[n] != '\r')
		n++;
	return n;
}

size_t lb_show(struct lb_buf *out, const char *text, size_t len, size_t max,
	       bool is_end)
{
	size_t at = 0, room = max;

	if (!is_end)
		len -= lb_utf8_partial(text, len);
	while (at < len && room > 0) {
		size_t run =
			plain(text + at, len - at > room ? room : len - at);
		const char *put = text + at;
		size_t take = run, n = run;

		if (run == 0 && *put == '\r') {
			take = 1;
			n = at + 1 < len && put[1] == '\n' ? 0 : 1;
		} else if (run == 0) {
			take = n = *put ? lb_utf8_char(put, len - at) : 0;
			if (n == 0) {
				put = unknown;
				n = sizeof(unknown) - 1;
				take = 1;
			}
		}
		if (n > room)
			break;
		lb_buf_put(out, put, n);
		room -= n;
		at += take;
	}
	return at;
}
