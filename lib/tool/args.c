#include "tool/args.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/log.h"

static int refuse_unknown(const char *key, const json_t *properties,
			  struct lb_error *err)
{
	lb_autobuf struct lb_buf known = {0};
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)properties, name, value)
		lb_buf_printf(&known, "%s%s", known.len ? ", " : "", name);
	return lb_fail(err, LB_DATA,
		       "there is no parameter '%.60s'; there are: %s", key,
		       lb_buf_str(&known));
}

/* What is none of a list of words must not become the usual one. */
static int check_word(const char *key, const json_t *value,
		      const json_t *property, struct lb_error *err)
{
	const json_t *words = json_object_get(property, "enum"), *word;
	lb_autobuf struct lb_buf all = {0};
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)words, i, word)
	{
		if (json_equal(word, value))
			return 0;
		lb_buf_printf(&all, "%s'%s'", i ? " or " : "",
			      json_string_value(word));
	}
	return words ? lb_fail(err, LB_DATA, "'%s' must be %s", key,
			       lb_buf_str(&all))
		     : 0;
}

static int check_one(const char *key, const json_t *value,
		     const json_t *properties, struct lb_error *err)
{
	const json_t *property = json_object_get(properties, key);
	const char *type = lb_json_str(property, "type");

	if (!property)
		return refuse_unknown(key, properties, err);
	if (json_is_null(value) || !type)
		return 0;
	if (strcmp(type, "string") == 0 && !json_is_string(value))
		return lb_fail(err, LB_DATA, "'%s' must be a text", key);
	if (strcmp(type, "boolean") == 0 && !json_is_boolean(value))
		return lb_fail(err, LB_DATA, "'%s' must be true or false", key);
	return check_word(key, value, property, err);
}

int lb_args_check(const char *schema, const json_t *arguments,
		  struct lb_error *err)
{
	json_auto_t *root = json_loads(schema, 0, NULL);
	const json_t *properties = json_object_get(root, "properties");
	const json_t *required = json_object_get(root, "required");
	const json_t *name;
	const char *key;
	json_t *value;
	size_t i;

	json_object_foreach((json_t *)(uintptr_t)arguments, key, value)
	{
		if (check_one(key, value, properties, err) < 0)
			return -1;
	}
	json_array_foreach(required, i, name)
	{
		key = json_string_value(name);
		if (!json_is_string(json_object_get(arguments, key)))
			return lb_fail(err, LB_DATA, "'%s' is missing", key);
	}
	return 0;
}

const char *lb_args_text(const json_t *arguments, const char *key, size_t *len)
{
	const json_t *value = json_object_get(arguments, key);

	if (len)
		*len = json_string_length(value);
	return json_string_value(value);
}

static bool read_number(const json_t *value, int64_t *number)
{
	const char *text = json_string_value(value);
	char *end;

	if (json_is_integer(value)) {
		*number = json_integer_value(value);
		return true;
	}
	if (json_is_real(value) && json_real_value(value) >= 0 &&
	    json_real_value(value) < 9e15) {
		*number = (int64_t)json_real_value(value);
		return true;
	}
	if (!text || !*text)
		return false;
	errno = 0;
	*number = strtoll(text, &end, 10);
	return !*end && errno == 0;
}

int64_t lb_args_number(const json_t *arguments, const char *key,
		       int64_t otherwise, int64_t least, int64_t most)
{
	int64_t number;

	if (!read_number(json_object_get(arguments, key), &number) ||
	    number < least)
		return otherwise;
	return number > most ? most : number;
}

int lb_args_spot(const struct lb_place *place, const json_t *arguments,
		 const char *otherwise, struct lb_spot *spot,
		 struct lb_error *err)
{
	size_t len;
	const char *path = lb_args_text(arguments, "path", &len);

	if (!path) {
		path = otherwise;
		len = strlen(otherwise);
	}
	return lb_place_find(place, path, len, spot, err);
}

json_t *lb_tool_no(const struct lb_error *err)
{
	return lb_tool_refuse("%s", err->text);
}

const char *lb_tool_told(const struct lb_error *err, const char *state)
{
	if (err->code != LB_IO && err->code != LB_OS &&
	    !strstr(err->text, state))
		return err->text;
	lb_complain("%s", err->text);
	return "the sandbox cannot be used at this moment, for a reason that "
	       "its operator can see; try again later";
}

json_t *lb_tool_trouble(const struct lb_error *err, const char *state)
{
	return lb_tool_refuse("%s", lb_tool_told(err, state));
}

json_t *lb_tool_refuse(const char *fmt, ...)
{
	json_t *result = json_object();
	char text[2 * LB_ERROR_TEXT];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	json_object_set_new(result, "ok", json_false());
	lb_json_set_str(result, "error", text, strlen(text));
	return result;
}

json_t *lb_tool_word(const char *word)
{
	return word ? json_string(word) : json_null();
}
