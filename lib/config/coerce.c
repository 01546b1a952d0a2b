#include "config/coerce.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "config/yaml.h"

enum { SHOWN = 60 }; /* bytes of a wrong value in a message */

static json_t *wrong(const struct lb_key *key, const json_t *value,
		     struct lb_error *err)
{
	lb_autobuf struct lb_buf want = {0}, got = {0};
	bool secret = key->type == LB_KEY_SECRET || key->type == LB_KEY_SECRETS;

	lb_key_says(key, &want);
	if (json_is_string(value))
		lb_buf_puts(&got, json_string_value(value));
	else if (value)
		lb_buf_json(&got, value);
	if (got.len > SHOWN || secret || !value)
		lb_fail(err, LB_CONFIG, "is not %s", lb_buf_str(&want));
	else
		lb_fail(err, LB_CONFIG, "'%s' is not %s", lb_buf_str(&got),
			lb_buf_str(&want));
	return NULL;
}

bool lb_secret_is_literal(const char *value)
{
	return *value && strncmp(value, "env:", 4) != 0 &&
	       strncmp(value, "file:", 5) != 0 &&
	       strncmp(value, "cmd:", 4) != 0;
}

static json_t *enumerated(const struct lb_key *key, const json_t *value,
			  struct lb_error *err)
{
	const char *text = json_string_value(value);

	if (!text)
		return wrong(key, value, err);
	if (lb_key_has_word(key->foreign, text)) {
		lb_fail(err, LB_CONFIG, "'%s' is not in this version", text);
		return NULL;
	}
	return lb_key_has_word(key->values, text) ? json_string(text)
						  : wrong(key, value, err);
}

static json_t *boolean(const struct lb_key *key, const json_t *value,
		       struct lb_error *err)
{
	static const char *const words[] = {"false", "0", "no",  "off",
					    "true",  "1", "yes", "on"};
	const char *text = json_string_value(value);

	if (json_is_boolean(value))
		return json_boolean(json_is_true(value));
	for (int i = 0; text && i < 8; i++)
		if (strcasecmp(text, words[i]) == 0)
			return json_boolean(i >= 4);
	return wrong(key, value, err);
}

static json_t *numeric(const struct lb_key *key, const json_t *value,
		       struct lb_error *err)
{
	json_auto_t *read = NULL;
	double real;

	if (json_is_string(value))
		value = read = lb_yaml_plain(json_string_value(value));
	if (!json_is_number(value))
		return wrong(key, value, err);
	real = json_number_value(value);
	if (real < (double)key->min || real > (double)key->max ||
	    (key->type == LB_KEY_INT && (double)(json_int_t)real != real))
		return wrong(key, value, err);
	return key->type == LB_KEY_INT ? json_integer((json_int_t)real)
				       : json_real(real);
}

static int amount(const struct lb_key *key, const json_t *value, int64_t *out)
{
	const char *text = json_string_value(value);
	struct lb_error err;
	bool size = key->type == LB_KEY_SIZE;
	double scaled;

	if (text && !size && strcmp(text, "none") == 0) {
		*out = INT64_MAX;
		return 0;
	}
	if (text)
		return size ? lb_size_parse(text, out, &err)
			    : lb_duration_parse(text, out, &err);
	if (!json_is_number(value) || json_number_value(value) < 0 ||
	    json_number_value(value) > 1e12)
		return -1;
	scaled = json_number_value(value) * (size ? 1 : 1000);
	*out = (int64_t)scaled;
	*out += scaled - (double)*out >= 0.5; /* libm costs a start */
	return 0;
}

int64_t lb_coerced_amount(const struct lb_key *key, const json_t *value)
{
	int64_t v = 0;

	return amount(key, value, &v) < 0 ? 0 : v;
}

static json_t *measured(const struct lb_key *key, const json_t *value,
			struct lb_error *err)
{
	int64_t v;

	if (amount(key, value, &v) < 0)
		return wrong(key, value, err);
	if (v == 0 && key->type == LB_KEY_DURATION) {
		lb_fail(err, LB_CONFIG, "0 is refused; say none for no limit");
		return NULL;
	}
	return json_deep_copy(value);
}

static bool all_texts(const json_t *list)
{
	size_t i;
	json_t *one;

	json_array_foreach((json_t *)(uintptr_t)list, i, one)
	{
		if (!json_is_string(one))
			return false;
	}
	return json_is_array(list);
}

static json_t *refuse(struct lb_error *err, const char *why)
{
	lb_fail(err, LB_CONFIG, "%s", why);
	return NULL;
}

static bool has_empty(const json_t *list)
{
	size_t i;
	json_t *one;

	json_array_foreach((json_t *)(uintptr_t)list, i, one)
	{
		if (json_string_length(one) == 0)
			return true;
	}
	return false;
}

/* Every text begins with an empty one, and has it in it: it is a slip. */
static json_t *texts(const struct lb_key *key, const json_t *value,
		     struct lb_error *err)
{
	if (json_is_string(value) && key->type == LB_KEY_SECRETS)
		return lb_json_pack("[s]", json_string_value(value));
	if (!all_texts(value))
		return wrong(key, value, err);
	if (key->type == LB_KEY_LIST && !key->blank && has_empty(value))
		return refuse(err, "has an empty text in it, which would fit "
				   "everything or nothing");
	return json_deep_copy(value);
}

static json_t *model(const struct lb_key *key, const json_t *value,
		     struct lb_error *err)
{
	json_t *out = lb_coerce_model(value);

	return out ? out : wrong(key, value, err);
}

static json_t *network(const struct lb_key *key, const json_t *value,
		       struct lb_error *err)
{
	json_t *out;

	err->code = LB_OK;
	out = lb_coerce_network(value, err);
	return out || err->code != LB_OK ? out : wrong(key, value, err);
}

/* LangBot's numbers, or words, or people. */
static json_t *privilege(const struct lb_key *key, const json_t *value,
			 struct lb_error *err)
{
	const char *word = json_string_value(value);
	json_int_t level = json_integer_value(value);

	if (word && strcmp(word, "1") == 0)
		level = 1;
	if (word && strcmp(word, "2") == 0)
		level = 2;
	if (level == 1 || (word && strcmp(word, "everyone") == 0))
		return json_string("everyone");
	if (level == 2 || (word && strcmp(word, "admins") == 0))
		return json_string("admins");
	return all_texts(value) ? json_deep_copy(value)
				: wrong(key, value, err);
}

static json_t *messages(const struct lb_key *key, const json_t *value,
			struct lb_error *err)
{
	size_t i;
	json_t *one;

	if (json_is_string(value) && *json_string_value(value))
		return lb_json_pack("[{s:s, s:O}]", "role", "system", "content",
				    value);
	if (!json_is_array(value))
		return wrong(key, value, err);
	json_array_foreach((json_t *)(uintptr_t)value, i, one)
	{
		const char *role = lb_json_str(one, "role");

		if (json_object_size(one) != 2 || !role ||
		    !lb_key_has_word("system user assistant", role) ||
		    !lb_json_str(one, "content"))
			return wrong(key, value, err);
	}
	return json_deep_copy(value);
}

/* A mapping of plain values, each as its text. NULL when it is none. */
static json_t *row(const json_t *value)
{
	json_auto_t *out = json_object();
	const char *name;
	json_t *one;

	json_object_foreach((json_t *)(uintptr_t)value, name, one)
	{
		lb_autofree char *text = NULL;

		if (json_is_string(one)) {
			json_object_set(out, name, one);
			continue;
		}
		if (json_is_object(one) || json_is_array(one))
			return NULL;
		text = json_dumps(one, JSON_ENCODE_ANY);
		lb_json_set_str(out, name, text, strlen(text));
	}
	return json_is_object(value) ? json_incref(out) : NULL;
}

static json_t *rows(const struct lb_key *key, const json_t *value,
		    struct lb_error *err)
{
	json_auto_t *out = json_array();
	size_t i;
	json_t *one;

	if (!json_is_array(value))
		return wrong(key, value, err);
	json_array_foreach((json_t *)(uintptr_t)value, i, one)
	{
		json_t *as_text = row(one);

		if (!as_text)
			return wrong(key, value, err);
		json_array_append_new(out, as_text);
	}
	return json_incref(out);
}

json_t *lb_coerce(const struct lb_key *key, const json_t *value,
		  struct lb_error *err)
{
	switch (key->type) {
	case LB_KEY_BOOL:
		return boolean(key, value, err);
	case LB_KEY_INT:
	case LB_KEY_NUMBER:
		return numeric(key, value, err);
	case LB_KEY_DURATION:
	case LB_KEY_SIZE:
		return measured(key, value, err);
	case LB_KEY_ENUM:
		return enumerated(key, value, err);
	case LB_KEY_LIST:
	case LB_KEY_SECRETS:
		return texts(key, value, err);
	case LB_KEY_TABLE:
		return rows(key, value, err);
	case LB_KEY_OBJECT:
		return json_is_object(value) ? json_deep_copy(value)
					     : wrong(key, value, err);
	case LB_KEY_MODEL:
		return model(key, value, err);
	case LB_KEY_MESSAGES:
		return messages(key, value, err);
	case LB_KEY_PRIVILEGE:
		return privilege(key, value, err);
	case LB_KEY_NETWORK:
		return network(key, value, err);
	case LB_KEY_STRING:
	case LB_KEY_SECRET:
		break;
	}
	return json_is_string(value) ? json_deep_copy(value)
				     : wrong(key, value, err);
}

static json_t *split(const char *text)
{
	json_t *list = json_array();

	while (*text) {
		size_t n = strcspn(text, ","), from = strspn(text, " \t");
		size_t to = n;

		while (to > from && strchr(" \t", text[to - 1]))
			to--;
		if (to > from)
			json_array_append_new(list, lb_json_text(text + from,
								 to - from));
		text += n + (text[n] == ',');
	}
	return list;
}

/* Is this YAML of a list rather than the one message itself? */
static bool means_list(const char *text)
{
	text += strspn(text, " \t\r\n");
	return *text == '[' || *text == '{' || strncmp(text, "- ", 2) == 0;
}

/* As a file has it: 7 in a list of texts is the text "7". */
static json_t *written(const char *text)
{
	struct lb_error why;
	struct lb_yaml *root = lb_yaml_open(text, strlen(text), "value", &why);
	json_t *value = root ? lb_yaml_text(root) : NULL;

	lb_yaml_close(root);
	return value;
}

json_t *lb_coerce_text(const struct lb_key *key, const char *text,
		       struct lb_error *err)
{
	json_auto_t *value = NULL;
	bool list = key->type == LB_KEY_LIST || key->type == LB_KEY_SECRETS ||
		    key->type == LB_KEY_PRIVILEGE;
	bool yaml =
		key->type == LB_KEY_OBJECT || key->type == LB_KEY_TABLE ||
		key->type == LB_KEY_MESSAGES ||
		((key->type == LB_KEY_MODEL || key->type == LB_KEY_NETWORK) &&
		 *text == '{') ||
		(list && *text == '[');
	struct lb_error why;

	if (key->type == LB_KEY_MESSAGES && !means_list(text))
		value = lb_json_text(text, strlen(text));
	else if (yaml && (list || key->type == LB_KEY_TABLE))
		value = written(text);
	else if (yaml)
		value = lb_yaml_parse(text, strlen(text), "value", &why);
	else if (key->type == LB_KEY_LIST || key->type == LB_KEY_SECRETS)
		value = split(text);
	else
		value = lb_json_text(text, strlen(text));
	return value ? lb_coerce(key, value, err) : wrong(key, NULL, err);
}
