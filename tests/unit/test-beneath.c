/*
 * test-beneath - nothing is opened outside of a folder, also while somebody
 * else swaps folders for links. TAP.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "fs/beneath.h"
#include "tap.h"

enum { ROUNDS = 50000, LIMIT_MS = 60000 };

static void put(int at, const char *name, const char *text)
{
	lb_autoclose int fd =
		openat(at, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		perror(name);
}

static void link_to(const char *target, int at, const char *name)
{
	if (symlinkat(target, at, name) < 0)
		perror(name);
}

static void expect(int root, const char *path, enum lb_beneath_kind kind,
		   enum lb_exit code)
{
	const struct lb_beneath at = {root, path, NULL};
	struct lb_error err = {.code = LB_OK};
	int fd = lb_beneath_open(&at, O_RDONLY, kind, &err);

	tap_ok((fd >= 0) == (code == LB_OK) && err.code == code, path);
	if (err.code != code)
		printf("# %d: %s\n", err.code, err.text);
	if (fd >= 0)
		close(fd);
}

static void check_table(int root)
{
	expect(root, ".", LB_BENEATH_FOLDER, LB_OK);
	expect(root, "in/f", LB_BENEATH_FILE, LB_OK);
	expect(root, "in/../in/f", LB_BENEATH_FILE, LB_OK);
	expect(root, "in/up", LB_BENEATH_FILE, LB_OK);
	expect(root, "in/f", LB_BENEATH_FOLDER, LB_NOINPUT);
	expect(root, "in", LB_BENEATH_FILE, LB_DATA);
	expect(root, "in", LB_BENEATH_EITHER, LB_OK);
	expect(root, "none", LB_BENEATH_FILE, LB_NOINPUT);
	expect(root, "in/f/x", LB_BENEATH_FILE, LB_NOINPUT);
	expect(root, "..", LB_BENEATH_EITHER, LB_DENIED);
	expect(root, "in/../../w/in/f", LB_BENEATH_FILE, LB_DENIED);
	expect(root, "/etc/passwd", LB_BENEATH_FILE, LB_DENIED);
	expect(root, "out/f", LB_BENEATH_FILE, LB_DENIED);
	expect(root, "abs", LB_BENEATH_EITHER, LB_DENIED);
	expect(root, "magic", LB_BENEATH_EITHER, LB_DENIED);
	expect(root, "loop", LB_BENEATH_EITHER, LB_DENIED);
	expect(root, "fifo", LB_BENEATH_EITHER, LB_DATA);
}

static void check_find(int root)
{
	struct lb_beneath at = {root, "new/a/b/f", NULL};
	struct lb_beneath_spot spot;
	struct lb_error err;
	bool ok;

	tap_ok(lb_beneath_find(&at, false, &spot, &err) < 0 &&
		       err.code == LB_NOINPUT,
	       "parents are not made unless that is asked for");
	ok = lb_beneath_find(&at, true, &spot, &err) == 0;
	tap_ok(ok && strcmp(spot.name, "f") == 0, "and are, if it is");
	if (ok) {
		put(spot.folder, spot.name, "x");
		close(spot.folder);
	}
	expect(root, "new/a/b/f", LB_BENEATH_FILE, LB_OK);
	at.path = "in/up";
	ok = lb_beneath_find(&at, true, &spot, &err) == 0;
	tap_ok(ok && strcmp(spot.name, "f") == 0, "a link is followed");
	if (ok)
		close(spot.folder);
	at.path = "out/n/f";
	tap_ok(lb_beneath_find(&at, true, &spot, &err) < 0 &&
		       err.code == LB_DENIED,
	       "no folder is made outside");
	at.path = "abs";
	tap_ok(lb_beneath_find(&at, true, &spot, &err) < 0 &&
		       err.code == LB_DENIED,
	       "no link out is followed");
	at.path = "loop";
	tap_ok(lb_beneath_find(&at, true, &spot, &err) < 0, "nor a loop");
	at.path = "in/..";
	tap_ok(lb_beneath_find(&at, true, &spot, &err) < 0,
	       "a folder is no spot");
}

/* ---- the race ---- */

static void swap_for_ever(int root)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		renameat2(root, "race", root, "trap", RENAME_EXCHANGE);
		renameat2(root, "in2/f", root, "in2/l", RENAME_EXCHANGE);
	}
}

struct tally {
	int good, leaks, refused;
};

static void read_once(int root, const char *path, struct tally *t)
{
	const struct lb_beneath at = {root, path, NULL};
	struct lb_error err;
	lb_autoclose int fd =
		lb_beneath_open(&at, O_RDONLY, LB_BENEATH_FILE, &err);
	char c = 0;

	if (fd < 0)
		t->refused++;
	else if (read(fd, &c, 1) == 1 && c == 's')
		t->leaks++;
	else
		t->good++;
}

static void write_once(int root, const char *path, struct tally *t)
{
	const struct lb_beneath at = {root, path, NULL};
	struct lb_beneath_spot spot;
	struct lb_error err;

	if (lb_beneath_find(&at, true, &spot, &err) < 0) {
		t->refused++;
		return;
	}
	put(spot.folder, "written", "w");
	close(spot.folder);
	t->good++;
}

static void check_race(int root, int secret)
{
	int64_t end = lb_clock_mono() + LIMIT_MS;
	struct tally reads = {0}, writes = {0};
	pid_t pid;
	int i;

	pid = fork();
	if (pid == 0)
		swap_for_ever(root);
	for (i = 0; i < ROUNDS && lb_clock_mono() < end; i++) {
		read_once(root, i % 2 ? "race/f" : "in2/f", &reads);
		if (i % 2)
			write_once(root, "race/n/f", &writes);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	printf("# reads %d good, %d refused; writes %d good, %d refused\n",
	       reads.good, reads.refused, writes.good, writes.refused);
	tap_ok(i == ROUNDS, "50,000 rounds");
	tap_ok(reads.leaks == 0, "no read leaves the folder");
	tap_ok(faccessat(secret, "n", F_OK, 0) < 0 &&
		       faccessat(secret, "written", F_OK, 0) < 0,
	       "no write does");
	tap_ok(reads.good > 9 && reads.refused > 9 && writes.good > 9 &&
		       writes.refused > 9,
	       "both sides of the race were met");
}

int main(void)
{
	char folder[] = "/tmp/lb-beneath-XXXXXX";
	lb_autoclose int top = -1;
	lb_autoclose int root = -1;
	lb_autoclose int secret = -1;
	char remove[64];

	if (!mkdtemp(folder))
		return 99;
	top = open(folder, O_RDONLY | O_DIRECTORY);
	mkdirat(top, "w", 0700);
	mkdirat(top, "secret", 0700);
	root = openat(top, "w", O_PATH | O_DIRECTORY);
	secret = openat(top, "secret", O_PATH | O_DIRECTORY);
	put(secret, "f", "secret");
	mkdirat(root, "in", 0700);
	mkdirat(root, "in2", 0700);
	mkdirat(root, "race", 0700);
	put(root, "in/f", "inside");
	put(root, "in2/f", "inside");
	put(root, "race/f", "inside");
	link_to("../in/f", root, "in/up");
	link_to("../../secret/f", root, "in2/l");
	link_to("../secret", root, "out");
	link_to("../secret", root, "trap");
	link_to("/etc/passwd", root, "abs");
	link_to("/proc/self/root/etc", root, "magic");
	link_to("loop", root, "loop");
	mkfifoat(root, "fifo", 0600);
	check_table(root);
	check_find(root);
	check_race(root, secret);
	snprintf(remove, sizeof(remove), "rm -rf %s", folder);
	return tap_end() || system(remove) != 0;
}
