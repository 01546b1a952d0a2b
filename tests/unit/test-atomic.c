/* test-atomic - files replaced in one step. Prints TAP. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "fs/atomic.h"

static char folder[] = "/tmp/lb-test-XXXXXX";
static int n, bad;

static void ok(bool good, const char *what)
{
	n++;
	bad |= !good;
	printf("%sok %d - %s\n", good ? "" : "not ", n, what);
}

static bool holds(const char *path, const char *expected, mode_t mode)
{
	lb_autofree char *text = NULL;
	struct lb_error err;
	struct stat st;
	size_t len;

	return lb_path_read(path, 1000, &text, &len, &err) == 0 &&
	       strcmp(text, expected) == 0 && stat(path, &st) == 0 &&
	       (st.st_mode & 0777) == mode;
}

static int entries(void)
{
	struct dirent *entry;
	DIR *dir = opendir(folder);
	int count = 0;

	while (dir && (entry = readdir(dir)))
		count += entry->d_name[0] != '.' || strlen(entry->d_name) > 2;
	closedir(dir);
	return count;
}

int main(void)
{
	struct lb_error err = {0};
	lb_autofree char *path = NULL, *deep = NULL;

	if (!mkdtemp(folder))
		return 99;
	path = lb_printf("%s/file", folder);
	deep = lb_printf("%s/none/file", folder);
	umask(0);
	ok(lb_atomic_write(path, "one", 3, &err) == 0 &&
		   holds(path, "one", 0600),
	   "a new file is its owner's alone under any umask");
	chmod(path, 0640);
	ok(lb_atomic_write(path, "two", 3, &err) == 0 &&
		   holds(path, "two", 0640),
	   "a file that is there keeps its mode");
	ok(lb_atomic_create(path, "three", 5, &err) < 0 &&
		   err.code == LB_DENIED && holds(path, "two", 0640),
	   "create refuses a file that is there");
	ok(lb_atomic_write(deep, "x", 1, &err) < 0 && err.code == LB_IO,
	   "no folder is an error");
	ok(lb_atomic_write(folder, "x", 1, &err) < 0 && err.code == LB_IO,
	   "a folder is no file");
	ok(entries() == 1, "nothing else is left behind");
	ok(unlink(path) == 0 && lb_atomic_create(path, "four", 4, &err) == 0 &&
		   holds(path, "four", 0600) && entries() == 1,
	   "create makes a file that is not there");
	ok(unlink(path) == 0 && rmdir(folder) == 0, "the folder goes");
	printf("1..%d\n", n);
	return bad;
}
