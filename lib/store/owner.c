#include "store/owner.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

int lb_owners_open(struct lb_owners *o, const char *path, struct lb_error *err)
{
	if (o->fd < 0)
		o->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
			     0600);
	if (o->fd < 0)
		return lb_fail_sys(err, LB_IO, "cannot open '%s'", path);
	return 0;
}

void lb_owners_release(struct lb_owners *o)
{
	if (o->fd >= 0)
		close(o->fd);
	free(o->mine);
	*o = (struct lb_owners){.fd = -1};
}

static struct flock byte_of(int64_t owner)
{
	return (struct flock){.l_type = F_WRLCK,
			      .l_whence = SEEK_SET,
			      .l_start = owner,
			      .l_len = 1};
}

int lb_owners_lock(struct lb_owners *o, const char *path, int64_t owner,
		   struct lb_error *err)
{
	struct flock lock = byte_of(owner);

	if (lb_owners_open(o, path, err) < 0)
		return -1;
	if (fcntl(o->fd, F_OFD_SETLK, &lock) < 0)
		return lb_fail_sys(err, LB_IO, "cannot lock '%s'", path);
	o->mine = lb_grow(o->mine, (o->n + 1) * sizeof(*o->mine));
	o->mine[o->n++] = owner;
	return 0;
}

void lb_owners_unlock(struct lb_owners *o, int64_t owner)
{
	struct flock lock = byte_of(owner);

	for (size_t i = 0; i < o->n; i++)
		if (o->mine[i] == owner) {
			o->mine[i] = o->mine[--o->n];
			lock.l_type = F_UNLCK;
			fcntl(o->fd, F_OFD_SETLK, &lock);
			return;
		}
}

bool lb_owners_has(const struct lb_owners *o, int64_t owner)
{
	struct flock lock = byte_of(owner);

	for (size_t i = 0; i < o->n; i++)
		if (o->mine[i] == owner)
			return true;
	return fcntl(o->fd, F_OFD_GETLK, &lock) < 0 || lock.l_type != F_UNLCK;
}
