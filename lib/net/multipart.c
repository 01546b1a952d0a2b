#include "net/multipart.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/mem.h"

void lb_multipart_init(struct lb_multipart *m)
{
	char id[LB_ID_SIZE];

	*m = (struct lb_multipart){0};
	/* 74 random bits: no value holds it by chance, or can guess it. */
	lb_id_new(lb_clock_now(), id);
	snprintf(m->boundary, sizeof(m->boundary), "----lb-%s", id);
	snprintf(m->type, sizeof(m->type),
		 "Content-Type: multipart/form-data; boundary=%s", m->boundary);
}

void lb_multipart_release(struct lb_multipart *m)
{
	lb_buf_release(&m->text);
	lb_http_pieces_release(&m->pieces);
}

static void put_name(struct lb_buf *b, const char *key, const char *name)
{
	lb_buf_printf(b, "; %s=\"", key);
	for (; *name; name++) {
		if (*name == '"')
			lb_buf_puts(b, "%22");
		else if (*name == '\r')
			lb_buf_puts(b, "%0D");
		else if (*name == '\n')
			lb_buf_puts(b, "%0A");
		else
			lb_buf_putc(b, *name);
	}
	lb_buf_putc(b, '"');
}

static void begin(struct lb_multipart *m, const char *name)
{
	lb_buf_printf(&m->text, "--%s\r\nContent-Disposition: form-data",
		      m->boundary);
	put_name(&m->text, "name", name);
}

static void add(struct lb_multipart *m, struct lb_http_piece piece)
{
	struct lb_http_pieces *p = &m->pieces;

	p->at = lb_grow(p->at, (p->n + 1) * sizeof(*p->at));
	p->at[p->n++] = piece;
}

static void add_text(struct lb_multipart *m)
{
	size_t len = m->text.len;

	add(m, (struct lb_http_piece){lb_buf_take(&m->text), len, -1});
}

void lb_multipart_field(struct lb_multipart *m, const char *name,
			const char *value, size_t len)
{
	begin(m, name);
	lb_buf_puts(&m->text, "\r\n\r\n");
	lb_buf_put(&m->text, value, len);
	lb_buf_puts(&m->text, "\r\n");
}

void lb_multipart_file(struct lb_multipart *m,
		       const struct lb_multipart_file *file)
{
	begin(m, file->name);
	put_name(&m->text, "filename", file->file_name);
	lb_buf_printf(&m->text, "\r\nContent-Type: %s\r\n\r\n",
		      file->type ? file->type : "application/octet-stream");
	if (file->fd >= 0) {
		add_text(m);
		add(m, (struct lb_http_piece){NULL, file->size, file->fd});
	} else {
		lb_buf_put(&m->text, file->data, file->size);
	}
	lb_buf_puts(&m->text, "\r\n");
}

struct lb_http_pieces *lb_multipart_end(struct lb_multipart *m)
{
	lb_buf_printf(&m->text, "--%s--\r\n", m->boundary);
	add_text(m);
	return &m->pieces;
}
