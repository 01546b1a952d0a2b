#include "box/image.h"

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <linux/major.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/proc.h"

enum { MKFS_MS = 30000, MAX_SAID = 16 * 1024, TRIES = 32 };

static int make_file(const char *path, int64_t mb, struct lb_error *err)
{
	lb_autoclose int fd =
		open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		     0600);

	if (fd < 0 || ftruncate(fd, (off_t)mb << 20) < 0)
		return lb_fail_sys(err, LB_IO, "cannot make '%s'", path);
	return 0;
}

int lb_box_image_make(const char *path, int64_t mb, int64_t files,
		      struct lb_error *err)
{
	/* Of whoever was killed here mkfs may go on: in a file of its own. */
	lb_autofree char *new = lb_printf("%s.new.%ld", path, (long)getpid());
	lb_autofree char *inodes = lb_printf("%lld", (long long)files);
	const char *const argv[] =
		{"mkfs.ext4",
		 "-q",
		 "-F",
		 "-O",
		 "^has_journal",
		 "-E",
		 "lazy_itable_init=1,nodiscard,root_owner=0:0",
		 "-m",
		 "0",
		 "-N",
		 inodes,
		 new,
		 NULL};
	static const char *const env[] = {"PATH=/usr/sbin:/sbin:/usr/bin:/bin",
					  NULL};
	lb_autobuf struct lb_buf said = {NULL};
	const struct lb_proc_job job = {.argv = (char *const *)(uintptr_t)argv,
					.env = (char *const *)(uintptr_t)env,
					.max = MAX_SAID,
					.timeout_ms = MKFS_MS};

	unlink(new);
	if (make_file(new, mb, err) < 0) {
		unlink(new);
		return -1;
	}
	if (lb_proc_filter(&job, &said, err) < 0) {
		if (err->code == LB_NOINPUT)
			err->code = LB_UNAVAILABLE;
		unlink(new);
		return -1;
	}
	if (rename(new, path) < 0)
		return lb_fail_sys(err, LB_IO, "cannot make '%s'", path);
	return 0;
}

/* Has that loop device the file in it? */
static bool holds(int loop, const struct stat *image)
{
	struct loop_info64 info = {0};

	return ioctl(loop, LOOP_GET_STATUS64, &info) == 0 &&
	       info.lo_inode == image->st_ino &&
	       info.lo_device == image->st_dev;
}

/*
 * The one that has it already: it is mounted where we do not see it, in another
 * mount namespace, such as a service has. Two devices of one file would be two
 * file systems that destroy each other. -1: there is none.
 */
static int find(int image, char *name, size_t size)
{
	DIR *dir = opendir("/sys/block");
	const struct dirent *one;
	struct stat st;
	int found = -1;

	if (fstat(image, &st) < 0)
		st.st_ino = 0;
	while (dir && found < 0 && (one = readdir(dir)) != NULL) {
		lb_autofree char *file =
			lb_printf("/sys/block/%s/loop", one->d_name);

		if (strncmp(one->d_name, "loop", 4) != 0 ||
		    access(file, F_OK) < 0)
			continue;
		snprintf(name, size, "/dev/%.32s", one->d_name);
		found = open(name, O_RDWR | O_CLOEXEC);
		if (found >= 0 && !holds(found, &st)) {
			close(found);
			found = -1;
		}
	}
	if (dir)
		closedir(dir);
	return found;
}

bool lb_box_image_is_at(const char *path, const char *at)
{
	struct stat image, here, device;
	lb_autoclose int loop = -1;
	char name[64];

	if (stat(path, &image) < 0 || stat(at, &here) < 0 ||
	    major(here.st_dev) != LOOP_MAJOR)
		return false;
	snprintf(name, sizeof(name), "/dev/loop%u", minor(here.st_dev));
	loop = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	return loop >= 0 && fstat(loop, &device) == 0 &&
	       device.st_rdev == here.st_dev && holds(loop, &image);
}

int lb_box_image_used(const char *path, int64_t *bytes, int64_t *inodes)
{
	/* Of the superblock, Documentation/filesystems/ext4. */
	enum { AT = 1024, SIZE = 1024, MAGIC = 0xef53 };
	lb_autoclose int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	uint32_t all[SIZE / 4];
	uint32_t count, blocks, free_blocks, free_inodes, log, overhead;

	if (fd < 0 || pread(fd, all, SIZE, AT) != SIZE ||
	    (le32toh(all[14]) & 0xffff) != MAGIC)
		return -1;
	count = le32toh(all[0]);
	blocks = le32toh(all[1]);
	free_blocks = le32toh(all[3]);
	free_inodes = le32toh(all[4]);
	log = le32toh(all[6]);
	overhead = le32toh(all[0x248 / 4]);
	if (log > 6 || overhead == 0 || overhead > blocks ||
	    free_blocks > blocks - overhead || free_inodes > count)
		return -1;
	*bytes = (int64_t)(blocks - overhead - free_blocks) * (1024LL << log);
	*inodes = count - free_inodes;
	return 0;
}

/* A free loop device with the file in it; it frees itself when unmounted. */
static int attach(int control, int image, char *name, size_t size)
{
	for (int i = 0; i < TRIES; i++) {
		int number = ioctl(control, LOOP_CTL_GET_FREE), fd;
		struct loop_config config = {
			.fd = (unsigned)image,
			.info.lo_flags = LO_FLAGS_AUTOCLEAR,
		};

		if (number < 0)
			return -1;
		snprintf(name, size, "/dev/loop%d", number);
		fd = open(name, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			return -1;
		if (ioctl(fd, LOOP_CONFIGURE, &config) == 0)
			return fd;
		close(fd);
		if (errno != EBUSY) /* else somebody else took it just now */
			return -1;
	}
	return -1;
}

/* Its files, seen by nobody yet; -1 and errno. */
static int open_files(const char *device)
{
	lb_autoclose int fs = (int)syscall(SYS_fsopen, "ext4", FSOPEN_CLOEXEC);

	if (fs < 0 ||
	    syscall(SYS_fsconfig, fs, FSCONFIG_SET_STRING, "source", device,
		    0) < 0 ||
	    syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return -1;
	return (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC,
			    MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
}

static int give(int files, uid_t uid, gid_t gid)
{
	lb_autoclose int top =
		openat(files, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (top < 0)
		return -1;
	/* Of mkfs; one that is not empty is somebody's own. */
	if (unlinkat(top, "lost+found", AT_REMOVEDIR) < 0 && errno != ENOENT &&
	    errno != ENOTEMPTY && errno != ENOTDIR)
		return -1;
	return fchown(top, uid, gid) < 0 ? -1 : fchmod(top, 0700);
}

/* It appears with its owner: whoever is killed before has mounted nothing. */
int lb_box_image_mount(const char *path, const char *at, uid_t uid, gid_t gid,
		       struct lb_error *err)
{
	lb_autoclose int control =
		open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	lb_autoclose int image = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	lb_autoclose int loop = -1, files = -1;
	char name[64];

	if (image < 0)
		return lb_fail_sys(err, LB_IO, "cannot open '%s'", path);
	loop = find(image, name, sizeof(name));
	if (loop < 0 && control >= 0)
		loop = attach(control, image, name, sizeof(name));
	if (loop < 0)
		return lb_fail_sys(err, LB_UNAVAILABLE,
				   "no loop device for '%s'", path);
	files = open_files(name);
	if (files < 0)
		return lb_fail_sys(err, LB_IO, "cannot mount '%s'", path);
	if (give(files, uid, gid) < 0)
		return lb_fail_sys(err, LB_IO, "cannot give away '%s'", path);
	if (syscall(SYS_move_mount, files, "", AT_FDCWD, at,
		    MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return lb_fail_sys(err, LB_IO, "cannot mount '%s'", at);
	return 0;
}
