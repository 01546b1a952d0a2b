/* test-map - texts to pointers. TAP. */
#include "base/map.h"
#include "tap.h"

enum { MANY = 5000 };

static int values[MANY];
static size_t released;

static void count(void *value)
{
	released += value != NULL;
}

static void test_map(void)
{
	struct lb_map map = {0};
	char key[32];
	size_t wrong = 0;

	tap_ok(!lb_map_find(&map, "x") && !lb_map_remove(&map, "x"),
	       "an empty table holds nothing");
	for (int i = 0; i < MANY; i++) {
		snprintf(key, sizeof(key), "key %d", i);
		lb_map_add(&map, key, &values[i]);
	}
	tap_ok(map.n == MANY && map.size >= MANY, "it widens");
	for (int i = 0; i < MANY; i++) {
		snprintf(key, sizeof(key), "key %d", i);
		wrong += lb_map_find(&map, key) != &values[i];
	}
	tap_ok(wrong == 0, "each is found");
	tap_ok(!lb_map_find(&map, "key 5000") && !lb_map_find(&map, ""),
	       "others are not");
	for (int i = 0; i < MANY; i += 2) {
		snprintf(key, sizeof(key), "key %d", i);
		wrong += lb_map_remove(&map, key) != &values[i];
		wrong += lb_map_find(&map, key) != NULL;
	}
	tap_ok(wrong == 0 && map.n == MANY / 2, "half of them removed");
	lb_map_release(&map, count);
	tap_ok(released == MANY / 2 && map.n == 0, "the rest released");
}

int main(void)
{
	test_map();
	return tap_end();
}
