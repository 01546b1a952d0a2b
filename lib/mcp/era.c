/* era.c - a table of eras in a file: a line of 66 bytes each, in its place. */
#include "mcp/era.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"

enum { KEY = 64, LINE = KEY + 2, SLOTS = 1024 };

static int open_file(const char *state, int flags)
{
	lb_autofree char *folder = lb_printf("%s/mcp", state);
	lb_autofree char *path = lb_printf("%s/eras", folder);
	struct lb_error err;

	if ((flags & O_CREAT) && lb_path_make(folder, &err) < 0)
		return -1;
	return open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
}

/* Of the key's own digits, so that each has one place. */
static off_t place_of(const char *key)
{
	char digits[4] = {key[0], key[1], key[2], '\0'};

	return (off_t)(strtoul(digits, NULL, 16) % SLOTS) * LINE;
}

enum lb_mcp_era lb_mcp_era_recall(const char *state, const char *key)
{
	lb_autoclose int fd = state ? open_file(state, O_RDONLY) : -1;
	char line[LINE];

	if (fd < 0 || pread(fd, line, LINE, place_of(key)) != LINE ||
	    memcmp(line, key, KEY) != 0)
		return LB_MCP_ERA_UNKNOWN;
	return line[KEY] == 'l'   ? LB_MCP_ERA_LEGACY
	       : line[KEY] == 'm' ? LB_MCP_ERA_MODERN
				  : LB_MCP_ERA_UNKNOWN;
}

void lb_mcp_era_keep(const char *state, const char *key, enum lb_mcp_era era)
{
	char line[LINE];
	int fd;

	if (!state || lb_mcp_era_recall(state, key) == era)
		return;
	fd = open_file(state, O_WRONLY | O_CREAT);
	if (fd < 0)
		return;
	memcpy(line, key, KEY);
	line[KEY] = era == LB_MCP_ERA_LEGACY   ? 'l'
		    : era == LB_MCP_ERA_MODERN ? 'm'
					       : '-';
	line[KEY + 1] = '\n';
	/* What cannot be written is asked for again. */
	if (pwrite(fd, line, LINE, place_of(key)) != LINE)
		lb_log(LB_DEBUG, NULL, "'%s/mcp/eras' cannot be written",
		       state);
	close(fd);
}
