/* item.c - what is said of an item, and what its columns hold. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "config/coerce.h"
#include "config/keys.h"
#include "langbot/items.h"

enum { MAX_NAME = 56, MAX_NOTES = 4000 };

void lb_item_begin(struct lb_item_report *item, const char *what,
		   const json_t *row)
{
	*item = (struct lb_item_report){.what = what};
	item->name = lb_row_text(row, "name");
	if (!item->name)
		item->name = lb_row_text(row, "uuid");
	if (!item->name)
		item->name = lb_strdup("");
}

static void __attribute__((format(printf, 2, 0)))
note(struct lb_item_report *item, const char *fmt, va_list args)
{
	char text[512];

	if (item->why.len > MAX_NOTES)
		return;
	vsnprintf(text, sizeof(text), fmt, args);
	lb_buf_puts(&item->why, item->why.len > 0 ? "; " : "");
	lb_utf8_clean(&item->why, text, strlen(text));
}

void lb_item_note(struct lb_item_report *item, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	note(item, fmt, args);
	va_end(args);
}

void lb_item_refuse(struct lb_item_report *item, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	note(item, fmt, args);
	va_end(args);
	item->refused = true;
}

void lb_langbot_keep(struct lb_langbot *in, const char *what,
		     const json_t *value)
{
	lb_autofree char *key = lb_printf("%ss", what);
	json_t *list = json_object_get(in->kept, key);

	if (!list) {
		list = json_array();
		json_object_set_new(in->kept, key, list);
	}
	json_array_append_new(list, json_deep_copy(value));
}

void lb_item_end(struct lb_langbot *in, struct lb_item_report *item,
		 const json_t *row)
{
	const char *result = item->refused       ? "not taken"
			     : item->why.len > 0 ? "narrowed"
						 : "taken";
	json_t *line = json_object();

	lb_json_set_str(line, "what", item->what, strlen(item->what));
	lb_json_set_str(line, "name", item->name, strlen(item->name));
	lb_json_set_str(line, "result", result, strlen(result));
	if (item->as && !item->refused)
		lb_json_set_str(line, "as", item->as, strlen(item->as));
	if (item->why.len > 0)
		lb_json_set_str(line, "why", item->why.data, item->why.len);
	json_array_append_new(in->report, line);
	if (row)
		lb_langbot_keep(in, item->what, row);
	free(item->name);
	free(item->as);
	lb_buf_release(&item->why);
}

/* Names that mean something of their own here. */
static bool is_special(const char *name)
{
	return !*name || strcmp(name, "-") == 0 ||
	       strcmp(name, "__discard__") == 0 ||
	       strncmp(name, "max_", 4) == 0;
}

char *lb_langbot_name(const struct lb_langbot *in, const char *section,
		      const char *wanted)
{
	lb_autobuf struct lb_buf clean = {0}, text = {0};
	const json_t *ours = lb_json_path(in->out, section);
	const json_t *theirs =
		in->existing ? lb_json_path(in->existing->all, section) : NULL;
	char *p, *name;

	lb_text_visible(&clean, wanted ? wanted : "",
			wanted ? strlen(wanted) : 0);
	for (p = clean.data; p && *p; p++)
		if (strchr("./:\n\t", *p))
			*p = '-';
	p = clean.data ? clean.data + strspn(clean.data, " ") : NULL;
	if (p)
		lb_buf_put(&text, p, lb_utf8_cut(p, strlen(p), MAX_NAME));
	while (text.len > 0 && text.data[text.len - 1] == ' ')
		text.data[--text.len] = '\0';
	if (is_special(lb_buf_str(&text))) {
		lb_buf_reset(&text);
		lb_buf_printf(&text, "imported-%.*s", (int)strlen(section) - 1,
			      section);
	}
	name = lb_strdup(text.data);
	for (int n = 2;
	     json_object_get(ours, name) || json_object_get(theirs, name);
	     n++) {
		free(name);
		name = lb_printf("%s-%d", text.data, n);
	}
	return name;
}

const json_t *lb_langbot_table(const struct lb_langbot *in, const char *name)
{
	return json_object_get(in->tables, name);
}

const char *lb_langbot_ours(const struct lb_langbot *in, const char *section,
			    const json_t *uuid)
{
	const char *id = json_string_value(uuid);

	return id && *id ? lb_json_str(json_object_get(in->names, section), id)
			 : NULL;
}

void lb_langbot_is_ours(struct lb_langbot *in, const char *section,
			const json_t *row, const char *name)
{
	const char *id = lb_json_str(row, "uuid");
	json_t *names = json_object_get(in->names, section);

	if (!names) {
		names = json_object();
		json_object_set_new(in->names, section, names);
	}
	if (id && *id)
		lb_json_set_str(names, id, name, strlen(name));
}

bool lb_langbot_set(struct lb_langbot *in, struct lb_item_report *item,
		    const char *path, json_t *take)
{
	const struct lb_key *key = lb_key_find(path);
	json_auto_t *value = take, *fits = NULL;
	const char *from =
		in->existing ? lb_json_str(in->existing->origins, path) : NULL;
	struct lb_error why;

	if (from) {
		lb_item_refuse(item, "%s is set already in %s", path, from);
		return false;
	}
	if (!key) {
		lb_item_refuse(item, "%s is not in this version", path);
		return false;
	}
	fits = lb_coerce(key, value, &why);
	if (!fits) {
		lb_item_refuse(item, "%s: %s", path, why.text);
		return false;
	}
	lb_json_put(in->out, path, json_incref(fits));
	return true;
}
