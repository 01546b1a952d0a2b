#include "tool/search.h"

#include <fcntl.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "fs/beneath.h"
#include "tool/tool.h"

enum { MAX_FOLDERS_DEEP = 200 };

static const char *const skipped[] = {
	".git", ".tox",         ".venv", "__pycache__", "build",
	"dist", "node_modules", "venv",  ".skills",
};

struct lb_walk *lb_search_open(const struct lb_spot *spot, bool sort,
			       struct lb_error *err)
{
	const struct lb_beneath at = {spot->root, spot->path, spot->shown};
	const struct lb_walk_options options = {
		.max_entries = LB_TOOL_ENTRIES,
		.max_depth = MAX_FOLDERS_DEEP,
		.deadline = lb_clock_mono() + LB_TOOL_SEARCH_MS,
		.sort = sort,
		.paths = true,
	};
	lb_autoclose int fd =
		lb_beneath_open(&at, O_RDONLY, LB_BENEATH_FOLDER, err);

	return fd < 0 ? NULL : lb_walk_open(fd, &options, err);
}

const char *lb_search_ended(const struct lb_walk *walk)
{
	switch (lb_walk_ended(walk)) {
	case LB_WALK_WHOLE:
		return NULL;
	case LB_WALK_TIME:
		return "time";
	case LB_WALK_ENTRIES:
	case LB_WALK_DEPTH:
	case LB_WALK_CHANGED:
		break;
	}
	return "scan";
}

bool lb_search_skips(const char *name)
{
	if (!strchr(".bdnv_", name[0]))
		return false;
	for (size_t i = 0; i < sizeof(skipped) / sizeof(skipped[0]); i++)
		if (strcmp(name, skipped[i]) == 0)
			return true;
	return false;
}

const char *lb_search_below(const struct lb_spot *spot, const char *pattern)
{
	size_t n = strlen(spot->shown);

	return strncmp(pattern, spot->shown, n) == 0 && pattern[n] == '/'
		       ? pattern + n
		       : pattern;
}
