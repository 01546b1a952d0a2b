#include "box/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/mem.h"

int lb_stage_failed(int why, const char *step, const char *name)
{
	int bad = errno;

	dprintf(why, "%s%s%s%s", step, name ? " '" : "", name ? name : "",
		name ? "'" : "");
	errno = bad;
	return -1;
}

/* What is at an absolute path, through no link whose target we have not seen:
 * the path is real already. */
static int open_source(const struct lb_stage_source *s)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | O_NOFOLLOW,
		.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	struct stat st;
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, s->source, &how,
			      sizeof(how));

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && st.st_dev == s->dev && st.st_ino == s->ino)
		return fd;
	close(fd);
	errno = ESTALE;
	return -1;
}

static int move(int tree, int folder, const char *name)
{
	return (int)syscall(SYS_move_mount, tree, "", folder, name,
			    MOVE_MOUNT_F_EMPTY_PATH);
}

static int set_flags(int tree, uint64_t flags, unsigned how)
{
	struct mount_attr attr = {.attr_set = flags};

	return (int)syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH | how,
			    &attr, sizeof(attr));
}

/* Under its name in a folder, where nothing is yet. */
static int set_source(const struct lb_stage_source *s, int folder, int why)
{
	lb_autoclose int source = open_source(s), copy = -1;
	int fd;

	if (source < 0)
		return lb_stage_failed(why, "mount", s->source);
	fd = s->is_file ? openat(folder, s->name,
				 O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644)
			: mkdirat(folder, s->name, 0755);
	if (fd < 0)
		return lb_stage_failed(why, "stage", s->source);
	if (s->is_file)
		close(fd);
	copy = (int)syscall(SYS_open_tree, source, "",
			    AT_EMPTY_PATH | OPEN_TREE_CLONE |
				    OPEN_TREE_CLOEXEC);
	if (copy < 0 ||
	    set_flags(copy,
		      MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
			      (s->read_only ? MOUNT_ATTR_RDONLY : 0),
		      0) < 0 ||
	    move(copy, folder, s->name) < 0)
		return lb_stage_failed(why, "mount", s->source);
	return 0;
}

/* One that those below can be reached in, whatever our umask was when it was
 * made. */
static int make_folder(const char *path)
{
	struct stat st;

	if (mkdir(path, 0711) < 0 && errno != EEXIST)
		return -1;
	if (lstat(path, &st) < 0 || !S_ISDIR(st.st_mode) || st.st_uid != 0) {
		errno = EPERM;
		return -1;
	}
	return (st.st_mode & 0111) == 0111 ? 0 : chmod(path, 0711);
}

/* A folder of the system, read-only with all that is mounted in it. */
static int set_read_only(const char *source, int folder, const char *name)
{
	lb_autoclose int tree = (int)syscall(SYS_open_tree, AT_FDCWD, source,
					     AT_RECURSIVE | OPEN_TREE_CLONE |
						     OPEN_TREE_CLOEXEC);

	if (tree < 0 ||
	    set_flags(tree,
		      MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV,
		      AT_RECURSIVE) < 0)
		return -1;
	return move(tree, folder, name);
}

/* /bin and its like are links into /usr, or folders of their own. */
static int set_system(int root, int why)
{
	static const char *const those[] = {"/bin", "/sbin", "/lib", "/lib64",
					    "/lib32"};
	char target[PATH_MAX];
	struct stat st;

	if (mkdirat(root, "usr", 0755) < 0 ||
	    set_read_only("/usr", root, "usr") < 0)
		return lb_stage_failed(why, "mount", "/usr");
	for (size_t i = 0; i < sizeof(those) / sizeof(those[0]); i++) {
		const char *name = those[i] + 1;
		ssize_t len = readlink(those[i], target, sizeof(target) - 1);

		if (len > 0) {
			target[len] = '\0';
			if (symlinkat(target, root, name) < 0)
				return lb_stage_failed(why, "make", those[i]);
		} else if (stat(those[i], &st) == 0 &&
			   (mkdirat(root, name, 0755) < 0 ||
			    set_read_only(those[i], root, name) < 0)) {
			return lb_stage_failed(why, "mount", those[i]);
		}
	}
	return 0;
}

/* Certificates are mounted: a copy of hundreds would take its time. */
static int set_etc(const struct lb_stage_source *etc, int root, int why)
{
	static const char certificates[] = "/etc/ssl/certs";
	struct stat st;

	if (set_source(etc, root, why) < 0)
		return -1;
	if (stat(certificates, &st) == 0 &&
	    set_read_only(certificates, root, certificates + 1) < 0)
		return lb_stage_failed(why, "mount", certificates);
	return 0;
}

static int set_memory(const char *path, unsigned long flags,
		      const char *options, uint64_t bytes, int why)
{
	char all[128];

	snprintf(all, sizeof(all), "%s,size=%llu", options,
		 (unsigned long long)bytes);
	if (mount("tmpfs", path, "tmpfs", MS_NOSUID | flags, all) < 0)
		return lb_stage_failed(why, "mount", path);
	return 0;
}

/* A device of this machine; a container that has none of its own lets nobody
 * make one, and lends those that it has. */
static int set_device(int dev, const char *name, unsigned major_,
		      unsigned minor_)
{
	lb_autoclose int tree = -1, file = -1;
	char path[64];

	if (mknodat(dev, name, S_IFCHR | 0666, makedev(major_, minor_)) == 0)
		return 0;
	file = openat(dev, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
	snprintf(path, sizeof(path), "/dev/%s", name);
	tree = (int)syscall(SYS_open_tree, AT_FDCWD, path,
			    OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	return file < 0 || tree < 0 ? -1 : move(tree, dev, name);
}

static int set_devices(const struct lb_stage *s, int root, int why)
{
	static const struct {
		const char *name;
		unsigned major_, minor_;
	} devices[] = {
		{"null", 1, 3},   {"zero", 1, 5},    {"full", 1, 7},
		{"random", 1, 8}, {"urandom", 1, 9}, {"tty", 5, 0},
	};
	static const char *const links[][2] = {
		{"/proc/self/fd", "fd"},       {"/proc/self/fd/0", "stdin"},
		{"/proc/self/fd/1", "stdout"}, {"/proc/self/fd/2", "stderr"},
		{"/proc/kcore", "core"},       {"pts/ptmx", "ptmx"},
	};
	static const char at[] = LB_STAGE_ROOT "/dev";
	lb_autoclose int dev = -1;

	if (mkdirat(root, "dev", 0755) < 0)
		return lb_stage_failed(why, "make", "/dev");
	if (!s->is_whole &&
	    set_memory(at, MS_NOEXEC, "mode=0755", 65536, why) < 0)
		return -1;
	dev = openat(root, "dev", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dev < 0)
		return lb_stage_failed(why, "open", "/dev");
	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
		if (set_device(dev, devices[i].name, devices[i].major_,
			       devices[i].minor_) < 0)
			return lb_stage_failed(why, "make", devices[i].name);
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++)
		if (symlinkat(links[i][0], dev, links[i][1]) < 0)
			return lb_stage_failed(why, "make", links[i][1]);
	if (mkdirat(dev, "pts", 0755) < 0 || mkdirat(dev, "shm", 0755) < 0 ||
	    mount("devpts", LB_STAGE_ROOT "/dev/pts", "devpts",
		  MS_NOSUID | MS_NOEXEC,
		  "newinstance,ptmxmode=0666,mode=620") < 0)
		return lb_stage_failed(why, "mount", "/dev/pts");
	if (set_memory(LB_STAGE_ROOT "/dev/shm", MS_NODEV, "mode=1777",
		       s->tmp_bytes, why) < 0)
		return -1;
	if (!s->is_whole &&
	    mount(NULL, at, NULL,
		  MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NOEXEC,
		  NULL) < 0)
		return lb_stage_failed(why, "close", "/dev");
	return 0;
}

/* Over a folder that nobody can change for another while we do it. */
static int set_pin(const struct lb_stage *s, int stage, int workspace, int why)
{
	struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
			   RESOLVE_NO_MAGICLINKS,
	};
	lb_autoclose int folder = -1, pin = -1;

	if (s->workspace_bytes && mkdirat(workspace, ".skills", 0755) < 0)
		return lb_stage_failed(why, "make", ".skills");
	folder = (int)syscall(SYS_openat2, workspace, ".skills", &how,
			      sizeof(how));
	if (folder < 0 || mkdirat(stage, "skills", 0755) < 0)
		return lb_stage_failed(why, "mount", ".skills");
	pin = (int)syscall(SYS_open_tree, stage, "skills",
			   OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (pin < 0 ||
	    syscall(SYS_move_mount, pin, "", folder, "",
		    MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0)
		return lb_stage_failed(why, "mount", ".skills");
	for (int i = 0; i < s->n_skills; i++)
		if (set_source(&s->skills[i], pin, why) < 0)
			return -1;
	return set_flags(pin, MOUNT_ATTR_RDONLY, 0) < 0
		       ? lb_stage_failed(why, "close", ".skills")
		       : 0;
}

static int set_workspace(const struct lb_stage *s, int stage, int root,
			 const char *options, int why)
{
	lb_autoclose int workspace = -1;

	if (!s->workspace && !s->workspace_bytes)
		return 0;
	if (s->workspace) {
		if (set_source(s->workspace, root, why) < 0)
			return -1;
	} else if (mkdirat(root, "workspace", 0755) < 0) {
		return lb_stage_failed(why, "make", "/workspace");
	} else if (set_memory(LB_STAGE_ROOT "/workspace", MS_NODEV, options,
			      s->workspace_bytes, why) < 0) {
		return -1;
	}
	if (!s->pins_skills)
		return 0;
	workspace = openat(root, "workspace",
			   O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (workspace < 0)
		return lb_stage_failed(why, "open", "/workspace");
	return set_pin(s, stage, workspace, why);
}

static int set_root(const struct lb_stage *s, int stage, int why)
{
	static const char *const folders[] = {"run", "var", "var/tmp", "proc"};
	lb_autoclose int root = -1;
	char options[64];

	snprintf(options, sizeof(options), "mode=0755,uid=%u,gid=%u", s->uid,
		 s->gid);
	if (mkdirat(stage, "root", 0755) < 0)
		return lb_stage_failed(why, "make", LB_STAGE_ROOT);
	if (!s->is_whole &&
	    set_memory(LB_STAGE_ROOT, MS_NODEV, options, s->tmp_bytes, why) < 0)
		return -1;
	root = openat(stage, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return lb_stage_failed(why, "open", LB_STAGE_ROOT);
	if (s->is_whole && fchownat(stage, "root", s->uid, s->gid, 0) < 0)
		return lb_stage_failed(why, "make", LB_STAGE_ROOT);
	if (mkdirat(root, "tmp", 0755) < 0)
		return lb_stage_failed(why, "make", "/tmp");
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (mkdirat(root, folders[i], 0755) < 0 ||
		    fchownat(root, folders[i], s->uid, s->gid, 0) < 0)
			return lb_stage_failed(why, "make", folders[i]);
	if (set_system(root, why) < 0 || set_etc(s->etc, root, why) < 0 ||
	    set_devices(s, root, why) < 0 ||
	    set_workspace(s, stage, root, options, why) < 0)
		return -1;
	return set_memory(LB_STAGE_ROOT "/tmp", MS_NODEV, "mode=1777",
			  s->tmp_bytes, why);
}

int lb_stage_set(const struct lb_stage *s, int why)
{
	lb_autoclose int stage = -1;

	if (unshare(CLONE_NEWNS) < 0)
		return lb_stage_failed(why, "unshare", "mount namespace");
	if (mount("none", "/", "none", MS_REC | MS_SLAVE, NULL) < 0)
		return lb_stage_failed(why, "mount", "/");
	if (make_folder("/run/lb") < 0 || make_folder(LB_STAGE) < 0)
		return lb_stage_failed(why, "make", LB_STAGE);
	umask(0); /* the modes below are what is meant */
	if (mount("tmpfs", LB_STAGE, "tmpfs",
		  MS_NOSUID | MS_NOEXEC | (s->is_whole ? 0 : MS_NODEV),
		  "mode=0711,size=64k") < 0)
		return lb_stage_failed(why, "mount", LB_STAGE);
	stage = open(LB_STAGE, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (stage < 0)
		return lb_stage_failed(why, "open", LB_STAGE);
	for (int i = 0; i < s->n_sources; i++)
		if (set_source(&s->sources[i], stage, why) < 0)
			return -1;
	if (s->etc && set_root(s, stage, why) < 0)
		return -1;
	if (s->is_whole &&
	    mount(NULL, LB_STAGE, NULL,
		  MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NOEXEC,
		  NULL) < 0)
		return lb_stage_failed(why, "close", LB_STAGE);
	return 0;
}
