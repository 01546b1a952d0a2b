/*
 * net/multipart.h - bodies of type multipart/form-data (RFC 7578).
 *
 * Fields and files in any order, then lb_multipart_end(), which gives what
 * goes into lb_http_request.pieces; `type` goes into its headers.
 */
#ifndef LB_NET_MULTIPART_H
#define LB_NET_MULTIPART_H

#include <stddef.h>

#include "base/buf.h"
#include "net/http.h"

struct lb_multipart {
	char boundary[64];
	char type[128]; /* "Content-Type: multipart/form-data; boundary=..." */
	struct lb_buf text; /* since the last file */
	struct lb_http_pieces pieces;
};

void lb_multipart_init(struct lb_multipart *m);
void lb_multipart_release(struct lb_multipart *m);

/* Quotes and line breaks in names are escaped as browsers do. */
void lb_multipart_field(struct lb_multipart *m, const char *name,
			const char *value, size_t len);

struct lb_multipart_file {
	const char *name;             /* of the field */
	const char *file_name, *type; /* type NULL: bytes of some kind */
	int fd;                       /* taken; -1: what is in `data` */
	const char *data;             /* copied */
	size_t size;                  /* bytes, from the beginning */
};

void lb_multipart_file(struct lb_multipart *m,
		       const struct lb_multipart_file *file);

struct lb_http_pieces *lb_multipart_end(struct lb_multipart *m);

#endif
