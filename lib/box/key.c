#include "box/key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "box/spec.h"
#include "config/template.h"
#include "fs/digest.h"

enum { MAX_FOLDER = 200 };

static const char value_chars[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "abcdefghijklmnopqrstuvwxyz0123456789.-";
static const char folder_chars[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "abcdefghijklmnopqrstuvwxyz0123456789.-_";

/* Append text with %XX for all but these. */
static void encode(struct lb_buf *out, const char *text, size_t len,
		   const char *keep)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c && strchr(keep, c))
			lb_buf_putc(out, (char)c);
		else
			lb_buf_printf(out, "%%%02X", c);
	}
}

/*
 * One that is too long keeps what fits of its beginning, and ends in a digest
 * of all of it; '~' is in no other name.
 */
static void shorten(struct lb_buf *name, size_t most)
{
	unsigned char digest[LB_DIGEST_SIZE];
	struct lb_piece all = {lb_buf_str(name), name->len};
	size_t keep = most - 1 - sizeof(digest) * 2;

	if (name->len <= most)
		return;
	lb_digest(&all, 1, digest);
	/* not within a %XX */
	for (size_t back = 1; back <= 2; back++)
		if (name->data[keep - back] == '%') {
			keep -= back;
			break;
		}
	name->len = keep;
	lb_buf_putc(name, '~');
	for (size_t i = 0; i < sizeof(digest); i++)
		lb_buf_printf(name, "%02x", digest[i]);
}

/* The parts of BOT/TYPE_ID; those that it has not are NULL. */
struct session {
	const char *bot, *type, *id;
	size_t bot_len, type_len;
};

static struct session split(const char *session)
{
	struct session s = {0};
	const char *slash = session ? strchr(session, '/') : NULL;
	const char *line;

	if (!slash)
		return s;
	s.bot = session;
	s.bot_len = (size_t)(slash - session);
	line = strchr(slash, '_');
	if (!line)
		return s;
	s.type = slash + 1;
	s.type_len = (size_t)(line - s.type);
	s.id = line + 1;
	return s;
}

/*
 * The session itself, each part encoded: what is between them is in no part.
 * One that names no bot is none of a bot's, whatever it is called.
 */
static void put_session(struct lb_buf *out, const char *session)
{
	struct session s = split(session);
	const char *rest = s.bot ? session + s.bot_len + 1 : session;

	if (s.bot)
		encode(out, s.bot, s.bot_len, value_chars);
	else
		lb_buf_putc(out, '~');
	lb_buf_putc(out, '/');
	if (s.id) {
		encode(out, s.type, s.type_len, value_chars);
		lb_buf_putc(out, '_');
		rest = s.id;
	}
	encode(out, rest, strlen(rest), value_chars);
}

static bool put_text(struct lb_buf *out, const char *text, size_t len)
{
	if (!text || len == 0)
		return false;
	encode(out, text, len, value_chars);
	return true;
}

static bool put_member(struct lb_buf *out, const json_t *context,
		       const char *name)
{
	const json_t *value = json_object_get(context, name);

	return put_text(out, json_string_value(value),
			json_string_length(value));
}

/* False when the value is not known. */
static bool put_variable(struct lb_buf *out, const json_t *context,
			 const char *name)
{
	const json_t *whole = json_object_get(context, "session");
	const char *session = json_string_value(whole);
	struct session s;

	/* one with a NUL would be read as another one */
	if (session && strlen(session) != json_string_length(whole))
		session = NULL;
	s = split(session);
	if (strcmp(name, "session") == 0) {
		if (!session || !*session)
			return false;
		put_session(out, session);
		return true;
	}
	if (strcmp(name, "global") == 0) {
		lb_buf_puts(out, "global");
		return true;
	}
	if (put_member(out, context, name))
		return true;
	if (strcmp(name, "bot") == 0)
		return put_text(out, s.bot, s.bot_len);
	if (strcmp(name, "launcher_type") == 0)
		return put_text(out, s.type, s.type_len);
	if (strcmp(name, "launcher_id") == 0)
		return put_text(out, s.id, s.id ? strlen(s.id) : 0);
	return strcmp(name, "query_id") == 0 && put_member(out, context, "id");
}

static int unknown(const char *name, struct lb_error *err)
{
	return lb_fail(err, LB_DATA,
		       "the session's template needs {%s}, which is not known "
		       "here",
		       name);
}

char *lb_box_session(const char *template, const json_t *context,
		     struct lb_error *err)
{
	lb_autobuf struct lb_buf out = {0};
	struct lb_template_part part;

	if (lb_template_check(template, err) < 0)
		return NULL;
	if (strcmp(template, "{global}") != 0 &&
	    !lb_template_has(template, "bot") &&
	    !lb_template_has(template, "session")) {
		if (!put_variable(&out, context, "bot")) {
			unknown("bot", err);
			return NULL;
		}
		lb_buf_putc(&out, '/');
	}
	while (lb_template_next(&template, &part)) {
		lb_autofree char *name = NULL;

		if (!part.variable) {
			lb_buf_put(&out, part.text, part.len);
			continue;
		}
		name = lb_strndup(part.text, part.len);
		if (!put_variable(&out, context, name)) {
			unknown(name, err);
			return NULL;
		}
	}
	shorten(&out, LB_BOX_MAX_SESSION);
	return lb_buf_take(&out);
}

char *lb_box_folder(const char *session)
{
	lb_autobuf struct lb_buf out = {0};

	if (*session == '.') {
		lb_buf_puts(&out, "%2E");
		session++;
	}
	encode(&out, session, strlen(session), folder_chars);
	if (out.len == 0)
		lb_buf_putc(&out, '~'); /* a name like any other */
	shorten(&out, MAX_FOLDER);
	return lb_buf_take(&out);
}

const char *lb_box_template(struct lb_config *config, const char *pipeline)
{
	static const char usual[] = "{session}";
	const char *forced = lb_config_str(config, "system.limitation.force_"
						   "box_session_id_template");
	const char *own = json_string_value(
		lb_json_path(lb_config_pipeline(config, pipeline),
			     "ai.local-agent.box-session-id-template"));

	if (forced && *forced)
		return forced;
	return own && *own ? own : usual;
}
