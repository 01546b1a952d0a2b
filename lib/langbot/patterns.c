#include "langbot/patterns.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/regex.h"
#include "base/utf8.h"
#include "config/coerce.h"
#include "config/keys.h"

enum {
	MAX_PATTERNS = 64,
	MAX_PATTERN = 1024,
	MAX_FILE = 1 << 20,
	MAX_SHOWN = 40
};

bool lb_langbot_is_pattern(const char *pattern)
{
	struct lb_error why;
	struct lb_regex *re;

	if (!*pattern || strlen(pattern) > MAX_PATTERN)
		return false;
	re = lb_regex_open(pattern, &why);
	lb_regex_close(re);
	return re != NULL;
}

static bool is_plain(const char *word)
{
	return word[strcspn(word, "\\^$.|?*+()[]{}")] == '\0';
}

/* How many were left out, and the first of them. */
static void tell_bad(struct lb_item_report *item, const char *what,
		     const char *first, size_t n)
{
	lb_autobuf struct lb_buf shown = {0};

	lb_text_visible(&shown, first,
			lb_utf8_cut(first, strlen(first), MAX_SHOWN));
	if (n > 1)
		lb_item_note(item,
			     "%s: %zu are no patterns here, and left out: '%s' "
			     "is the first",
			     what, n, lb_buf_str(&shown));
	else
		lb_item_note(item, "%s: '%s' is no pattern here, and left out",
			     what, lb_buf_str(&shown));
}

/* Patterns that are good, at most so many; `words` need not be patterns. */
static json_t *good(struct lb_item_report *item, const char *what,
		    const json_t *list, bool words)
{
	json_t *out = json_array();
	const json_t *one;
	const char *first = "";
	size_t i, patterns = 0, bad = 0, more = 0;

	json_array_foreach(list, i, one)
	{
		const char *text = json_string_value(one);
		bool plain = words && is_plain(text) && *text;

		if (!plain && !lb_langbot_is_pattern(text))
			first = bad++ > 0 ? first : text;
		else if (!plain && ++patterns > MAX_PATTERNS)
			more++;
		else
			json_array_append(out, (json_t *)(uintptr_t)one);
	}
	if (bad > 0)
		tell_bad(item, what, first, bad);
	if (more > 0)
		lb_item_note(item, "%s: %zu are more than the %d there may be",
			     what, more, MAX_PATTERNS);
	return out;
}

json_t *lb_langbot_patterns(struct lb_item_report *item, const char *path,
			    json_t *take)
{
	json_t *out = good(item, path, take, false);

	json_decref(take);
	return out;
}

/* A key of the filter, where it is one of this version. */
static void put(struct lb_item_report *item, json_t *out, const char *base,
		const char *name, json_t *take)
{
	lb_autofree char *path = lb_printf("safety.content-filter.%s", name);
	lb_autofree char *full = lb_printf("%s.%s", base, path);
	const struct lb_key *key = lb_key_find(full);
	json_auto_t *value = take, *fits = NULL;
	struct lb_error why;

	if (!value)
		return;
	fits = key ? lb_coerce(key, value, &why) : NULL;
	if (fits)
		lb_json_put(out, path, json_incref(fits));
	else
		lb_item_refuse(item, "%s is not in this version", path);
}

/* An empty word for a mask is none. */
static json_t *mask(const json_t *file, const char *name)
{
	json_t *text = lb_langbot_text(json_object_get(file, name));

	if (text && *json_string_value(text))
		return text;
	json_decref(text);
	return NULL;
}

void lb_langbot_words(struct lb_langbot *in, struct lb_item_report *item,
		      json_t *out, const char *base)
{
	lb_autofree char *path =
		lb_printf("%s/metadata/sensitive-words.json", in->dir);
	lb_autofree char *text = NULL;
	json_auto_t *file = NULL, *words = NULL;
	struct lb_error why;
	size_t len, lost = 0;

	if (access(path, F_OK) < 0)
		return;
	if (lb_path_read(path, MAX_FILE, &text, &len, &why) < 0) {
		lb_item_refuse(item, "%s", why.text);
		return;
	}
	file = json_loadb(text, len, 0, NULL);
	if (!json_is_object(file)) {
		lb_item_refuse(item, "'%s' is not JSON", path);
		return;
	}
	words = lb_langbot_texts(json_object_get(file, "words"), &lost);
	if (lost > 0)
		lb_item_note(item, "%zu sensitive words are no texts", lost);
	if (json_array_size(words) == 0)
		return;
	put(item, out, base, "words",
	    good(item, "sensitive words", words, true));
	put(item, out, base, "mask", mask(file, "mask"));
	put(item, out, base, "mask-word", mask(file, "mask_word"));
}
