/* lb-run - what the programs write: status, messages, what became of them. */
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "record/filter.h"
#include "super.h"

/* The states that a status record may name. */
static const char *state_named(const char *name)
{
	static const char *const names[] = {"connected", "lost",
					    "throttled", "auth_failed",
					    "stopped",   NULL};

	for (const char *const *n = names; *n; n++)
		if (strcmp(*n, name) == 0)
			return *n;
	return NULL;
}

/* Nothing to worry about. */
static bool is_meant(const struct member *m, const char *state)
{
	return strcmp(state, "connected") == 0 ||
	       (strcmp(state, "stopped") == 0 &&
		(m->once || m->leaving || m->draining || m->super->stopping));
}

/* People at a terminal hear that all is well, too. */
static void tell(const struct member *m, const char *state, const char *text,
		 int64_t retry_ms)
{
	bool well = strcmp(state, "connected") == 0;
	lb_autobuf struct lb_buf b = {0};

	lb_buf_printf(&b, "bot '%s' is %s", m->name, state);
	if (well && m->self)
		lb_buf_printf(&b, " as %s", m->self);
	if (text)
		lb_buf_printf(&b, ": %s", text);
	if (retry_ms > 0)
		lb_buf_printf(&b, "; again in %lld s",
			      (long long)(retry_ms + 999) / 1000);
	if (well && !m->once && isatty(STDERR_FILENO))
		lb_tell(NULL, "%s", lb_buf_str(&b));
	else
		lb_log(is_meant(m, state) ? LB_INFO : LB_WARNING, NULL, "%s",
		       lb_buf_str(&b));
}

static void on_status(struct member *m, const struct lb_record *r)
{
	const json_t *who = json_object_get(r->json, "self");
	const char *name = lb_json_str(r->json, "state");
	const char *text = lb_json_str(r->json, "message");
	const char *state = name ? state_named(name) : NULL;
	const char *self = who ? lb_json_str(who, "name") : NULL;
	int64_t retry = 0;

	if (self) {
		free(m->self);
		m->self = lb_strdup(self);
	}
	if (!state)
		return;
	lb_json_int(r->json, "retry_in_ms", &retry);
	if (strcmp(state, m->state) != 0)
		tell(m, state, text, retry);
	member_say(m, state, text);
}

/* From an lb-ingest: its status, or what is to go into the flow. */
static void on_bot_line(struct member *m, const struct lb_line *line)
{
	static const char *const owned[] = {"status", NULL};
	struct lb_record r = {0};
	struct lb_error err;

	if (lb_line_sort(owned, line, &r, &err) > 0) {
		on_status(m, &r);
		records_put(m->super, line->text, line->len);
	} else if (m->super->no_queue) {
		feed_line(m->super, line);
	}
	lb_record_release(&r);
}

static void on_line(struct member *m, const struct lb_line *line)
{
	if (m->kind == BOT)
		on_bot_line(m, line);
	else if (m->super->no_queue)
		feed_result(m->super, line);
	else
		records_put(m->super, line->text, line->len);
}

static bool may_read(const struct member *m)
{
	if (m->kind == FLOW)
		return !records_are_full(m->super);
	return !m->super->no_queue || !feed_is_full(m->super);
}

static void take_lines(struct member *m)
{
	struct lb_line line;
	struct lb_error err;
	int got;

	while (may_read(m) &&
	       (got = lb_lines_take(m->lines, &line, &err)) != 0) {
		if (got > 0)
			on_line(m, &line);
		else
			lb_complain("%s: %s", m->name, err.text);
	}
}

void member_close_output(struct member *m)
{
	if (m->from < 0)
		return;
	lb_loop_watch(m->super->loop, m->from, 0, NULL, NULL);
	close(m->from);
	m->from = -1;
}

void member_gone(struct member *m)
{
	if (m->pid == 0 && m->from < 0)
		super_ended(m->super, m);
}

static void on_readable(int fd, uint32_t events, void *arg)
{
	struct member *m = arg;
	struct lb_error err;
	int got = lb_lines_fill(m->lines, &err);

	(void)fd;
	(void)events;
	take_lines(m);
	if (got < 0 || lb_lines_ended(m->lines)) {
		member_close_output(m);
		member_gone(m);
	}
}

/* Read what may be read now; lines that wait in memory come first. */
void member_watch_all(struct super *s)
{
	for (struct member *m = s->members; m; m = m->next) {
		if (m->from < 0)
			continue;
		take_lines(m);
		lb_loop_watch(s->loop, m->from, may_read(m) ? EPOLLIN : 0,
			      on_readable, m);
		if (lb_lines_ended(m->lines)) {
			member_close_output(m);
			member_gone(m);
		}
	}
}
