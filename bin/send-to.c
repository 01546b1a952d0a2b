#include "send-to.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "record/chain.h"

enum { MAX_NAME = 512 };

/* "group:-100/42": its type, and what a launcher is called: "-100#42". */
static int read_target(const char *to, const char **type, char **launcher,
		       struct lb_error *err)
{
	const char *id = strchr(to, ':');
	char *topic;

	*type = strncmp(to, "person:", 7) == 0  ? "person"
		: strncmp(to, "group:", 6) == 0 ? "group"
						: NULL;
	if (!*type || !id || !id[1] || id[1] == '/' || strlen(to) > MAX_NAME)
		return lb_fail(err, LB_USAGE,
			       "--to: '%.64s' is neither person:ID nor "
			       "group:ID or group:ID/TOPIC",
			       to);
	*launcher = lb_strdup(id + 1);
	topic = strchr(*launcher, '/');
	if (topic)
		*topic = '#';
	return 0;
}

/* The bot and its adapter, of which the user may have named either. */
static int choose_bot(struct lb_send *send, const struct send_to *to,
		      const char **bot, struct lb_error *err)
{
	const json_t *conf;
	const char *adapter;

	*bot = to->bot;
	if (!*bot && !send->sink)
		send->sink = &lb_sink_telegram;
	if (!*bot)
		*bot = lb_send_only_bot(send->config, send->sink, err);
	if (!*bot)
		return -1;
	conf = lb_config_bot(send->config, *bot);
	adapter = conf ? lb_json_str(conf, "adapter") : NULL;
	if (!conf)
		return lb_fail(err, LB_CONFIG, "there is no bot '%.64s'", *bot);
	if (!send->sink)
		send->sink = lb_sink_find(adapter);
	if (!send->sink)
		return lb_fail(err, LB_CONFIG,
			       "the adapter of bot '%s' cannot send", *bot);
	return 0;
}

/* Could it be there at all? Else a job would fail at night. */
static int check_target(const struct lb_send *send, const char *to,
			struct lb_error *err)
{
	struct lb_error why;

	if (!send->sink->target || send->sink->target(to, &why) == 0)
		return 0;
	return lb_fail(err, LB_USAGE, "--to: %s", why.text);
}

static int read_text(const char *given, size_t max, struct lb_buf *text,
		     struct lb_error *err)
{
	char part[65536];
	ssize_t got;

	if (given && strcmp(given, "-") != 0) {
		lb_buf_puts(text, given);
		return 0;
	}
	if (isatty(STDIN_FILENO))
		lb_tell(NULL, "reading a text from the terminal; end with ^D");
	while ((got = read(STDIN_FILENO, part, sizeof(part))) > 0) {
		if (text->len + (size_t)got > max)
			return lb_fail(err, LB_DATA,
				       "the text is longer than %zu bytes",
				       max);
		lb_buf_put(text, part, (size_t)got);
	}
	if (got < 0)
		return lb_fail_sys(err, LB_IO, "cannot read the input");
	return 0;
}

static void trim(struct lb_buf *text)
{
	size_t n = 0;

	while (text->len > 0 &&
	       isspace((unsigned char)text->data[text->len - 1]))
		text->len--;
	while (n < text->len && strchr("\r\n", text->data[n]))
		n++;
	lb_buf_shift(text, n);
}

static char *build(const struct lb_send *send, const struct send_to *to,
		   const char *bot, const struct lb_buf *text, const char *type,
		   const char *launcher)
{
	lb_autofree char *session = lb_session_name(bot, type, launcher);
	json_auto_t *clean = lb_json_text(lb_buf_str(text), text->len);
	struct lb_buf b = {0};
	char id[LB_ID_SIZE];

	lb_id_new(lb_clock_now(), id);
	lb_put_begin(&b, "reply");
	lb_put_str(&b, "id", to->id ? to->id : id);
	lb_put_int(&b, "time", lb_clock_now());
	lb_put_str(&b, "bot", bot);
	lb_put_str(&b, "platform", send->sink->name);
	lb_put_str(&b, "launcher_type", type);
	lb_put_str(&b, "launcher_id", launcher);
	lb_put_str(&b, "session", session);
	lb_put_str(&b, "target", to->to);
	lb_buf_puts(&b, ",\"chain\":");
	lb_chain_put_plain(&b, json_string_value(clean),
			   json_string_length(clean));
	lb_put_json(&b, "text", clean);
	lb_put_int(&b, "part", 1);
	lb_put_bool(&b, "final", true);
	lb_put_end(&b);
	b.data[--b.len] = '\0'; /* the newline */
	return lb_buf_take(&b);
}

int send_to_record(struct lb_send *send, const struct send_to *to, char **take,
		   struct lb_error *err)
{
	lb_autobuf struct lb_buf text = {0};
	lb_autofree char *launcher = NULL;
	const char *type, *bot;

	*take = NULL;
	if (read_target(to->to, &type, &launcher, err) < 0 ||
	    choose_bot(send, to, &bot, err) < 0 ||
	    check_target(send, to->to, err) < 0 ||
	    read_text(to->text, send->max_line, &text, err) < 0)
		return -1;
	trim(&text);
	if (text.len > 0)
		*take = build(send, to, bot, &text, type, launcher);
	return 0;
}
