/* attach-name.c - what a file is called and what it is, by what it says. */
#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "base/magic.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "box/attaching.h"
#include "fs/digest.h"

enum { MAX_KEY = 64, MAX_EXTENSION = 16, DIGEST_SHOWN = 16 };

static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "abcdefghijklmnopqrstuvwxyz0123456789._-";

char *lb_attach_key(const char *id)
{
	size_t len = strlen(id);
	unsigned char digest[LB_DIGEST_SIZE];
	struct lb_piece all = {id, len};
	struct lb_buf key = {0};

	if (len > 0 && len <= MAX_KEY && *id != '.' && strspn(id, plain) == len)
		return lb_strdup(id);
	lb_digest(&all, 1, digest);
	lb_buf_putc(&key, '~'); /* which is in no other */
	for (size_t i = 0; i < DIGEST_SHOWN; i++)
		lb_buf_printf(&key, "%02x", digest[i]);
	return lb_buf_take(&key);
}

static uint32_t code_point(const char *text, size_t len)
{
	static const unsigned char first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	uint32_t c = (unsigned char)text[0] & first[len];

	for (size_t i = 1; i < len; i++)
		c = c << 6 | ((unsigned char)text[i] & 0x3f);
	return c;
}

/*
 * Beyond ASCII: letters of all scripts, as far as it can be said without a
 * table. What is not seen, turns the direction of others or is a blank is none.
 */
static bool is_letter(uint32_t c)
{
	static const struct {
		uint32_t from, to;
	} never[] = {
		{0x80, 0xa0},     {0xad, 0xad},        {0x34f, 0x34f},
		{0x61c, 0x61c},   {0x115f, 0x1160},    {0x1680, 0x1680},
		{0x17b4, 0x17b5}, {0x180b, 0x180f},    {0x2000, 0x206f},
		{0x3000, 0x3000}, {0x3164, 0x3164},    {0xe000, 0xf8ff},
		{0xfe00, 0xfe0f}, {0xfeff, 0xfeff},    {0xffa0, 0xffa0},
		{0xfff0, 0xffff}, {0xe0000, 0x10ffff},
	};

	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		if (c >= never[i].from && c <= never[i].to)
			return false;
	return true;
}

/* What is left of a name that has no folders any more. */
static void clean(struct lb_buf *out, const char *name)
{
	size_t len = strlen(name), n;

	for (size_t i = 0; i < len; i += n) {
		n = lb_utf8_char(name + i, len - i);
		if (n == 1 && (name[i] == ' ' || strchr(plain, name[i])))
			lb_buf_putc(out, name[i]);
		else if (n > 1 && is_letter(code_point(name + i, n)))
			lb_buf_put(out, name + i, n);
		n = n ? n : 1;
	}
	while (out->len > 0 && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
	n = strspn(lb_buf_str(out), " .");
	if (n > 0)
		lb_buf_shift(out, n);
	for (size_t i = 0; i < out->len; i++)
		if (out->data[i] == ' ')
			out->data[i] = '_';
}

/* Its beginning and its extension, no longer than that. */
static void put_short(struct lb_buf *out, const char *name, size_t len)
{
	const char *dot = strrchr(name, '.');
	size_t ext = dot ? len - (size_t)(dot - name) : 0;

	if (len <= LB_ATTACH_NAME) {
		lb_buf_put(out, name, len);
		return;
	}
	if (ext > MAX_EXTENSION)
		ext = 0;
	lb_buf_put(out, name, lb_utf8_cut(name, len, LB_ATTACH_NAME - ext));
	lb_buf_put(out, name + len - ext, ext);
}

void lb_attach_name(struct lb_buf *out, const char *name, const char *otherwise)
{
	lb_autobuf struct lb_buf cleaned = {0};

	for (const char *slash; name && (slash = strpbrk(name, "/\\"));)
		name = slash + 1;
	if (name)
		clean(&cleaned, name);
	if (cleaned.len == 0)
		lb_buf_puts(&cleaned, otherwise);
	put_short(out, lb_buf_str(&cleaned), cleaned.len);
}

static bool ends_in(const char *name, const char *const *extensions)
{
	const char *dot = strrchr(name, '.');

	for (; dot && *extensions; extensions++)
		if (strcasecmp(dot + 1, *extensions) == 0)
			return true;
	return false;
}

/* A picture is one by its bytes; sound by its bytes and its name, since two
 * bytes of noise look like it. */
struct lb_attach_kind lb_attach_kind(const void *head, size_t len,
				     const char *name)
{
	static const char *const sounds[] = {"wav", "mp3", "silk", "amr",
					     "ogg", "oga", "opus", "m4a",
					     "aac", NULL};
	const char *mime = lb_magic_type(head, len);

	if (lb_magic_is_image(mime))
		return (struct lb_attach_kind){"Image", "image", mime};
	if (mime && strncmp(mime, "audio/", 6) == 0 && ends_in(name, sounds))
		return (struct lb_attach_kind){"Voice", "voice", mime};
	if (mime && strncmp(mime, "audio/", 6) == 0)
		mime = NULL;
	return (struct lb_attach_kind){
		"File",
		mime && strncmp(mime, "video/", 6) == 0 ? "video" : "file",
		mime,
	};
}

size_t lb_attach_env(struct lb_box_spec *spec, const char *id)
{
	static const char name[] = "LB_OUTBOX=";
	lb_autofree char *key = id && *id ? lb_attach_key(id) : NULL;
	size_t n = 0;

	for (; spec->env && spec->env[n]; n++)
		if (strncmp(spec->env[n], name, sizeof(name) - 1) == 0)
			return 0;
	if (!key || n >= LB_BOX_MAX_ENV)
		return 0;
	spec->env = lb_grow(spec->env, (n + 2) * sizeof(*spec->env));
	memmove(spec->env + 1, spec->env, n * sizeof(*spec->env));
	spec->env[0] =
		lb_printf("%s" LB_BOX_WORKSPACE "/" LB_ATTACH_OUTBOX "/%s",
			  name, key);
	spec->env[n + 1] = NULL;
	return 1;
}
