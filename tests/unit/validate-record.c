/*
 * validate-record - do records keep to their schemas?
 *
 *     validate-record SCHEMADIR < records
 *
 * Each line of the input is checked against SCHEMADIR/KIND.json. What fails
 * is a line of output; then the exit status is 1. No input at all fails too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/path.h"
#include "llm/schema.h"
#include "record/record.h"

enum { MAX_SCHEMA = 1 << 20 };

static const char *folder;
static struct lb_map schemas;

/* The schema of a kind, read once. Borrowed. */
static const json_t *schema_of(const char *kind, struct lb_error *err)
{
	lb_autofree char *path = NULL, *text = NULL;
	json_t *schema = lb_map_find(&schemas, kind);
	size_t len;

	if (schema)
		return schema;
	if (!*kind || strchr(kind, '/')) {
		lb_fail(err, LB_DATA, "'%s' is no kind", kind);
		return NULL;
	}
	path = lb_printf("%s/%s.json", folder, kind);
	if (lb_path_read(path, MAX_SCHEMA, &text, &len, err) < 0)
		return NULL;
	schema = lb_schema_open(text, err);
	if (schema)
		lb_map_add(&schemas, kind, schema);
	return schema;
}

static int check_line(const char *text, size_t len, struct lb_error *err)
{
	struct lb_record r = {0};
	const json_t *schema = NULL;
	const char *kind;
	int result = -1;

	if (lb_record_parse(&r, text, len, err) == 0 &&
	    lb_json_need_str(r.json, "kind", &kind, err) == 0)
		schema = schema_of(kind, err);
	if (schema)
		result = lb_schema_check(schema, r.json, err);
	if (result == 0 && strncmp(text, "{\"kind\":", 8) != 0)
		result = lb_fail(err, LB_DATA, "'kind' is not the first key");
	lb_record_release(&r);
	return result;
}

static void free_schema(void *value)
{
	json_decref(value);
}

int main(int argc, char **argv)
{
	lb_autofree char *line = NULL;
	struct lb_error err;
	unsigned long number = 0, bad = 0;
	size_t size = 0;
	ssize_t len;

	if (argc != 2) {
		fprintf(stderr, "usage: validate-record SCHEMADIR\n");
		return LB_USAGE;
	}
	folder = argv[1];
	while ((len = getline(&line, &size, stdin)) > 0) {
		number++;
		if (line[len - 1] == '\n')
			len--;
		if (check_line(line, (size_t)len, &err) == 0)
			continue;
		bad++;
		printf("line %lu: %s: %.*s\n", number, err.text, (int)len,
		       line);
	}
	if (number == 0)
		printf("no records\n");
	lb_map_release(&schemas, free_schema);
	return bad > 0 || number == 0 ? LB_NO : LB_OK;
}
