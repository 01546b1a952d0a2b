/*
 * box/image.h - a workspace that cannot grow beyond its quota: a file system in
 * a file. For root alone.
 */
#ifndef LB_BOX_IMAGE_H
#define LB_BOX_IMAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/* An empty ext4 of that size for so many files, 0600. LB_UNAVAILABLE: there is
 * no mkfs.ext4; LB_IO. */
int lb_box_image_make(const char *path, int64_t mb, int64_t files,
		      struct lb_error *err);

/* Mount it there, without devices and set-uid files; what is in it belongs to
 * that user. Where somebody has it mounted still that we cannot see, it is the
 * same file system. LB_UNAVAILABLE: no loop device can be had; LB_IO. */
int lb_box_image_mount(const char *path, const char *at, uid_t uid, gid_t gid,
		       struct lb_error *err);

/* Is it what is mounted there, and not something of somebody else's? */
bool lb_box_image_is_at(const char *path, const char *at);

/* Inodes that are no files of anybody's, for those that the file system counts.
 */
enum { LB_BOX_IMAGE_INODES = 10 };

/* What it holds while it is not mounted: bytes and inodes that are used. -1: it
 * does not say. */
int lb_box_image_used(const char *path, int64_t *bytes, int64_t *inodes);

#endif
