#include "store/place.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"

enum { LOCK_POLL_MS = 20, FUSE_MAGIC = 0x65735546 };

static const char *const remote_types[] = {
	"nfs",
	"nfs4",
	"cifs",
	"smb3",
	"smbfs",
	"9p",
	"afs",
	"ceph",
	"coda",
	"ncpfs",
	"lustre",
	"beegfs",
	"gpfs",
	"fuse.sshfs",
	"fuse.s3fs",
	"fuse.rclone",
	"fuse.gvfsd",
	"fuse.davfs",
	"fuse.curlftpfs",
	"fuse.glusterfs",
	"fuse.ceph",
	"fuse.gcsfuse",
	"fuse.goofys",
	"fuse.juicefs",
	"fuse.nfs",
	"fuse.smbnetfs",
	"fuse.mount-s3",
	"fuse.blobfuse",
};

int lb_place_is_remote(const char *type)
{
	for (size_t i = 0; i < sizeof(remote_types) / sizeof(*remote_types);
	     i++) {
		size_t n = strlen(remote_types[i]);

		/* "fuse.gvfsd-fuse", "fuse.blobfuse2", but not "nfsd" */
		if (strcmp(type, remote_types[i]) == 0 ||
		    (strncmp(type, "fuse.", 5) == 0 &&
		     strncmp(type, remote_types[i], n) == 0))
			return 1;
	}
	return 0;
}

/* The type of the FUSE file system that holds st, "fuse" if not known. */
static void fuse_type(const struct stat *st, char type[64])
{
	FILE *mounts = fopen("/proc/self/mountinfo", "re");
	char line[4096], found[64];
	unsigned int major, minor;

	snprintf(type, 64, "fuse");
	while (mounts && fgets(line, sizeof(line), mounts)) {
		const char *dash = strstr(line, " - ");

		if (dash &&
		    sscanf(line, "%*d %*d %u:%u", &major, &minor) == 2 &&
		    makedev(major, minor) == st->st_dev &&
		    sscanf(dash, " - %63s", found) == 1)
			snprintf(type, 64, "%s", found);
	}
	if (mounts)
		fclose(mounts);
}

/* Remote file systems by their magic numbers, see statfs(2). */
static const char *type_of(const struct statfs *fs)
{
	switch ((unsigned long)fs->f_type & 0xffffffffUL) {
	case 0x6969:
		return "nfs";
	case 0x517b:
	case 0xff534d42:
	case 0xfe534d42:
		return "cifs";
	case 0x01021997:
		return "9p";
	case 0x5346414f:
	case 0x6b414653:
		return "afs";
	case 0x00c36400:
		return "ceph";
	case 0x73757245:
		return "coda";
	case 0x564c:
		return "ncpfs";
	case 0x0bd00bd0:
		return "lustre";
	case 0x19830326:
		return "beegfs";
	case 0x47504653:
		return "gpfs";
	}
	return "";
}

int lb_place_check(const char *folder, struct lb_error *err)
{
	struct statfs fs;
	struct stat st;
	char type[64];

	if (statfs(folder, &fs) < 0 || stat(folder, &st) < 0)
		return lb_fail_sys(err, LB_IO, "cannot look at '%s'", folder);
	snprintf(type, sizeof(type), "%s", type_of(&fs));
	if (fs.f_type == FUSE_MAGIC)
		fuse_type(&st, type);
	if (!lb_place_is_remote(type))
		return 0;
	return lb_fail(err, LB_CONFIG,
		       "'%s' is on a network file system (%s), where a "
		       "database would be damaged: set LB_STATE to a local "
		       "folder",
		       folder, type);
}

/* A pipe would be waited for, /dev/null would keep nothing. */
static int check_file(const char *file, struct lb_error *err)
{
	struct stat st;

	if (stat(file, &st) == 0 && !S_ISREG(st.st_mode))
		return lb_fail(err, LB_IO, "'%s' is not a file", file);
	return 0;
}

int lb_place_make(const char *folder, const char *file, struct lb_error *err)
{
	lb_autoclose int fd = -1;

	if (access(folder, F_OK) < 0 && lb_path_make(folder, err) < 0)
		return -1;
	if (lb_place_check(folder, err) < 0)
		return -1;
	fd = open(file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 && errno == EEXIST)
		return check_file(file, err);
	if (fd < 0 || fchmod(fd, 0600) < 0)
		return lb_fail_sys(err, LB_IO, "cannot make '%s'", file);
	return 0;
}

int lb_place_lock(const char *path, int wait_ms, struct lb_error *err)
{
	int64_t deadline = lb_clock_mono() + wait_ms;
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return lb_fail_sys(err, LB_IO, "cannot open '%s'", path);
	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR) {
			lb_fail_sys(err, LB_IO, "cannot lock '%s'", path);
			close(fd);
			return -1;
		}
		if (lb_clock_mono() >= deadline) {
			close(fd);
			return lb_fail(err, LB_AGAIN,
				       "'%s' is held by another process", path);
		}
		poll(NULL, 0, LOCK_POLL_MS);
	}
	return fd;
}
