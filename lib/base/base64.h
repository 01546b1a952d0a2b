/*
 * base/base64.h - bytes as text (RFC 4648, section 4).
 */
#ifndef LB_BASE_BASE64_H
#define LB_BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/*
 * Append what the text stands for. Line breaks and blanks are passed over, the
 * padding may lack. False, with nothing appended, when it is something else.
 */
bool lb_base64_decode(struct lb_buf *out, const char *text, size_t len);

/* Append the bytes as text, padded, without line breaks. */
void lb_base64_encode(struct lb_buf *out, const char *data, size_t len);

#endif
