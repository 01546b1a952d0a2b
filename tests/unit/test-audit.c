/* Rows of the audit: whole, bounded, and there once, whoever dies when. */
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "box/approval.h"
#include "box/audit.h"
#include "store/audit.h"
#include "tap.h"

static char state[] = "/tmp/lb-audit-XXXXXX";

/* ---- calls after which, or before which, this process is killed ---------- */

static long left; /* 0: never */

static void die_here(void)
{
	if (left > 0 && --left == 0)
		raise(SIGKILL);
}

#define WRAP(type, name, params, args)                                         \
	type __real_##name params;                                             \
	type __wrap_##name params;                                             \
	type __wrap_##name params                                              \
	{                                                                      \
		type r;                                                        \
                                                                               \
		die_here();                                                    \
		r = __real_##name args;                                        \
		die_here();                                                    \
		return r;                                                      \
	}

WRAP(int, rename, (const char *a, const char *b), (a, b))
WRAP(int, unlink, (const char *a), (a))
WRAP(int, flock, (int fd, int how), (fd, how))
WRAP(int, sqlite3_step, (sqlite3_stmt * s), (s))
WRAP(int, sqlite3_exec,
     (sqlite3 * db, const char *sql, int (*fn)(void *, int, char **, char **),
      void *arg, char **why),
     (db, sql, fn, arg, why))

/* -------------------------------------------------------------------------- */

static struct lb_store *open_store(void)
{
	struct lb_error err;
	struct lb_store *store = lb_store_open(state, 5000, &err);

	if (!store) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	return store;
}

static bool fold(void)
{
	struct lb_error err = {0};
	struct lb_store *store = open_store();
	bool good = lb_audit_fold(store, state, &err) == 0;

	if (!good)
		printf("# %s\n", err.text);
	lb_store_close(store);
	return good;
}

static void write_row(int n)
{
	lb_autofree char *command = lb_printf("command %d", n);
	struct lb_box_audit row = {
		.time = 1000 + n,
		.bot = "b",
		.session = "b/person_ann",
		.sender = "ann",
		.tool = "exec",
		.command = command,
		.exit_code = -1,
		.duration_ms = -1,
	};

	if (!lb_box_audit_write(state, &row))
		printf("# row %d was not written\n", n);
}

static int count(void *arg, const json_t *row)
{
	const char *command = lb_json_str(row, "command");
	unsigned char *seen = arg;
	int n = -1;

	if (command && sscanf(command, "command %d", &n) == 1 && n < 4096)
		seen[n]++;
	return 0;
}

/* Are the rows 0 to n - 1 there, each once? */
static bool all_there(int n)
{
	unsigned char seen[4096] = {0};
	const struct lb_audit_which all = {0};
	struct lb_error err = {0};
	struct lb_store *store = open_store();
	bool good = lb_audit_each(store, &all, count, seen, &err) == 0;

	lb_store_close(store);
	for (int i = 0; i < 4096; i++)
		if (seen[i] != (i < n)) {
			printf("# row %d is there %d times\n", i, seen[i]);
			good = false;
		}
	return good;
}

/* Fold, and be killed at the n-th point; false: it ended before that. */
static bool killed_at(long n)
{
	pid_t pid;
	int how;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		struct lb_store *store = open_store();
		struct lb_error err;

		left = n;
		_exit(lb_audit_fold(store, state, &err) < 0);
	}
	waitpid(pid, &how, 0);
	return WIFSIGNALED(how);
}

static void each_point(void)
{
	long points = 0;
	int rows = 0;
	bool good = true, died = true;

	while (good && died && points < 200) {
		write_row(rows++);
		write_row(rows++);
		died = killed_at(++points);
		write_row(rows++);
		killed_at(points / 2); /* who comes next dies, too */
		write_row(rows++);
		good = fold() && all_there(rows) && !lb_audit_waits(state);
	}
	printf("# killed at %ld points\n", points - 1);
	tap_ok(points > 15 && !died, "it is killed at each step");
	tap_ok(good, "... and each row is there once, and none is left");
}

/* Others write while somebody folds, and is killed at times. */
static void at_once(void)
{
	enum { WRITERS = 4, EACH = 200 };
	lb_autofree char *db = lb_printf("%s/lb.db", state);

	remove(db);
	fflush(stdout);
	for (int w = 0; w < WRITERS; w++)
		if (fork() == 0) {
			for (int i = 0; i < EACH; i++)
				write_row(w * EACH + i);
			_exit(0);
		}
	for (long i = 1; i < 40; i++)
		killed_at(i);
	while (wait(NULL) > 0)
		;
	tap_ok(fold() && all_there(WRITERS * EACH),
	       "what is written meanwhile is there once");
}

/* The last line of the file, as JSON; new. */
static json_t *last_row(size_t *len)
{
	lb_autofree char *path = lb_printf("%s/box/audit.jsonl", state);
	lb_autofree char *text = NULL;
	struct lb_error err;
	char *line;
	json_t *row;

	*len = 0;
	if (lb_path_read(path, 1 << 20, &text, len, &err) < 0 || *len == 0)
		return NULL;
	text[*len - 1] = '\0';
	line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	*len = strlen(line) + 2; /* with both line feeds */
	row = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
	return row;
}

static void whole_rows(void)
{
	static char path[] = "PATH=/secret", token[] = "TOKEN=hidden",
		    strange[] = "B\n=x";
	static char *const env[] = {path, token, strange, NULL};
	static char one[] = "a.b", two[] = "*.c:1";
	static char *hosts[] = {one, two, NULL};
	json_auto_t *row = NULL, *want = NULL;
	json_auto_t *refused = json_pack("[s]", "d.e:443");
	size_t len;
	const struct lb_box_spec spec = {
		.timeout_ms = 1500,
		.cpus = 0.5,
		.memory_mb = 64,
		.pids_limit = 8,
		.network = LB_BOX_LISTED,
		.hosts = hosts,
	};
	struct lb_box_audit a = {
		.time = 5,
		.id = "i",
		.bot = "b",
		.session = "b/person_a",
		.sender = "a",
		.tool = "exec",
		.description = "say \"hello\"",
		.decision = LB_BOX_DENIED,
		.reason = "no",
		.command = "printf 'a\tb'",
		.env = env,
		.backend = "bubblewrap",
		.profile = "default",
		.limits = LB_BOX_CGROUP,
		.quota = LB_BOX_QUOTA_SOFT,
		.exit_code = 3,
		.bytes = 7,
		.duration_ms = 9,
		.refused = refused,
		.spec = &spec,
	};

	lb_box_audit_write(state, &a);
	row = last_row(&len);
	json_object_del(row, "key");
	want = json_loads(
		"{\"time\":5,\"decision\":\"denied\",\"id\":\"i\",\"bot\":"
		"\"b\","
		"\"session\":\"b/person_a\",\"sender\":\"a\",\"tool\":\"exec\","
		"\"backend\":\"bubblewrap\",\"profile\":\"default\","
		"\"limits_backend\":\"cgroup\",\"quota\":\"soft\","
		"\"limits\":{\"timeout_ms\":1500,\"cpus\":0.5,"
		"\"memory_mb\":64,\"pids_limit\":8,\"quota_mb\":0,"
		"\"network\":\"listed\",\"hosts\":[\"a.b\",\"*.c:1\"]},"
		"\"refused\":[\"d.e:443\"],"
		"\"exit_code\":3,\"bytes\":7,\"duration_ms\":9,"
		"\"env\":[\"PATH\",\"TOKEN\"],\"env_left_out\":1,"
		"\"reason\":\"no\",\"description\":\"say \\\"hello\\\"\","
		"\"sha256\":\"0d77a3a0f33fb3171b5ec19bd6aef4c80b6a3b1d2da23f27"
		"6ec7e7a3c6b6a8e5\",\"command\":\"printf 'a\\tb'\"}",
		0, NULL);
	tap_ok(strlen(lb_json_str(row, "sha256")) == 64, "a digest");
	json_object_set(want, "sha256", json_object_get(row, "sha256"));
	tap_ok(json_equal(row, want), "a row has all of it, and of the "
				      "environment names alone");
}

static char *long_text(const char *piece, size_t n)
{
	lb_autobuf struct lb_buf b = {0};

	for (size_t i = 0; i < n; i++)
		lb_buf_puts(&b, piece);
	return lb_buf_take(&b);
}

/* However long and strange, a row is one line that fits. */
static void bounded(void)
{
	static const char *const pieces[] = {"x",    "\x01",
					     "\"",   "\xe6\x97\xa5",
					     "\xff", "\xf0\x9f\x98\x80",
					     "\n"};

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		lb_autofree char *t = long_text(pieces[i], 200000);
		static char name[] = "A_LONG_NAME_OF_A_VARIABLE=1";
		static char host[] = "a.host.with.a.name:65535";
		char *hosts[100];
		json_auto_t *list = json_array();
		const struct lb_box_spec most = {
			.timeout_ms = INT64_MAX,
			.cpus = 1.23456e-300,
			.memory_mb = INT64_MAX,
			.pids_limit = INT64_MAX,
			.quota_mb = INT64_MAX,
			.network = LB_BOX_LISTED,
			.hosts = hosts,
		};
		char *env[200];
		json_auto_t *row = NULL;
		size_t len;
		struct lb_box_audit a = {1,
					 t,
					 t,
					 t,
					 t,
					 t,
					 t,
					 t,
					 LB_BOX_PENDING,
					 t,
					 t,
					 env,
					 t,
					 t,
					 t,
					 LB_BOX_NO_LIMITS,
					 LB_BOX_QUOTA_NONE,
					 255,
					 UINT64_MAX,
					 INT64_MAX,
					 list,
					 &most};

		for (size_t n = 0; n < 99; n++) {
			hosts[n] = host;
			json_array_append_new(list, json_string(host));
		}
		hosts[99] = NULL;
		for (size_t n = 0; n < 199; n++)
			env[n] = name;
		env[199] = NULL;
		lb_box_audit_write(state, &a);
		row = last_row(&len);
		tap_ok(row && len <= LB_BOX_AUDIT_LINE, "a row fits");
	}
}

static void length_of_commands(void)
{
	lb_autofree char *t = long_text("\xf0\x9f\x98\x80", 500);
	struct lb_box_audit a = {.tool = "exec", .command = t};
	size_t len;
	json_auto_t *row = NULL;

	lb_box_audit_write(state, &a);
	row = last_row(&len);
	tap_ok(json_string_length(json_object_get(row, "command")) == 1600,
	       "400 characters are kept of a command");
}

/* Half a row, as a full disk leaves it, is no other row's end. */
static void torn(void)
{
	lb_autofree char *path = lb_printf("%s/box/audit.jsonl", state);
	lb_autofree char *db = lb_printf("%s/lb.db", state);
	int fd;

	remove(db);
	remove(path);
	write_row(0);
	fd = open(path, O_WRONLY | O_APPEND);
	tap_ok(fd >= 0 && write(fd, "\n{\"key\":\"x\",\"ti", 15) == 15, "torn");
	close(fd);
	write_row(1);
	tap_ok(fold() && all_there(2), "half a row takes no other with it");
}

/* Does somebody wait for the lock on a file? */
static bool is_waited_for(const struct stat *st)
{
	lb_autofree char *inode = lb_printf(":%lu ", (unsigned long)st->st_ino);
	FILE *f = fopen("/proc/locks", "r");
	char line[256];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, "-> FLOCK") && strstr(line, inode);
	if (f)
		fclose(f);
	return found;
}

/* The file was taken away from a writer who had it open, and is there anew. */
static void taken_away(void)
{
	lb_autofree char *path = lb_printf("%s/box/audit.jsonl", state);
	lb_autofree char *away = lb_printf("%s/box/away", state);
	struct stat st;
	int fd;
	pid_t pid;

	write_row(0);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	tap_ok(fd >= 0 && fstat(fd, &st) == 0 && flock(fd, LOCK_EX) == 0,
	       "the file is held");
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		close(fd);
		write_row(1);
		_exit(0);
	}
	for (int i = 0; i < 10000 && !is_waited_for(&st); i++)
		usleep(1000);
	rename(path, away);
	close(open(path, O_WRONLY | O_CREAT, 0600));
	close(fd);
	waitpid(pid, NULL, 0);
	tap_ok(stat(path, &st) == 0 && st.st_size > 0,
	       "who waited for one file writes to the other");
	unlink(path);
	unlink(away);
}

static void not_a_file(void)
{
	lb_autofree char *path = lb_printf("%s/box/audit.jsonl", state);
	lb_autofree char *other = lb_printf("%s/other", state);
	struct lb_box_audit a = {.tool = "exec"};
	struct stat st;

	write_row(0);
	tap_ok(stat(path, &st) == 0 && (st.st_mode & 0777) == 0600,
	       "the file is its owner's alone");
	unlink(path);
	tap_ok(symlink(other, path) == 0 && !lb_box_audit_write(state, &a) &&
		       access(other, F_OK) < 0,
	       "a link in its place is not followed");
	unlink(path);
	tap_ok(mkfifo(path, 0600) == 0 && !lb_box_audit_write(state, &a),
	       "nor is a pipe written to");
	unlink(path);
}

static bool wish(char hash[LB_BOX_HASH], struct lb_buf *text, char *const *env,
		 const char *command, const char *workdir, const char *session)
{
	const struct lb_box_wish w = {command, workdir, session, env};
	struct lb_error err;

	return lb_box_wish_read(&w, hash, text, &err) == 0;
}

/* Somebody allows what he sees, and that alone. */
static void wishes(void)
{
	static char a[] = "A=1", b[] = "B=2", ab[] = "A=1B=2";
	char *const env[] = {a, b, NULL}, *const turned[] = {b, a, NULL},
		    *const other[] = {a, NULL}, *const joined[] = {ab, NULL};
	char want[LB_BOX_HASH], got[LB_BOX_HASH];
	lb_autobuf struct lb_buf text = {0}, more = {0};
	lb_autofree char *huge = long_text("x", LB_BOX_MAX_APPROVAL);

	tap_ok(wish(want, &text, env, "make", "/workspace", "s"), "a wish");
	tap_same("make\n# in /workspace\n# with A=1\n# with B=2",
		 lb_buf_str(&text), "all of it is shown");
	tap_ok(wish(got, &more, turned, "make", "/workspace", "s") &&
		       strcmp(want, got) == 0,
	       "the order of variables is nothing");
	tap_ok(wish(got, &more, other, "make", "/workspace", "s") &&
		       strcmp(want, got) != 0,
	       "another variable is another wish");
	tap_ok(wish(got, &more, joined, "make", "/workspace", "s") &&
		       strcmp(want, got) != 0,
	       "... as is another end of one");
	tap_ok(wish(got, &more, env, "mak", "e/workspace", "s") &&
		       strcmp(want, got) != 0,
	       "... and another folder");
	tap_ok(wish(got, &more, env, "make", "/workspace", "t") &&
		       strcmp(want, got) != 0,
	       "... and another session");
	tap_ok(!wish(got, &more, NULL, huge, "/workspace", "s"),
	       "what nobody can look at is not asked for");
}

int main(void)
{
	lb_autofree char *clean = NULL;

	if (!mkdtemp(state))
		return 1;
	umask(0);
	wishes();
	whole_rows();
	bounded();
	length_of_commands();
	torn();
	taken_away();
	not_a_file();
	{
		lb_autofree char *db = lb_printf("%s/lb.db", state);

		remove(db);
	}
	each_point();
	at_once();
	clean = lb_printf("rm -rf %s", state);
	return system(clean) != 0 || tap_end();
}
