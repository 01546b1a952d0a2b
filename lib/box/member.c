#include "box/member.h"

#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include "base/buf.h"
#include "base/mem.h"
#include "box/spec.h"

static const char blanks[] = " \t\n\v\f\r";

const json_t *lb_member(const json_t *o, const char *name)
{
	const json_t *value = json_object_get(o, name);

	return json_is_null(value) ? NULL : value;
}

bool lb_is_word(const char *text)
{
	locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
	mbstate_t state = {0};
	bool good = utf8 != (locale_t)0, word = false;
	wchar_t one;

	while (good && *text) {
		size_t len = mbrtowc(&one, text, strlen(text), &state);
		bool alnum = len <= MB_LEN_MAX && iswalnum((wint_t)one);

		good = alnum || *text == '-' || *text == '_';
		word = word || alnum;
		text += good ? len : 0;
	}
	if (utf8) {
		uselocale(before);
		freelocale(utf8);
	}
	return good && word;
}

bool lb_has_control(const char *text)
{
	for (const unsigned char *c = (const unsigned char *)text; *c; c++)
		if (*c < ' ' || *c == 0x7f ||
		    (*c == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f))
			return true;
	return false;
}

int lb_member_text(const json_t *o, const char *name, size_t most, char **take,
		   struct lb_error *err)
{
	const json_t *value = lb_member(o, name);
	const char *text = json_string_value(value);
	size_t len;

	if (!value)
		return 0;
	if (!text)
		return lb_fail(err, LB_DATA, "field '%s' is not a string",
			       name);
	if (strlen(text) != json_string_length(value))
		return lb_fail(err, LB_DATA, "field '%s' holds a NUL", name);
	text += strspn(text, blanks);
	len = strlen(text);
	while (len > 0 && strchr(blanks, text[len - 1]))
		len--;
	if (len > most)
		return lb_fail(err, LB_DATA,
			       "field '%s' has %zu bytes, more than %zu", name,
			       len, most);
	free(*take);
	*take = lb_strndup(text, len);
	return 0;
}

bool lb_whole(const json_t *value, int64_t *number)
{
	const char *text = json_string_value(value);
	double real = json_real_value(value);
	size_t digits;

	if (json_is_integer(value)) {
		*number = json_integer_value(value);
		return true;
	}
	if (json_is_real(value)) {
		if (!(fabs(real) <= 9007199254740992.0) || rint(real) < real ||
		    rint(real) > real)
			return false;
		*number = (int64_t)real;
		return true;
	}
	if (!text || strlen(text) != json_string_length(value))
		return false;
	text += strspn(text, blanks);
	digits = strspn(text + (*text == '-'), "0123456789");
	if (digits == 0 || digits > 18 ||
	    text[(*text == '-') + digits +
		 strspn(text + (*text == '-') + digits, blanks)])
		return false;
	*number = strtoll(text, NULL, 10);
	return true;
}

int lb_member_whole(const json_t *o, const char *name, int64_t min, int64_t max,
		    int64_t *value, struct lb_error *err)
{
	const json_t *set = lb_member(o, name);
	int64_t number;

	if (!set)
		return 0;
	if (!lb_whole(set, &number))
		return lb_fail(err, LB_DATA, "field '%s' is not a whole number",
			       name);
	if (number < min || number > max)
		return lb_fail(err, LB_DATA,
			       "field '%s' is not from %lld to %lld", name,
			       (long long)min, (long long)max);
	*value = number;
	return 0;
}

/* Digits with at most one point; strtod() would take "nan" and "0x1p4". */
static bool is_decimal(const char *text)
{
	size_t whole = strspn(text, "0123456789");
	size_t part =
		text[whole] == '.' ? strspn(text + whole + 1, "0123456789") : 0;

	return whole + part > 0 && whole + part < 32 &&
	       !text[whole + (text[whole] == '.') + part];
}

int lb_member_number(const json_t *o, const char *name, double max,
		     double *value, struct lb_error *err)
{
	const json_t *set = lb_member(o, name);
	lb_autofree char *text = NULL;
	double number = json_number_value(set);

	if (!set)
		return 0;
	if (json_is_string(set)) {
		json_auto_t *read = NULL;

		if (lb_member_text(o, name, 64, &text, err) < 0)
			return -1;
		/* the point is the locale's for strtod(), not for jansson */
		if (is_decimal(text))
			read = json_loads(text,
					  JSON_DECODE_ANY |
						  JSON_DECODE_INT_AS_REAL,
					  NULL);
		if (!read)
			set = NULL;
		number = json_number_value(read);
	}
	if (!json_is_number(set) && !json_is_string(set))
		return lb_fail(err, LB_DATA, "field '%s' is not a number",
			       name);
	if (!(number > 0 && number <= max))
		return lb_fail(err, LB_DATA,
			       "field '%s' is not above 0 and at most %g", name,
			       max);
	*value = number;
	return 0;
}

int lb_member_bool(const json_t *o, const char *name, bool *value,
		   struct lb_error *err)
{
	const json_t *set = lb_member(o, name);

	if (!set)
		return 0;
	if (!json_is_boolean(set))
		return lb_fail(err, LB_DATA,
			       "field '%s' is neither true nor false", name);
	*value = json_is_true(set);
	return 0;
}

int lb_member_word(const json_t *o, const char *name, const char *const *words,
		   int *index, struct lb_error *err)
{
	lb_autofree char *text = NULL;
	lb_autobuf struct lb_buf all = {0};

	if (lb_member_text(o, name, 64, &text, err) < 0)
		return -1;
	if (!text)
		return 0;
	for (int i = 0; words[i]; i++) {
		if (strcmp(words[i], text) == 0) {
			*index = i;
			return 0;
		}
		lb_buf_printf(&all, "%s%s", i > 0 ? ", " : "", words[i]);
	}
	return lb_fail(err, LB_DATA, "field '%s' is none of %s", name,
		       lb_buf_str(&all));
}

int lb_member_path(const json_t *o, const char *name, char **take,
		   struct lb_error *err)
{
	lb_autofree char *text = NULL, *path = NULL;

	if (lb_member_text(o, name, PATH_MAX - 1, &text, err) < 0)
		return -1;
	if (!text || !*text)
		return 0;
	if (*text != '/')
		return lb_fail(err, LB_DATA, "field '%s' is no absolute path",
			       name);
	path = lb_box_path(text);
	if (!path)
		return lb_fail(err, LB_DATA,
			       "field '%s' holds a control character", name);
	free(*take);
	*take = lb_steal(&path);
	return 0;
}
