/* began.c - whether what was started goes on, or has ended already. */
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/proc.h"
#include "box/keeper.h"
#include "keep.h"

/* No sandbox, or no such program: that is known by then. */
enum { SETTLE_MS = 250 };

int64_t began_log(const char *folder)
{
	lb_autofree char *path = lb_printf("%s/log", folder);
	struct stat st;

	return stat(path, &st) == 0 ? (int64_t)st.st_size : 0;
}

/* The last line that its log got since then; "" if none. Caller frees. */
static char *last_words(const char *folder, int64_t since)
{
	static const char ours[] = "lb-exec: ";
	lb_autofree char *path = lb_printf("%s/log", folder), *text = NULL;
	const char *line;
	struct lb_error err;
	size_t len;

	if (lb_path_read(path, 2 * LB_KEEPER_LOG, &text, &len, &err) < 0 ||
	    (int64_t)len <= since)
		return lb_strdup("");
	while (len > 0 && text[len - 1] == '\n')
		text[--len] = '\0';
	line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	if (strncmp(line, ours, sizeof(ours) - 1) == 0)
		line += sizeof(ours) - 1;
	return lb_strdup(line);
}

int began(pid_t keeper, const char *name, const char *folder, int64_t since)
{
	lb_autoclose int watch = lb_proc_watch(keeper);
	struct pollfd ends = {.fd = watch, .events = POLLIN};
	lb_autofree char *why = NULL;
	int status, code;

	if (watch < 0 || poll(&ends, 1, SETTLE_MS) <= 0 ||
	    waitpid(keeper, &status, 0) != keeper)
		return LB_OK;
	code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	if (code == LB_OK)
		return LB_OK;
	why = last_words(folder, since);
	lb_complain("'%s' has ended already, with %d%s%.400s", name, code,
		    *why ? ": " : "", why);
	return code;
}
