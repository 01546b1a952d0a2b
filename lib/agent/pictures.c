/* pictures.c - files of messages, as a model can take them. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/local.h"
#include "base/base64.h"
#include "base/json.h"
#include "base/log.h"
#include "base/magic.h"
#include "base/mem.h"
#include "llm/model.h"
#include "platform/media.h"

enum { MAX_URL = 2048 }; /* that is worth telling */

struct look {
	struct agent *agent;
	bool blind;
	size_t room; /* bytes of files that one request may still hold */
};

static json_t *note(const char *text)
{
	return lb_json_pack("{s:s, s:s}", "type", "text", "text", text);
}

/* The whole file, at most `room`; false: it is gone, or too large. */
static bool read_file(struct look *l, const char *path, struct lb_buf *data)
{
	struct lb_error err;
	lb_autoclose int fd =
		lb_media_open(l->agent->options->state, path, &err);
	struct stat st;
	ssize_t got = 1;

	if (fd < 0) {
		lb_log(LB_INFO, NULL, "an image is not shown: %s", err.text);
		return false;
	}
	if (fstat(fd, &st) < 0 || st.st_size <= 0 ||
	    st.st_size > LB_MEDIA_ITEM_MAX || (size_t)st.st_size > l->room)
		return false;
	lb_buf_reserve(data, (size_t)st.st_size);
	while (got > 0 && data->len < (size_t)st.st_size) {
		got = read(fd, data->data + data->len,
			   (size_t)st.st_size - data->len);
		data->len += got > 0 ? (size_t)got : 0;
	}
	return got > 0;
}

/* An image by path as data, or a note. */
static json_t *open_image(struct look *l, const char *path)
{
	lb_autobuf struct lb_buf data = {0}, url = {0};
	const char *type;

	if (l->blind || !path)
		return note("[Image]");
	if (!read_file(l, path, &data))
		return note("[Image: the file is gone]");
	type = lb_magic_type(data.data, data.len);
	if (!lb_magic_is_image(type))
		return note("[Image]");
	l->room -= data.len;
	lb_buf_printf(&url, "data:%s;base64,", type);
	lb_base64_encode(&url, data.data, data.len);
	return lb_json_pack("{s:s, s:o}", "type", "image_base64",
			    "image_base64", lb_json_text(url.data, url.len));
}

static json_t *show_part(struct look *l, json_t *part)
{
	const char *type = lb_json_str(part, "type");

	if (type && strcmp(type, "image_path") == 0)
		return open_image(l, lb_json_str(part, "image_path"));
	if (type && l->blind && strncmp(type, "image_", 6) == 0)
		return note("[Image]");
	return json_incref(part);
}

/* The message itself where nothing is to be changed in it. */
static json_t *show_message(struct look *l, json_t *message)
{
	const json_t *content = json_object_get(message, "content");
	json_t *parts, *part, *copy;
	size_t i;

	if (!json_is_array(content))
		return json_incref(message);
	parts = json_array();
	json_array_foreach((json_t *)(uintptr_t)content, i, part)
		json_array_append_new(parts, show_part(l, part));
	copy = json_copy(message);
	json_object_set_new(copy, "content", parts);
	return copy;
}

json_t *local_pictures(struct agent *a, const struct lb_model *model,
		       const json_t *messages, size_t hidden)
{
	struct look l = {.agent = a, .room = LB_MEDIA_RECORD_MAX};
	size_t n = json_array_size(messages);
	json_t *out = json_array();

	/* From the latest: where there is no room for all, it goes to them. */
	for (size_t i = n; i > 0; i--) {
		l.blind = model->blind || i <= hidden;
		json_array_insert_new(out, 0,
				      show_message(&l, json_array_get(messages,
								      i - 1)));
	}
	return out;
}

bool local_has_pictures(const json_t *messages, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const json_t *content =
			json_object_get(json_array_get(messages, i), "content");
		const json_t *part;
		size_t k;

		json_array_foreach(content, k, part)
		{
			const char *type = lb_json_str(part, "type");

			if (type && strncmp(type, "image_", 6) == 0)
				return true;
		}
	}
	return false;
}

/* What is left of an image that is elsewhere, and may be gone next time. */
static json_t *note_of_url(const json_t *part)
{
	const char *url =
		lb_json_str(json_object_get(part, "image_url"), "url");
	lb_autofree char *text = NULL;

	if (!url || strncmp(url, "http", 4) != 0 || strlen(url) > MAX_URL)
		return note("[Image]");
	text = lb_printf("[Image: %s]", url);
	return note(text);
}

static json_t *part_without_data(json_t *part)
{
	const char *type = lb_json_str(part, "type");
	const json_t *name = json_object_get(part, "file_name");
	json_t *named;

	if (type && strcmp(type, "image_base64") == 0)
		return note("[Image]");
	if (type && strcmp(type, "image_url") == 0)
		return note_of_url(part);
	if (!type || strcmp(type, "file_base64") != 0)
		return json_incref(part);
	/* The model is told of its name. */
	named = lb_json_pack("{s:s}", "type", "file_name");
	json_object_set_new(named, "file_name",
			    json_is_string(name) ? json_deep_copy(name)
						 : json_string("unnamed"));
	return named;
}

json_t *local_without_data(const json_t *message)
{
	const json_t *content = json_object_get(message, "content");
	json_t *copy = json_copy((json_t *)(uintptr_t)message), *parts, *part;
	size_t i;

	if (!json_is_array(content))
		return copy;
	parts = json_array();
	json_array_foreach((json_t *)(uintptr_t)content, i, part)
		json_array_append_new(parts, part_without_data(part));
	json_object_set_new(copy, "content", parts);
	return copy;
}
