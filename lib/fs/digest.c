#include "fs/digest.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

void lb_digest(const struct lb_piece *pieces, size_t n,
	       unsigned char out[LB_DIGEST_SIZE])
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	int ok = ctx && EVP_DigestInit_ex(ctx, EVP_sha256(), NULL);

	for (size_t i = 0; ok && i < n; i++)
		ok = EVP_DigestUpdate(ctx, pieces[i].at, pieces[i].len);
	ok = ok && EVP_DigestFinal_ex(ctx, out, NULL);
	EVP_MD_CTX_free(ctx);
	if (!ok) { /* no memory, or a libcrypto without SHA-256 */
		fputs("lb: cannot compute SHA-256\n", stderr);
		_Exit(LB_OS);
	}
}
