#include "skill/zip.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "skill/pack.h"

enum {
	END_SIZE = 22, /* of the end of the list, without its comment */
	ENTRY_SIZE = 46,
	LOCAL_SIZE = 30,
	MAX_COMMENT = 65535,
	ENCRYPTED = 1 | 1 << 6 | 1 << 13,
	SIZES_BEHIND = 1 << 3, /* the sizes stand behind the file */
	FROM_UNIX = 3,
	FROM_MAC = 19,
};

struct span {
	size_t start, end;
};

struct zip {
	const unsigned char *bytes;
	size_t len;
	size_t list, list_end; /* of the list of entries */
	size_t n;
	struct span *spans;
	int64_t total;
	struct lb_map *modeless;
	struct lb_error *err;
};

static uint32_t u16(const unsigned char *p)
{
	return (uint32_t)(p[0] | p[1] << 8);
}

static uint32_t u32(const unsigned char *p)
{
	return u16(p) | u16(p + 2) << 16;
}

bool lb_zip_is(const char *bytes, size_t len)
{
	return len >= 4 && (memcmp(bytes, "PK\3\4", 4) == 0 ||
			    memcmp(bytes, "PK\5\6", 4) == 0);
}

static int broken(struct zip *z, const char *why)
{
	return lb_fail(z->err, LB_DATA, "the zip %s", why);
}

static int refuse(struct zip *z, const unsigned char *name, size_t len,
		  const char *why)
{
	lb_autobuf struct lb_buf shown = {0};

	lb_utf8_clean(&shown, (const char *)name, len < 120 ? len : 120);
	return lb_fail(z->err, LB_DATA, "entry '%s' %s", lb_buf_str(&shown),
		       why);
}

/* The end of the list is the last thing in a zip. */
static int find_list(struct zip *z)
{
	const unsigned char *end = NULL;

	for (size_t comment = 0;
	     !end && comment <= MAX_COMMENT && END_SIZE + comment <= z->len;
	     comment++) {
		const unsigned char *at =
			z->bytes + z->len - END_SIZE - comment;

		if (memcmp(at, "PK\5\6", 4) == 0 && u16(at + 20) == comment)
			end = at;
	}
	if (!end)
		return broken(z, "is cut off, or something is behind its end");
	z->n = u16(end + 10);
	if (u16(end + 4) != 0 || u16(end + 6) != 0 || u16(end + 8) != z->n)
		return broken(z, "is in several parts");
	if (z->n == 0xffff || u32(end + 12) == UINT32_MAX ||
	    u32(end + 16) == UINT32_MAX)
		return broken(z, "is a zip64, which is not taken");
	if (z->n > LB_PACK_ENTRIES)
		return lb_fail(z->err, LB_DATA, "it has more than %d entries",
			       LB_PACK_ENTRIES);
	z->list = u32(end + 16);
	z->list_end = (size_t)(end - z->bytes);
	if (z->list > z->list_end || z->list_end - z->list != u32(end + 12))
		return broken(z, "has no list of its files where it says");
	return 0;
}

/* What the entry at `e` says of itself must stand at the file, too. */
static const char *local_why(const struct zip *z, const unsigned char *e,
			     struct span *span)
{
	size_t at = u32(e + 42), name = u16(e + 28);
	const unsigned char *l = z->bytes + at;
	size_t size;

	if (at + LOCAL_SIZE + name > z->list || memcmp(l, "PK\3\4", 4) != 0)
		return "is not where the list of the zip says";
	size = LOCAL_SIZE + name + u16(l + 28) + (size_t)u32(e + 20);
	if (u16(l + 26) != name ||
	    memcmp(l + LOCAL_SIZE, e + ENTRY_SIZE, name) != 0)
		return "has another name in the list of the zip";
	if (u16(l + 8) != u16(e + 10) ||
	    ((u16(l + 6) ^ u16(e + 8)) & (ENCRYPTED | SIZES_BEHIND)) != 0)
		return "is packed otherwise than the list of the zip says";
	if (!(u16(e + 8) & SIZES_BEHIND) && memcmp(l + 14, e + 16, 12) != 0)
		return "has another size or sum in the list of the zip";
	if (size > z->list - at)
		return "is cut off";
	*span = (struct span){at, at + size};
	return NULL;
}

static bool is_from_unix(const unsigned char *e)
{
	return e[5] == FROM_UNIX || e[5] == FROM_MAC;
}

/* Neither file nor folder nor link: libarchive makes files of such. */
static bool is_odd(const unsigned char *e)
{
	uint32_t type = u16(e + 40) & S_IFMT;

	return is_from_unix(e) && type != 0 && type != S_IFREG &&
	       type != S_IFDIR && type != S_IFLNK;
}

static const char *entry_why(struct zip *z, const unsigned char *e, size_t i)
{
	uint32_t packed = u32(e + 20), size = u32(e + 24);
	const char *why = local_why(z, e, &z->spans[i]);

	if (why)
		return why;
	if (u16(e + 8) & ENCRYPTED)
		return "is encrypted";
	if (u16(e + 10) != 0 && u16(e + 10) != 8)
		return "is packed in a way that is not taken";
	if (packed == UINT32_MAX || size == UINT32_MAX)
		return "needs zip64, which is not taken";
	if (is_odd(e))
		return "is a device or the like";
	if (memchr(e + ENTRY_SIZE, '\0', u16(e + 28)))
		return "has a zero byte in its name";
	if (size > LB_PACK_FILE)
		return "is larger than 16 MiB unpacked";
	z->total += size;
	return NULL;
}

static void note_mode(struct zip *z, const unsigned char *e)
{
	struct lb_error err; /* said when it is unpacked */
	lb_autofree char *path =
		lb_pack_path((const char *)e + ENTRY_SIZE, u16(e + 28), &err);

	if (is_from_unix(e) && u16(e + 40) != 0)
		return;
	if (path && !lb_map_find(z->modeless, path))
		lb_map_add(z->modeless, path, z->modeless);
}

static int read_list(struct zip *z)
{
	size_t at = z->list;

	for (size_t i = 0; i < z->n; i++) {
		const unsigned char *e = z->bytes + at;
		size_t left = z->list_end - at, size;
		const char *why;

		if (left < ENTRY_SIZE || memcmp(e, "PK\1\2", 4) != 0)
			return broken(z, "has a list of files that is damaged");
		size = ENTRY_SIZE + u16(e + 28) + u16(e + 30) + u16(e + 32);
		if (left < size)
			return broken(z, "has a list of files that is damaged");
		why = entry_why(z, e, i);
		if (why)
			return refuse(z, e + ENTRY_SIZE, u16(e + 28), why);
		note_mode(z, e);
		at += size;
	}
	if (at != z->list_end)
		return broken(z, "has a list of files that is damaged");
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static int check_spans(struct zip *z)
{
	if (z->n > 0)
		qsort(z->spans, z->n, sizeof(*z->spans), by_start);
	for (size_t i = 1; i < z->n; i++)
		if (z->spans[i].start < z->spans[i - 1].end)
			return broken(z, "has files that overlap");
	return 0;
}

int lb_zip_check(const char *bytes, size_t len, struct lb_map *modeless,
		 struct lb_error *err)
{
	struct zip z = {
		.bytes = (const unsigned char *)bytes,
		.len = len,
		.modeless = modeless,
		.err = err,
	};
	lb_autofree struct span *spans = NULL;

	if (find_list(&z) < 0)
		return -1;
	spans = z.spans = lb_alloc((z.n + 1) * sizeof(*spans));
	if (read_list(&z) < 0 || check_spans(&z) < 0)
		return -1;
	if (z.total > LB_PACK_TOTAL)
		return lb_fail(err, LB_DATA,
			       "it is larger than %d MiB unpacked",
			       LB_PACK_TOTAL >> 20);
	return 0;
}
