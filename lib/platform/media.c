#include "platform/media.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "fs/digest.h"

enum { MAX_EXTENSION = 8, MAX_PARTS = 8 };

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

static int refuse(const char *path, struct lb_error *err)
{
	return lb_fail(err, LB_DENIED, "'%.200s' is not a file below media",
		       path);
}

/* What follows "STATE/media/"; NULL when it lies elsewhere. */
static const char *below(const char *state, const char *path)
{
	static const char media[] = "/media/";
	size_t n = strlen(state);

	if (strncmp(path, state, n) != 0 ||
	    strncmp(path + n, media, sizeof(media) - 1) != 0)
		return NULL;
	return path + n + sizeof(media) - 1;
}

/* One step: a name in a folder; no link is followed. */
static int enter(int folder, const char *name, bool last, const char *path,
		 struct lb_error *err)
{
	int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	int fd = openat(folder, name, last ? flags : flags | O_DIRECTORY);
	struct stat st;

	if (fd < 0 && (errno == ELOOP || errno == ENOTDIR || errno == ENXIO))
		return refuse(path, err);
	if (fd < 0)
		return lb_fail_sys(err, LB_NOINPUT, "cannot open '%.200s'",
				   path);
	if (last && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		return refuse(path, err);
	}
	return fd;
}

int lb_media_open(const char *state, const char *path, struct lb_error *err)
{
	lb_autofree char *media = lb_printf("%s/media", state);
	const char *rest = below(state, path);
	int fd, parts = 0;

	if (!rest)
		return refuse(path, err);
	fd = open(media, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return lb_fail_sys(err, LB_NOINPUT, "cannot open '%.200s'",
				   path);
	while (rest) {
		size_t len = strcspn(rest, "/");
		lb_autofree char *name = lb_strndup(rest, len);
		int next;

		if (len == 0 || strcmp(name, ".") == 0 ||
		    strcmp(name, "..") == 0 || ++parts > MAX_PARTS)
			next = refuse(path, err);
		else
			next = enter(fd, name, rest[len] == '\0', path, err);
		close(fd);
		fd = next;
		rest = fd >= 0 && rest[len] ? rest + len + 1 : NULL;
	}
	return fd;
}

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

const char *lb_media_type(const void *head, size_t len)
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
