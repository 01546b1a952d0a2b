/*
 * skill/zip.h - what a zip says of itself, before any of it is unpacked.
 *
 * A zip names each file twice, in a list at its end and where the file is.
 * Readers that believe the one see other files than those who believe the
 * other, so only a zip whose halves agree is taken.
 */
#ifndef LB_SKILL_ZIP_H
#define LB_SKILL_ZIP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/map.h"

/* Does it begin as a zip does? */
bool lb_zip_is(const char *bytes, size_t len);

/*
 * Hold the two halves against each other. LB_DATA: they differ, files overlap,
 * something is encrypted, in several parts, packed in another way than by
 * deflate, larger than a pack may be (skill/pack.h), or needs zip64.
 *
 * In `modeless`, by their paths (lb_pack_path()), are the entries that say nothing
 * of who may run them.
 */
int lb_zip_check(const char *bytes, size_t len, struct lb_map *modeless,
		 struct lb_error *err);

#endif
