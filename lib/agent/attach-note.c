/* attach-note.c - what is said of files: to the model, and to the user. */
#include <stdio.h>
#include <string.h>

#include "agent/attach.h"
#include "agent/turn.h"
#include "base/json.h"
#include "base/log.h"
#include "box/spec.h"
#include "config/notice.h"

static struct agent *agent_of(const struct turn *t)
{
	return agent_of_session(t->session);
}

void attach_add_text(json_t *message, const char *text, size_t len)
{
	json_t *content = json_object_get(message, "content");
	json_t *part = lb_json_pack("{s:s, s:o}", "type", "text", "text",
				    lb_json_text(text, len));

	if (json_is_array(content)) {
		content = json_copy(content);
	} else {
		json_t *said =
			lb_json_pack("{s:s, s:s}", "type", "text", "text",
				     json_is_string(content)
					     ? json_string_value(content)
					     : "");

		content = json_array();
		json_array_append_new(content, said);
	}
	json_array_append_new(content, part);
	json_object_set_new(message, "content", content);
}

/* Is that what a file that went in was fetched from? */
static bool was_fetched(const struct turn *t, const json_t *part)
{
	const char *url = lb_json_str(part, "file_url");

	for (size_t i = 0; url && i < t->attach.n; i++) {
		const char *from = attach_url(t, i);

		if (from && !t->attach.files[i].why && strcmp(from, url) == 0)
			return true;
	}
	return false;
}

/* What is in the sandbox now is no part of the message any more; pictures are
 * seen all the same. */
static void remove_files(const struct turn *t, json_t *message)
{
	json_t *parts = json_array(), *part;
	size_t i;

	if (!json_is_array(json_object_get(message, "content"))) {
		json_decref(parts);
		return;
	}
	json_array_foreach(json_object_get(message, "content"), i, part)
	{
		const char *type = lb_json_str(part, "type");

		if (!type ||
		    (strcmp(type, "file_base64") != 0 &&
		     strcmp(type, "file_path") != 0 && !was_fetched(t, part)))
			json_array_append(parts, part);
	}
	json_object_set_new(message, "content", parts);
}

static void put_files(const struct turn *t, const json_t *files,
		      struct lb_buf *note)
{
	const struct attach *a = &t->attach;
	const json_t *one;
	int64_t size;
	size_t i;

	lb_buf_puts(note, "\n[Files of this message:");
	json_array_foreach((json_t *)(uintptr_t)files, i, one)
	{
		const char *why = lb_json_str(one, "why");
		const char *name = lb_json_str(one, "name");

		size = 0;
		lb_json_int(one, "size", &size);
		if (!name || i >= a->n)
			continue;
		if (why)
			lb_buf_printf(note, "\n%s: not in the sandbox, %s",
				      name, why);
		else
			lb_buf_printf(note,
				      "\n" LB_BOX_WORKSPACE "/" LB_ATTACH_INBOX
				      "/%s/%s (%s, %lld bytes)",
				      a->key, name, a->came[i].word,
				      (long long)size);
	}
	lb_buf_putc(note, ']');
}

void attach_note(struct turn *t, const json_t *files, bool failed)
{
	json_t *user = json_copy(json_object_get(t->query->json, "user"));
	lb_autobuf struct lb_buf note = {0};

	if (!json_is_object(user)) {
		json_decref(user);
		return;
	}
	if (failed) {
		lb_buf_puts(&note, "\n[The files of this message could not be "
				   "put into the sandbox.]");
	} else {
		remove_files(t, user);
		put_files(t, files, &note);
	}
	attach_add_text(user, lb_buf_str(&note), note.len);
	json_decref(t->attach.user);
	t->attach.user = user;
}

const json_t *attach_user(const struct turn *t)
{
	return t->attach.user ? t->attach.user
			      : json_object_get(t->query->json, "user");
}

json_t *attach_shown(const struct turn *t)
{
	json_t *user = json_copy((json_t *)(uintptr_t)attach_user(t));
	lb_autobuf struct lb_buf note = {0};

	if (!t->attach.key || !json_is_object(user))
		return user;
	lb_buf_printf(&note,
		      "\n[Files for the user go into " LB_BOX_WORKSPACE
		      "/" LB_ATTACH_OUTBOX "/%s]",
		      t->attach.key);
	attach_add_text(user, lb_buf_str(&note), note.len);
	return user;
}

static void put_left(const struct turn *t, const json_t *one,
		     struct lb_buf *list)
{
	static const char *const known[] = {
		"large", "many",   "total",   "empty", "link",
		"busy",  "unread", "entries", "more",  NULL,
	};
	const char *why = lb_json_str(one, "why");
	char key[32], count[32];
	int64_t n = 0;
	size_t i = 0;

	while (known[i] && strcmp(known[i], why) != 0)
		i++;
	lb_json_int(one, "count", &n);
	snprintf(count, sizeof(count), "%lld", (long long)n);
	snprintf(key, sizeof(key), "attachment-%s",
		 known[i] ? known[i] : "unread");
	lb_buf_puts(list, list->len > 0 ? "; " : "");
	lb_notice_put(list, agent_of(t)->options->config, key, "name",
		      lb_json_str(one, "name"), "count", count, NULL);
}

void attach_say_left(struct turn *t, const json_t *files, bool failed)
{
	const struct lb_subject of = lb_record_subject(t->query);
	lb_autobuf struct lb_buf list = {0}, notice = {0};
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)files, i, one)
	{
		if (lb_json_str(one, "why") && lb_json_str(one, "name"))
			put_left(t, one, &list);
	}
	if (failed) {
		lb_buf_puts(&list, list.len > 0 ? "; " : "");
		lb_notice_put(&list, agent_of(t)->options->config,
			      "attachment-failed", NULL);
	}
	if (list.len == 0)
		return;
	lb_log(LB_INFO, &of, "files are left out: %s", list.data);
	lb_notice_put(&notice, agent_of(t)->options->config,
		      "attachments-left-out", "files", list.data, NULL);
	turn_say(t, lb_buf_str(&notice), notice.len);
}
