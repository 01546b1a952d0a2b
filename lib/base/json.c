#include "base/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"

const char *lb_json_str(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

bool lb_json_int(const json_t *o, const char *key, int64_t *v)
{
	const json_t *value = json_object_get(o, key);
	double real;

	if (json_is_integer(value)) {
		*v = json_integer_value(value);
		return true;
	}
	if (!json_is_real(value))
		return false;
	real = json_real_value(value);
	if (!(fabs(real) <= 9007199254740992.0) || real != floor(real))
		return false;
	*v = (int64_t)real;
	return true;
}

bool lb_json_bool(const json_t *o, const char *key, bool otherwise)
{
	const json_t *value = json_object_get(o, key);

	return json_is_boolean(value) ? json_is_true(value) : otherwise;
}

int lb_json_need_str(const json_t *o, const char *key, const char **borrow,
		     struct lb_error *err)
{
	const json_t *value = json_object_get(o, key);

	if (!value)
		return lb_fail(err, LB_DATA, "field '%s' is missing", key);
	if (!json_is_string(value))
		return lb_fail(err, LB_DATA, "field '%s' is not a string", key);
	*borrow = json_string_value(value);
	return 0;
}

json_t *lb_json_text(const char *text, size_t len)
{
	json_t *value = json_stringn(text, len);
	lb_autobuf struct lb_buf clean = {0};

	if (value)
		return value;
	lb_utf8_clean(&clean, text, len);
	return json_stringn_nocheck(clean.data, clean.len);
}

void lb_json_set_str(json_t *o, const char *key, const char *text, size_t len)
{
	json_object_set_new(o, key, lb_json_text(text, len));
}

json_t *lb_json_pack(const char *fmt, ...)
{
	json_error_t why;
	va_list args;
	json_t *value;

	va_start(args, fmt);
	value = json_vpack_ex(&why, 0, fmt, args);
	va_end(args);
	if (!value) {
		fprintf(stderr, "lb: cannot make a value from '%s': %s\n", fmt,
			why.text);
		abort();
	}
	return value;
}

json_t *lb_json_path(const json_t *o, const char *path)
{
	const json_t *at = o;

	while (at && *path) {
		size_t len = strcspn(path, ".");
		char *end;

		if (json_is_array(at)) {
			unsigned long i = strtoul(path, &end, 10);
			bool whole = len > 0 && end == path + len &&
				     strspn(path, "0123456789") >= len;

			at = whole ? json_array_get(at, i) : NULL;
		} else {
			at = json_object_getn(at, path, len);
		}
		path += len + (path[len] == '.');
	}
	return (json_t *)(uintptr_t)at; /* as borrowed as its parent */
}

void lb_json_put(json_t *o, const char *path, json_t *take)
{
	size_t len = strcspn(path, ".");

	while (path[len] == '.') {
		json_t *next = json_object_getn(o, path, len);

		if (!json_is_object(next)) {
			next = json_object();
			json_object_setn_new(o, path, len, next);
		}
		o = next;
		path += len + 1;
		len = strcspn(path, ".");
	}
	if (len > 0)
		json_object_setn_new(o, path, len, take);
	else
		json_decref(take);
}

void lb_json_merge(json_t *base, const json_t *over)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)over, key, value)
	{
		json_t *mine = json_object_get(base, key);

		if (json_is_object(mine) && json_is_object(value))
			lb_json_merge(mine, value);
		else
			json_object_set_new(base, key, json_deep_copy(value));
	}
}

bool lb_json_is_deep(const json_t *value, int most)
{
	json_t *any = (json_t *)(uintptr_t)value, *kid;
	const char *key;
	size_t i;

	if (!json_is_object(value) && !json_is_array(value))
		return false;
	if (most <= 0)
		return true;
	json_object_foreach(any, key, kid)
	{
		if (lb_json_is_deep(kid, most - 1))
			return true;
	}
	json_array_foreach(any, i, kid)
	{
		if (lb_json_is_deep(kid, most - 1))
			return true;
	}
	return false;
}
