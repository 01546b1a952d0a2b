/* pack-archive.c - an archive as a pack. */
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "skill/libarchive.h"
#include "skill/pack.h"
#include "skill/zip.h"

struct unpacking {
	const struct lb_libarchive *lib;
	struct archive *a;
	struct lb_pack *pack;
	struct lb_map modeless; /* of a zip */
	size_t packed;
	bool lenient;
	struct lb_error *err;
};

static int damaged(struct unpacking *u, const char *what)
{
	const char *why = u->lib->archive_error_string(u->a);
	lb_autobuf struct lb_buf clean = {0};

	if (!why)
		why = "no reason was given";
	lb_utf8_clean(&clean, why, strlen(why));
	return lb_fail(u->err, LB_DATA, "%s: %.200s", what, lb_buf_str(&clean));
}

static int count(struct unpacking *u, const struct lb_pack_file *f, size_t more)
{
	const struct lb_pack *p = u->pack;

	if (lb_pack_count(u->pack, f->path, (int64_t)f->len, more, u->err) < 0)
		return -1;
	if (p->bytes > LB_PACK_RATIO_FREE &&
	    p->bytes / LB_PACK_RATIO > (int64_t)u->packed)
		return lb_fail(u->err, LB_DATA,
			       "it is more than %d times as large unpacked",
			       LB_PACK_RATIO);
	return 0;
}

static int read_data(struct unpacking *u, struct lb_pack_file *f)
{
	lb_autobuf struct lb_buf data = {0};
	const void *block;
	la_int64_t at;
	size_t n;
	int r;

	while ((r = u->lib->archive_read_data_block(u->a, &block, &n, &at)) ==
	       ARCHIVE_OK) {
		if (at != (la_int64_t)f->len)
			return lb_fail(u->err, LB_DATA,
				       "'%.200s' has holes, which is not taken",
				       f->path);
		if (count(u, f, n) < 0)
			return -1;
		lb_buf_put(&data, block, n);
		f->len += n;
	}
	if (r != ARCHIVE_EOF)
		return damaged(u, f->path);
	f->data = lb_buf_take(&data);
	return 0;
}

/* What neither a file nor a folder is; NULL when it is one of them. */
static const char *odd_kind(struct unpacking *u, struct archive_entry *e)
{
	if (u->lib->archive_entry_hardlink(e))
		return "a hard link";
	switch (u->lib->archive_entry_filetype(e)) {
	case AE_IFREG:
	case AE_IFDIR:
		return NULL;
	case AE_IFLNK:
		return "a symbolic link";
	case AE_IFIFO:
		return "a named pipe";
	case AE_IFSOCK:
		return "a socket";
	}
	return "a device";
}

/* Who made it on a system without such bits meant what begins with "#!". */
static bool is_exec(struct unpacking *u, struct archive_entry *e,
		    const struct lb_pack_file *f)
{
	if (lb_map_find(&u->modeless, f->path))
		return f->len > 2 && memcmp(f->data, "#!", 2) == 0;
	return (u->lib->archive_entry_mode(e) & 0100) != 0;
}

static int add_file(struct unpacking *u, struct archive_entry *e, char *take)
{
	struct lb_pack_file f = {.path = take};

	if (u->lib->archive_entry_mode(e) & (S_ISUID | S_ISGID))
		lb_fail(u->err, LB_DATA,
			"entry '%.200s' would run with the rights of another "
			"user",
			f.path);
	else if (read_data(u, &f) == 0) {
		f.exec = is_exec(u, e, &f);
		return lb_pack_add(u->pack, &f, u->err);
	}
	free(f.path);
	free(f.data);
	return -1;
}

/* A folder, or what is odd, has no bytes of its own. */
static int no_data(struct unpacking *u, const char *path)
{
	const void *block;
	la_int64_t at;
	size_t n;
	int r = u->lib->archive_read_data_block(u->a, &block, &n, &at);

	if (r == ARCHIVE_EOF || (r == ARCHIVE_OK && n == 0))
		return 0;
	return lb_fail(u->err, LB_DATA,
		       "entry '%.200s' has data and is no file", path);
}

static int add_entry(struct unpacking *u, struct archive_entry *e)
{
	const char *name = u->lib->archive_entry_pathname_utf8(e);
	const char *odd = odd_kind(u, e);
	char *path;

	if (!name)
		name = u->lib->archive_entry_pathname(e);
	if (!name)
		return lb_fail(u->err, LB_DATA,
			       "an entry has a name that is not UTF-8");
	path = lb_pack_path(name, strlen(name), u->err);
	if (!path)
		return -1;
	if (odd && u->lenient)
		return lb_pack_add_odd(u->pack, path, odd, u->err);
	if (odd)
		lb_fail(u->err, LB_DATA, "entry '%.200s' is %s", path, odd);
	else if (u->lib->archive_entry_filetype(e) == AE_IFREG &&
		 strchr("/\\", name[strlen(name) - 1]) == NULL)
		return add_file(u, e, path);
	else if (no_data(u, path) == 0)
		return lb_pack_add_folder(u->pack, path, u->err);
	free(path);
	return -1;
}

static int read_entries(struct unpacking *u)
{
	struct archive_entry *e;
	int r;

	while ((r = u->lib->archive_read_next_header(u->a, &e)) == ARCHIVE_OK ||
	       r == ARCHIVE_WARN)
		if (add_entry(u, e) < 0)
			return -1;
	if (r != ARCHIVE_EOF)
		return damaged(u, "it is no archive that can be read");
	return 0;
}

static int unpack(struct unpacking *u, const char *bytes, size_t len)
{
	const struct lb_libarchive *lib = u->lib;

	if (lb_zip_is(bytes, len)) {
		if (lb_zip_check(bytes, len, &u->modeless, u->err) < 0)
			return -1;
		lib->archive_read_support_format_zip_seekable(u->a);
	} else {
		lib->archive_read_support_format_tar(u->a);
		lib->archive_read_support_filter_gzip(u->a);
		lib->archive_read_support_filter_bzip2(u->a);
		lib->archive_read_support_filter_zstd(u->a);
	}
	if (lib->archive_read_open_memory(u->a, bytes, len) != ARCHIVE_OK)
		return damaged(u, "it is no archive that can be read");
	return read_entries(u);
}

int lb_pack_archive(struct lb_pack *p, const char *bytes, size_t len,
		    bool lenient, struct lb_error *err)
{
	struct unpacking u = {
		.lib = lb_libarchive_load(err),
		.pack = p,
		.packed = len,
		.lenient = lenient,
		.err = err,
	};
	/* libarchive gives names in the locale, and "C" has ASCII alone. */
	locale_t utf8, before = (locale_t)0;
	int r = -1;

	if (!u.lib)
		return -1;
	if (len > LB_PACK_ARCHIVE)
		return lb_fail(err, LB_DATA, "it is larger than %d MiB",
			       LB_PACK_ARCHIVE >> 20);
	utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	if (utf8)
		before = uselocale(utf8);
	u.a = u.lib->archive_read_new();
	if (u.a)
		r = unpack(&u, bytes, len);
	else
		lb_fail(err, LB_OS, "no memory for an archive");
	if (u.a)
		u.lib->archive_read_free(u.a);
	if (utf8) {
		uselocale(before);
		freelocale(utf8);
	}
	lb_map_release(&u.modeless, NULL);
	return r < 0 ? -1 : lb_pack_end(p, err);
}
