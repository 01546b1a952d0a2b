#include "skill/libarchive.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#ifndef LB_ARCHIVE_SONAME
#define LB_ARCHIVE_SONAME "libarchive.so.13"
#endif

static const struct {
	const char *name;
	size_t at; /* in struct lb_libarchive */
} functions[] = {
#define X(name) {#name, offsetof(struct lb_libarchive, name)},
	LB_ARCHIVE_FUNCTIONS(X)
#undef X
};

const struct lb_libarchive *lb_libarchive_load(struct lb_error *err)
{
	static struct lb_libarchive table;
	static void *library;
	void *opened;

	if (library)
		return &table;
	opened = dlopen(LB_ARCHIVE_SONAME, RTLD_LAZY | RTLD_LOCAL);
	if (!opened) {
		lb_fail(err, LB_OS, "cannot load libarchive: %s", dlerror());
		return NULL;
	}
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *found = dlsym(opened, functions[i].name);

		if (!found) {
			dlclose(opened);
			lb_fail(err, LB_OS, "this libarchive has no %s",
				functions[i].name);
			return NULL;
		}
		/* POSIX has it that a function fits in a void pointer. */
		memcpy((char *)&table + functions[i].at, &found, sizeof(found));
	}
	library = opened;
	return &table;
}
