/*
 * telegram-things.c - media of a message, and what can only be told.
 */
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "platform/media.h"
#include "platform/telegram-content.h"

enum { MAX_FILES = 32 };

static void set_text(json_t *o, const char *key, const char *text)
{
	if (text && *text)
		lb_json_set_str(o, key, text, strlen(text));
}

/* Say where the file of a component will lie, if it is not too large. */
static void add_file(struct lb_telegram_content *c, json_t *part,
		     const char *ref, const char *name, int64_t size)
{
	struct lb_telegram_parse *p = c->p;
	struct lb_telegram_file *f;
	int64_t most = size < 0 ? 0 : size;

	if (p->n_files >= MAX_FILES)
		return;
	p->files = lb_grow(p->files, (p->n_files + 1) * sizeof(*p->files));
	f = &p->files[p->n_files++];
	*f = (struct lb_telegram_file){.ref = lb_strdup(ref), .size = size};
	if (most > LB_MEDIA_ITEM_MAX || c->media + most > LB_MEDIA_RECORD_MAX)
		return;
	c->media += most;
	f->path = lb_media_path(p->state, p->bot, ref, name);
	set_text(part, "path", f->path);
}

/*
 * A component for the file that `o` describes, added to the chain; borrowed.
 * NULL when there is no file_id.
 */
static json_t *add_media(struct lb_telegram_content *c, const json_t *o,
			 const char *type, const char *usual_name)
{
	const char *ref = lb_json_str(o, "file_id");
	const char *name = lb_json_str(o, "file_name");
	int64_t size, seconds;
	json_t *part;

	if (!ref || !*ref)
		return NULL;
	part = lb_json_pack("{s:s,s:s}", "type", type, "ref", ref);
	json_array_append_new(c->chain, part);
	if (!name || !*name)
		name = usual_name;
	for (const char *slash; (slash = strpbrk(name, "/\\"));)
		name = slash + 1; /* a name, no path */
	if (strcmp(type, "File") == 0)
		set_text(part, "name", name);
	if (!lb_json_int(o, "file_size", &size) || size < 0)
		size = -1;
	else
		json_object_set_new(part, "size", json_integer(size));
	set_text(part, "mime", lb_json_str(o, "mime_type"));
	if (lb_json_int(o, "duration", &seconds) && seconds >= 0)
		json_object_set_new(part, "length", json_integer(seconds));
	add_file(c, part, ref, name, size);
	return part;
}

/* The largest of the sizes that a photo comes in. */
static const json_t *largest(const json_t *photo)
{
	const json_t *one, *best = NULL;
	int64_t most = -1;
	size_t i;

	json_array_foreach(photo, i, one)
	{
		int64_t w = 0, h = 0, size;

		if (!lb_json_int(one, "file_size", &size)) {
			lb_json_int(one, "width", &w);
			lb_json_int(one, "height", &h);
			size = w > 0 && h > 0 && w < 65536 && h < 65536 ? w * h
									: 0;
		}
		if (size >= most) {
			best = one;
			most = size;
		}
	}
	return best;
}

static void sticker(struct lb_telegram_content *c, const json_t *s)
{
	const char *emoji = lb_json_str(s, "emoji");
	bool still = !lb_json_bool(s, "is_animated", false) &&
		     !lb_json_bool(s, "is_video", false);
	json_t *part;

	if (still && (part = add_media(c, s, "Image", "sticker.webp")))
		set_text(part, "mime", "image/webp");
	if (emoji && *emoji)
		json_array_append_new(c->chain,
				      lb_json_pack("{s:s,s:s}", "type", "Face",
						   "face_name", emoji));
}

static void dice(struct lb_telegram_content *c, const json_t *d)
{
	static const char die[] = "\xf0\x9f\x8e\xb2";
	const char *emoji = lb_json_str(d, "emoji");
	json_t *part = lb_json_pack("{s:s}", "type", "Face");
	int64_t value;

	if (emoji && strcmp(emoji, die) == 0)
		set_text(part, "face_type", "dice");
	if (lb_json_int(d, "value", &value))
		json_object_set_new(part, "face_id", json_integer(value));
	set_text(part, "face_name", emoji);
	json_array_append_new(c->chain, part);
}

static void add_told(struct lb_telegram_content *c, const struct lb_buf *text)
{
	json_array_append_new(c->chain,
			      lb_json_pack("{s:s,s:o}", "type", "Unknown",
					   "text",
					   lb_json_text(lb_buf_str(text),
							text->len)));
}

static void put_word(struct lb_buf *b, const json_t *o, const char *key,
		     const char *before)
{
	const char *text = lb_json_str(o, key);

	if (text && *text)
		lb_buf_printf(b, "%s%.1000s", before, text);
}

/* What has no component of its own, in words. */
static void tell(struct lb_telegram_content *c, const char *kind,
		 const json_t *o)
{
	lb_autobuf struct lb_buf b = {0};
	const json_t *one;
	size_t i;

	lb_buf_printf(&b, "[%s", kind);
	if (json_is_number(json_object_get(o, "latitude")))
		lb_buf_printf(&b, " %.5f, %.5f",
			      json_number_value(json_object_get(o, "latitude")),
			      json_number_value(
				      json_object_get(o, "longitude")));
	put_word(&b, o, "title", " ");
	put_word(&b, o, "address", ", ");
	put_word(&b, o, "first_name", " ");
	put_word(&b, o, "last_name", " ");
	put_word(&b, o, "phone_number", " ");
	put_word(&b, o, "question", " ");
	json_array_foreach(json_object_get(o, "options"), i, one)
	{
		if (i < 20)
			put_word(&b, one, "text", " / ");
	}
	lb_buf_putc(&b, ']');
	add_told(c, &b);
}

/* Files by the member that has them, and what they are called at least. A GIF
 * comes as `document`, too, so the first one counts. */
static const struct {
	const char *key, *type, *name;
} files[] = {
	{"animation", "File", "animation.mp4"},
	{"video", "File", "video.mp4"},
	{"video_note", "File", "video.mp4"},
	{"audio", "File", "audio.mp3"},
	{"voice", "Voice", "voice.ogg"},
	{"document", "File", "document"},
};

static const char *const told[] = {
	"venue",   "location",   "contact", "poll",      "game",
	"invoice", "paid_media", "story",   "checklist", "giveaway",
};

void lb_telegram_things(struct lb_telegram_content *c, const json_t *message)
{
	const json_t *o = largest(json_object_get(message, "photo"));

	/* What a picture is, its bytes say: Telegram names no type. */
	if (o)
		add_media(c, o, "Image", "photo");
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		o = json_object_get(message, files[i].key);
		if (json_is_object(o) &&
		    add_media(c, o, files[i].type, files[i].name))
			break;
	}
	o = json_object_get(message, "sticker");
	if (json_is_object(o))
		sticker(c, o);
	o = json_object_get(message, "dice");
	if (json_is_object(o))
		dice(c, o);
	/* A venue has a location, too. */
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		o = json_object_get(message, told[i]);
		if (json_is_object(o)) {
			tell(c, told[i], o);
			break;
		}
	}
}
