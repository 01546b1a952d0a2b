#include "base/map.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/mem.h"

enum { FIRST_SIZE = 64 };

/* FNV-1a from a random start: keys come from strangers. */
static size_t hash_of(const char *key)
{
	static uint64_t seed;
	uint64_t h;

	while (seed == 0)
		if (getrandom(&seed, sizeof(seed), 0) < 0)
			seed = (uintptr_t)&seed;
	h = seed;
	for (; *key; key++)
		h = (h ^ (unsigned char)*key) * 0x100000001b3ULL;
	return (size_t)(h ^ (h >> 32));
}

static struct lb_map_entry **place(const struct lb_map *map, const char *key,
				   size_t hash)
{
	struct lb_map_entry **at = &map->slots[hash & (map->size - 1)];

	while (*at && ((*at)->hash != hash || strcmp((*at)->key, key) != 0))
		at = &(*at)->next;
	return at;
}

void *lb_map_find(const struct lb_map *map, const char *key)
{
	struct lb_map_entry *e;

	if (map->n == 0)
		return NULL;
	e = *place(map, key, hash_of(key));
	return e ? e->value : NULL;
}

static void widen(struct lb_map *map)
{
	struct lb_map wide = {.size = map->size ? map->size * 2 : FIRST_SIZE,
			      .n = map->n};

	wide.slots = lb_alloc(wide.size * sizeof(struct lb_map_entry *));
	for (size_t i = 0; i < map->size; i++)
		while (map->slots[i]) {
			struct lb_map_entry *e = map->slots[i];
			struct lb_map_entry **to =
				&wide.slots[e->hash & (wide.size - 1)];

			map->slots[i] = e->next;
			e->next = *to;
			*to = e;
		}
	free(map->slots);
	*map = wide;
}

void lb_map_add(struct lb_map *map, const char *key, void *value)
{
	size_t len = strlen(key) + 1;
	struct lb_map_entry *e = lb_alloc(sizeof(*e) + len), **at;

	if (map->n >= map->size)
		widen(map);
	memcpy(e->key, key, len);
	e->value = value;
	e->hash = hash_of(key);
	at = &map->slots[e->hash & (map->size - 1)];
	e->next = *at;
	*at = e;
	map->n++;
}

void *lb_map_remove(struct lb_map *map, const char *key)
{
	struct lb_map_entry **at, *e;
	void *value;

	if (map->n == 0)
		return NULL;
	at = place(map, key, hash_of(key));
	e = *at;
	if (!e)
		return NULL;
	value = e->value;
	*at = e->next;
	free(e);
	map->n--;
	return value;
}

void lb_map_release(struct lb_map *map, void (*fn)(void *value))
{
	for (size_t i = 0; i < map->size; i++)
		while (map->slots[i]) {
			struct lb_map_entry *e = map->slots[i];

			map->slots[i] = e->next;
			if (fn)
				fn(e->value);
			free(e);
		}
	free(map->slots);
	*map = (struct lb_map){0};
}
