#include "platform/media.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "fs/digest.h"

enum { MAX_EXTENSION = 8 };

/* ".jpg" of a name, in lower case, when it is short and plain. */
static void put_extension(struct lb_buf *path, const char *name)
{
	const char *dot = name ? strrchr(name, '.') : NULL;
	size_t len = dot ? strlen(dot + 1) : 0;

	if (len == 0 || len > MAX_EXTENSION ||
	    strspn(dot + 1, "abcdefghijklmnopqrstuvwxyz"
			    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != len)
		return;
	lb_buf_putc(path, '.');
	for (dot++; *dot; dot++)
		lb_buf_putc(path, *dot >= 'A' && *dot <= 'Z'
					  ? (char)(*dot - 'A' + 'a')
					  : *dot);
}

char *lb_media_path(const char *state, const char *bot, const char *ref,
		    const char *name)
{
	unsigned char digest[LB_DIGEST_SIZE];
	struct lb_buf path = {0};

	/* The NUL of the bot's name parts the two. */
	lb_digest(
		(const struct lb_piece[]){
			{bot, strlen(bot) + 1},
			{ref, strlen(ref)},
		},
		2, digest);
	lb_buf_printf(&path, "%s/media/%02x/", state, digest[0]);
	for (size_t i = 1; i < LB_DIGEST_SIZE; i++)
		lb_buf_printf(&path, "%02x", digest[i]);
	put_extension(&path, name);
	return lb_buf_take(&path);
}
