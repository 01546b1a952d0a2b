/* line.c - one server, asked by a verb that waits for its answers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/stop.h"
#include "base/utf8.h"
#include "mcp.h"
#include "mcp/log-file.h"

/*
 * From the end of its input until it is told to end by a signal: somebody waits
 * for us, and one that did something may have to write it down. The second is of
 * a session.
 */
enum { END_MS = 2, DID_MS = 500, SESSION_MS = 500, SHOW_AFTER_MS = 1000 };

static void on_ready(void *arg)
{
	((struct line *)arg)->ready = true;
}

static void on_gone(void *arg, enum lb_mcp_phase phase,
		    const struct lb_error *why)
{
	struct line *line = arg;

	line->gone = true;
	line->phase = phase;
	line->why = *why;
}

/* What it says to its standard error, and what it notes. */
static void on_words(void *arg, const char *text, size_t len)
{
	struct line *line = arg;

	lb_log_file_put(line->log, text, len);
	lb_warn("%s: %.*s", line->name, (int)len, text);
}

static void on_log(void *arg, int level, const char *logger, const char *text)
{
	struct line *line = arg;
	enum lb_level as = level >= 4   ? LB_WARNING
			   : level >= 1 ? LB_INFO
					: LB_DEBUG;

	lb_log(as, NULL, "%s: %s%s%.2000s", line->name, logger ? logger : "",
	       logger ? ": " : "", text);
}

/* The first is a warning, the others are for who wants to know. */
static void on_noise(void *arg, const char *text, size_t len,
		     const struct lb_error *why)
{
	struct line *line = arg;
	int n = len < 200 ? (int)len : 200;

	lb_log_file_put(line->log, text, len < 4096 ? len : 4096);
	lb_log(line->noisy ? LB_INFO : LB_WARNING, NULL,
	       "%s: it wrote what is no message, which is left out: %.*s%s",
	       line->name, n, text ? text : "", n < (int)len ? "..." : "");
	lb_log(LB_DEBUG, NULL, "%s: %s", line->name, why->text);
	line->noisy = true;
}

static void on_progress(void *arg, const struct lb_mcp_progress *p)
{
	struct line *line = arg;
	lb_autobuf struct lb_buf text = {0};

	if (!isatty(STDERR_FILENO) || reach.json ||
	    lb_clock_mono() - line->began < SHOW_AFTER_MS)
		return;
	if (p->message)
		lb_text_visible(&text, p->message, strlen(p->message));
	for (size_t i = 0; i < text.len; i++)
		if (text.data[i] == '\n')
			text.data[i] = ' ';
	line->shown = true;
	if (p->total > 0)
		fprintf(stderr, "\r\033[K%3.0f%% %.60s",
			100 * p->progress / p->total, lb_buf_str(&text));
	else
		fprintf(stderr, "\r\033[K%g %.60s", p->progress,
			lb_buf_str(&text));
}

void line_clear(struct line *line)
{
	if (line->shown)
		fputs("\r\033[K", stderr);
	line->shown = false;
}

static const struct lb_mcp_events events = {
	.on_ready = on_ready,
	.on_gone = on_gone,
	.on_progress = on_progress,
	.on_log = on_log,
	.on_words = on_words,
	.on_noise = on_noise,
};

static void on_stop(void *arg)
{
	(void)arg; /* lb_stop_signal() says it */
}

/* As long as `until_true` is false, and it lives. */
void line_wait(struct line *line, const bool *until_true)
{
	while (!*until_true && !line->gone && !lb_stop_signal())
		if (!lb_loop_turn(line->loop, -1))
			break;
}

static int prepare(struct line *line, const char *name)
{
	struct lb_error *err = &line->why;
	struct office *o = &line->office;

	if (office_open(o, reach.config, reach.from, err) < 0 ||
	    office_server(o, name, &line->server, err) < 0)
		return -1;
	line->launch = (struct lb_mcp_launch){
		.server = &line->server,
		.config = o->config,
		.config_file = reach.config,
		.state = o->state,
		.max_line = (size_t)lb_config_max_line(),
		/* Nobody waits for news; questions are another thing. */
		.listen = line->server.elicitation || line->server.roots,
	};
	line->nameless = !name || o->file;
	line->loop = lb_loop_open();
	lb_stop_watch(line->loop, on_stop, NULL);
	if (line->server.mode != LB_MCP_STDIO) {
		line->launch.http = line->http = lb_http_open(line->loop);
		return 0;
	}
	line->launch.guard = line->guard = lb_guard_open(err);
	if (!line->nameless)
		line->log = lb_log_file_open(o->state, name);
	return line->guard ? 0 : -1;
}

int line_try(struct line *line, const char *name)
{
	struct lb_mcp_client_how how = {
		.launch = &line->launch,
		.log_level = lb_log_shows(LB_DEBUG)  ? 0
			     : lb_log_shows(LB_INFO) ? 1
						     : -1,
		.strict = reach.strict,
		.events = &events,
		.arg = line,
	};

	*line = (struct line){.name = name          ? name
				      : reach.stdio ? "the command"
						    : "the server"};
	line->began = lb_clock_mono();
	if (prepare(line, name) < 0)
		return -1;
	if (line_era(&how.era, json_object_get(line->office.servers,
					       name ? name : "")) < 0)
		return lb_fail(&line->why, LB_USAGE,
			       "era '%s' is neither legacy nor modern",
			       reach.era);
	how.elicit = line->server.elicitation;
	if (reach.timeout_ms)
		how.init_ms = reach.timeout_ms;
	line->client = lb_mcp_client_open(line->loop, &how);
	line_wait(line, &line->ready);
	return line->ready ? 0 : -1;
}

int line_open(struct line *line, const char *name)
{
	return line_try(line, name) < 0 ? line_tell(line) : 0;
}

void line_complain(const struct line *line, const struct lb_error *why,
		   int64_t code, enum lb_mcp_phase phase)
{
	json_t *o;

	line_clear((struct line *)(uintptr_t)line);
	if (!reach.json) {
		if (line->client)
			lb_complain("%s: %s", line->name, why->text);
		else
			lb_complain("%s", why->text);
		return;
	}
	o = lb_json_pack("{s:s, s:i}", "kind", "error", "exit", why->code);
	lb_json_set_str(o, "message", why->text, strlen(why->text));
	if (code != 0)
		json_object_set_new(o, "code", json_integer(code));
	if (lb_mcp_phase_name(phase))
		json_object_set_new(o, "error_phase",
				    json_string(lb_mcp_phase_name(phase)));
	json_dumpf(o, stderr, JSON_COMPACT);
	fputc('\n', stderr);
	json_decref(o);
}

int line_tell(const struct line *line)
{
	if (lb_stop_signal())
		return 128 + lb_stop_signal();
	line_complain(line, &line->why, 0, line->phase);
	line_hint(line);
	return line->why.code;
}

void line_close(struct line *line)
{
	int64_t until = lb_clock_mono() + SESSION_MS;

	line_clear(line);
	if (line->client) {
		lb_mcp_client_end(line->client);
		while (lb_mcp_client_is_ending(line->client) &&
		       !lb_stop_signal() && lb_clock_mono() < until)
			lb_loop_turn(line->loop, 20);
		fflush(stdout);
		lb_mcp_client_close(line->client,
				    lb_clock_mono() +
					    (line->did ? DID_MS : END_MS));
	}
	lb_guard_close(line->guard);
	if (line->http)
		lb_http_close(line->http);
	if (line->loop) {
		lb_stop_forget(line->loop);
		lb_loop_close(line->loop);
	}
	lb_log_file_close(line->log);
	lb_mcp_server_release(&line->server);
	office_close(&line->office);
}
