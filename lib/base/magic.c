#include "base/magic.h"

#include <string.h>

/* First bytes; where `at` is not 0 the file begins with `before`, too. */
static const struct {
	const char *type, *magic;
	size_t len, at;
	const char *before; /* 4 bytes; or NULL */
} types[] = {
	{"image/jpeg", "\xff\xd8\xff", 3, 0, NULL},
	{"image/png", "\x89PNG\r\n\x1a\n", 8, 0, NULL},
	{"image/gif", "GIF87a", 6, 0, NULL},
	{"image/gif", "GIF89a", 6, 0, NULL},
	{"image/webp", "WEBP", 4, 8, "RIFF"},
	{"audio/wav", "WAVE", 4, 8, "RIFF"},
	{"audio/ogg", "OggS", 4, 0, NULL},
	{"audio/mpeg", "ID3", 3, 0, NULL},
	{"audio/amr", "#!AMR", 5, 0, NULL},
	{"audio/silk", "#!SILK_V3", 9, 0, NULL},
	{"audio/silk", "\x02#!SILK_V3", 10, 0, NULL},
	{"application/pdf", "%PDF-", 5, 0, NULL},
	{"application/zip", "PK\x03\x04", 4, 0, NULL},
	{"application/zip", "PK\x05\x06", 4, 0, NULL},
	{"audio/mp4", "ftypM4A ", 8, 4, NULL},
	{"video/mp4", "ftyp", 4, 4, NULL},
};

const char *lb_magic_type(const void *head, size_t len)
{
	const unsigned char *b = head;

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (types[i].at + types[i].len <= len &&
		    memcmp(b + types[i].at, types[i].magic, types[i].len) ==
			    0 &&
		    (!types[i].before || memcmp(b, types[i].before, 4) == 0))
			return types[i].type;
	/* MPEG audio without a tag: a frame of layer III. */
	if (len >= 2 && b[0] == 0xff && (b[1] & 0xe6) == 0xe2)
		return "audio/mpeg";
	return NULL;
}

bool lb_magic_is_image(const char *type)
{
	return type && strncmp(type, "image/", 6) == 0;
}
