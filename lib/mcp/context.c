/* context.c - resources in a prompt. */
#include "mcp/context.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "mcp/content.h"

enum { MAX_ATTRIBUTE = 2000, TOKEN = 4 };

static const char *const modes[] = {"pinned", "manual", "auto", NULL};

static const char *filled(const json_t *said, const char *key)
{
	const char *text = lb_json_str(said, key);

	return text && *text ? text : NULL;
}

/* A number that is said, times `each`, if that is less. */
static size_t least(const json_t *said, const char *key, size_t each,
		    size_t otherwise)
{
	const char *text = filled(said, key);
	char *end = NULL;
	unsigned long n = text ? strtoul(text, &end, 10) : 0;

	return n > 0 && !*end && n < otherwise / each ? n * each : otherwise;
}

bool lb_attached_read(struct lb_attached *a, const json_t *said,
		      const char **why)
{
	static const char *const names[] = {"server_name", "server_uuid",
					    "server_id", NULL};
	const char *enabled = filled(said, "enabled");
	const char *mode = filled(said, "mode");

	*why = NULL;
	*a = (struct lb_attached){
		.uri = filled(said, "uri"),
		.mode = modes[0],
		.bytes = least(said, "max_bytes", 1, LB_CONTEXT_BYTES),
		.chars = least(said, "max_tokens", TOKEN, LB_CONTEXT_CHARS),
	};
	for (int i = 0; names[i] && !a->server; i++)
		a->server = filled(said, names[i]);
	for (int i = 0; mode && modes[i]; i++)
		if (strcmp(mode, modes[i]) == 0)
			a->mode = modes[i];
	if (enabled && strcmp(enabled, "false") == 0)
		return false;
	if (!a->server || !a->uri)
		*why = "it needs server_name and uri";
	return !*why;
}

/* What could pass for the structure of a prompt is something else then. */
static void put_harmless(struct lb_buf *out, const char *text, size_t len,
			 bool one_line)
{
	lb_autobuf struct lb_buf seen = {0};

	lb_text_visible(&seen, text, len);
	for (size_t i = 0, n; i < seen.len; i += n) {
		const char *c = seen.data + i;

		n = lb_utf8_char(c, seen.len - i);
		n = n ? n : 1;
		if (*c == '<' || *c == '>')
			lb_buf_puts(out, *c == '<' ? "\u2039" : "\u203a");
		else if ((one_line && (*c == '\n' || *c == '\t')) ||
			 lb_utf8_is_odd(c, n))
			lb_buf_putc(out, ' ');
		else if (one_line && *c == '"')
			lb_buf_putc(out, '\'');
		else
			lb_buf_put(out, c, n);
	}
}

static void put_attribute(struct lb_buf *out, const char *name,
			  const char *value)
{
	lb_buf_printf(out, " %s=\"", name);
	put_harmless(out, value,
		     lb_utf8_cut(value, strlen(value), MAX_ATTRIBUTE), true);
	lb_buf_putc(out, '"');
}

/* Bytes of the first `chars` characters, at most `bytes`. */
static size_t cut(const struct lb_buf *text, size_t bytes, size_t chars)
{
	size_t i = 0, n;

	while (i < text->len && chars > 0) {
		n = lb_utf8_char(text->data + i, text->len - i);
		n = n ? n : 1;
		if (i + n > bytes)
			break;
		i += n;
		chars--;
	}
	return i;
}

void lb_context_put(struct lb_buf *out, const struct lb_attached *a,
		    const char *server, const json_t *result, size_t *room)
{
	lb_autobuf struct lb_buf raw = {0}, text = {0};
	const char *type =
		lb_json_str(json_array_get(json_object_get(result, "contents"),
					   0),
			    "mimeType");
	size_t chars = a->chars < *room ? a->chars : *room, len;

	lb_mcp_content_text(&raw, result, LB_MCP_TEXT_MAX);
	len = raw.len > LB_CONTEXT_BYTES * 2 ? LB_CONTEXT_BYTES * 2 : raw.len;
	put_harmless(&text, lb_buf_str(&raw),
		     lb_utf8_cut(lb_buf_str(&raw), raw.len, len), false);
	len = cut(&text, a->bytes, chars);
	*room -= lb_utf8_count(lb_buf_str(&text), len);
	lb_buf_puts(out, "<mcp_resource");
	put_attribute(out, "server", server);
	put_attribute(out, "uri", a->uri);
	if (type)
		put_attribute(out, "mime_type", type);
	lb_buf_printf(out, " bytes=%zu truncated=%s mode=\"%s\">\n", len,
		      len < text.len || raw.len > LB_CONTEXT_BYTES * 2
			      ? "true"
			      : "false",
		      a->mode);
	lb_buf_put(out, lb_buf_str(&text), len);
	lb_buf_puts(out, "\n</mcp_resource>");
}
