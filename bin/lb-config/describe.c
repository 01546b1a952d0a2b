/* lb-config describe - the table of keys, for people, programs and manuals. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/table.h"
#include "config/keys.h"
#include "verbs.h"

static bool as_json, as_mdoc;

const struct lb_opt describe_options[] = {
	{.name = "json",
	 .help = "JSON lines, also on a terminal",
	 .flag = &as_json},
	{.name = "mdoc",
	 .help = "the list of keys as lb-config(5) has it",
	 .flag = &as_mdoc},
	{0},
};

static json_t *row(const struct lb_key *key)
{
	lb_autobuf struct lb_buf says = {0};
	json_t *out;

	lb_key_says(key, &says);
	out = lb_json_pack("{s:s, s:s, s:s}", "key", key->path, "type",
			   lb_buf_str(&says), "meaning", key->doc);
	if (key->initial)
		json_object_set_new(out, "default",
				    json_loads(key->initial, JSON_DECODE_ANY,
					       NULL));
	return out;
}

/* A line of an mdoc page must not begin with what troff would obey. */
static void put_mdoc(const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", stdout);
	for (; *text; text++) {
		if (*text == '\\')
			fputs("\\e", stdout);
		else
			putchar(*text);
	}
	putchar('\n');
}

/* The default as a sentence; one longer than a line is only told of. */
static void print_default(const struct lb_key *key)
{
	json_auto_t *value = json_loads(key->initial, JSON_DECODE_ANY, NULL);
	const char *text = json_string_value(value);

	if (strlen(key->initial) > 60) {
		puts("The default is one system message for a chat.");
		return;
	}
	if (text && !*text) {
		puts("The default is empty.");
		return;
	}
	printf("The default is\n.Ql ");
	for (const char *p = text ? text : key->initial; *p; p++)
		fputs(*p == '"' ? "\\(dq" : (char[]){*p, 0}, stdout);
	puts(" .");
}

static void print_mdoc(const struct lb_key *key)
{
	lb_autobuf struct lb_buf says = {0}, line = {0};

	lb_key_says(key, &says);
	lb_buf_printf(&line, "%s.", key->doc);
	line.data[0] = (char)toupper((unsigned char)line.data[0]);
	printf(".It Cm %s\n", key->path);
	put_mdoc(line.data);
	lb_buf_reset(&line);
	lb_buf_printf(&line, "Value: %s.", lb_buf_str(&says));
	put_mdoc(line.data);
	if (key->initial)
		print_default(key);
}

static int describe_all(const char *const columns[])
{
	struct lb_table *table;

	if (as_mdoc) {
		for (const struct lb_key *k = lb_keys; k->path; k++)
			print_mdoc(k);
		return LB_OK;
	}
	table = lb_table_open(columns, as_json);
	for (const struct lb_key *k = lb_keys; k->path; k++)
		lb_table_row(table, row(k));
	lb_table_close(table);
	return LB_OK;
}

static int unknown(const char *path)
{
	lb_autofree char *near = lb_key_near(path);
	struct lb_error err;

	if (lb_key_absence(path, NULL) != LB_KEY_UNKNOWN)
		lb_fail(&err, LB_CONFIG, "'%s' is not in this version", path);
	else if (near)
		lb_fail(&err, LB_USAGE, "'%s' is no key (did you mean '%s'?)",
			path, near);
	else
		lb_fail(&err, LB_USAGE, "'%s' is no key", path);
	return lb_report(&err);
}

/* Who looks for a key knows a word of it. */
static bool has_part(const char *word)
{
	for (const struct lb_key *k = lb_keys; *word && k->path; k++)
		if (strstr(k->path, word))
			return true;
	return false;
}

int verb_describe(int argc, char **argv)
{
	static const char *const columns[] = {"key", "default", "type",
					      "meaning", NULL};
	struct lb_table *table;
	bool part;
	size_t n = 0;

	if (argc == 0)
		return describe_all(columns);
	part = !lb_key_find(argv[0]) && !lb_key_is_branch(argv[0]);
	if (part && !has_part(argv[0]))
		return unknown(argv[0]);
	table = lb_table_open(columns, as_json);
	for (const struct lb_key *k = lb_keys; k->path; k++)
		if (part ? strstr(k->path, argv[0]) != NULL
			 : lb_key_matches(k->path, argv[0], true) ||
				    lb_key_begins(k->path, argv[0])) {
			lb_table_row(table, row(k));
			n++;
		}
	lb_table_close(table);
	return n > 0 ? LB_OK : unknown(argv[0]);
}
