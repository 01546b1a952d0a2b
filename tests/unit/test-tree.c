/* test-tree - how much is in a folder, and removing it. TAP. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "fs/tree.h"
#include "tap.h"

static const struct lb_tree_limits none = {0};

static void must(int result)
{
	if (result < 0)
		perror("test-tree");
}

static int make_folder(int at, const char *name)
{
	mkdirat(at, name, 0700);
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void put(int at, const char *name, size_t bytes)
{
	lb_autoclose int fd = openat(at, name, O_WRONLY | O_CREAT, 0600);
	lb_autofree char *text = lb_alloc(bytes + 1);

	if (fd < 0 || write(fd, text, bytes) < (ssize_t)bytes)
		perror(name);
}

/* Folders in folders: the path is far longer than PATH_MAX. */
static void make_deep(int at, int levels)
{
	char name[201];
	int fd = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	memset(name, 'd', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (int i = 0; i < levels && fd >= 0; i++) {
		int next = make_folder(fd, name);

		close(fd);
		fd = next;
	}
	put(fd, "last", 10000);
	close(fd);
}

static void check_size(int top)
{
	lb_autoclose int fd = make_folder(top, "size");
	lb_autoclose int sub = make_folder(fd, "sub");
	lb_autoclose int holes = -1;
	struct lb_tree_size size;
	struct lb_error err;
	struct lb_tree_limits limits = {0};

	put(fd, "a", 100000);
	put(sub, "b", 50000);
	must(linkat(fd, "a", sub, "again", 0));
	must(symlinkat("/", fd, "root"));
	mkfifoat(fd, "fifo", 0600);
	tap_ok(lb_tree_size(fd, &none, &size, &err) == 0 &&
		       size.end == LB_WALK_WHOLE && size.entries == 6 &&
		       size.unread == 0,
	       "all entries are counted, links not followed");
	tap_ok(size.bytes >= 150000 && size.bytes < 200000,
	       "a file of two names counts once");
	limits.max_bytes = 60000;
	lb_tree_size(fd, &limits, &size, &err);
	tap_ok(size.bytes > 60000, "a limit of bytes is seen to be passed");
	limits = (struct lb_tree_limits){.max_entries = 3};
	lb_tree_size(fd, &limits, &size, &err);
	tap_ok(size.entries > 3 && size.entries < 6,
	       "so is one of entries, and no more is looked at");
	limits = (struct lb_tree_limits){.max_entries = 6};
	lb_tree_size(fd, &limits, &size, &err);
	tap_ok(size.entries == 6 && size.end == LB_WALK_WHOLE,
	       "as many as the limit are all of them");
	holes = openat(fd, "a", O_WRONLY | O_CLOEXEC);
	must(ftruncate(holes, 1LL << 40));
	lb_tree_size(fd, &none, &size, &err);
	tap_ok(size.bytes < 200000, "holes take no room");
}

static void check_deep(int top)
{
	struct lb_tree_size size;
	struct lb_error err = {.text = ""};
	lb_autoclose int fd = make_folder(top, "deep");

	make_deep(fd, 1000);
	tap_ok(lb_tree_size(fd, &none, &size, &err) == 0 &&
		       size.entries == 1001 && size.end == LB_WALK_WHOLE,
	       "a tree that is deeper than a path can be long");
	tap_ok(lb_tree_remove(top, "deep", &none, &err) == 0 &&
		       faccessat(top, "deep", F_OK, 0) < 0,
	       "and is removed");
}

static void check_names(int top)
{
	static const char *const names[] = {
		"-rf", "a\nb", "*", "\xff\xfe", " ",
		"...", "\\",   "~", "\x1b[2J",
	};
	struct lb_error err = {.text = ""};
	lb_autoclose int fd = make_folder(top, "names");
	char longest[256];

	memset(longest, 'x', 255);
	longest[255] = '\0';
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		lb_autoclose int sub = make_folder(fd, names[i]);

		put(sub, names[i], 1);
	}
	put(fd, longest, 1);
	must(symlinkat("..", fd, "up"));
	mkfifoat(fd, "fifo", 0600);
	must(fchmodat(fd, "*", 0, 0));
	must(fchmodat(fd, "~", 0500, 0));
	tap_ok(lb_tree_remove(top, "names", &none, &err) == 0 &&
		       faccessat(top, "names", F_OK, 0) < 0,
	       "any name, and folders without rights");
	put(top, "beside", 1);
	must(symlinkat("keep", top, "link"));
	close(make_folder(top, "keep"));
	tap_ok(lb_tree_remove(top, "link", &none, &err) == 0 &&
		       faccessat(top, "keep", F_OK, 0) == 0,
	       "of a link, the link");
	tap_ok(lb_tree_remove(top, "beside", &none, &err) == 0, "a file alone");
	tap_ok(lb_tree_remove(top, "nothing", &none, &err) == 0,
	       "what is not there");
}

static void check_limits(int top)
{
	const struct lb_tree_limits few = {.max_entries = 10};
	struct lb_error err = {.text = ""};
	lb_autoclose int fd = make_folder(top, "many");
	char name[16];
	int tries = 0;

	for (int i = 0; i < 25; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		put(fd, name, 1);
	}
	while (lb_tree_remove(top, "many", &few, &err) < 0 &&
	       err.code == LB_AGAIN && tries < 9)
		tries++;
	tap_ok(tries == 2, "a limit ends it, and it can be gone on with");
}

int main(void)
{
	char folder[] = "/tmp/lb-tree-XXXXXX";
	lb_autoclose int top = -1;
	struct lb_error err;
	lb_autoclose int tmp = open("/tmp", O_RDONLY | O_DIRECTORY);

	if (!mkdtemp(folder))
		return 99;
	top = open(folder, O_RDONLY | O_DIRECTORY);
	check_size(top);
	check_deep(top);
	check_names(top);
	check_limits(top);
	tap_ok(lb_tree_remove(tmp, folder + strlen("/tmp/"), &none, &err) == 0,
	       "all of this");
	return tap_end();
}
