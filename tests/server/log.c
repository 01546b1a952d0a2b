#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "serve.h"

static void write_line(struct server *server, const json_t *entry)
{
	lb_autobuf struct lb_buf line = {0};

	lb_buf_json(&line, entry);
	lb_buf_putc(&line, '\n');
	if (write(server->log, line.data, line.len) != (ssize_t)line.len)
		_Exit(74);
}

void log_request(struct server *server, int connection, const struct request *r,
		 const struct exchange *x)
{
	json_auto_t *entry = NULL;

	if (server->log < 0)
		return;
	entry = lb_json_pack("{s:i,s:i,s:I,s:s,s:s,s:O,s:o}", "n",
			     server->requests, "connection", connection, "time",
			     (json_int_t)(lb_clock_mono() - server->started),
			     "method", r->method, "path", r->path, "headers",
			     r->headers, "body",
			     lb_json_text(r->body, r->body_len));
	if (x)
		json_object_set_new(entry, "exchange", json_integer(x->number));
	else
		json_object_set_new(entry, "unexpected", json_true());
	write_line(server, entry);
}

void log_gone(struct server *server, int connection, size_t sent)
{
	json_auto_t *entry = NULL;

	if (server->log < 0)
		return;
	entry = lb_json_pack("{s:s,s:i,s:I}", "event", "gone", "connection",
			     connection, "sent", (json_int_t)sent);
	write_line(server, entry);
}
