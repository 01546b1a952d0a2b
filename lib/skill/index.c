#include "skill/index.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

enum {
	MIN_SHOWN = 40, /* bytes of a description that still say something */
	LAST_LINE = 120,
};

static void put_blank(struct lb_buf *out, size_t from)
{
	if (out->len > from && out->data[out->len - 1] != ' ')
		lb_buf_putc(out, ' ');
}

void lb_index_clean(struct lb_buf *out, const char *text, size_t len)
{
	lb_autobuf struct lb_buf seen = {0};
	size_t from = out->len;

	lb_text_visible(&seen, text, len);
	for (size_t i = 0, n; i < seen.len; i += n) {
		const char *c = seen.data + i;

		n = lb_utf8_char(c, seen.len - i);
		n = n ? n : 1;
		if (*c == '<' || *c == '>')
			lb_buf_puts(out, *c == '<' ? "\u2039" : "\u203a");
		else if (*c == ' ' || *c == '\n' || *c == '\t' ||
			 lb_utf8_is_odd(c, n))
			put_blank(out, from);
		else
			lb_buf_put(out, c, n);
	}
	if (out->len > from && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
}

/* The line of one, its description at most `most` bytes. True: it was cut. */
static bool put_line(struct lb_buf *out, const struct lb_shelved *one,
		     size_t most)
{
	lb_autobuf struct lb_buf about = {0};
	const char *text = one->skill.description;
	size_t len;
	bool cut;

	lb_index_clean(&about, text, strlen(text));
	len = lb_utf8_cut(lb_buf_str(&about), about.len, most);
	cut = len < about.len;
	lb_buf_printf(out, "- %s", one->name);
	if (most > 0) {
		lb_buf_puts(out, ": ");
		lb_buf_put(out, lb_buf_str(&about), len);
		if (cut)
			lb_buf_puts(out, "...");
	}
	lb_buf_putc(out, '\n');
	return cut;
}

/* All lines with descriptions of at most `most` bytes. */
static size_t measure(const struct lb_visible *v, size_t most)
{
	size_t len = 0;

	for (size_t i = 0; i < v->n; i++) {
		lb_autobuf struct lb_buf line = {0};

		put_line(&line, v->at[i], most);
		len += line.len;
	}
	return len;
}

/* The longest descriptions that fit; 0: even the shortest do not. */
static size_t fitting(const struct lb_visible *v, size_t max)
{
	size_t low = MIN_SHOWN, high = LB_SKILL_DESCRIPTION * 4;

	if (measure(v, high) <= max)
		return high;
	if (measure(v, low) > max)
		return 0;
	while (high - low > 8) {
		size_t middle = (low + high) / 2;

		if (measure(v, middle) <= max)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/*
 * So many that even short descriptions are too much: as many of them as leave
 * room for the names of the others.
 */
static void put_some(const struct lb_visible *v, size_t max, struct lb_buf *out,
		     struct lb_index_cut *cut)
{
	size_t names = measure(v, 0);
	size_t left = max > LAST_LINE ? max - LAST_LINE : 0;

	for (size_t i = 0; i < v->n; i++) {
		lb_autobuf struct lb_buf line = {0}, name = {0};
		bool is_cut = put_line(&line, v->at[i], MIN_SHOWN);

		put_line(&name, v->at[i], 0);
		names -= name.len;
		if (out->len + line.len + names <= left) {
			lb_buf_put(out, line.data, line.len);
			cut->cut += is_cut;
		} else if (out->len + name.len <= left) {
			lb_buf_put(out, name.data, name.len);
			cut->named++;
		} else {
			cut->left_out++;
		}
	}
	if (cut->left_out > 0)
		lb_buf_printf(out,
			      "and %zu more: activate a part of a name to "
			      "find them\n",
			      cut->left_out);
}

void lb_index_text(const struct lb_visible *v, size_t max, struct lb_buf *out,
		   struct lb_index_cut *cut)
{
	size_t most = fitting(v, max);
	struct lb_buf lines = {0};

	*cut = (struct lb_index_cut){0};
	if (most == 0)
		put_some(v, max, &lines, cut);
	for (size_t i = 0; most > 0 && i < v->n; i++)
		cut->cut += put_line(&lines, v->at[i], most);
	lb_buf_put(out, lb_buf_str(&lines), lines.len);
	lb_buf_release(&lines);
}
