#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "platform/telegram-call.h"
#include "record/chain.h"

enum { GROUP_MAX = 10 }; /* pictures in one message */

/* A whole number, and what follows it; false: it is none. */
static bool number(const char *text, int64_t *n, const char **rest)
{
	char *end;

	if (!text || strspn(text, "-0123456789") == 0)
		return false;
	errno = 0;
	*n = strtoll(text, &end, 10);
	*rest = end;
	return errno == 0 && end != text && *n != 0;
}

/* "-100", "-100/42" or "-100#42". */
static bool place(const char *text, struct lb_telegram_chat *chat)
{
	const char *rest;

	if (!number(text, &chat->id, &rest))
		return false;
	if (*rest == '\0')
		return true;
	return (*rest == '/' || *rest == '#') &&
	       number(rest + 1, &chat->thread, &rest) && *rest == '\0' &&
	       chat->thread > 0;
}

/* "@ann_news/42": a public group or channel by its name. */
static bool named(const char *text, struct lb_telegram_chat *chat)
{
	size_t len = strcspn(text, "/");
	const char *rest = "";

	if (text[0] != '@' || len < 2 || len >= sizeof(chat->name) ||
	    !isalpha((unsigned char)text[1]))
		return false;
	for (size_t i = 1; i < len; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_')
			return false;
	memcpy(chat->name, text, len);
	chat->name[len] = '\0';
	return text[len] == '\0' ||
	       (number(text + len + 1, &chat->thread, &rest) && *rest == '\0' &&
		chat->thread > 0);
}

/* Persons have numbers above 0, groups and channels below. */
int lb_telegram_target(const char *target, struct lb_telegram_chat *chat,
		       struct lb_error *err)
{
	bool fine = false;

	*chat = (struct lb_telegram_chat){0};
	if (strncmp(target, "person:", 7) == 0)
		fine = place(target + 7, chat) && chat->id > 0 && !chat->thread;
	else if (strncmp(target, "group:", 6) == 0)
		fine = named(target + 6, chat) ||
		       (place(target + 6, chat) && chat->id < 0);
	if (!fine)
		return lb_fail(err, LB_DATA,
			       "target '%.80s' is none of Telegram: "
			       "person:NUMBER, group:-NUMBER[/TOPIC] or "
			       "group:@NAME",
			       target);
	return 0;
}

json_t *lb_telegram_chat_id(const struct lb_telegram_chat *chat)
{
	return *chat->name ? json_string(chat->name)
			   : json_integer((json_int_t)chat->id);
}

int lb_telegram_chat(const json_t *record, struct lb_telegram_chat *chat,
		     struct lb_error *err)
{
	const char *target = lb_json_str(record, "target"), *rest;
	const json_t *to = json_object_get(record, "reply_to");

	if (target)
		return lb_telegram_target(target, chat, err);
	*chat = (struct lb_telegram_chat){0};
	if (number(lb_json_str(to, "chat"), &chat->id, &rest) && !*rest) {
		if (!number(lb_json_str(to, "message"), &chat->reply_to,
			    &rest) ||
		    *rest)
			chat->reply_to = 0;
		if (!number(lb_json_str(to, "thread"), &chat->thread, &rest) ||
		    *rest)
			chat->thread = 0;
		return 0;
	}
	if (place(lb_json_str(record, "launcher_id"), chat))
		return 0;
	return lb_fail(err, LB_DATA, "the record names no chat of Telegram");
}

struct lb_telegram_call *lb_telegram_call(struct lb_telegram_render *r,
					  const char *method)
{
	struct lb_telegram_calls *calls = r->calls;
	struct lb_telegram_call *call;

	calls->at = lb_grow(calls->at, (calls->n + 1) * sizeof(*calls->at));
	call = &calls->at[calls->n++];
	*call = (struct lb_telegram_call){
		.method = method,
		.params = lb_json_pack("{s:o}", "chat_id",
				       lb_telegram_chat_id(r->chat)),
	};
	/* 1 is General, which has no number where messages go. */
	if (r->chat->thread > 1)
		json_object_set_new(call->params, "message_thread_id",
				    json_integer(r->chat->thread));
	if (r->quote)
		json_object_set_new(call->params, "reply_parameters",
				    lb_json_pack("{s:I,s:b}", "message_id",
						 (json_int_t)r->quote,
						 "allow_sending_without_reply",
						 1));
	r->quote = 0;
	return call;
}

static int piece(void *arg, const char *text, size_t len)
{
	struct lb_telegram_render *r = arg;
	int64_t quote = r->quote;
	struct lb_telegram_call *call = lb_telegram_call(r, "sendMessage");

	if (lb_telegram_set_text(r, call, "text", text, len))
		return 0;
	json_decref(call->params);
	r->calls->n--;
	r->quote = quote;
	return 0;
}

/* What waits goes out as messages. */
static int flush(struct lb_telegram_render *r, struct lb_error *err)
{
	int result = lb_cut(lb_buf_str(&r->text), r->text.len, r->limits->text,
			    r->limits->unit, piece, r, err);

	lb_buf_reset(&r->text);
	return result;
}

static bool is_blank(const struct lb_buf *b)
{
	return lb_buf_str(b)[strspn(lb_buf_str(b), " \t\r\n")] == '\0';
}

/* Does what waits fit below a picture? */
static bool is_caption(const struct lb_telegram_render *r)
{
	return !is_blank(&r->text) &&
	       lb_text_units(r->text.data, r->text.len, r->limits->unit) <=
		       r->limits->caption;
}

/* The message that is answered: of a Quote of this chat, else the last one. */
static int64_t quoted(const struct lb_telegram_chat *chat, const json_t *part)
{
	const char *id = lb_json_str(part, "id"), *rest;
	int64_t in, message;

	if (number(id, &in, &rest)) {
		if (*rest == '\0')
			return in > 0 ? in : chat->reply_to;
		if (in == chat->id && *rest == ':' &&
		    number(rest + 1, &message, &rest) && !*rest)
			return message > 0 ? message : 0;
		return 0;
	}
	return chat->reply_to;
}

/* Pictures from i on that can go together; 1: this one alone. */
static size_t group_at(const json_t *chain, size_t i)
{
	size_t n = 0;

	for (; n < GROUP_MAX && i + n < json_array_size(chain); n++) {
		const struct lb_telegram_file_kind *kind =
			lb_telegram_file_kind(json_array_get(chain, i + n));

		if (!kind || strcmp(kind->field, "photo") != 0)
			break;
	}
	return n > 1 ? n : 1;
}

static void send_group(struct lb_telegram_render *r, const json_t *chain,
		       size_t i, size_t n)
{
	struct lb_telegram_call *call = lb_telegram_call(r, "sendMediaGroup");
	json_t *media = json_array();

	json_object_set_new(call->params, "media", media);
	for (size_t end = i + n; i < end; i++) {
		json_t *one = lb_json_pack("{s:s}", "type", "photo");

		json_array_append_new(media, one);
		lb_telegram_attach(r, call, json_array_get(chain, i), one,
				   "media");
	}
}

/* Image, Voice or File: one that is nowhere has a line of its own. */
static bool is_file(const char *type)
{
	return strcmp(type, "Image") == 0 || strcmp(type, "Voice") == 0 ||
	       strcmp(type, "File") == 0;
}

/* Words from i on, up to a file or the end; behind them. */
static size_t gather(struct lb_telegram_render *r, const json_t *chain,
		     size_t i)
{
	bool own_line = false;

	for (; i < json_array_size(chain); i++) {
		const json_t *part = json_array_get(chain, i);
		const char *type = lb_json_str(part, "type");

		if (!type || strcmp(type, "Quote") == 0 ||
		    strcmp(type, "Source") == 0)
			continue;
		if (lb_telegram_file_kind(part))
			break;
		if ((own_line || is_file(type)) && r->text.len > 0)
			lb_buf_putc(&r->text, '\n');
		own_line = is_file(type);
		lb_telegram_words(r, part);
	}
	return i;
}

/* A file, below it what was said before, else what is said after it. */
static int send_file(struct lb_telegram_render *r, const json_t *chain,
		     size_t *i, struct lb_error *err)
{
	const json_t *part = json_array_get(chain, *i);
	const struct lb_telegram_file_kind *kind = lb_telegram_file_kind(part);
	struct lb_telegram_call *call;

	++*i;
	if (!is_caption(r)) {
		if (flush(r, err) < 0)
			return -1;
		*i = gather(r, chain, *i);
	}
	call = lb_telegram_call(r, kind->method);
	lb_telegram_attach(r, call, part, call->params, kind->field);
	if (is_caption(r)) {
		lb_telegram_set_text(r, call, "caption", r->text.data,
				     r->text.len);
		lb_buf_reset(&r->text);
	}
	return 0;
}

static int render(struct lb_telegram_render *r, const json_t *chain,
		  struct lb_error *err)
{
	size_t i = gather(r, chain, 0);

	while (i < json_array_size(chain)) {
		size_t n = group_at(chain, i);

		if (n == 1) {
			if (send_file(r, chain, &i, err) < 0)
				return -1;
		} else {
			if (flush(r, err) < 0)
				return -1;
			send_group(r, chain, i, n);
			i += n;
		}
		i = gather(r, chain, i);
	}
	return flush(r, err);
}

int lb_telegram_render(const json_t *chain, const struct lb_telegram_chat *chat,
		       const struct lb_limits *limits,
		       struct lb_telegram_calls *calls, struct lb_error *err)
{
	json_auto_t *ids = json_array();
	struct lb_telegram_render r = {.chat = chat,
				       .limits = limits,
				       .calls = calls,
				       .ids = ids};
	const json_t *part;
	size_t i;
	int result;

	*calls = (struct lb_telegram_calls){0};
	json_array_foreach(chain, i, part)
	{
		const char *type = lb_json_str(part, "type");

		if (type && strcmp(type, "Quote") == 0 && r.quote == 0)
			r.quote = quoted(chat, part);
	}
	result = render(&r, chain, err);
	lb_buf_release(&r.text);
	return result;
}

static void free_uploads(struct lb_telegram_call *call)
{
	for (size_t i = 0; i < call->n_uploads; i++) {
		free(call->uploads[i].field);
		free(call->uploads[i].path);
		free(call->uploads[i].name);
		lb_buf_release(&call->uploads[i].bytes);
	}
	free(call->uploads);
}

void lb_telegram_calls_release(struct lb_telegram_calls *calls)
{
	for (size_t i = 0; i < calls->n; i++) {
		json_decref(calls->at[i].params);
		free(calls->at[i].plain);
		free_uploads(&calls->at[i]);
	}
	free(calls->at);
	*calls = (struct lb_telegram_calls){0};
}
