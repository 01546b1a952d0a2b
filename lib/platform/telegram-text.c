/*
 * telegram-text.c - the text of a message and its entities.
 *
 * Offsets and lengths count UTF-16 units. The entities come sorted; one that
 * is out of range, cuts a character in two or begins within one that was used
 * is passed over.
 */
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "platform/telegram-content.h"

enum { MAX_ENTITIES = 1000 };

/* A text that is walked once, and what is behind us. */
struct walk {
	struct lb_telegram_content *c;
	const char *text;
	size_t len, at; /* bytes */
	int64_t unit;   /* of `at` */
	struct lb_buf plain;
	bool after_us;
};

/* The byte at a unit, from the place of another; false: there is none. */
static bool seek(const struct walk *w, size_t *at, int64_t *unit, int64_t to)
{
	while (*unit < to && *at < w->len) {
		size_t n = lb_utf8_char(w->text + *at, w->len - *at);

		*at += n ? n : 1;
		*unit += n == 4 ? 2 : 1;
	}
	return *unit == to;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static void rtrim(struct lb_buf *b)
{
	while (b->len > 0 && is_blank(b->data[b->len - 1]))
		b->data[--b->len] = '\0';
}

static void put_plain(struct walk *w)
{
	if (w->plain.len == 0)
		return;
	json_array_append_new(w->c->chain,
			      lb_json_pack("{s:s,s:o}", "type", "Plain", "text",
					   lb_json_text(w->plain.data,
							w->plain.len)));
	lb_buf_reset(&w->plain);
}

/* Text up to `to`. Where we were called no blanks pile up. */
static void pass(struct walk *w, size_t to)
{
	if (w->after_us)
		while (w->at < to && is_blank(w->text[w->at]))
			w->at++;
	if (to > w->at) {
		lb_buf_put(&w->plain, w->text + w->at, to - w->at);
		w->after_us = false;
	}
	w->at = to;
}

static void put_at(struct walk *w, const char *id, const char *name)
{
	json_t *at = lb_json_pack("{s:s,s:s}", "type", "At", "target", id);

	put_plain(w);
	if (name && *name)
		lb_json_set_str(at, "display", name, strlen(name));
	json_array_append_new(w->c->chain, at);
	json_array_append_new(w->c->mentions, json_string(id));
}

static void put_us(struct walk *w)
{
	const struct lb_telegram_self *self = w->c->p->self;
	lb_autofree char *id = lb_printf("%lld", (long long)self->id);

	put_at(w, id, self->username);
	w->c->mentioned = true;
	w->after_us = true;
}

static bool is_name(const char *text, size_t len, const char *name)
{
	return name && strlen(name) == len && strncasecmp(text, name, len) == 0;
}

/* "@name" */
static bool mention(struct walk *w, const char *text, size_t len)
{
	if (len < 2 || text[0] != '@')
		return false;
	if (is_name(text + 1, len - 1, w->c->p->self->username)) {
		put_us(w);
		return true;
	}
	json_array_append_new(w->c->mentions, lb_json_text(text, len));
	return false;
}

/* A name that stands for somebody without @name. */
static bool text_mention(struct walk *w, const json_t *user)
{
	char id[LB_TELEGRAM_NUMBER];
	lb_autofree char *name = NULL;
	int64_t number;

	if (!lb_json_int(user, "id", &number))
		return false;
	if (number == w->c->p->self->id) {
		put_us(w);
		return true;
	}
	name = lb_telegram_name(user);
	put_at(w, lb_telegram_number(user, "id", id), name);
	return true;
}

/*
 * "/cmd@bot": without our name; another's is not for us. A bare one reaches a
 * bot with privacy mode only when it spoke last: it is meant.
 */
static bool command(struct walk *w, const char *text, size_t len, bool first)
{
	const char *at = memchr(text, '@', len);
	size_t n = at ? (size_t)(at - text) : len;

	if (!at) {
		w->c->mentioned =
			w->c->mentioned || (first && !w->c->p->self->reads_all);
		return false;
	}
	if (!is_name(at + 1, len - n - 1, w->c->p->self->username)) {
		w->c->for_other = w->c->for_other || first;
		return false;
	}
	lb_buf_put(&w->plain, text, n);
	w->c->mentioned = true;
	return true;
}

static void entity(struct walk *w, const json_t *e)
{
	const char *type = lb_json_str(e, "type");
	int64_t offset, length, unit = w->unit;
	size_t from = w->at, to;
	bool used = false;

	if (!type || !lb_json_int(e, "offset", &offset) ||
	    !lb_json_int(e, "length", &length) || length <= 0 ||
	    length > INT32_MAX || offset > INT32_MAX ||
	    !seek(w, &from, &unit, offset))
		return;
	to = from;
	if (!seek(w, &to, &unit, offset + length))
		return;
	if (strcmp(type, "mention") != 0 && strcmp(type, "text_mention") != 0 &&
	    strcmp(type, "bot_command") != 0)
		return;
	pass(w, from);
	if (strcmp(type, "mention") == 0)
		used = mention(w, w->text + from, to - from);
	else if (strcmp(type, "text_mention") == 0)
		used = text_mention(w, json_object_get(e, "user"));
	else
		used = command(w, w->text + from, to - from, offset == 0);
	if (!used) {
		w->unit = offset;
		return;
	}
	w->at = to;
	w->unit = unit;
}

/* Words that end in calling us end before it. */
static void trim_last(json_t *chain)
{
	size_t n = json_array_size(chain);
	json_t *last = n > 0 ? json_array_get(chain, n - 1) : NULL;
	const json_t *text = json_object_get(last, "text");
	lb_autobuf struct lb_buf b = {0};

	if (!text)
		return;
	lb_buf_put(&b, json_string_value(text), json_string_length(text));
	rtrim(&b);
	if (b.len == 0)
		json_array_remove(chain, n - 1);
	else
		lb_json_set_str(last, "text", b.data, b.len);
}

static void finish(struct walk *w)
{
	bool us = w->after_us;
	json_t *at = NULL;
	size_t n;

	pass(w, w->len);
	if (us && w->plain.len == 0) {
		n = json_array_size(w->c->chain);
		at = json_incref(json_array_get(w->c->chain, n - 1));
		json_array_remove(w->c->chain, n - 1);
		trim_last(w->c->chain);
		json_array_append_new(w->c->chain, at);
	}
	put_plain(w);
	lb_buf_release(&w->plain);
}

void lb_telegram_text(struct lb_telegram_content *c, const json_t *message)
{
	const json_t *text = json_object_get(message, "text");
	const char *entities = "entities";
	const json_t *e;
	struct walk w = {.c = c};
	size_t i;

	if (!json_is_string(text)) {
		text = json_object_get(message, "caption");
		entities = "caption_entities";
	}
	if (!json_is_string(text))
		return;
	w.text = json_string_value(text);
	w.len = json_string_length(text);
	json_array_foreach(json_object_get(message, entities), i, e)
	{
		if (i >= MAX_ENTITIES)
			break;
		entity(&w, e);
	}
	finish(&w);
}
