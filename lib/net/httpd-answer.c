/* httpd-answer.c - what clients are told. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "net/httpd-conn.h"

enum { LARGE = 64 * 1024 /* an answer of which many are too much */ };

static const struct {
	int status;
	const char *phrase;
} phrases[] = {
	{200, "OK"},
	{202, "Accepted"},
	{204, "No Content"},
	{400, "Bad Request"},
	{401, "Unauthorized"},
	{403, "Forbidden"},
	{404, "Not Found"},
	{405, "Method Not Allowed"},
	{406, "Not Acceptable"},
	{408, "Request Timeout"},
	{409, "Conflict"},
	{413, "Content Too Large"},
	{415, "Unsupported Media Type"},
	{417, "Expectation Failed"},
	{429, "Too Many Requests"},
	{431, "Request Header Fields Too Large"},
	{500, "Internal Server Error"},
	{501, "Not Implemented"},
	{503, "Service Unavailable"},
	{505, "HTTP Version Not Supported"},
};

static const char *phrase_of(int status)
{
	for (size_t i = 0; i < sizeof(phrases) / sizeof(phrases[0]); i++)
		if (phrases[i].status == status)
			return phrases[i].phrase;
	return "Status";
}

static void put_date(struct lb_buf *out)
{
	static const char days[][4] = {"Sun", "Mon", "Tue", "Wed",
				       "Thu", "Fri", "Sat"};
	static const char months[][4] = {"Jan", "Feb", "Mar", "Apr",
					 "May", "Jun", "Jul", "Aug",
					 "Sep", "Oct", "Nov", "Dec"};
	time_t now = (time_t)(lb_clock_now() / 1000);
	struct tm t;

	if (gmtime_r(&now, &t))
		lb_buf_printf(out,
			      "Date: %s, %02d %s %d %02d:%02d:%02d GMT\r\n",
			      days[t.tm_wday], t.tm_mday, months[t.tm_mon],
			      t.tm_year + 1900, t.tm_hour, t.tm_min, t.tm_sec);
}

static void put_head(struct lb_httpd_conn *c,
		     const struct lb_httpd_reply *reply)
{
	lb_buf_printf(&c->out, "HTTP/1.1 %d %s\r\n", reply->status,
		      phrase_of(reply->status));
	put_date(&c->out);
	if (reply->type)
		lb_buf_printf(&c->out, "Content-Type: %s\r\n", reply->type);
	lb_buf_puts(&c->out, reply->more ? reply->more : "");
	if (c->ends)
		lb_buf_puts(&c->out, "Connection: close\r\n");
}

bool lb_httpd_flush(struct lb_httpd_conn *c)
{
	while (!c->is_gone && c->out_at < c->out.len) {
		ssize_t n = send(c->fd, c->out.data + c->out_at,
				 c->out.len - c->out_at,
				 MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0)
			c->is_gone = true;
		else
			c->out_at += (size_t)n;
		c->wrote = lb_clock_mono();
	}
	if (c->out_at == c->out.len) {
		if (c->out.cap > LARGE)
			lb_buf_release(&c->out);
		else
			lb_buf_reset(&c->out);
		c->out_at = 0;
	} else if (c->out_at > c->out.len / 2) {
		lb_buf_shift(&c->out, c->out_at);
		c->out_at = 0;
	}
	return !c->is_gone;
}

/* A client has so long from when there is something for it. */
static void put_first(struct lb_httpd_conn *c)
{
	if (c->out.len == c->out_at)
		c->wrote = lb_clock_mono();
}

static void leave_on(struct lb_httpd_conn *c, bool done)
{
	if (done) {
		c->at = LB_CONN_DONE;
		c->gone = NULL;
	}
	lb_httpd_flush(c);
	lb_httpd_later(c);
}

/* What clients do not read is in memory. */
static bool is_too_much(const struct lb_httpd *h, size_t more)
{
	size_t sum = more;

	for (const struct lb_httpd_conn *c = h->conns; c; c = c->next)
		sum += c->out.cap;
	return sum > h->settings.limits.unsent;
}

void lb_httpd_answer(struct lb_httpd_conn *c,
		     const struct lb_httpd_reply *reply, const char *body,
		     size_t len)
{
	const char *method = c->request.method;

	/* What was not read of a body cannot be told from what comes next. */
	c->ends |= !c->request.stays || c->at == LB_CONN_BODY ||
		   (c->at == LB_CONN_HEAD &&
		    (c->request.chunked || c->request.length > 0));
	put_first(c);
	if (len > LARGE && is_too_much(c->server, len)) {
		c->is_gone = true;
		len = 0;
	}
	put_head(c, reply);
	if (reply->status != 204)
		lb_buf_printf(&c->out, "Content-Length: %zu\r\n", len);
	lb_buf_puts(&c->out, "\r\n");
	if (!method || strcmp(method, "HEAD") != 0)
		lb_buf_put(&c->out, body, len);
	leave_on(c, true);
}

void lb_httpd_refuse(struct lb_httpd_conn *c, int status, const char *why)
{
	lb_autofree char *text = lb_printf("lb: %s\n", why);
	const struct lb_httpd_reply reply = {.status = status,
					     .type = "text/plain"};

	c->ends = true;
	lb_httpd_answer(c, &reply, text, strlen(text));
}

void lb_httpd_stream(struct lb_httpd_conn *c,
		     const struct lb_httpd_reply *reply)
{
	c->ends |= !c->request.stays;
	c->chunks = !c->request.is_old;
	c->at = LB_CONN_STREAM;
	put_first(c);
	put_head(c, reply);
	lb_buf_puts(&c->out,
		    c->chunks ? "Transfer-Encoding: chunked\r\n\r\n" : "\r\n");
	leave_on(c, false);
}

bool lb_httpd_push(struct lb_httpd_conn *c, const char *text, size_t len)
{
	if (c->is_gone || len == 0)
		return !c->is_gone;
	put_first(c);
	if (c->chunks)
		lb_buf_printf(&c->out, "%zx\r\n", len);
	lb_buf_put(&c->out, text, len);
	if (c->chunks)
		lb_buf_puts(&c->out, "\r\n");
	leave_on(c, false);
	if (c->out.len - c->out_at > c->server->settings.limits.unread)
		c->is_gone = true;
	return !c->is_gone;
}

void lb_httpd_end(struct lb_httpd_conn *c)
{
	put_first(c);
	if (c->chunks)
		lb_buf_puts(&c->out, "0\r\n\r\n");
	leave_on(c, true);
}
