/* Files that came with a message: open one, and what it is. */
#include "platform/media.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

enum { MAX_PARTS = 8 };

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

/*
 * The folder that the file is in, and what it is called there; -1. Nothing of
 * the way is a link.
 */
static int walk(const char *state, const char *path, char **name,
		struct lb_error *err)
{
	lb_autofree char *media = lb_printf("%s/media", state);
	const char *rest = below(state, path);
	int fd, parts = 0;

	*name = NULL;
	if (!rest)
		return refuse(path, err);
	fd = open(media, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return lb_fail_sys(err, LB_NOINPUT, "cannot open '%.200s'",
				   path);
	for (;;) {
		size_t len = strcspn(rest, "/");
		lb_autofree char *part = lb_strndup(rest, len);
		int next;

		if (len == 0 || strcmp(part, ".") == 0 ||
		    strcmp(part, "..") == 0 || ++parts > MAX_PARTS) {
			close(fd);
			return refuse(path, err);
		}
		if (!rest[len]) {
			*name = lb_steal(&part);
			return fd;
		}
		next = enter(fd, part, false, path, err);
		close(fd);
		if (next < 0)
			return -1;
		fd = next;
		rest += len + 1;
	}
}

int lb_media_open(const char *state, const char *path, struct lb_error *err)
{
	lb_autofree char *name = NULL;
	lb_autoclose int folder = walk(state, path, &name, err);

	return folder < 0 ? -1 : enter(folder, name, true, path, err);
}

int lb_media_remove(const char *state, const char *path, struct lb_error *err)
{
	lb_autofree char *name = NULL;
	lb_autoclose int folder = walk(state, path, &name, err);
	lb_autoclose int file = -1;

	if (folder >= 0)
		file = enter(folder, name, true, path, err);
	if (file < 0)
		return err->code == LB_NOINPUT ? 0 : -1;
	if (unlinkat(folder, name, 0) < 0)
		return lb_fail_sys(err, LB_IO, "cannot remove '%.200s'", path);
	return 1;
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
