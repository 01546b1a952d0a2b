/*
 * skill/libarchive.h - libarchive, loaded at the first archive. Inside the room
 * only, and for the same reason as net/curl.h: with what it brings along it
 * costs more than all else a start does, and most runs unpack nothing.
 */
#ifndef LB_SKILL_LIBARCHIVE_H
#define LB_SKILL_LIBARCHIVE_H

#include <archive.h>
#include <archive_entry.h>

#include "base/error.h"

#define LB_ARCHIVE_FUNCTIONS(X)                                                \
	X(archive_entry_filetype)                                              \
	X(archive_entry_hardlink)                                              \
	X(archive_entry_mode)                                                  \
	X(archive_entry_pathname)                                              \
	X(archive_entry_pathname_utf8)                                         \
	X(archive_error_string)                                                \
	X(archive_read_data_block)                                             \
	X(archive_read_free)                                                   \
	X(archive_read_new)                                                    \
	X(archive_read_next_header)                                            \
	X(archive_read_open_memory)                                            \
	X(archive_read_support_filter_bzip2)                                   \
	X(archive_read_support_filter_gzip)                                    \
	X(archive_read_support_filter_zstd)                                    \
	X(archive_read_support_format_tar)                                     \
	X(archive_read_support_format_zip_seekable)

struct lb_libarchive {
#define X(name) __typeof__(name) *name;
	LB_ARCHIVE_FUNCTIONS(X)
#undef X
};

/* NULL: LB_OS, the library is not there, or too old. */
const struct lb_libarchive *lb_libarchive_load(struct lb_error *err);

#endif
