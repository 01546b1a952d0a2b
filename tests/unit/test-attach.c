/*
 * test-attach - files in and out of a workspace, whatever is put in their way,
 * also while somebody keeps putting it there. TAP.
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
#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "box/attach.h"
#include "box/place.h"
#include "box/session.h"
#include "config/load.h"
#include "tap.h"

enum { ROUNDS = 60, MIB = 1 << 20, TEXT = 65536 };

static char *state;
static struct lb_config *config;
static struct lb_loop *loop;
static char said[TEXT]; /* the last job came to */
static char failed[LB_ERROR_TEXT];
static bool is_done;

static void check_names(void)
{
	static const struct {
		const char *name, *want;
	} rows[] = {
		{"data.csv", "data.csv"},
		{"../../etc/passwd", "passwd"},
		{"..\\..\\boot.ini", "boot.ini"},
		{"/", "other"},
		{"..", "other"},
		{"...", "other"},
		{"", "other"},
		{NULL, "other"},
		{".bashrc", "bashrc"},
		{" . .x", "x"},
		{" two words.txt ", "two_words.txt"},
		{"a\nb\tc\x7f", "abc"},
		{"a;rm -rf $HOME`x`|&<>*?\"'", "arm_-rf_HOMEx"},
		{"\xe8\xa1\xa8.csv", "\xe8\xa1\xa8.csv"},
		{"z\xc3\xa4hler.txt", "z\xc3\xa4hler.txt"},
		{"a\xe2\x80\xae"
		 "fdp.exe",
		 "afdp.exe"},           /* right to left */
		{"\xe2\x80\x8bx", "x"}, /* not seen */
		{"a\xc2\xa0"
		 "b",
		 "ab"}, /* a blank */
		{"\xff\xfe.bin", "bin"},
		{"a\xf4\x8f\xbf\xbf", "a"},
		{"-rf", "-rf"},
	};
	char wide[400];
	lb_autobuf struct lb_buf out = {0};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		lb_buf_reset(&out);
		lb_attach_name(&out, rows[i].name, "other");
		tap_same(rows[i].want, lb_buf_str(&out), "a name");
	}
	for (size_t i = 0; i < 300; i += 3)
		memcpy(wide + i, "\xe8\xa1\xa8", 3);
	memcpy(wide + 300, ".gz", 4);
	lb_buf_reset(&out);
	lb_attach_name(&out, wide, "other");
	tap_ok(out.len <= LB_ATTACH_NAME && out.len > LB_ATTACH_NAME - 4 &&
		       strcmp(out.data + out.len - 4, "\xa8.gz") == 0,
	       "a long one keeps its extension");
}

static void check_key(const char *id, const char *want)
{
	lb_autofree char *key = lb_attach_key(id);

	tap_same(want, key, "a key");
}

static void check_kind(const char *head, size_t len, const char *name,
		       const char *want)
{
	struct lb_attach_kind k = lb_attach_kind(head, len, name);
	lb_autofree char *got =
		lb_printf("%s %s %s", k.type, k.word, k.mime ? k.mime : "-");

	tap_same(want, got, name);
}

static void check_kinds(void)
{
	check_kind("\x89PNG\r\n\x1a\n", 8, "a.png", "Image image image/png");
	check_kind("\x89PNG\r\n\x1a\n", 8, "a", "Image image image/png");
	check_kind("<html>", 6, "a.png", "File file -");
	check_kind("OggS\0\2", 6, "a.ogg", "Voice voice audio/ogg");
	check_kind("OggS\0\2", 6, "a.txt", "File file -");
	check_kind("\xff\xfbxx", 4, "noise", "File file -");
	check_kind("\xff\xfbxx", 4, "a.mp3", "Voice voice audio/mpeg");
	check_kind("\0\0\0 ftypisom", 12, "a.mp4", "File video video/mp4");
	check_kind("%PDF-1.7", 8, "a.pdf", "File file application/pdf");
	check_kind("a,b\n", 4, "a.csv", "File file -");
	check_kind("", 0, "a.gif", "File file -");
}

static void on_done(void *arg, json_t *files, const struct lb_error *err)
{
	lb_autobuf struct lb_buf text = {0};

	(void)arg;
	lb_buf_json(&text, files);
	snprintf(said, sizeof(said), "%s", lb_buf_str(&text));
	snprintf(failed, sizeof(failed), "%s", err ? err->text : "");
	is_done = true;
}

static char *place(void *arg, const char *name, size_t i)
{
	(void)arg;
	(void)name;
	return lb_printf("%s/media/%zu", state, i);
}

/* Do it, to its end. */
static void run(enum lb_attach_what what, const struct lb_attach_file *files,
		size_t n, int64_t quota_mb)
{
	struct lb_error err;
	const struct lb_attach_job job = {
		.what = what,
		.loop = loop,
		.config = config,
		.state = state,
		.session = "s",
		.key = "k",
		.quota_mb = quota_mb,
		.files = files,
		.n = n,
		.place = place,
		.done = on_done,
	};

	is_done = false;
	if (!lb_attach_start(&job, &err)) {
		printf("# %s\n", err.text);
		return;
	}
	while (!is_done && lb_loop_turn(loop, -1))
		;
}

/* Something in the workspace, as the session's user has it. */
static char *inside(const char *path)
{
	return lb_printf("%s/box/workspaces/s/%s", state, path);
}

static void own(const char *path)
{
	lb_autofree char *all = inside("");
	struct stat st;

	if (stat(all, &st) < 0 || lchown(path, st.st_uid, st.st_gid) < 0)
		perror(path);
}

static void put(const char *path, const char *text, size_t len)
{
	lb_autofree char *full = inside(path);
	lb_autoclose int fd = open(full, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, text, len) < 0)
		perror(full);
	own(full);
}

static void put_size(const char *path, off_t size)
{
	lb_autofree char *full = inside(path);

	put(path, "", 0);
	if (truncate(full, size) < 0)
		perror(full);
}

static void make_folder(const char *path)
{
	lb_autofree char *full = inside(path);

	if (mkdir(full, 0700) < 0)
		perror(full);
	own(full);
}

static void put_link(const char *target, const char *path)
{
	lb_autofree char *full = inside(path);

	if (symlink(target, full) < 0)
		perror(full);
	own(full);
}

static void remove_all(const char *path)
{
	lb_autofree char *full = inside(path);
	lb_autofree char *command = lb_printf("rm -rf '%s'", full);

	if (system(command) != 0)
		perror(command);
}

static bool is_there(const char *path)
{
	lb_autofree char *full = inside(path);
	struct stat st;

	return lstat(full, &st) == 0;
}

/* It has that text, and is a file in a folder that is one. */
static bool has(const char *path, const char *text)
{
	lb_autofree char *full = inside(path), *read = NULL;
	struct lb_error err;
	struct stat st;
	size_t len;

	return lstat(full, &st) == 0 && S_ISREG(st.st_mode) &&
	       lb_path_read(full, TEXT, &read, &len, &err) == 0 &&
	       strcmp(read, text) == 0;
}

static struct lb_attach_file file(const char *name, const char *text)
{
	struct lb_attach_file f = {.name = lb_strdup(name), .fd = -1};

	lb_buf_puts(&f.data, text);
	return f;
}

static void check_inbox(void)
{
	char path[] = "/tmp/lb-attach.XXXXXX";
	struct lb_attach_file f[5] = {file("a.csv", "1"), file("a.csv", "2"),
				      file("b", "3"), file("a.csv", "4"),
				      file("c", "")};
	int fd = mkstemp(path);

	unlink(path);
	f[2].fd = fd;
	if (write(fd, "from a file", 11) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		perror(path);
	f[4].why = "no";
	run(LB_ATTACH_PUT, f, 5, 0);
	tap_same("[{\"name\":\"a.csv\",\"size\":1},"
		 "{\"name\":\"a-2.csv\",\"size\":1},"
		 "{\"name\":\"b\",\"size\":11},"
		 "{\"name\":\"a-3.csv\",\"size\":1},"
		 "{\"name\":\"c\",\"why\":\"no\"}]",
		 said, "put, with one name three times");
	tap_ok(has("inbox/k/a.csv", "1") && has("inbox/k/a-2.csv", "2") &&
		       has("inbox/k/a-3.csv", "4") &&
		       has("inbox/k/b", "from a file"),
	       "they are there");
	put("inbox/k/old", "x", 1);
	run(LB_ATTACH_PUT, f, 1, 0);
	tap_ok(has("inbox/k/a.csv", "1") && !is_there("inbox/k/old"),
	       "what was there before is not");
	for (int i = 0; i < 5; i++)
		lb_attach_file_release(&f[i]);
}

/* What the sandbox put in the place of our folders. */
static void check_planted(void)
{
	lb_autofree char *outside = lb_printf("%s/outside", state);
	lb_autofree char *made = lb_printf("%s/k", outside);
	struct lb_attach_file f = file("a", "mine");

	if (mkdir(outside, 0777) < 0 || chmod(outside, 0777) < 0)
		perror(outside);
	remove_all("inbox");
	put_link(outside, "inbox");
	run(LB_ATTACH_PUT, &f, 1, 0);
	tap_ok(has("inbox/k/a", "mine") && access(made, F_OK) < 0,
	       "a link in place of inbox is replaced");
	remove_all("inbox/k");
	put_link(outside, "inbox/k");
	run(LB_ATTACH_PUT, &f, 1, 0);
	made[strlen(made) - 1] = 'a';
	tap_ok(has("inbox/k/a", "mine") && access(made, F_OK) < 0,
	       "a link in place of its folder is replaced");
	remove_all("inbox");
	put("inbox", "x", 1);
	run(LB_ATTACH_PUT, &f, 1, 0);
	tap_ok(has("inbox/k/a", "mine"), "a file is replaced");
	remove_all("outbox");
	put_link(outside, "outbox");
	run(LB_ATTACH_MAKE, NULL, 0, 0);
	tap_ok(is_there("outbox/k") && access(made, F_OK) < 0,
	       "a link in place of outbox is replaced");
	lb_attach_file_release(&f);
}

static void check_limits(void)
{
	struct lb_attach_file f[3] = {file("a", ""), file("b", ""),
				      file("c", "x")};
	lb_autofree char *big = lb_alloc(10 * MIB + 1);

	memset(big, 'x', 10 * MIB + 1);
	lb_buf_put(&f[0].data, big, 10 * MIB);
	lb_buf_put(&f[1].data, big, 10 * MIB);
	run(LB_ATTACH_PUT, f, 3, 0);
	tap_same("[{\"name\":\"a\",\"size\":10485760},"
		 "{\"name\":\"b\",\"size\":10485760},"
		 "{\"name\":\"c\",\"why\":\"with it, the files of the message "
		 "have more than 20 MiB\"}]",
		 said, "20 MiB in all");
	lb_buf_put(&f[0].data, "x", 1);
	run(LB_ATTACH_PUT, f, 3, 0);
	tap_same("[{\"name\":\"a\",\"why\":\"it has more than 10 MiB\"},"
		 "{\"name\":\"b\",\"size\":10485760},"
		 "{\"name\":\"c\",\"size\":1}]",
		 said, "10 MiB each");
	tap_ok(!is_there("inbox/k/a"), "nothing is left of one too large");
	for (int i = 0; i < 3; i++)
		lb_attach_file_release(&f[i]);
}

static void check_quota(void)
{
	struct lb_attach_file f = file("a", "some text");

	put_size("much", 0);
	{
		lb_autofree char *full = inside("much");
		lb_autofree char *mib = lb_alloc(MIB);
		lb_autoclose int fd = open(full, O_WRONLY);

		memset(mib, 'x', MIB);
		for (int i = 0; i < 2; i++)
			if (write(fd, mib, MIB) < 0)
				perror(full);
	}
	if (geteuid() == 0) /* there, the file system keeps it */
		tap_ok(true, "quota # SKIP as root");
	else {
		run(LB_ATTACH_PUT, &f, 1, 2);
		tap_same("[{\"name\":\"a\",\"why\":\"there is no room for it "
			 "in "
			 "the workspace\"}]",
			 said, "a workspace that is full");
	}
	remove_all("much");
	lb_attach_file_release(&f);
}

/* Old ones go when new ones come. */
static void check_forgotten(void)
{
	struct lb_attach_file f = file("a", "x");
	char name[64];
	int n = 0;

	for (int i = 0; i < 40; i++) {
		lb_autofree char *full = NULL;
		struct timespec at[2] = {{1000 + i, 0}, {1000 + i, 0}};

		snprintf(name, sizeof(name), "inbox/m%02d", i);
		make_folder(name);
		full = inside(name);
		utimensat(AT_FDCWD, full, at, 0);
	}
	run(LB_ATTACH_PUT, &f, 1, 0);
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "inbox/m%02d", i);
		n += is_there(name);
	}
	tap_ok(n == LB_ATTACH_KEEP - 1 && is_there("inbox/m39") &&
		       !is_there("inbox/m00") && is_there("inbox/k/a"),
	       "the oldest inboxes go");
	remove_all("inbox");
	lb_attach_file_release(&f);
}

static void check_outbox(void)
{
	lb_autofree char *fifo = NULL, *hard = NULL, *soft = NULL;

	run(LB_ATTACH_COLLECT, NULL, 0, 0);
	run(LB_ATTACH_COLLECT, NULL, 0, 0);
	tap_same("[]", said, "no outbox is an empty one");
	run(LB_ATTACH_MAKE, NULL, 0, 0);
	put("outbox/k/stale", "x", 1);
	run(LB_ATTACH_MAKE, NULL, 0, 0);
	run(LB_ATTACH_COLLECT, NULL, 0, 0);
	tap_same("[]", said, "what was left there goes first");
	run(LB_ATTACH_MAKE, NULL, 0, 0);
	put("outbox/k/a.txt", "hello", 5);
	put("outbox/k/p.png", "\x89PNG\r\n\x1a\nx", 9);
	make_folder("outbox/k/sub");
	put("outbox/k/sub/.c d\n.txt", "x", 1);
	put("outbox/k/zero", "", 0);
	put_link("/etc/passwd", "outbox/k/link");
	put_link("a.txt", "outbox/k/link2");
	put_link("/etc", "outbox/k/folder");
	fifo = inside("outbox/k/fifo");
	if (mkfifo(fifo, 0600) < 0)
		perror(fifo);
	put("secret", "secret", 6);
	soft = inside("secret");
	hard = inside("outbox/k/hard");
	if (link(soft, hard) < 0)
		perror(hard);
	put_size("outbox/k/sparse", 8LL << 40);
	run(LB_ATTACH_COLLECT, NULL, 0, 0);
	tap_ok(strstr(said, "{\"type\":\"File\",\"name\":\"a.txt\",\"size\":5,"
			    "\"path\":") != NULL,
	       "a file");
	tap_ok(strstr(said, "{\"type\":\"Image\",\"name\":\"p.png\",\"size\":9,"
			    "\"mime\":\"image/png\",\"path\":") != NULL,
	       "a picture");
	tap_ok(strstr(said, "{\"type\":\"File\",\"name\":\"c_d.txt\"") != NULL,
	       "one of a folder, its name cleaned");
	tap_ok(strstr(said, "{\"name\":\"zero\",\"why\":\"empty\"}") &&
		       strstr(said, "{\"name\":\"link\",\"why\":\"link\"}") &&
		       strstr(said, "{\"name\":\"link2\",\"why\":\"link\"}") &&
		       strstr(said, "{\"name\":\"folder\",\"why\":\"link\"}") &&
		       strstr(said, "{\"name\":\"fifo\",\"why\":\"unread\"}") &&
		       strstr(said, "{\"name\":\"hard\",\"why\":\"link\"}") &&
		       strstr(said, "{\"name\":\"sparse\",\"why\":\"large\"}"),
	       "all else is named");
	printf("# %s\n", said);
	tap_ok(!is_there("outbox/k") && has("secret", "secret"),
	       "the outbox is gone, and nothing else");
	run(LB_ATTACH_COLLECT, NULL, 0, 0);
	tap_same("[]", said, "it is collected once");
	put_link("/etc", "outbox/k");
	run(LB_ATTACH_COLLECT, NULL, 0, 0);
	tap_same("[{\"name\":\"outbox\",\"why\":\"link\"}]", said,
		 "a link in place of an outbox");
}

/* How often a text is in what was said. */
static int count(const char *text)
{
	int n = 0;

	for (const char *at = said; (at = strstr(at, text)); at++)
		n++;
	return n;
}

static void check_outbox_limits(void)
{
	char name[64];

	run(LB_ATTACH_MAKE, NULL, 0, 0);
	for (int i = 0; i < 50; i++) {
		snprintf(name, sizeof(name), "outbox/k/f%02d", i);
		put(name, "x", 1);
	}
	run(LB_ATTACH_COLLECT, NULL, 0, 0);
	tap_ok(count("\"path\"") == 20 && count("\"many\"") == 20 &&
		       strstr(said, "{\"name\":\"...\",\"why\":\"more\","
				    "\"count\":10}"),
	       "20 files, 20 are named, 10 counted");
	run(LB_ATTACH_MAKE, NULL, 0, 0);
	for (int i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "outbox/k/f%02d", i);
		put_size(name, 10 * MIB);
	}
	put_size("outbox/k/f1", 10 * MIB + 1);
	run(LB_ATTACH_COLLECT, NULL, 0, 0);
	tap_ok(count("\"size\":10485760") == 5 && count("\"total\"") == 1 &&
		       count("\"large\"") == 1,
	       "10 MiB each, 50 MiB in all");
	run(LB_ATTACH_MAKE, NULL, 0, 0);
	for (int i = 0; i < 600; i++) {
		snprintf(name, sizeof(name), "outbox/k/f%03d", i);
		put(name, "x", 1);
	}
	run(LB_ATTACH_COLLECT, NULL, 0, 0);
	tap_ok(count("\"entries\"") == 1, "more than anybody looks at");
	tap_ok(!is_there("outbox/k"), "which is gone all the same");
}

/* Somebody keeps swapping it for what is not the sandbox's. */
static pid_t swap(const char *path, const char *target)
{
	pid_t parent = getpid(), pid = fork();
	lb_autofree char *full = inside(path), *link_at = inside("swapped");

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (symlink(target, link_at) < 0)
		perror(link_at);
	while (getppid() == parent)
		renameat2(AT_FDCWD, full, AT_FDCWD, link_at, RENAME_EXCHANGE);
	_exit(0);
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	remove_all("swapped");
}

static void check_races(void)
{
	lb_autofree char *outside = lb_printf("%s/secrets", state);
	lb_autofree char *secret = lb_printf("%s/secret", outside);
	lb_autofree char *planted = lb_printf("%s/planted", outside);
	struct lb_attach_file f = file("planted", "x");
	int got = 0, left = 0;
	pid_t pid;
	int fd;

	if (mkdir(outside, 0777) < 0 || chmod(outside, 0777) < 0)
		perror(outside);
	fd = open(secret, O_WRONLY | O_CREAT, 0666);
	if (fd < 0 || write(fd, "secret", 6) < 0)
		perror(secret);
	close(fd);
	for (int i = 0; i < ROUNDS; i++) {
		run(LB_ATTACH_MAKE, NULL, 0, 0);
		put("outbox/k/a", "mine!", 5);
		pid = swap("outbox/k", outside);
		run(LB_ATTACH_COLLECT, NULL, 0, 0);
		end(pid);
		got += count("secret\"") + count("\"size\":6");
		remove_all("outbox");
	}
	tap_ok(got == 0, "nothing is collected from elsewhere in a race");
	for (int i = 0; i < ROUNDS; i++) {
		remove_all("inbox");
		make_folder("inbox");
		pid = swap("inbox", outside);
		run(LB_ATTACH_PUT, &f, 1, 0);
		end(pid);
		left += access(planted, F_OK) == 0;
		remove_all("inbox");
	}
	tap_ok(left == 0, "nothing is put elsewhere in a race");
	tap_ok(access(secret, F_OK) == 0, "and nothing removed there");
	lb_attach_file_release(&f);
}

/* Somebody writes to it all the while: at its end, or where it begins. */
static pid_t write_to(const char *path, bool append)
{
	pid_t parent = getpid(), pid = fork();
	lb_autofree char *full = inside(path);
	int fd;

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fd = open(full, O_WRONLY | (append ? O_APPEND : 0));
	while (getppid() == parent)
		if (fd < 0 || write(fd, "0123456789", 10) < 0 ||
		    (!append && lseek(fd, 0, SEEK_SET) < 0))
			_exit(1);
	_exit(0);
}

static void check_busy(bool append, const char *what)
{
	int whole = 0, busy = 0;

	for (int i = 0; i < ROUNDS; i++) {
		pid_t pid;

		run(LB_ATTACH_MAKE, NULL, 0, 0);
		put_size("outbox/k/log", 4 * MIB);
		pid = write_to("outbox/k/log", append);
		run(LB_ATTACH_COLLECT, NULL, 0, 0);
		end(pid);
		whole += count("\"path\"");
		busy += count("\"busy\"") + count("\"large\"");
	}
	printf("# %d busy, %d whole\n", busy, whole);
	tap_ok(busy > 0 && busy + whole == ROUNDS, what);
}

static void check_gc(void)
{
	struct lb_error err;
	struct timespec at[2] = {{1000, 0}, {1000, 0}};
	lb_autofree char *old = NULL, *link_at = NULL;

	make_folder("inbox");
	make_folder("inbox/new");
	make_folder("inbox/old");
	put("inbox/old/f", "x", 1);
	old = inside("inbox/old");
	utimensat(AT_FDCWD, old, at, 0);
	remove_all("outbox");
	put_link("../outside", "outbox");
	link_at = inside("outbox");
	tap_ok(lb_attach_expire(config, state, 1000000000, &err) == 1,
	       "old ones go");
	tap_ok(!is_there("inbox/old") && is_there("inbox/new"),
	       "and they alone");
}

int main(void)
{
	char folder[] = "/tmp/lb-attach.XXXXXX";
	struct lb_box_session s;
	struct lb_error err;
	lb_autofree char *command = NULL;

	umask(077);
	state = mkdtemp(folder);
	if (!state || chmod(state, 0711) < 0)
		return 1;
	config = lb_config_load("/dev/null", &err);
	loop = lb_loop_open();
	if (!config ||
	    lb_box_session_open(&s, config, state, "s", 0, &err) < 0) {
		printf("Bail out! %s\n", err.text);
		return 1;
	}
	lb_box_session_close(&s);
	check_names();
	check_key("019bf0c2-3005-7c14-9e3b-6d2f8a0b1c47",
		  "019bf0c2-3005-7c14-9e3b-6d2f8a0b1c47");
	check_key("..", "~5ec1f7e700f37c3d0b2981d04855fc34");
	check_key("a/b", "~c14cddc033f64b9dea80ea675cf280a0");
	check_kinds();
	check_inbox();
	check_planted();
	check_limits();
	check_quota();
	check_forgotten();
	check_outbox();
	check_outbox_limits();
	check_races();
	check_busy(true, "one that grows is not sent as it is");
	check_busy(false, "nor one that is written over");
	check_gc();
	lb_config_close(config);
	lb_loop_close(loop);
	command = lb_printf("rm -rf '%s'", state);
	if (system(command) != 0)
		perror(command);
	return tap_end();
}
