#include "base/mistake.h"

#include <stddef.h>
#include <string.h>

#include "base/near.h"

/* The option that getopt means, when it has a long name. */
static const char *long_name(const struct option *longs)
{
	for (; longs->name; longs++)
		if (longs->val == optopt)
			return longs->name;
	return NULL;
}

/* A long option of none, or of several names. */
static void unknown(const char *arg, const struct option *longs,
		    struct lb_error *err)
{
	char name[64];
	size_t len = strcspn(arg + 2, "=");
	struct lb_slip slip = {.typed = name};
	size_t begins = 0;

	if (len >= sizeof(name)) {
		lb_fail(err, LB_USAGE, "there is no option '%.64s...'", arg);
		return;
	}
	memcpy(name, arg + 2, len);
	name[len] = '\0';
	for (; longs->name; longs++) {
		lb_slip_try(&slip, longs->name);
		begins += len > 0 && strncmp(name, longs->name, len) == 0;
	}
	if (begins > 1)
		lb_fail(err, LB_USAGE, "'--%s' begins several options", name);
	else if (slip.meant)
		lb_fail(err, LB_USAGE,
			"there is no option '--%s' (did you mean '--%s'?)",
			name, slip.meant);
	else
		lb_fail(err, LB_USAGE, "there is no option '--%s'", name);
}

void lb_option_mistake(int c, char *const *argv, const struct option *longs,
		       struct lb_error *err)
{
	const char *name = long_name(longs);

	if (c == ':' && name)
		lb_fail(err, LB_USAGE, "option '--%s' needs a value", name);
	else if (c == ':')
		lb_fail(err, LB_USAGE, "option '-%c' needs a value", optopt);
	else if (name)
		lb_fail(err, LB_USAGE, "option '--%s' takes no value", name);
	else if (optopt)
		lb_fail(err, LB_USAGE, "there is no option '-%c'", optopt);
	else
		unknown(argv[optind - 1], longs, err);
}
