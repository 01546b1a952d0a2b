/* value.c - what columns hold, and how much of it may stand in our file. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "config/coerce.h"
#include "langbot/items.h"

enum { MAX_JSON = 1 << 20 };

char *lb_row_text(const json_t *row, const char *column)
{
	json_auto_t *text = lb_langbot_text(json_object_get(row, column));

	return text ? lb_strdup(json_string_value(text)) : NULL;
}

json_t *lb_row_json(const json_t *row, const char *column, bool *broken)
{
	const json_t *cell = json_object_get(row, column);
	const char *text = json_string_value(cell);
	json_t *value;

	if (!cell || json_is_null(cell) || (text && strlen(text) > MAX_JSON)) {
		*broken |= text != NULL;
		return NULL;
	}
	value = text ? json_loadb(text, strlen(text), JSON_DECODE_ANY, NULL)
		     : NULL;
	if (!value)
		*broken = true;
	if (json_is_null(value)) {
		json_decref(value);
		return NULL;
	}
	return value;
}

bool lb_row_bool(const json_t *row, const char *column, bool otherwise)
{
	const json_t *cell = json_object_get(row, column);

	if (json_is_integer(cell))
		return json_integer_value(cell) != 0;
	if (json_is_boolean(cell))
		return json_is_true(cell);
	return otherwise;
}

/* What a reader of YAML refuses, also when it is escaped. */
static void put_clean(struct lb_buf *out, const char *text)
{
	lb_autobuf struct lb_buf seen = {0};

	lb_text_visible(&seen, text, strlen(text));
	for (size_t i = 0, n; i < seen.len; i += n) {
		n = lb_utf8_char(seen.data + i, seen.len - i);
		if (n == 3 && memcmp(seen.data + i, "\xef\xbf\xbe", 2) == 0 &&
		    (unsigned char)seen.data[i + 2] >= 0xbe)
			continue;
		lb_buf_put(out, seen.data + i, n ? n : 1);
		n = n ? n : 1;
	}
}

json_t *lb_langbot_text(const json_t *value)
{
	lb_autobuf struct lb_buf out = {0};

	if (json_is_integer(value))
		return json_sprintf("%lld",
				    (long long)json_integer_value(value));
	if (!json_is_string(value))
		return NULL;
	put_clean(&out, json_string_value(value));
	return lb_json_text(lb_buf_str(&out), out.len);
}

json_t *lb_langbot_texts(const json_t *value, size_t *lost)
{
	json_t *out = json_array(), *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)value, i, one)
	{
		json_t *text = lb_langbot_text(one);

		if (text)
			json_array_append_new(out, text);
		else
			(*lost)++;
	}
	return out;
}

json_t *lb_langbot_secret(const json_t *value)
{
	json_t *text = lb_langbot_text(value);

	if (text && lb_secret_is_literal(json_string_value(text)))
		return text;
	json_decref(text);
	return NULL;
}
