#include "config/render.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "config/yaml.h"

/* Would other readers of YAML take this for something else than a text? */
static bool is_word_of_old(const char *text)
{
	static const char *const words[] = {"y",  "n",   "yes", "no",
					    "on", "off", NULL};

	for (int i = 0; words[i]; i++)
		if (strcasecmp(text, words[i]) == 0)
			return true;
	return false;
}

static bool is_bare(const char *text)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789_./";
	json_auto_t *read = NULL;
	size_t len = strlen(text);

	if (len == 0 || !strchr(letters, *text) || text[len - 1] == ':' ||
	    text[len - 1] == ' ' || strstr(text, ": ") || is_word_of_old(text))
		return false;
	for (const char *p = text; *p; p++)
		if (!strchr(letters, *p) && !strchr(" :@%+=-~()!;", *p))
			return false;
	read = lb_yaml_plain(text);
	return json_is_string(read);
}

void lb_render_text(struct lb_buf *out, const char *text)
{
	if (is_bare(text))
		lb_buf_puts(out, text);
	else
		lb_buf_json_str(out, text, strlen(text));
}

static void render_list(struct lb_buf *out, const json_t *list)
{
	size_t i;
	json_t *one;

	lb_buf_putc(out, '[');
	json_array_foreach((json_t *)(uintptr_t)list, i, one)
	{
		lb_buf_puts(out, i > 0 ? ", " : "");
		lb_render_flow(out, one);
	}
	lb_buf_putc(out, ']');
}

void lb_render_flow(struct lb_buf *out, const json_t *value)
{
	const char *key, *between = "";
	json_t *one;

	if (json_is_string(value)) {
		lb_render_text(out, json_string_value(value));
	} else if (json_is_array(value)) {
		render_list(out, value);
	} else if (json_is_object(value)) {
		lb_buf_putc(out, '{');
		json_object_foreach((json_t *)(uintptr_t)value, key, one)
		{
			lb_buf_puts(out, between);
			lb_render_text(out, key);
			lb_buf_puts(out, ": ");
			lb_render_flow(out, one);
			between = ", ";
		}
		lb_buf_putc(out, '}');
	} else {
		lb_buf_json(out, value);
	}
}

void lb_render_member(struct lb_buf *out, const char *key, const json_t *value,
		      size_t indent, size_t step, const char *eol)
{
	const char *name;
	json_t *one;

	lb_buf_printf(out, "%*s", (int)indent, "");
	lb_render_text(out, key);
	lb_buf_putc(out, ':');
	if (!json_is_object(value) || json_object_size(value) == 0) {
		lb_buf_putc(out, ' ');
		lb_render_flow(out, value);
		lb_buf_puts(out, eol);
		return;
	}
	lb_buf_puts(out, eol);
	json_object_foreach((json_t *)(uintptr_t)value, name, one)
	{
		lb_render_member(out, name, one, indent + step, step, eol);
	}
}
