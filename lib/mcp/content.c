/* content.c - blocks of content, told. */
#include "mcp/content.h"

#include <string.h>

#include "base/json.h"
#include "base/utf8.h"

bool lb_mcp_is_error(const json_t *result)
{
	return lb_json_bool(result, "isError", false);
}

/* Where it goes, and how much of it. */
struct told {
	struct lb_buf *out;
	size_t max;
};

static void put_text(const struct told *t, const char *text, size_t len)
{
	struct lb_buf *out = t->out;
	size_t room = out->len < t->max ? t->max - out->len : 0;
	size_t n = lb_utf8_cut(text, len, room);

	if (out->len > 0 && out->data[out->len - 1] != '\n')
		lb_buf_putc(out, '\n');
	lb_buf_put(out, text, n);
	if (n < len && room > 0)
		lb_buf_printf(out, "\n[%zu bytes more were left out]", len - n);
}

static void put_note(const struct told *t, const char *what, const char *type,
		     const char *where, const char *data)
{
	lb_autobuf struct lb_buf note = {0};

	lb_buf_printf(&note, "[%s", what);
	if (where)
		lb_buf_printf(&note, " %.2000s", where);
	if (type)
		lb_buf_printf(&note, ", %.200s", type);
	if (data)
		lb_buf_printf(&note, ", %zu bytes", strlen(data) / 4 * 3);
	lb_buf_putc(&note, ']');
	put_text(t, note.data, note.len);
}

/* A resource: {uri, mimeType, text | blob}. */
static void put_resource(const struct told *t, const json_t *r, bool named)
{
	const char *text = lb_json_str(r, "text");
	const char *uri = lb_json_str(r, "uri");
	const char *type = lb_json_str(r, "mimeType");

	if (text && named)
		put_note(t, "resource", type, uri, NULL);
	if (text)
		put_text(t, text, strlen(text));
	else
		put_note(t, "resource", type, uri, lb_json_str(r, "blob"));
}

static void put_block(const struct told *t, const json_t *block)
{
	const char *type = lb_json_str(block, "type");
	const char *text = lb_json_str(block, "text");
	const char *mime = lb_json_str(block, "mimeType");

	if (!type)
		type = text ? "text" : "nothing";
	if (strcmp(type, "text") == 0)
		put_text(t, text ? text : "", text ? strlen(text) : 0);
	else if (strcmp(type, "resource") == 0)
		put_resource(t, json_object_get(block, "resource"), true);
	else if (strcmp(type, "resource_link") == 0)
		put_note(t, "resource link", mime, lb_json_str(block, "uri"),
			 NULL);
	else if (strcmp(type, "image") == 0 || strcmp(type, "audio") == 0)
		put_note(t, type, mime, NULL, lb_json_str(block, "data"));
	else
		put_note(t, "content of type", type, NULL, NULL);
}

static void put_structured(const struct told *t, const json_t *result)
{
	const json_t *structured = json_object_get(result, "structuredContent");
	lb_autobuf struct lb_buf text = {0};

	if (!structured || json_is_null(structured))
		return;
	lb_buf_json(&text, structured);
	put_text(t, lb_buf_str(&text), text.len);
}

/* Is it a picture that a model can be shown? */
static const char *image_of(const json_t *block)
{
	const char *type = lb_json_str(block, "type");
	const char *mime = lb_json_str(block, "mimeType");
	const char *data = lb_json_str(block, "data");

	return type && strcmp(type, "image") == 0 && mime && data &&
			       strlen(data) <= LB_MCP_IMAGE_MAX
		       ? data
		       : NULL;
}

static const json_t *blocks_of(const json_t *result)
{
	const json_t *blocks = json_object_get(result, "content");

	return blocks ? blocks : json_object_get(result, "contents");
}

/* `images` NULL: they are told of. */
static void put_blocks(const struct told *t, const json_t *result,
		       json_t *images)
{
	const json_t *blocks = blocks_of(result), *block;
	bool of_resource = json_object_get(result, "contents") != NULL;
	size_t i;

	if (json_is_object(blocks))
		put_block(t, blocks);
	json_array_foreach((json_t *)(uintptr_t)blocks, i, block)
	{
		const char *data = images ? image_of(block) : NULL;

		if (i >= LB_MCP_PARTS || t->out->len >= t->max)
			break;
		if (data && json_array_size(images) < LB_MCP_IMAGES)
			json_array_append_new(
				images,
				lb_json_pack("{s:s, s:s, s:s}", "type", "image",
					     "mime",
					     lb_json_str(block, "mimeType"),
					     "data", data));
		else if (of_resource)
			put_resource(t, block, json_array_size(blocks) > 1);
		else
			put_block(t, block);
	}
	if (i < json_array_size(blocks))
		put_note(t, "more was left out", NULL, NULL, NULL);
	if (t->out->len == 0 && json_array_size(images) == 0)
		put_structured(t, result);
}

void lb_mcp_content_text(struct lb_buf *out, const json_t *result, size_t max)
{
	put_blocks(&(struct told){out, max}, result, NULL);
}

json_t *lb_mcp_content_parts(const json_t *result)
{
	lb_autobuf struct lb_buf text = {0};
	json_t *parts = json_array(), *one;

	put_blocks(&(struct told){&text, LB_MCP_TEXT_MAX}, result, parts);
	one = lb_json_text(lb_buf_str(&text), text.len);
	if (json_array_size(parts) == 0) {
		json_decref(parts);
		return one;
	}
	if (text.len > 0)
		json_array_insert_new(parts, 0,
				      lb_json_pack("{s:s, s:o}", "type", "text",
						   "text", one));
	else
		json_decref(one);
	return parts;
}
