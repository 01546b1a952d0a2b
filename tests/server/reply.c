#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "script.h"

void plan_init(struct plan *plan)
{
	*plan = (struct plan){0};
	plan->last = &plan->steps;
}

void plan_add(struct plan *plan, enum step_kind kind, const char *data,
	      size_t len, int pause_ms)
{
	struct step *step = lb_alloc(sizeof(*step));

	step->kind = kind;
	step->data = lb_alloc(len + 1);
	if (len > 0)
		memcpy(step->data, data, len);
	step->len = len;
	step->pause_ms = pause_ms;
	*plan->last = step;
	plan->last = &step->next;
}

void plan_release(struct plan *plan)
{
	for (struct step *s; (s = plan->steps);) {
		plan->steps = s->next;
		free(s->data);
		free(s);
	}
	lb_buf_release(&plan->headers);
	free(plan->encode);
	plan_init(plan);
}

void reply_release(struct reply *reply)
{
	lb_buf_release(&reply->bytes);
	free(reply->ops);
	*reply = (struct reply){0};
}

static struct op *new_op(struct reply *r)
{
	r->ops = lb_grow(r->ops, (r->n_ops + 1) * sizeof(*r->ops));
	r->ops[r->n_ops] = (struct op){.from = r->bytes.len};
	return &r->ops[r->n_ops++];
}

/* Bytes join those before unless there was a pause or a piece is full. */
static void put(const struct plan *plan, struct reply *r, const char *data,
		size_t len)
{
	while (len > 0) {
		struct op *op = r->n_ops ? &r->ops[r->n_ops - 1] : NULL;
		size_t n = len;

		if (op && plan->piece && op->len >= plan->piece)
			op->pause_ms += op->pause_ms ? 0 : plan->piece_ms;
		if (!op || op->pause_ms > 0 ||
		    (plan->piece && op->len >= plan->piece))
			op = new_op(r);
		if (plan->piece && n > plan->piece - op->len)
			n = plan->piece - op->len;
		lb_buf_put(&r->bytes, data, n);
		op->len += n;
		data += n;
		len -= n;
	}
}

static void pause_for(struct reply *r, int ms)
{
	if (ms <= 0)
		return;
	if (r->n_ops == 0)
		new_op(r);
	r->ops[r->n_ops - 1].pause_ms += ms;
}

/* 31: with a gzip header; 15: zlib's, as "deflate" is meant; -15: bare. */
static int window_of(const char *encode)
{
	if (strstr(encode, "gzip"))
		return 31;
	return strcmp(encode, "deflate") == 0 ? 15 : -15;
}

static void squeeze(z_stream *z, struct step *step, int flush)
{
	lb_autobuf struct lb_buf out = {0};

	z->next_in = (Bytef *)step->data;
	z->avail_in = (uInt)step->len;
	do {
		lb_buf_reserve(&out, 4096);
		z->next_out = (Bytef *)out.data + out.len;
		z->avail_out = 4096;
		deflate(z, flush);
		out.len += 4096 - z->avail_out;
	} while (z->avail_out == 0);
	free(step->data);
	step->len = out.len;
	step->data = lb_buf_take(&out);
}

/* Every step can be decoded as soon as it arrives. */
static void encode(struct plan *plan)
{
	z_stream z = {0};
	struct step *last = NULL;

	if (!plan->encode)
		return;
	for (struct step *s = plan->steps; s; s = s->next)
		if (s->kind == STEP_SEND)
			last = s;
	deflateInit2(&z, 6, Z_DEFLATED, window_of(plan->encode), 8,
		     Z_DEFAULT_STRATEGY);
	for (struct step *s = plan->steps; s; s = s->next)
		if (s->kind == STEP_SEND)
			squeeze(&z, s, s == last ? Z_FINISH : Z_SYNC_FLUSH);
	deflateEnd(&z);
}

static const char *reason(int status)
{
	switch (status) {
	case 200:
		return "OK";
	case 401:
		return "Unauthorized";
	case 404:
		return "Not Found";
	case 429:
		return "Too Many Requests";
	case 500:
		return "Internal Server Error";
	default:
		return "Status";
	}
}

static void put_head(const struct plan *plan, struct reply *out)
{
	lb_autobuf struct lb_buf head = {0};
	size_t body = 0;

	for (const struct step *s = plan->steps; s; s = s->next)
		if (s->kind == STEP_SEND)
			body += s->len;
	lb_buf_printf(&head, "HTTP/1.1 %d %s\r\n", plan->status,
		      reason(plan->status));
	lb_buf_put(&head, lb_buf_str(&plan->headers), plan->headers.len);
	if (plan->encode)
		lb_buf_printf(&head, "Content-Encoding: %s\r\n",
			      strcmp(plan->encode, "raw-deflate") == 0
				      ? "deflate"
				      : plan->encode);
	if (plan->chunked)
		lb_buf_puts(&head, "Transfer-Encoding: chunked\r\n");
	else if (plan->until_close)
		lb_buf_puts(&head, "Connection: close\r\n");
	else if (!plan->has_length && plan->status != 204 &&
		 plan->status != 304)
		lb_buf_printf(&head, "Content-Length: %zu\r\n", body);
	lb_buf_puts(&head, "\r\n");
	put(plan, out, head.data, head.len);
}

static void put_body(const struct plan *plan, const struct step *step,
		     struct reply *out)
{
	char size[32];

	if (plan->chunked && step->len == 0)
		return;
	if (plan->chunked) {
		int n = snprintf(size, sizeof(size), "%zx\r\n", step->len);

		put(plan, out, size, (size_t)n);
	}
	put(plan, out, step->data, step->len);
	if (plan->chunked)
		put(plan, out, "\r\n", 2);
}

void plan_build(struct plan *plan, struct reply *out)
{
	const struct step *s;

	encode(plan);
	if (plan->status)
		put_head(plan, out);
	for (s = plan->steps; s && s->kind < STEP_CLOSE; s = s->next) {
		if (s->kind == STEP_SEND)
			put_body(plan, s, out);
		else if (s->kind == STEP_RAW)
			put(plan, out, s->data, s->len);
		pause_for(out, s->pause_ms);
	}
	if (s)
		out->ending = s->kind == STEP_CLOSE   ? END_CLOSE
			      : s->kind == STEP_RESET ? END_RESET
						      : END_HANG;
	else if (plan->chunked)
		put(plan, out, "0\r\n\r\n", 5);
	if (!s && plan->until_close)
		out->ending = END_CLOSE;
}
