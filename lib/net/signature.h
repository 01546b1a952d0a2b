/*
 * net/signature.h - signing what is posted, as Standard Webhooks 1.0 has it.
 *
 * The header webhook-signature is "v1," and the base64 of HMAC-SHA256 over
 * ID, a dot, the seconds since the epoch, a dot, and the body.
 */
#ifndef LB_NET_SIGNATURE_H
#define LB_NET_SIGNATURE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

/*
 * The key that a secret means: the bytes behind "whsec_" are base64, any other
 * text is the key itself. LB_CONFIG, without the secret in it.
 */
int lb_signature_key(const char *secret, struct lb_buf *key,
		     struct lb_error *err);

/* The value of the header, put into out. */
void lb_signature_put(struct lb_buf *out, const struct lb_buf *key,
		      const char *id, int64_t seconds,
		      const struct lb_buf *body);

#endif
