/* result.c - what a call came to, as the model is told. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/turn.h"
#include "base/base64.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/json.h"
#include "base/log.h"
#include "base/magic.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/utf8.h"
#include "fs/atomic.h"
#include "platform/media.h"

enum {
	MIN_RESULT = 1024,
	MAX_PARTS = 64,
	MAX_IMAGES = 8,
	MAX_ERROR = 4096,
	MAX_NAME = 128,
	INSTRUCTIONS = 128 << 10, /* of a skill, which says less by itself */
	/* of the room for a result, what its end gets: a quarter */
	TAIL = 4,
};

static struct agent *agent_of(const struct turn *t)
{
	return agent_of_session(t->session);
}

static size_t room_of(const struct turn *t)
{
	int64_t bytes = lb_config_bytes(agent_of(t)->options->config,
					"tools.max-result");

	return bytes > MIN_RESULT ? (size_t)bytes : MIN_RESULT;
}

/* Instructions of a skill without their middle are worse than none. */
static size_t room_for(const struct turn *t, const struct work *w)
{
	size_t room = room_of(t);

	return w->own && active_is_by(w->source, w->own) && room < INSTRUCTIONS
		       ? INSTRUCTIONS
		       : room;
}

static json_t *message_of(const struct work *w, json_t *content)
{
	return lb_json_pack("{s:s, s:s, s:s, s:o}", "role", "tool",
			    "tool_call_id", w->id, "name", w->name, "content",
			    content);
}

json_t *result_error(const struct turn *t, const struct work *w,
		     const char *text)
{
	lb_autobuf struct lb_buf all = {0};
	json_t *m;

	(void)t;
	lb_buf_puts(&all, "error: ");
	lb_buf_put(&all, text, lb_utf8_cut(text, strlen(text), MAX_ERROR));
	m = message_of(w, lb_json_text(all.data, all.len));
	json_object_set_new(m, "is_error", json_true());
	return m;
}

/* Below $LB_STATE/media, so that it goes when other files do. */
static char *path_of(const struct turn *t, const char *file)
{
	return lb_printf("%s/media/results/%s", agent_of(t)->options->state,
			 file);
}

/* The whole text in a file; its name, to be freed, or NULL: it is lost. */
static char *keep_whole(const struct turn *t, const char *text, size_t len)
{
	char id[LB_ID_SIZE];
	lb_autofree char *file = NULL, *path = NULL, *folder = NULL;
	struct lb_error err;

	lb_id_new(lb_clock_now(), id);
	file = lb_printf("%s.txt", id);
	path = path_of(t, file);
	folder = path_of(t, "");
	folder[strlen(folder) - 1] = '\0';
	if (lb_path_make(folder, &err) < 0 ||
	    lb_atomic_create(path, text, len, &err) < 0) {
		lb_warn("the whole of a result is not kept: %s", err.text);
		return NULL;
	}
	return lb_steal(&file);
}

/* The beginning and the end of what is too long, and where the rest is. */
static void put_ends(struct lb_buf *out, const struct lb_buf *whole,
		     size_t room, const char *file)
{
	const char *text = lb_buf_str(whole);
	size_t tail = room / TAIL;
	size_t head = lb_utf8_cut(text, whole->len, room - tail);
	size_t from = whole->len - tail;

	while (from < whole->len && ((unsigned char)text[from] & 0xc0) == 0x80)
		from++;
	lb_buf_put(out, text, head);
	lb_buf_printf(out, "\n[... bytes %zu to %zu of %zu are left out", head,
		      from, whole->len);
	if (file)
		lb_buf_printf(out, "; " READ_RESULT " reads them: file %s",
			      file);
	lb_buf_puts(out, " ...]\n");
	lb_buf_put(out, text + from, whole->len - from);
}

/* Take in what the text is; a long one becomes its ends. */
static void put_text(const struct work *w, json_t *message,
		     const struct lb_buf *text, json_t *parts)
{
	lb_autobuf struct lb_buf cut = {0};
	lb_autofree char *file = NULL;
	const struct turn *t = w->turn;
	size_t room = room_for(t, w);
	json_t *value;

	if (text->len > room) {
		file = keep_whole(t, lb_buf_str(text), text->len);
		put_ends(&cut, text, room, file);
		if (file)
			json_object_set_new(message, "file", json_string(file));
		value = lb_json_text(cut.data, cut.len);
	} else {
		value = lb_json_text(lb_buf_str(text), text->len);
	}
	if (!parts)
		json_object_set_new(message, "content", value);
	else if (text->len > 0)
		json_array_insert_new(parts, 0,
				      lb_json_pack("{s:s, s:o}", "type", "text",
						   "text", value));
	else
		json_decref(value);
}

/* An image for the model; NULL: it is none that can be shown. */
static json_t *image_of(const json_t *part)
{
	const json_t *data = json_object_get(part, "data");
	const char *text = json_string_value(data), *type;
	size_t len = json_string_length(data);
	lb_autobuf struct lb_buf bytes = {0}, url = {0};

	if (len > (size_t)LB_MEDIA_ITEM_MAX / 3 * 4 + 4 ||
	    !lb_base64_decode(&bytes, text ? text : "", len))
		return NULL;
	type = lb_magic_type(lb_buf_str(&bytes), bytes.len);
	if (!type || strncmp(type, "image/", 6) != 0)
		return NULL;
	lb_buf_printf(&url, "data:%s;base64,", type);
	lb_base64_encode(&url, bytes.data, bytes.len);
	return lb_json_pack("{s:s, s:o}", "type", "image_base64",
			    "image_base64", lb_json_text(url.data, url.len));
}

/* What is told of a file, or of an image that is not shown. */
static void put_note(struct lb_buf *text, const char *what, const json_t *part)
{
	const char *name = lb_json_str(part, "name");

	if (text->len > 0)
		lb_buf_putc(text, '\n');
	lb_buf_printf(text, "[%s", what);
	if (name)
		lb_buf_printf(text, ": %.*s",
			      (int)lb_utf8_cut(name, strlen(name), MAX_NAME),
			      name);
	lb_buf_putc(text, ']');
}

static void put_part(const json_t *part, struct lb_buf *text, json_t *images)
{
	const char *type = lb_json_str(part, "type");
	const char *said = lb_json_str(part, "text");
	json_t *image = NULL;

	if (type && strcmp(type, "image") == 0) {
		if (json_array_size(images) < MAX_IMAGES)
			image = image_of(part);
		if (image)
			json_array_append_new(images, image);
		else
			put_note(text, "an image that cannot be shown", part);
		return;
	}
	if (type && strcmp(type, "file") == 0)
		put_note(text, "file", part);
	if (said) {
		if (text->len > 0)
			lb_buf_putc(text, '\n');
		lb_buf_puts(text, said);
	}
}

json_t *result_of(const struct work *w, const json_t *content)
{
	lb_autobuf struct lb_buf text = {0};
	json_t *m = message_of(w, json_string("")), *images;
	const json_t *part;
	size_t i;

	if (json_is_string(content)) {
		lb_buf_put(&text, json_string_value(content),
			   json_string_length(content));
		put_text(w, m, &text, NULL);
		return m;
	}
	images = json_array();
	json_array_foreach((json_t *)(uintptr_t)content, i, part)
	{
		if (i < MAX_PARTS)
			put_part(part, &text, images);
	}
	put_text(w, m, &text, json_array_size(images) > 0 ? images : NULL);
	if (json_array_size(images) > 0)
		json_object_set(m, "content", images);
	json_decref(images);
	return m;
}

/* Does one of these messages name that file, or (NULL) any? */
static bool names_file(const json_t *messages, const char *file)
{
	const json_t *m;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)messages, i, m)
	{
		const char *of = lb_json_str(m, "file");

		if (of && (!file || strcmp(of, file) == 0))
			return true;
	}
	return false;
}

bool result_was_cut(const struct turn *t)
{
	const struct asker who = turn_asker(t);
	struct lb_grants g;

	if (t->tools.n == 0 ||
	    (!names_file(t->messages, NULL) && !names_file(t->made, NULL)))
		return false;
	asker_grants(&g, agent_of(t), &who);
	return !lb_grants_deny(&g, READ_RESULT, READ_RESULT);
}

json_t *result_read_spec(void)
{
	return lb_json_pack(
		"{s:s, s:{s:s, s:s, s:{s:s, s:{s:{s:s, s:s}, s:{s:s, s:i, s:s},"
		" s:{s:s, s:i, s:s}}, s:[s]}}}",
		"type", "function", "function", "name", READ_RESULT,
		"description",
		"Read what was left out of an earlier result of a tool.",
		"parameters", "type", "object", "properties", "file", "type",
		"string", "description", "as the result names it", "offset",
		"type", "integer", "minimum", 0, "description",
		"the first byte to read, from 0", "limit", "type", "integer",
		"minimum", 1, "description", "bytes to read at most",
		"required", "file");
}

/* A piece of a file of this conversation; -1: it is not there any more. */
static int read_piece(const struct turn *t, const char *file, int64_t offset,
		      size_t len, struct lb_buf *out)
{
	lb_autofree char *path = path_of(t, file);
	struct lb_error err;
	lb_autoclose int fd =
		lb_media_open(agent_of(t)->options->state, path, &err);
	ssize_t got;

	if (fd < 0)
		return -1;
	lb_buf_reserve(out, len);
	got = pread(fd, out->data, len, offset);
	if (got < 0)
		return -1;
	out->len = (size_t)got;
	out->data[out->len] = '\0';
	return 0;
}

json_t *result_read(const struct turn *t, const json_t *arguments, char **why)
{
	const char *file = lb_json_str(arguments, "file");
	int64_t offset = 0, limit = (int64_t)room_of(t);
	lb_autobuf struct lb_buf raw = {0};
	int64_t most = limit;

	lb_json_int(arguments, "offset", &offset);
	lb_json_int(arguments, "limit", &limit);
	if (limit < 1 || limit > most)
		limit = most;
	/* Those that results of this conversation name, and no other. */
	if (!file ||
	    (!names_file(t->messages, file) && !names_file(t->made, file))) {
		*why = lb_strdup("no result of this conversation names that "
				 "file");
		return NULL;
	}
	if (offset < 0 ||
	    read_piece(t, file, offset, (size_t)limit, &raw) < 0) {
		*why = lb_strdup("the file is gone");
		return NULL;
	}
	return lb_json_text(lb_buf_str(&raw), raw.len);
}
