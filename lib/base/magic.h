/*
 * base/magic.h - what a file is, as its first bytes say.
 */
#ifndef LB_BASE_MAGIC_H
#define LB_BASE_MAGIC_H

#include <stdbool.h>
#include <stddef.h>

/* A media type, or NULL; its first 16 bytes are enough. */
const char *lb_magic_type(const void *head, size_t len);

/* One of those that models and chats take: PNG, JPEG, GIF or WebP. */
bool lb_magic_is_image(const char *type);

#endif
