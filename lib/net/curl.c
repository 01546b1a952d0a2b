#define LB_NET_CURL_NAMES /* the table itself is filled here */
#include "net/curl.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#ifndef LB_CURL_SONAME
#define LB_CURL_SONAME "libcurl.so.4"
#endif

struct lb_curl lb_curl;

static const struct {
	const char *name;
	size_t at; /* in struct lb_curl */
} functions[] = {
#define X(name) {#name, offsetof(struct lb_curl, name)},
	LB_CURL_FUNCTIONS(X)
#undef X
};

int lb_curl_load(struct lb_error *err)
{
	static void *library;

	if (library)
		return 0;
	/* Bound now, the names of its thirty libraries cost 3 ms a start. */
	library = dlopen(LB_CURL_SONAME, RTLD_LAZY | RTLD_LOCAL);
	if (!library)
		return lb_fail(err, LB_OS, "cannot load libcurl: %s",
			       dlerror());
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *found = dlsym(library, functions[i].name);

		if (!found) {
			dlclose(library);
			library = NULL;
			return lb_fail(err, LB_OS,
				       "this libcurl has no %s: it is too old",
				       functions[i].name);
		}
		/* POSIX has it that a function fits in a void pointer. */
		memcpy((char *)&lb_curl + functions[i].at, &found,
		       sizeof(found));
	}
	return 0;
}
