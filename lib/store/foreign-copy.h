/*
 * store/foreign-copy.h - a copy of a database that somebody may be using.
 */
#ifndef LB_STORE_FOREIGN_COPY_H
#define LB_STORE_FOREIGN_COPY_H

#include "base/error.h"

/*
 * A new folder in `tmp`, 0700, with the file as "db" in it; NULL when it cannot be
 * made. lb_copy_remove() it.
 */
char *lb_copy_make(const char *path, const char *tmp, struct lb_error *err);

/* Delete the folder and free its name; NULL does nothing. */
void lb_copy_remove(char *take);

#endif
