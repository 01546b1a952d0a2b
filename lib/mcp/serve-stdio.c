#include "mcp/serve-stdio.h"

#include <unistd.h>

#include "base/log.h"
#include "base/prog.h"
#include "mcp/serve-in.h"
#include "record/line.h"
#include "record/out.h"

struct stdio {
	struct lb_serve_caller caller;
	struct lb_serve_way way;
	struct lb_lines *in;
	struct lb_out *out;
	bool ended;
	int code;
};

static void say(void *arg, const char *text, size_t len, bool last, int status)
{
	struct stdio *io = arg;

	(void)last;
	(void)status;
	if (text)
		lb_out_line(io->out, text, len);
}

static void take_line(struct stdio *io, const struct lb_line *line)
{
	struct lb_error err;
	json_t *value = lb_rpc_parse(line->text, line->len, &err);

	if (value) {
		lb_serve_take(&io->caller, value, &io->way);
		return;
	}
	lb_warn("line %lu is no message: %s", line->number, err.text);
	io->code = LB_DATA;
	lb_serve_say_failure(&io->way, NULL,
			     err.code == LB_DATA ? LB_RPC_PARSE
						 : LB_RPC_INVALID,
			     err.text, NULL, 400);
}

static void on_input(int fd, uint32_t events, void *arg)
{
	struct stdio *io = arg;
	struct lb_line line;
	struct lb_error err;
	int got;

	(void)fd;
	(void)events;
	if (lb_lines_fill(io->in, &err) < 0)
		io->code = lb_report(&err);
	while ((got = lb_lines_take(io->in, &line, &err)) != 0) {
		if (got > 0) {
			take_line(io, &line);
			continue;
		}
		io->code = lb_report(&err);
		lb_serve_say_failure(&io->way, NULL, LB_RPC_PARSE, err.text,
				     NULL, 400);
	}
	io->ended = lb_lines_ended(io->in);
}

static int run(struct stdio *io, const struct lb_serve *s, const bool *stop)
{
	struct lb_error err;

	for (;;) {
		if (lb_out_flush(io->out, &err) < 0)
			return lb_out_left(io->out) ? LB_OK : lb_report(&err);
		if (*stop || (io->ended && s->n_asks == 0))
			return io->code;
		lb_loop_watch(s->loop, STDIN_FILENO, io->ended ? 0 : EPOLLIN,
			      on_input, io);
		lb_loop_turn(s->loop, -1);
	}
}

int lb_serve_stdio(struct lb_serve *s, size_t max, const bool *stop)
{
	struct stdio io = {.way = {say, &io}};
	struct lb_error err;
	int code;

	io.caller.notes = io.way;
	io.in = lb_lines_open(STDIN_FILENO, max);
	io.out = lb_out_open(STDOUT_FILENO);
	lb_serve_caller_open(s, &io.caller);
	code = run(&io, s, stop);
	lb_serve_listen_end(s);
	if (lb_out_flush(io.out, &err) < 0 && !lb_out_left(io.out))
		code = lb_report(&err);
	lb_serve_caller_close(&io.caller);
	lb_loop_watch(s->loop, STDIN_FILENO, 0, NULL, NULL);
	lb_lines_close(io.in);
	lb_out_close(io.out);
	return code;
}
