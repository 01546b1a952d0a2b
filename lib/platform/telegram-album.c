/* telegram-album.c - pictures that were sent together are one message. */
#include <string.h>

#include "base/json.h"
#include "platform/telegram-ingest.h"
#include "record/record.h"

static const json_t *message_of(const json_t *update)
{
	const json_t *m = json_object_get(update, "message");

	return m ? m : json_object_get(update, "channel_post");
}

static bool chat_of(const json_t *update, int64_t *chat)
{
	const json_t *m = message_of(update);

	return m && lb_json_int(json_object_get(m, "chat"), "id", chat);
}

const char *album_of(const json_t *update, int64_t *chat)
{
	const char *group = lb_json_str(message_of(update), "media_group_id");

	return group && chat_of(update, chat) ? group : NULL;
}

static bool is_part(const struct update *u, const char *group, int64_t chat)
{
	int64_t other;
	const char *of = album_of(u->json, &other);

	return group && of && other == chat && strcmp(of, group) == 0;
}

/*
 * When the album whose first part is at `first` is whole: now, if somebody
 * said something else in the chat since or there is no room for more parts.
 * *last is its last part.
 */
static int64_t whole_at(const struct poller *p, size_t first, size_t *last)
{
	int64_t chat = 0, other, arrived = 0;
	const char *group = album_of(p->pending[first].json, &chat);
	bool over = false;
	size_t parts = 0;

	for (size_t i = first; i < p->n_pending; i++) {
		const struct update *u = &p->pending[i];

		if (is_part(u, group, chat)) {
			*last = i;
			parts++;
			over = false;
			if (u->arrived > arrived)
				arrived = u->arrived;
		} else if (chat_of(u->json, &other) && other == chat) {
			over = true;
		}
	}
	return over || parts >= ALBUM_MAX ? 0 : arrived + p->album_ms;
}

/* The first part of the album that the update at i is part of. */
static size_t first_part(const struct poller *p, size_t i)
{
	int64_t chat = 0;
	const char *group = album_of(p->pending[i].json, &chat);

	for (size_t at = 0; at < i; at++)
		if (is_part(&p->pending[at], group, chat))
			return at;
	return i;
}

size_t album_cut(const struct poller *p, int64_t now, int64_t *until)
{
	size_t cut = p->n_pending, last = 0;
	int64_t chat;

	if (p->album_ms == 0 || p->stopping || p->n_pending == PENDING_MAX)
		return cut;
	for (size_t i = 0; i < cut; i++) {
		if (!album_of(p->pending[i].json, &chat) ||
		    first_part(p, i) != i)
			continue;
		*until = whole_at(p, i, &last);
		if (*until > now)
			cut = i;
	}
	/* An album stays on one side of the cut as a whole. */
	for (size_t i = 0; i < cut; i++)
		if (album_of(p->pending[i].json, &chat) &&
		    (whole_at(p, i, &last), last >= cut))
			cut = i;
	return cut;
}

static bool adds(const json_t *component)
{
	const char *type = lb_json_str(component, "type");

	/* Each part quotes the same message. */
	return type && strcmp(type, "Quote") != 0 &&
	       strcmp(type, "Source") != 0;
}

static void add_all(json_t *list, const json_t *more, bool only_media)
{
	size_t i;
	json_t *one;

	json_array_foreach((json_t *)(uintptr_t)more, i, one)
	{
		if (!only_media || adds(one))
			json_array_append(list, one);
	}
}

void album_add(struct lb_buf *album, const struct lb_buf *part)
{
	static const char *const changed[] = {"chain", "mentioned_me",
					      "mentions", NULL};
	struct lb_record a = {0}, b = {0};
	json_auto_t *chain = NULL, *mentions = NULL;
	lb_autobuf struct lb_buf out = {0};
	struct lb_error err;

	if (album->len == 0)
		lb_buf_put(album, lb_buf_str(part), part->len);
	else if (part->len > 0 &&
		 lb_record_parse(&a, album->data, album->len - 1, &err) == 0 &&
		 lb_record_parse(&b, part->data, part->len - 1, &err) == 0) {
		chain = json_deep_copy(json_object_get(a.json, "chain"));
		add_all(chain, json_object_get(b.json, "chain"), true);
		mentions = json_array();
		add_all(mentions, json_object_get(a.json, "mentions"), false);
		add_all(mentions, json_object_get(b.json, "mentions"), false);
		lb_splice(&out, &a, "message", changed);
		lb_put_bool(&out, "mentioned_me",
			    lb_json_bool(a.json, "mentioned_me", false) ||
				    lb_json_bool(b.json, "mentioned_me",
						 false));
		if (json_array_size(mentions) > 0)
			lb_put_json(&out, "mentions", mentions);
		lb_put_json(&out, "chain", chain);
		lb_put_end(&out);
		lb_buf_reset(album);
		lb_buf_put(album, out.data, out.len);
	}
	lb_record_release(&a);
	lb_record_release(&b);
}
