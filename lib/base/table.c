#include "base/table.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/utf8.h"

enum { MAX_COLUMNS = 12, MAX_WIDTH = 60 };

struct lb_table {
	const char *const *columns;
	size_t n_columns, n_rows;
	bool json;
	char **cells; /* n_rows * n_columns */
	size_t width[MAX_COLUMNS];
};

/* Columns of a terminal that valid UTF-8 text takes. */
static size_t text_width(const char *text)
{
	size_t width = 0, len = strlen(text);

	for (size_t i = 0; i < len;) {
		size_t n = lb_utf8_char(text + i, len - i);
		wchar_t wide;
		mbstate_t state = {0};
		int w = 1;

		if (n > 1 && mbrtowc(&wide, text + i, n, &state) == n)
			w = wcwidth(wide);
		width += w > 0 ? (size_t)w : 0;
		i += n ? n : 1;
	}
	return width;
}

static char *cell_text(const json_t *value)
{
	lb_autobuf struct lb_buf raw = {0}, out = {0};

	if (json_is_string(value))
		lb_buf_put(&raw, json_string_value(value),
			   json_string_length(value));
	else if (value && !json_is_null(value))
		lb_buf_json(&raw, value);
	lb_text_visible(&out, lb_buf_str(&raw), raw.len);
	for (char *p = out.data; p && *p; p++)
		if (*p == '\n' || *p == '\t')
			*p = ' ';
	if (out.len > MAX_WIDTH * 4) {
		out.len = lb_utf8_cut(out.data, out.len, MAX_WIDTH * 4);
		out.data[out.len] = '\0';
	}
	return lb_buf_take(&out);
}

struct lb_table *lb_table_open(const char *const columns[], bool json)
{
	struct lb_table *t = lb_alloc(sizeof(*t));

	setlocale(LC_CTYPE, "");
	t->columns = columns;
	t->json = json || !isatty(STDOUT_FILENO);
	for (; columns[t->n_columns] && t->n_columns < MAX_COLUMNS;
	     t->n_columns++)
		t->width[t->n_columns] = strlen(columns[t->n_columns]);
	return t;
}

void lb_table_time(const struct lb_table *t, json_t *row, const char *key,
		   int64_t ms)
{
	char text[LB_CLOCK_TEXT];

	if (t->json)
		lb_clock_text(ms, text);
	else
		lb_clock_local(ms, text);
	json_object_set_new(row, key, json_string(text));
}

void lb_table_row(struct lb_table *t, json_t *take)
{
	size_t at = t->n_rows * t->n_columns;

	t->n_rows++;
	if (t->json) {
		json_dumpf(take, stdout, JSON_COMPACT);
		putchar('\n');
		json_decref(take);
		return;
	}
	t->cells = lb_grow(t->cells, (at + t->n_columns) * sizeof(*t->cells));
	for (size_t i = 0; i < t->n_columns; i++) {
		char *text = cell_text(json_object_get(take, t->columns[i]));
		size_t width = text_width(text);

		t->cells[at + i] = text;
		if (width > t->width[i])
			t->width[i] = width;
	}
	json_decref(take);
}

static void print_row(const struct lb_table *t, const char *const *cells)
{
	for (size_t i = 0; i < t->n_columns; i++) {
		size_t pad = t->width[i] - text_width(cells[i]);

		fputs(cells[i], stdout);
		if (i + 1 < t->n_columns)
			printf("%*s", (int)pad + 2, "");
	}
	putchar('\n');
}

size_t lb_table_close(struct lb_table *t)
{
	size_t rows = t->n_rows;

	if (!t->json && rows > 0)
		print_row(t, t->columns);
	for (size_t r = 0; !t->json && r < rows; r++)
		print_row(t, (const char *const *)t->cells + r * t->n_columns);
	for (size_t i = 0; !t->json && i < rows * t->n_columns; i++)
		free(t->cells[i]);
	free(t->cells);
	free(t);
	return rows;
}
