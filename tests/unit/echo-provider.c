/*
 * echo-provider - a trivial tool provider: what it is told comes back.
 *
 *     echo {text}        the text
 *     who {}             whose call it is: its session
 *     later {text, ms}   the text, after a while; can be cancelled
 *     fail {text}        an error
 *     picture {}         text and an image
 *     die {}             nothing: it exits 3
 *     big {bytes}        so many bytes, each line numbered
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/prog.h"
#include "provider/server.h"

static const char *text_of(const struct lb_job *job)
{
	const char *text = lb_json_str(job->arguments, "text");

	return text ? text : "";
}

static void echo(struct lb_job *job)
{
	const char *text = text_of(job);

	lb_job_text(job, text, strlen(text));
}

static void who(struct lb_job *job)
{
	const char *session = lb_json_str(job->context, "session");

	lb_job_text(job, session ? session : "-",
		    session ? strlen(session) : 1);
}

static void fail(struct lb_job *job)
{
	lb_job_fail(job, "denied", "%s", text_of(job));
}

struct wait {
	struct lb_timer timer;
	struct lb_job *job;
};

static void waited(void *arg)
{
	struct wait *w = arg;

	echo(w->job);
	free(w);
}

static void later(struct lb_job *job)
{
	struct wait *w = lb_alloc(sizeof(*w));
	int64_t ms = 0;

	lb_json_int(job->arguments, "ms", &ms);
	w->job = job;
	job->state = w;
	lb_timer_set(job->loop, &w->timer, lb_clock_mono() + ms, waited, w);
}

static void cancel_later(struct lb_job *job)
{
	struct wait *w = job->state;

	lb_timer_cancel(job->loop, &w->timer);
	free(w);
	lb_warn("cancelled");
	lb_job_fail(job, "cancelled", "cancelled");
}

static void picture(struct lb_job *job)
{
	static const char png[] = "iVBORw0KGgo=";

	lb_job_parts(job,
		     lb_json_pack("[{s:s, s:s}, {s:s, s:s, s:s},"
				  " {s:s, s:s}]",
				  "type", "text", "text", "look", "type",
				  "image", "data", png, "mime", "image/png",
				  "type", "file", "name", "a.pdf"));
}

static void __attribute__((noreturn)) die(struct lb_job *job)
{
	(void)job;
	_exit(3);
}

static void big(struct lb_job *job)
{
	lb_autobuf struct lb_buf text = {0};
	int64_t bytes = 0;

	lb_json_int(job->arguments, "bytes", &bytes);
	while ((int64_t)text.len < bytes)
		lb_buf_printf(&text, "%09zu\n", text.len);
	lb_job_text(job, lb_buf_str(&text), text.len);
}

#define TEXT "{\"text\":{\"type\":\"string\"}"
#define OBJECT "{\"type\":\"object\",\"properties\":"

static const struct lb_offer offers[] = {
	{"echo", "Say it again", OBJECT TEXT "},\"required\":[\"text\"]}", echo,
	 NULL},
	{"who", "Whose call is this?", OBJECT "{}}", who, NULL},
	{"later", "Say it later",
	 OBJECT TEXT ",\"ms\":{\"type\":\"integer\"}},"
		     "\"required\":[\"text\",\"ms\"]}",
	 later, cancel_later},
	{"fail", "Fail", OBJECT TEXT "}}", fail, NULL},
	{"picture", "A picture", OBJECT "{}}", picture, NULL},
	{"die", "Die", OBJECT "{}}", die, NULL},
	{"big", "Much", OBJECT "{\"bytes\":{\"type\":\"integer\"}}}", big,
	 NULL},
	{NULL, NULL, NULL, NULL, NULL},
};

/* Where the pipeline is called "none" there is nothing. */
static bool may(void *arg, const char *name, const json_t *context)
{
	const char *pipeline = lb_json_str(context, "pipeline");

	(void)arg;
	(void)name;
	return !pipeline || strcmp(pipeline, "none") != 0;
}

int main(int argc, char **argv)
{
	static const struct lb_prog prog = {.name = "echo-provider",
					    .operands = "",
					    .about = "Say it again"};

	lb_start(&prog);
	if (lb_options(argc, argv) != argc)
		lb_usage("it takes no operands");
	return lb_finish(lb_tools_serve(&(struct lb_serving){.name = "echo",
							     .offers = offers,
							     .may = may}));
}
