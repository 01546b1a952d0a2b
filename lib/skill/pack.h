/*
 * skill/pack.h - files in memory, before any of them is on a disk.
 *
 * Whatever skills come from, a folder, an archive, a peer, is read into one of
 * these: each name is made safe or refused, everything is counted, and only
 * when all of it is good is anything written.
 */
#ifndef LB_SKILL_PACK_H
#define LB_SKILL_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/map.h"

enum {
	LB_PACK_ENTRIES = 10000,    /* of one pack, folders included */
	LB_PACK_FILE = 16 << 20,    /* bytes of a file */
	LB_PACK_TOTAL = 64 << 20,   /* bytes of all */
	LB_PACK_ARCHIVE = 32 << 20, /* bytes of an archive, packed */
	LB_PACK_RATIO = 100,        /* unpacked to packed, above 8 MiB */
	LB_PACK_RATIO_FREE = 8 << 20,
	LB_PACK_PATH = 512, /* bytes of a path */
	LB_PACK_NAME = 255, /* of a part of one */
	LB_PACK_DEPTH = 16, /* parts of a path */
};

struct lb_pack_file {
	char *path; /* parts with '/' between, none of them "." or ".." */
	char *data;
	size_t len;
	bool exec;
};

/* What is not a file and must not be in a skill, but may be beside one. */
struct lb_pack_odd {
	char *path;
	const char *what; /* "a symbolic link" */
};

struct lb_pack {
	struct lb_pack_file *files; /* by path, once lb_pack_end() was called */
	size_t n;
	struct lb_pack_odd *odd;
	size_t n_odd;
	/* While it is filled. */
	int64_t bytes;
	size_t entries;
	struct lb_map names; /* in small letters: what has that name */
};

/* Zeroed memory is an empty pack. */
void lb_pack_release(struct lb_pack *p);

/*
 * The path that a name of an archive stands for: '\' is '/', "." and empty
 * parts left out, "" for the top. NULL: LB_DATA, it is absolute, has "..", a
 * drive letter or control characters, is no UTF-8, or is too long or deep.
 * Caller frees.
 */
char *lb_pack_path(const char *name, size_t len, struct lb_error *err);

/*
 * Is it what systems leave behind (__MACOSX, ._NAME, .DS_Store, Thumbs.db)?
 * Such are counted and left out.
 */
bool lb_pack_is_junk(const char *path);

/*
 * Add a file, a folder, or what is neither. The path is one of lb_pack_path(),
 * and is taken as `data` is, on failure, too. LB_DATA: it is there already,
 * also but for the case of its letters; there are too many; all is too large.
 */
int lb_pack_add(struct lb_pack *p, const struct lb_pack_file *take,
		struct lb_error *err);
int lb_pack_add_folder(struct lb_pack *p, char *take, struct lb_error *err);
int lb_pack_add_odd(struct lb_pack *p, char *take, const char *what,
		    struct lb_error *err);

/*
 * Count bytes that come, before they are kept: of one file until now, and in
 * all. LB_DATA: too large.
 */
int lb_pack_count(struct lb_pack *p, const char *path, int64_t so_far,
		  size_t more, struct lb_error *err);

/* All is in. LB_DATA: a path is a file and a folder. */
int lb_pack_end(struct lb_pack *p, struct lb_error *err);

/* The file at a path, borrowed, or NULL. */
const struct lb_pack_file *lb_pack_find(const struct lb_pack *p,
					const char *path);

/* Is the path below the folder? Everything is below "". */
bool lb_pack_is_below(const char *path, const char *folder);

/*
 * Read a folder. No link is followed. `.git`, `node_modules`, `__pycache__` and
 * junk are left out. LB_NOINPUT, LB_DENIED, LB_IO; LB_DATA.
 */
int lb_pack_folder(struct lb_pack *p, int folder, struct lb_error *err);

/*
 * Read an archive: zip, or tar, plain or by gzip, bzip2, xz or zstd. `lenient`
 * keeps links and devices as odd, as in a repository of which a part is
 * wanted; else they make it LB_DATA. LB_OS: libarchive is not there.
 */
int lb_pack_archive(struct lb_pack *p, const char *bytes, size_t len,
		    bool lenient, struct lb_error *err);

#endif
