/*
 * lb-box meter - counts for a program that runs commands and has no database:
 * lines of JSON in, and for each a line out. What it reserved ends with it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "box.h"
#include "box/meter.h"
#include "record/code.h"
#include "record/line.h"

enum { MAX_LINE = 64 * 1024, MAX_HELD = 1024 };

static const char *config_file;

const struct lb_opt meter_options[] = {
	{'c', "config", "FILE", "read this configuration file",
	 .text = &config_file},
	BOX_WORKSPACE,
	{0},
};

struct counting {
	struct lb_box_meter *meter; /* NULL: nothing is limited */
	struct lb_box_ticket held[MAX_HELD];
};

static void say(json_t *take)
{
	json_dumpf(take, stdout, JSON_COMPACT);
	putchar('\n');
	fflush(stdout);
	json_decref(take);
}

static void say_error(const struct lb_error *err)
{
	json_t *o = lb_json_pack("{s:b, s:s}", "ok", 0, "code",
				 lb_code_name(lb_code_of(err)));

	lb_json_set_str(o, "error", err->text, strlen(err->text));
	say(o);
}

static int take(struct counting *c, const json_t *o, struct lb_error *err)
{
	const struct lb_box_whose whose = {
		.bot = lb_json_str(o, "bot"),
		.sender = lb_json_str(o, "sender_id"),
		.session = lb_json_str(o, "session"),
	};
	const json_t *cpus = json_object_get(o, "cpus");
	int64_t timeout_ms = 0;
	size_t i = 0;

	if (!lb_json_int(o, "timeout_ms", &timeout_ms) || timeout_ms <= 0)
		return lb_fail(err, LB_DATA, "field 'timeout_ms' is missing");
	while (i < MAX_HELD && c->held[i].id)
		i++;
	if (i == MAX_HELD)
		return lb_fail(err, LB_AGAIN, "%d commands are counted already",
			       MAX_HELD);
	if (c->meter &&
	    lb_box_meter_take(c->meter, &whose, json_number_value(cpus),
			      timeout_ms, &c->held[i], err) < 0)
		return -1;
	say(lb_json_pack("{s:b, s:I, s:I}", "ok", 1, "ticket", (json_int_t)i,
			 "cpu_ms", (json_int_t)c->held[i].cpu_ms));
	return 0;
}

static int settle(struct counting *c, const json_t *o, struct lb_error *err)
{
	int64_t i = -1, cpu_ms = -1, duration_ms = 0;

	if (!lb_json_int(o, "ticket", &i) || i < 0 || i >= MAX_HELD)
		return lb_fail(err, LB_DATA, "field 'ticket' is none of ours");
	lb_json_int(o, "cpu_ms", &cpu_ms);
	lb_json_int(o, "duration_ms", &duration_ms);
	lb_box_meter_settle(c->meter, &c->held[i], cpu_ms, duration_ms,
			    lb_json_bool(o, "ran", true));
	say(lb_json_pack("{s:b}", "ok", 1));
	return 0;
}

static void answer(struct counting *c, const struct lb_line *line)
{
	json_auto_t *o = json_loadb(line->text, line->len, 0, NULL);
	const char *op = lb_json_str(o, "op");
	struct lb_error err;
	int r;

	if (op && strcmp(op, "take") == 0)
		r = take(c, o, &err);
	else if (op && strcmp(op, "settle") == 0)
		r = settle(c, o, &err);
	else
		r = lb_fail(&err, LB_DATA, "the line asks for nothing");
	if (r < 0)
		say_error(&err);
}

static int serve(struct counting *c)
{
	struct lb_lines *in = lb_lines_open(STDIN_FILENO, MAX_LINE);
	struct lb_error err;
	struct lb_line line;
	int got;

	while ((got = lb_lines_next(in, &line, &err)) != 0) {
		if (got > 0)
			answer(c, &line);
		else if (err.code == LB_DATA)
			say_error(&err);
		else
			break;
	}
	lb_lines_close(in);
	return got < 0 ? lb_report(&err) : LB_OK;
}

int meter_verb(int argc, char **argv)
{
	struct counting *c = lb_alloc(sizeof(*c));
	struct lb_error err;
	struct box_place p;
	int code;

	(void)argc;
	(void)argv;
	if (box_place(&p, config_file, &err) < 0) {
		free(c);
		return lb_report(&err);
	}
	lb_note_terminal();
	c->meter = lb_box_meter_open(p.config, p.state);
	code = serve(c);
	lb_box_meter_close(c->meter);
	box_place_release(&p);
	free(c);
	return code;
}
