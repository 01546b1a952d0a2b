#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/curl.h"
#include "net/http-call.h"

void lb_http_pieces_release(struct lb_http_pieces *pieces)
{
	for (size_t i = 0; i < pieces->n; i++) {
		free(pieces->at[i].text);
		if (pieces->at[i].fd >= 0)
			close(pieces->at[i].fd);
	}
	free(pieces->at);
	*pieces = (struct lb_http_pieces){0};
}

/* Some of a piece; 0: the file became shorter than it was. */
static size_t copy(const struct lb_http_piece *p, size_t from, char *out,
		   size_t room)
{
	ssize_t got;

	if (room > p->len - from)
		room = p->len - from;
	if (p->fd >= 0) {
		got = pread(p->fd, out, room, (off_t)from);
		return got < 0 ? 0 : (size_t)got;
	}
	memcpy(out, p->text + from, room);
	return room;
}

static size_t on_read(char *out, size_t one, size_t n, void *arg)
{
	struct lb_http_call *call = arg;
	size_t got = 0, room = one * n;

	while (call->piece < call->pieces.n && got == 0) {
		const struct lb_http_piece *p = &call->pieces.at[call->piece];

		if (call->in_piece < p->len) {
			got = copy(p, call->in_piece, out, room);
			if (got == 0)
				return CURL_READFUNC_ABORT;
			call->in_piece += got;
		} else {
			call->piece++;
			call->in_piece = 0;
		}
	}
	return got;
}

/* libcurl begins anew when a kept connection proves dead. */
static int on_seek(void *arg, curl_off_t offset, int origin)
{
	struct lb_http_call *call = arg;

	if (origin != SEEK_SET || offset != 0)
		return CURL_SEEKFUNC_FAIL;
	call->piece = call->in_piece = 0;
	return CURL_SEEKFUNC_OK;
}

void lb_http_upload_prepare(struct lb_http_call *call)
{
	CURL *e = call->easy;
	size_t size = 0;

	for (size_t i = 0; i < call->pieces.n; i++)
		size += call->pieces.at[i].len;
	curl_easy_setopt(e, CURLOPT_POST, 1L);
	curl_easy_setopt(e, CURLOPT_POSTFIELDS, NULL);
	curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
	curl_easy_setopt(e, CURLOPT_READFUNCTION, on_read);
	curl_easy_setopt(e, CURLOPT_READDATA, call);
	curl_easy_setopt(e, CURLOPT_SEEKFUNCTION, on_seek);
	curl_easy_setopt(e, CURLOPT_SEEKDATA, call);
}
