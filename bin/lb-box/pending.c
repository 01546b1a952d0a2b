/* lb-box pending */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/utf8.h"
#include "box.h"
#include "store/approval.h"

/* That people are shown: those who ask may be many, and each has a page. */
enum { SHOWN = 50 };

static bool json;

const struct lb_opt pending_options[] = {
	{.name = "json", .help = "write a line of JSON each", .flag = &json},
	BOX_WORKSPACE,
	{0},
};

/*
 * Who approves must see what runs: what a terminal would obey, and what hides
 * or turns the text beside it, is spelt out.
 */
static bool misleads(const char *text, size_t n)
{
	const unsigned char *c = (const unsigned char *)text;

	if (n == 1)
		return (*c < 32 && *c != '\t') || *c == 127 || *c >= 0x80;
	if (n == 2) /* C1 controls, soft hyphen */
		return c[0] == 0xc2 && (c[1] < 0xa0 || c[1] == 0xad);
	/* U+2000-200F, 2028-202F, 205F-206F, FEFF: blanks, marks, directions */
	return n == 3 && ((c[0] == 0xe2 && c[1] == 0x80 &&
			   (c[2] <= 0x8f || c[2] >= 0xa8)) ||
			  (c[0] == 0xe2 && c[1] == 0x81 && c[2] >= 0x9f &&
			   c[2] <= 0xaf) ||
			  (c[0] == 0xef && c[1] == 0xbb && c[2] == 0xbf));
}

/* Each line set in, so that none looks like another request. */
static void print_command(const char *text, size_t len)
{
	fputs("    ", stdout);
	for (size_t i = 0; i < len;) {
		size_t n = lb_utf8_char(text + i, len - i);

		if (n == 0)
			n = 1;
		if (text[i] == '\n') {
			fputs("\n    ", stdout);
		} else if (misleads(text + i, n)) {
			for (size_t k = 0; k < n; k++)
				printf("\\x%02x", (unsigned char)text[i + k]);
		} else {
			fwrite(text + i, 1, n, stdout);
		}
		i += n;
	}
	putchar('\n');
}

static void print_member(const char *before, const json_t *request,
			 const char *key)
{
	const char *text = lb_json_str(request, key);
	lb_autobuf struct lb_buf clean = {0};

	if (!text || !*text)
		return;
	lb_text_visible(&clean, text, strlen(text));
	for (size_t i = 0; i < clean.len; i++)
		if (clean.data[i] == '\n')
			clean.data[i] = ' ';
	printf("%s%s", before, lb_buf_str(&clean));
}

struct show {
	struct lb_table *table; /* NULL: for people */
	size_t n;
};

static void show_people(const json_t *request, int64_t until)
{
	const json_t *text = json_object_get(request, "text");
	char time[LB_CLOCK_TEXT];

	lb_clock_local(until, time);
	print_member("", request, "id");
	print_member("  in ", request, "session");
	print_member("  for ", request, "sender");
	printf("  until %s\n", time);
	print_command(json_string_value(text), json_string_length(text));
}

static void show(void *arg, const json_t *request)
{
	struct show *s = arg;
	const char *of = lb_json_str(request, "workspace");
	int64_t asked = 0, until = 0;
	json_t *row;

	if (box_whose() && (!of || strcmp(of, box_whose()) != 0))
		return;
	if (++s->n > SHOWN && !s->table)
		return;
	lb_json_int(request, "asked", &asked);
	lb_json_int(request, "until", &until);
	if (!s->table) {
		show_people(request, until);
		return;
	}
	row = json_copy((json_t *)(uintptr_t)request);
	lb_table_time(s->table, row, "asked", asked);
	lb_table_time(s->table, row, "until", until);
	lb_table_row(s->table, row);
}

int pending_verb(int argc, char **argv)
{
	static const char *const columns[] = {"id", NULL};
	struct lb_error err;
	struct lb_store *store;
	int got = box_store(&store, &err);
	bool people = !json && isatty(STDOUT_FILENO);
	struct show s = {people ? NULL : lb_table_open(columns, true), 0};

	(void)argc;
	(void)argv;
	if (got > 0)
		got = lb_approval_each(store, lb_clock_now(), show, &s, &err);
	lb_store_close(store);
	if (s.table)
		lb_table_close(s.table);
	if (got < 0)
		return lb_report(&err);
	if (people && s.n > SHOWN)
		printf("\n... and %zu more, which 'lb-box pending --json' "
		       "lists\n",
		       s.n - SHOWN);
	if (people && s.n > 0)
		puts("\n'lb-box approve REQUEST' allows one for 15 minutes, "
		     "once; "
		     "'lb-box deny REQUEST' refuses it");
	return LB_OK;
}
