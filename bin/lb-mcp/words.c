/* words.c - arguments of a tool as words of a command line. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/utf8.h"
#include "mcp.h"

enum { MAX_INPUT = 16 << 20 };

static bool is_whole(int argc, char **argv)
{
	return argc == 1 && (argv[0][0] == '{' || strcmp(argv[0], "-") == 0);
}

bool words_are_typed(int argc, char **argv)
{
	for (int i = 0; !is_whole(argc, argv) && i < argc; i++) {
		const char *equals = strchr(argv[i], '=');

		if (equals && equals > argv[i] && equals[-1] != ':')
			return true;
	}
	return false;
}

static json_t *read_whole(const char *word, struct lb_error *err)
{
	lb_autofree char *text = NULL;
	size_t len = strlen(word);
	json_error_t why;
	json_t *value;

	if (strcmp(word, "-") == 0) {
		lb_note_terminal();
		if (lb_path_read("/dev/stdin", MAX_INPUT, &text, &len, err) < 0)
			return NULL;
		word = text;
	}
	value = json_loadb(word, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL,
			   &why);
	if (value && json_is_object(value))
		return value;
	lb_fail(err, LB_DATA, "the arguments are no JSON object%s%s",
		value ? "" : ": ", value ? "" : why.text);
	json_decref(value);
	return NULL;
}

/* The type that a schema gives a member: a text, or several. */
static const json_t *type_of(const json_t *schema, const char *name, size_t len)
{
	const json_t *member =
		json_object_getn(json_object_get(schema, "properties"), name,
				 len);

	return json_object_get(member, "type");
}

/* A text as that type; NULL: it is none. */
static json_t *as(const char *type, const char *text)
{
	json_t *value;
	bool fits;

	if (strcmp(type, "string") == 0)
		return lb_json_text(text, strlen(text));
	value = json_loads(text, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
	fits = strcmp(type, "integer") == 0   ? json_is_integer(value)
	       : strcmp(type, "number") == 0  ? json_is_number(value)
	       : strcmp(type, "boolean") == 0 ? json_is_boolean(value)
	       : strcmp(type, "array") == 0   ? json_is_array(value)
	       : strcmp(type, "object") == 0  ? json_is_object(value)
	       : strcmp(type, "null") == 0    ? json_is_null(value)
					      : value != NULL;
	if (fits)
		return value;
	json_decref(value);
	return NULL;
}

/* The first of the types that it can be; without one it is a text. */
static json_t *as_any(const json_t *types, const char *text)
{
	json_t *value = NULL;

	for (size_t i = 0; !value && i < json_array_size(types); i++) {
		const char *type = json_string_value(json_array_get(types, i));

		value = type ? as(type, text) : NULL;
	}
	if (json_is_array(types))
		return value;
	return as(json_is_string(types) ? json_string_value(types) : "string",
		  text);
}

static int read_word(const char *word, const json_t *schema, json_t *to,
		     struct lb_error *err)
{
	const char *equals = strchr(word, '=');
	bool json = equals && equals > word && equals[-1] == ':';
	size_t len = equals ? (size_t)(equals - word) - json : 0;
	const json_t *type = json ? NULL : type_of(schema, word, len);
	const char *what =
		json_is_string(type) ? json_string_value(type) : "such thing";
	json_t *value;

	if (len == 0)
		return lb_fail(err, LB_USAGE,
			       "'%.60s' is neither NAME=TEXT nor NAME:=JSON",
			       word);
	value = json ? as("any", equals + 1) : as_any(type, equals + 1);
	if (!value)
		return lb_fail(err, LB_USAGE, "%.*s: '%.60s' is no %s",
			       (int)len, word, equals + 1,
			       json ? "JSON" : what);
	json_object_setn_new(to, word, len, value);
	return 0;
}

json_t *words_read(int argc, char **argv, const json_t *schema,
		   struct lb_error *err)
{
	json_auto_t *all = json_object();

	if (is_whole(argc, argv))
		return read_whole(argv[0], err);
	for (int i = 0; i < argc; i++)
		if (read_word(argv[i], schema, all, err) < 0)
			return NULL;
	return lb_steal(&all);
}

void put_json(const json_t *value)
{
	json_dumpf(value, stdout, JSON_COMPACT | JSON_ENCODE_ANY);
	putchar('\n');
}

void put_reply(const struct reply *reply)
{
	if (reply->text)
		puts(reply->text);
	else
		put_json(reply->result);
}

void put_bytes(const char *text, size_t len)
{
	fwrite(text, 1, len, stdout);
}

void put_text(const char *text, size_t len)
{
	lb_autobuf struct lb_buf clean = {0};

	if (isatty(STDOUT_FILENO)) {
		lb_text_visible(&clean, text, len);
		text = lb_buf_str(&clean);
		len = clean.len;
	}
	put_bytes(text, len);
	if (len > 0 && text[len - 1] != '\n')
		putchar('\n');
}
