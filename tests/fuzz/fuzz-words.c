/*
 * fuzz-words - any text, cut between any characters: words and patterns are
 * hidden in its pieces as they are in the whole, and where there are none
 * nothing is changed.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "pipeline/words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const lists[] = {
	"words: [ab, abc, bcd, b, aabb, é王, 王, 王王a]",
	"words: [abab, baba, aa, éé], mask-word: '[no]'",
	"words: ['a+b', '^b', 'b$', '\\bab\\b', é.王, ba(?=b), 'x*']",
	"words: [ab, ba, 'a.b', '王{2}', '[^a]$'], mask: ''",
};

enum { N_LISTS = sizeof(lists) / sizeof(lists[0]) };

static struct lb_words *open_list(const char *lines)
{
	char path[] = "/tmp/fuzz-words.XXXXXX";
	int fd = mkstemp(path);
	struct lb_config *config;
	struct lb_words *w = NULL;
	struct lb_error err;

	if (fd < 0 ||
	    dprintf(fd, "pipelines: {p: {safety: {content-filter: {%s}}}}\n",
		    lines) < 0)
		abort();
	close(fd);
	config = lb_config_load(path, &err);
	unlink(path);
	if (config)
		w = lb_words_open(config, "p", &err);
	if (!w)
		abort();
	lb_config_close(config);
	return w;
}

/* The bits of `cuts` say after how many characters. */
static void in_pieces(struct lb_words *w, const struct lb_buf *text,
		      unsigned cuts, struct lb_buf *out)
{
	struct lb_words_stream s = {0};
	size_t from = 0, at = 0;

	for (unsigned n = 0; at < text->len; n++) {
		at += lb_utf8_char(text->data + at, text->len - at);
		if (cuts >> n % 8 & 1) {
			lb_words_feed(w, &s, text->data + from, at - from, out);
			from = at;
		}
	}
	if (at > from)
		lb_words_feed(w, &s, text->data + from, at - from, out);
	lb_words_end(w, &s, out);
	lb_words_stream_release(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct lb_words *words[N_LISTS];
	lb_autobuf struct lb_buf text = {0}, whole = {0}, pieces = {0};
	struct lb_words *w;
	bool found;

	if (size < 2)
		return 0;
	if (!words[data[0] % N_LISTS])
		words[data[0] % N_LISTS] = open_list(lists[data[0] % N_LISTS]);
	w = words[data[0] % N_LISTS];
	lb_utf8_clean(&text, (const char *)data + 2, size - 2);
	found = lb_words_mask(w, lb_buf_str(&text), text.len, &whole);
	in_pieces(w, &text, data[1], &pieces);
	if (whole.len != pieces.len ||
	    memcmp(lb_buf_str(&whole), lb_buf_str(&pieces), whole.len) != 0)
		abort();
	if (found != lb_words_found(w, lb_buf_str(&text), text.len) ||
	    !lb_utf8_valid(lb_buf_str(&whole), whole.len))
		abort();
	if (!found &&
	    (whole.len != text.len ||
	     memcmp(lb_buf_str(&whole), lb_buf_str(&text), whole.len) != 0))
		abort();
	return 0;
}
