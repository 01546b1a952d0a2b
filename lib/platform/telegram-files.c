/*
 * telegram-files.c - media of a chain: which method, and where the file is.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/base64.h"
#include "base/json.h"
#include "base/mem.h"
#include "platform/media.h"
#include "platform/telegram-call.h"

static const struct lb_telegram_file_kind kinds[] = {
	{"Image", "sendPhoto", "photo", "photo.jpg"},
	{"Voice", "sendVoice", "voice", "voice.ogg"},
	{"File", "sendDocument", "document", "file"},
};
static const struct lb_telegram_file_kind moving = {"Image", "sendAnimation",
						    "animation",
						    "animation.gif"};

static bool ends_with(const char *s, const char *end)
{
	size_t n = s ? strlen(s) : 0, m = strlen(end);

	return n >= m && strcasecmp(s + n - m, end) == 0;
}

static const char *text_at(const json_t *o, const char *key)
{
	const char *text = lb_json_str(o, key);

	return text && *text ? text : NULL;
}

/* The bytes of "data:image/png;base64,..." or of the digits alone. */
static bool decode(const char *text, struct lb_buf *bytes)
{
	if (strncasecmp(text, "data:", 5) == 0) {
		const char *comma = strchr(text, ',');

		if (!comma ||
		    !memmem(text, (size_t)(comma - text), ";base64", 7))
			return false;
		text = comma + 1;
	}
	return lb_base64_decode(bytes, text, strlen(text)) && bytes->len > 0;
}

static bool is_url(const char *url)
{
	return url && (strncasecmp(url, "http://", 7) == 0 ||
		       strncasecmp(url, "https://", 8) == 0);
}

static bool is_there(const json_t *part)
{
	const char *inlined = text_at(part, "base64");
	lb_autobuf struct lb_buf bytes = {0};

	return text_at(part, "ref") || text_at(part, "path") ||
	       is_url(text_at(part, "url")) ||
	       (inlined && decode(inlined, &bytes));
}

/* GIFs do not move when they are sent as photos. */
static bool is_moving(const json_t *part)
{
	const char *mime = text_at(part, "mime");
	const char *inlined = text_at(part, "base64");

	return (mime && strcmp(mime, "image/gif") == 0) ||
	       ends_with(text_at(part, "path"), ".gif") ||
	       ends_with(text_at(part, "url"), ".gif") ||
	       (inlined && strncasecmp(inlined, "data:image/gif", 14) == 0);
}

const struct lb_telegram_file_kind *lb_telegram_file_kind(const json_t *part)
{
	const char *type = lb_json_str(part, "type");

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (type && strcmp(type, kinds[i].type) == 0 && is_there(part))
			return i == 0 && is_moving(part) ? &moving : &kinds[i];
	return NULL;
}

/* What people call it, without folders. */
static char *name_of(const json_t *part,
		     const struct lb_telegram_file_kind *kind)
{
	const char *name = text_at(part, "name");

	if (!name)
		name = text_at(part, "path");
	if (!name)
		name = kind->name;
	for (const char *slash; (slash = strpbrk(name, "/\\"));)
		name = slash + 1;
	return lb_strdup(*name ? name : kind->name);
}

static void add_upload(struct lb_telegram_render *r,
		       struct lb_telegram_call *call, const json_t *part,
		       const char *field, struct lb_buf *bytes)
{
	const struct lb_telegram_file_kind *kind = lb_telegram_file_kind(part);
	struct lb_telegram_upload *u;

	call->uploads = lb_grow(call->uploads,
				(call->n_uploads + 1) * sizeof(*call->uploads));
	u = &call->uploads[call->n_uploads++];
	*u = (struct lb_telegram_upload){
		.field = lb_strdup(field),
		.name = name_of(part, kind),
		.max = kind == &kinds[0] ? r->limits->photo_out
					 : r->limits->media_out,
	};
	if (bytes) {
		u->bytes = *bytes;
		*bytes = (struct lb_buf){0};
	} else {
		u->path = lb_strdup(text_at(part, "path"));
	}
}

void lb_telegram_attach(struct lb_telegram_render *r,
			struct lb_telegram_call *call, const json_t *part,
			json_t *params, const char *field)
{
	bool group = params != call->params;
	const char *ref = text_at(part, "ref"), *path = text_at(part, "path");
	const char *url = text_at(part, "url");
	const char *inlined = text_at(part, "base64");
	lb_autobuf struct lb_buf bytes = {0};
	lb_autofree char *name = NULL, *named = NULL;

	if (!ref && !path && is_url(url))
		ref = url;
	if (ref) {
		lb_json_set_str(params, field, ref, strlen(ref));
		return;
	}
	if (!path && inlined)
		decode(inlined, &bytes);
	name = group ? lb_printf("f%zu", call->n_uploads) : lb_strdup(field);
	if (group) {
		named = lb_printf("attach://%s", name);
		json_object_set_new(params, field, json_string(named));
	}
	add_upload(r, call, part, name, path ? NULL : &bytes);
}
