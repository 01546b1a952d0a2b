/*
 * base/mem.h - memory.
 *
 * Allocation never returns NULL: when there is none left the program says so
 * and exits LB_OS. Locals are released by scope; hand one out with lb_steal().
 */
#ifndef LB_BASE_MEM_H
#define LB_BASE_MEM_H

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

/* Memory that is not zeroed; what jansson gets, see lb_start(). */
void *lb_alloc_raw(size_t size) __attribute__((malloc, returns_nonnull));
/* Zeroed memory. */
void *lb_alloc(size_t size) __attribute__((malloc, returns_nonnull));
void *lb_grow(void *take, size_t size) __attribute__((returns_nonnull));
char *lb_strdup(const char *s) __attribute__((malloc, returns_nonnull));
/* All `len` bytes, whatever they are, and a NUL: no strndup(3), which stops at
 * the first NUL it meets. */
char *lb_strndup(const char *s, size_t len)
	__attribute__((malloc, returns_nonnull));
char *lb_printf(const char *fmt, ...)
	__attribute__((malloc, returns_nonnull, format(printf, 1, 2)));

static inline void lb_free_ptr(void *p)
{
	free(*(void **)p);
}

static inline void lb_close_fd(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

/* A pointer local that is freed when its scope ends. Always initialise it. */
#define lb_autofree __attribute__((cleanup(lb_free_ptr)))

/* A descriptor local that is closed when its scope ends; -1 for none. */
#define lb_autoclose __attribute__((cleanup(lb_close_fd)))

/* Take the pointer out of *p, leaving NULL: the scope no longer frees it. */
#define lb_steal(p)                                                            \
	__extension__({                                                        \
		__typeof__(*(p)) lb_stolen_ = *(p);                            \
		*(p) = NULL;                                                   \
		lb_stolen_;                                                    \
	})

#endif
