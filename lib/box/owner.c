#include "box/owner.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/proc.h"

enum { STAT = 1024, STATE = 3, BEGAN = 22 }; /* fields of proc(5)'s stat */

/* When the process with that pid began; -1: there is none. */
static int64_t began(pid_t pid)
{
	char path[64], text[STAT], *at;
	FILE *f;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	f = fopen(path, "re");
	if (!f)
		return -1;
	len = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[len] = '\0';
	/* a name may hold anything, and ends with the last ')' */
	at = strrchr(text, ')');
	if (!at || at[1] != ' ' || at[2] == 'Z' || at[2] == 'X')
		return -1;
	at += 2;
	for (int field = STATE; at && field < BEGAN; field++) {
		at = strchr(at, ' ');
		at = at ? at + 1 : NULL;
	}
	return at ? strtoll(at, NULL, 10) : -1;
}

int lb_owner_of(struct lb_owner *owner, pid_t pid, struct lb_error *err)
{
	*owner = (struct lb_owner){.pid = pid, .since = began(pid)};
	if (owner->since >= 0)
		return 0;
	errno = ESRCH;
	return lb_fail_sys(err, LB_USAGE, "the owner %ld is not there",
			   (long)pid);
}

int lb_owner_read(struct lb_owner *owner, const char *text,
		  struct lb_error *err)
{
	long pid = 0;
	int64_t since = -1;
	char more;
	int n = sscanf(text, "%ld:%" SCNd64 "%c", &pid, &since, &more);

	if (n < 1 || n > 2 || pid < 2 || pid > 4194304 ||
	    (n == 1 && text[strspn(text, "0123456789")]))
		return lb_fail(err, LB_USAGE,
			       "'%.40s' is no process: PID, or PID:SINCE",
			       text);
	if (lb_owner_of(owner, (pid_t)pid, err) < 0)
		return -1;
	if (n == 1 || owner->since == since)
		return 0;
	return lb_fail(err, LB_USAGE,
		       "the owner %ld is not there any more: its pid is "
		       "another's",
		       pid);
}

void lb_owner_text(const struct lb_owner *owner, char text[LB_OWNER_TEXT])
{
	snprintf(text, LB_OWNER_TEXT, "%ld:%" PRId64, (long)owner->pid,
		 owner->since);
}

bool lb_owner_lives(const struct lb_owner *owner)
{
	return began(owner->pid) == owner->since;
}

int lb_owner_watch(const struct lb_owner *owner)
{
	int fd = lb_proc_watch(owner->pid);

	/* it may have become another's just before */
	if (fd < 0 || lb_owner_lives(owner))
		return fd;
	close(fd);
	errno = ESRCH;
	return -1;
}
