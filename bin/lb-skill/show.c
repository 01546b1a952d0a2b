/* lb-skill show */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "skill.h"
#include "skill/change.h"

static bool json;
static const char *config_file;

const struct lb_opt show_options[] = {
	{'c', "config", "FILE", "read this configuration",
	 .text = &config_file},
	{.name = "json",
	 .help = "write a record to a terminal too",
	 .flag = &json},
	{0},
};

static void print_member(const char *key, const json_t *value)
{
	lb_autobuf struct lb_buf line = {0};

	lb_buf_printf(&line, "%-14s ", key);
	if (json_is_string(value))
		lb_buf_put(&line, json_string_value(value),
			   json_string_length(value));
	else
		lb_buf_json(&line, value);
	put_line(lb_buf_str(&line));
}

static void print(const struct lb_shelved *one, const json_t *row)
{
	lb_autobuf struct lb_buf clean = {0}, body = {0};
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)row, key,
			    value) if (strcmp(key, "kind") != 0)
		print_member(key, value);
	if (!one->skill.fit)
		return;
	lb_utf8_clean(&clean, one->skill.body, one->skill.body_len);
	lb_text_visible(&body, lb_buf_str(&clean), clean.len);
	printf("\n%s", lb_buf_str(&body));
	if (body.len > 0 && body.data[body.len - 1] != '\n')
		putchar('\n');
}

static void tell(const struct lb_shelved *one, const json_t *known)
{
	json_auto_t *row =
		skill_record(one, one->is_own
					  ? json_object_get(known, one->name)
					  : NULL);

	if (!json && isatty(STDOUT_FILENO)) {
		print(one, row);
		return;
	}
	if (one->skill.matter)
		json_object_set(row, "frontmatter", one->skill.matter);
	if (one->skill.fit)
		lb_json_set_str(row, "instructions", one->skill.body,
				one->skill.body_len);
	json_dumpf(row, stdout, JSON_COMPACT);
	putchar('\n');
}

int show_verb(int argc, char **argv)
{
	struct lb_shelved one;
	struct lb_error err;
	struct desk d;
	json_auto_t *known = NULL;
	int r = desk_open(&d, config_file, &err);

	(void)argc;
	if (r == 0 && !(known = lb_change_known(d.shelf->store, &err)))
		r = -1;
	if (r == 0)
		r = lb_shelf_find(d.shelf, argv[0], &one, &err);
	if (r == 0) {
		tell(&one, known);
		lb_shelved_one_release(&one);
	}
	desk_close(&d);
	return r < 0 ? lb_report(&err) : LB_OK;
}
