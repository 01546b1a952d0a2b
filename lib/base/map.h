/*
 * base/map.h - a table from texts to pointers.
 */
#ifndef LB_BASE_MAP_H
#define LB_BASE_MAP_H

#include <stddef.h>

struct lb_map_entry {
	struct lb_map_entry *next;
	void *value;
	size_t hash;
	char key[];
};

/* Zeroed memory is an empty table. */
struct lb_map {
	struct lb_map_entry **slots;
	size_t n, size; /* entries; slots, a power of two */
};

void *lb_map_find(const struct lb_map *map, const char *key);
/* The key is copied; it must not be there yet. */
void lb_map_add(struct lb_map *map, const char *key, void *value);
/* The value that was there, or NULL. */
void *lb_map_remove(struct lb_map *map, const char *key);
/* Frees the entries; each value goes to fn, which may be NULL. */
void lb_map_release(struct lb_map *map, void (*fn)(void *value));

#endif
