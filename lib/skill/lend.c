#include "skill/lend.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "fs/walk.h"

/* By a descriptor: a name could be a link by now, to what is root's. */
static void lend_one(int folder, const char *name)
{
	lb_autoclose int fd = openat(folder, name,
				     O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
					     O_NOCTTY | O_CLOEXEC);
	struct stat st;
	mode_t mode;

	if (fd < 0 || fstat(fd, &st) < 0 ||
	    (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		return;
	mode = (st.st_mode & 0777) | (S_ISDIR(st.st_mode) ? 0777 : 0666);
	if (mode != (st.st_mode & 07777))
		(void)!fchmod(fd, mode);
}

int lb_skill_lend(int folder, struct lb_error *err)
{
	const struct lb_walk_options options = {.max_entries = 20000};
	struct lb_walk_entry e;
	struct lb_walk *walk;

	if (geteuid() != 0)
		return 0;
	lend_one(folder, ".");
	walk = lb_walk_open(folder, &options, err);
	if (!walk)
		return -1;
	while (lb_walk_next(walk, &e) > 0) {
		if (e.type != DT_REG && e.type != DT_DIR)
			continue;
		lend_one(e.folder, e.name);
		if (e.type == DT_DIR)
			lb_walk_enter(walk);
	}
	lb_walk_close(walk);
	return 0;
}
