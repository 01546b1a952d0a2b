#include "net/signature.h"

#include <limits.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>

#include "base/base64.h"

enum { DIGEST = 32, MAX_KEY = 4096 };

int lb_signature_key(const char *secret, struct lb_buf *key,
		     struct lb_error *err)
{
	static const char prefix[] = "whsec_";
	size_t skip = sizeof(prefix) - 1;

	lb_buf_reset(key);
	if (strncmp(secret, prefix, skip) != 0)
		lb_buf_puts(key, secret);
	else if (!lb_base64_decode(key, secret + skip, strlen(secret) - skip))
		return lb_fail(err, LB_CONFIG,
			       "it is not base64 behind its prefix");
	if (key->len == 0 || key->len > MAX_KEY)
		return lb_fail(err, LB_CONFIG,
			       "a key has 1 to %d bytes, and this %zu", MAX_KEY,
			       key->len);
	return 0;
}

void lb_signature_put(struct lb_buf *out, const struct lb_buf *key,
		      const char *id, int64_t seconds,
		      const struct lb_buf *body)
{
	lb_autobuf struct lb_buf text = {0};
	unsigned char digest[DIGEST];
	unsigned char base64[DIGEST * 2];

	lb_buf_printf(&text, "%s.%lld.", id, (long long)seconds);
	lb_buf_put(&text, lb_buf_str(body), body->len);
	HMAC(EVP_sha256(), key->data, (int)key->len,
	     (const unsigned char *)text.data, text.len, digest, NULL);
	EVP_EncodeBlock(base64, digest, DIGEST);
	lb_buf_puts(out, "v1,");
	lb_buf_puts(out, (const char *)base64);
}
