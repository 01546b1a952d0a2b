/* test-store - the database room, one function a behaviour. Prints TAP. */
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "store/answer.h"
#include "store/conversation.h"
#include "store/db.h"
#include "store/heal.h"
#include "store/place.h"
#include "store/schema.h"
#include "store/store.h"

static char state[512]; /* a fresh folder for each check */
static struct lb_error err;

#define want(condition)                                                        \
	do {                                                                   \
		if (!(condition)) {                                            \
			printf("# line %d: %s (%s)\n", __LINE__, #condition,   \
			       err.text);                                      \
			return 0;                                              \
		}                                                              \
	} while (0)

static char *file(const char *name)
{
	return lb_printf("%s/%s", state, name);
}

static int append(struct lb_store *store, int64_t id, const char *of,
		  const char *text)
{
	json_auto_t *messages = lb_json_pack("[{s:s, s:s}, {s:s, s:s}]", "role",
					     "user", "content", text, "role",
					     "assistant", "content", "yes");

	return lb_conversation_append(store, id,
				      &(struct lb_turn){
					      .of = of,
					      .sender = "7",
					      .messages = messages,
					      .complete = true,
					      .input = 10,
					      .output = 2,
					      .time = 1000,
				      },
				      &err);
}

/* What users said in the loaded messages, joined by blanks. */
static char *said_in(struct lb_store *store, int64_t id, int64_t max,
		     int64_t tokens)
{
	json_auto_t *all = lb_conversation_load(store, id, max, tokens, &err);
	struct lb_buf text = {0};
	const json_t *m;
	size_t i;

	json_array_foreach(all, i, m)
	{
		if (strcmp(lb_json_str(m, "role"), "user") != 0)
			continue;
		if (text.len > 0)
			lb_buf_putc(&text, ' ');
		lb_buf_puts(&text, lb_json_str(m, "content"));
	}
	lb_buf_puts(&text, "");
	return lb_buf_take(&text);
}

static int same(const char *expected, const char *got)
{
	if (got && strcmp(got, expected) == 0)
		return 1;
	printf("# expected '%s', got '%s'\n", expected, got ? got : "");
	return 0;
}

static int said_is(struct lb_store *store, int64_t id, int64_t max,
		   const char *expected)
{
	lb_autofree char *got = said_in(store, id, max, -1);

	return same(expected, got);
}

static int check_turns(void)
{
	struct lb_store *s = lb_store_open(state, 5000, &err);
	int64_t id, other;

	want(s);
	want(lb_conversation_find(s, "b/person_1", "p", &err) == 0);
	id = lb_conversation_use(s, "b/person_1", "b", "p", 1, &err);
	want(id > 0);
	want(lb_conversation_use(s, "b/person_1", "b", "p", 2, &err) == id);
	other = lb_conversation_use(s, "b/person_1", "b", "q", 2, &err);
	want(other > 0 && other != id);
	want(append(s, id, "r1", "one") == 0);
	want(append(s, id, "r2", "two") == 0);
	want(append(s, id, "r3", "three") == 0);
	want(said_is(s, id, -1, "one two three"));
	want(said_is(s, id, 2, "two three"));
	want(said_is(s, id, 0, ""));
	want(said_is(s, other, -1, ""));
	lb_store_close(s);
	s = lb_store_open(state, 5000, &err);
	want(s && said_is(s, id, -1, "one two three"));
	lb_store_close(s);
	return 1;
}

static int check_reset(void)
{
	struct lb_store *s = lb_store_open(state, 5000, &err);
	int64_t id = lb_conversation_use(s, "s", "b", "p", 1, &err), next;

	want(lb_conversation_use(s, "s", "b", "q", 1, &err) > 0);
	want(append(s, id, "r", "old") == 0);
	want(lb_conversation_reset(s, "s", "p", &err) == 1);
	want(lb_conversation_reset(s, "s", "p", &err) == 0);
	want(lb_conversation_find(s, "s", "p", &err) == 0);
	want(lb_conversation_find(s, "s", "q", &err) > 0);
	next = lb_conversation_use(s, "s", "b", "p", 2, &err);
	want(next > 0 && next != id && said_is(s, next, -1, ""));
	want(said_is(s, id, -1, "old"));
	want(lb_conversation_reset(s, "s", NULL, &err) == 2);
	lb_store_close(s);
	return 1;
}

static int check_answers(void)
{
	struct lb_store *s = lb_store_open(state, 5000, &err);
	lb_autofree char *reply = NULL;
	int attempt = 0;

	want(lb_answer_begin(s, "s", "i", 1, &reply, &attempt, &err) == 0);
	want(attempt == 1);
	want(lb_answer_begin(s, "s", "i", 2, &reply, &attempt, &err) == 0);
	want(attempt == 2 && reply == NULL);
	want(lb_answer_save(s, "s", "i", 3, "{\"a\":1}xx", 7, &err) == 0);
	want(lb_answer_begin(s, "t", "i", 4, &reply, &attempt, &err) == 0);
	want(attempt == 1);
	want(lb_answer_begin(s, "s", "i", 5, &reply, &attempt, &err) == 1);
	want(reply && strcmp(reply, "{\"a\":1}") == 0);
	want(lb_answer_expire(s, 4, &err) == 1);
	free(lb_steal(&reply));
	want(lb_answer_begin(s, "s", "i", 6, &reply, &attempt, &err) == 0);
	want(attempt == 1);
	lb_store_close(s);
	return 1;
}

static int check_group(void)
{
	struct lb_store *s = lb_store_open(state, 5000, &err);
	int64_t id;

	want(lb_store_begin(s, &err) == 0 && lb_store_is_open(s));
	want(lb_store_begin(s, &err) == 0);
	id = lb_conversation_use(s, "s", "b", "p", 1, &err);
	want(append(s, id, "r", "kept") == 0 && lb_store_is_open(s));
	want(lb_store_commit(s, &err) == 0 && !lb_store_is_open(s));
	want(lb_store_begin(s, &err) == 0);
	want(append(s, id, "r2", "undone") == 0);
	lb_store_rollback(s);
	want(said_is(s, id, -1, "kept"));
	lb_store_close(s);
	return 1;
}

static int check_many(void)
{
	struct lb_store *s = lb_store_open(state, 100, &err);

	want(lb_store_begin(s, &err) == 0);
	for (int i = 0; i < 1000; i++) {
		lb_autofree char *session = lb_printf("b/person_%d", i);
		int64_t id = lb_conversation_use(s, session, "b", "p", 1, &err);

		want(id > 0 && append(s, id, "r", session) == 0);
		want(said_is(s, id, 10, session));
	}
	want(lb_store_commit(s, &err) == 0);
	lb_store_close(s);
	return 1;
}

static int check_heal(void)
{
	static const struct {
		const char *stored, *content;
	} rows[] = {
		{"\"ok \\ud83d...\"", "ok \xef\xbf\xbd..."},
		{"\"\\udC00\\ud83d\"", "\xef\xbf\xbd\xef\xbf\xbd"},
		{"\"\\ud83d\\ude00 \\\\ud83d \\ud83d\"",
		 "\xf0\x9f\x98\x80 \\ud83d \xef\xbf\xbd"},
		{"\"a\xff\"", "a\xef\xbf\xbd"},
		{"\"big\",\"n\":18446744073709551616", "big"},
	};
	struct lb_store *s = lb_store_open(state, 5000, &err);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		lb_autofree char *session = lb_printf("s%zu", i);
		int64_t id = lb_conversation_use(s, session, "b", "p", 1, &err);
		lb_autofree char *sql =
			lb_printf("UPDATE turns SET messages = "
				  "'[{\"role\":\"user\",\"content\":%s},"
				  "{\"role\":\"assistant\",\"content\":"
				  "\"a\"}]' WHERE conversation = %lld",
				  rows[i].stored, (long long)id);

		want(append(s, id, "r", "x") == 0);
		want(lb_db_run(s->db, "", sql, &err) == 0);
		want(said_is(s, id, -1, rows[i].content));
	}
	lb_store_close(s);
	return 1;
}

/* A turn is cut whole; what a text costs is not told too low. */
static int check_budget(void)
{
	struct lb_store *s = lb_store_open(state, 5000, &err);
	int64_t id = lb_conversation_use(s, "s", "b", "p", 1, &err);
	lb_autofree char *all = NULL, *two = NULL, *none = NULL;

	want(append(s, id, "r", "one") == 0);
	want(append(s, id, "r", "two") == 0);
	/* 100 characters of 3 bytes: 100 tokens, and not 75 */
	want(append(s, id, "r",
		    "\xe4\xb8\x80\xe4\xb8\x80\xe4\xb8\x80\xe4\xb8\x80\xe4\xb8"
		    "\x80\xe4\xb8\x80\xe4\xb8\x80\xe4\xb8\x80\xe4\xb8\x80\xe4"
		    "\xb8\x80"
		    "\xe4\xb8\x80\xe4\xb8\x80\xe4\xb8\x80\xe4\xb8\x80\xe4\xb8"
		    "\x80\xe4\xb8\x80\xe4\xb8\x80\xe4\xb8\x80\xe4\xb8\x80"
		    "\xe4\xb8\x80") == 0);
	want(append(s, id, "r", "four") == 0);
	all = said_in(s, id, -1, 1000);
	two = said_in(s, id, -1, 30);
	none = said_in(s, id, -1, 5);
	want(strncmp(all, "one two ", 8) == 0);
	want(same("four", two) && same("", none));
	lb_store_close(s);
	return 1;
}

static int check_several(void)
{
	struct lb_store *s = lb_store_open(state, 5000, &err);
	int64_t one = lb_conversation_use(s, "s", "b", "p", 1, &err), two;
	int64_t in, out;
	lb_autofree char *model = NULL;

	want(lb_conversation_new(s, "s", "b", "p", 1, &err) == one);
	want(append(s, one, "r", "a") == 0 && append(s, one, "r", "b") == 0);
	two = lb_conversation_new(s, "s", "b", "p", 1, &err);
	want(two > 0 && two != one);
	want(lb_conversation_find(s, "s", "p", &err) == two);
	want(lb_conversation_switch(s, one, 1, &err) == 0);
	want(lb_conversation_find(s, "s", "p", &err) == one);
	want(lb_conversation_usage(s, one, &in, &out, &err) == 0);
	want(in == 20 && out == 4);
	want(lb_conversation_undo(s, one, &err) == 1);
	want(said_is(s, one, -1, "a") && append(s, one, "r", "c") == 0);
	want(said_is(s, one, -1, "a c"));
	want(lb_conversation_undo(s, two, &err) == 0);
	want(lb_conversation_model(s, one, &model, &err) == 0 && !model);
	want(lb_conversation_set_model(s, one, "x/y", &err) == 0);
	want(lb_conversation_model(s, one, &model, &err) == 0);
	want(model && strcmp(model, "x/y") == 0);
	want(lb_conversation_delete(s, one, &err) == 0);
	want(lb_conversation_find(s, "s", "p", &err) == 0);
	want(said_is(s, one, -1, ""));
	lb_store_close(s);
	return 1;
}

static int check_broken_turn(void)
{
	struct lb_store *s = lb_store_open(state, 5000, &err);
	int64_t id = lb_conversation_use(s, "s", "b", "p", 1, &err);

	want(append(s, id, "r1", "good") == 0);
	want(append(s, id, "r2", "bad") == 0);
	want(lb_db_run(s->db, "", "UPDATE turns SET messages='[{' WHERE turn=2",
		       &err) == 0);
	want(said_is(s, id, -1, "good"));
	lb_store_close(s);
	return 1;
}

static int mode_of(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 ? -1 : (int)(st.st_mode & 07777);
}

static int check_modes(void)
{
	lb_autofree char *deep = file("a/b"), *db = file("a/b/lb.db"),
			 *wal = file("a/b/lb.db-wal");
	mode_t was = umask(0277);
	struct lb_store *s = lb_store_open(deep, 5000, &err);

	umask(0);
	if (!s) {
		umask(was);
		want(s);
	}
	lb_conversation_use(s, "s", "b", "p", 1, &err);
	umask(was);
	want(mode_of(db) == 0600 && mode_of(wal) == 0600);
	want(mode_of(deep) == 0700);
	lb_store_close(s);
	return 1;
}

static int check_deleted(void)
{
	struct lb_store *s = lb_store_open(state, 5000, &err);
	lb_autofree char *db = file("lb.db"), *wal = file("lb.db-wal"),
			 *log = file("stderr");
	int64_t id = lb_conversation_use(s, "s", "b", "p", 1, &err), next;
	int saved = dup(2), fd = open(log, O_RDWR | O_CREAT, 0600);
	char said_once[4096] = "";

	want(append(s, id, "r", "before") == 0);
	unlink(db);
	unlink(wal);
	dup2(fd, 2);
	want(append(s, id, "r", "lost") < 0 && err.code == LB_NOINPUT);
	next = lb_conversation_use(s, "s", "b", "p", 1, &err);
	want(next > 0 && next != id && append(s, next, "r", "after") == 0);
	dup2(saved, 2);
	want(pread(fd, said_once, sizeof(said_once) - 1, 0) > 0);
	want(strchr(said_once, '\n') == strrchr(said_once, '\n'));
	want(strstr(said_once, "deleted or replaced"));
	lb_store_close(s);
	close(fd);
	close(saved);
	s = lb_store_open(state, 5000, &err);
	want(s && said_is(s, next, -1, "after"));
	lb_store_close(s);
	return 1;
}

static int put_file(const char *path, const char *text, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	int ok = fd >= 0 && write(fd, text, len) == (ssize_t)len;

	close(fd);
	return ok;
}

static int check_damaged(void)
{
	lb_autofree char *db = file("lb.db");
	char junk[8192], after[8192];
	int fd;

	memset(junk, 'x', sizeof(junk));
	want(put_file(db, junk, sizeof(junk)));
	want(!lb_store_open(state, 5000, &err) && err.code == LB_DATA);
	want(strstr(err.text, "damaged"));
	fd = open(db, O_RDONLY);
	want(read(fd, after, sizeof(after)) == (ssize_t)sizeof(after));
	close(fd);
	want(memcmp(junk, after, sizeof(junk)) == 0);
	return 1;
}

static int check_foreign(void)
{
	lb_autofree char *path = file("lb.db");
	sqlite3 *db;

	want(sqlite3_open(path, &db) == SQLITE_OK);
	want(lb_db_run(db, path, "CREATE TABLE recipes(x)", &err) == 0);
	sqlite3_close(db);
	want(!lb_store_open(state, 5000, &err) && err.code == LB_DATA);
	want(strstr(err.text, "another program"));
	return 1;
}

static int check_newer(void)
{
	struct lb_store *s = lb_store_open(state, 5000, &err);

	want(s);
	want(lb_db_run(s->db, "",
		       "PRAGMA user_version = 99; UPDATE about SET value ="
		       " '7.5' WHERE key = 'lb'",
		       &err) == 0);
	lb_store_close(s);
	want(!lb_store_open(state, 5000, &err) && err.code == LB_CONFIG);
	want(strstr(err.text, "lb 7.5 or newer is needed"));
	return 1;
}

/* Open the database with one step more, or with a step that fails. */
static int migrate(const char *step)
{
	const char *steps[] = {lb_schema_lb.steps[0],
			       lb_schema_lb.steps[1],
			       lb_schema_lb.steps[2],
			       lb_schema_lb.steps[3],
			       step,
			       NULL};
	struct lb_schema two = lb_schema_lb;
	lb_autofree char *path = file("lb.db");
	sqlite3 *db;
	int r;

	if (sqlite3_open(path, &db) != SQLITE_OK)
		return -1;
	two.steps = steps;
	r = lb_schema_update(db, path, &two, &err);
	sqlite3_close(db);
	return r;
}

static int check_migration(void)
{
	lb_autofree char *copy = file("lb.db.schema-4");
	struct lb_store *s = lb_store_open(state, 5000, &err);
	sqlite3 *old;

	want(lb_conversation_use(s, "s", "b", "p", 1, &err) > 0);
	lb_store_close(s);
	want(migrate("CREATE TABLE more(x); CREATE TABLE more(x)") < 0);
	s = lb_store_open(state, 5000, &err);
	want(s && lb_conversation_find(s, "s", "p", &err) > 0);
	lb_store_close(s);
	want(migrate("CREATE TABLE more(x)") == 0);
	want(mode_of(copy) == 0600);
	want(sqlite3_open(copy, &old) == SQLITE_OK);
	want(lb_db_run(old, "", "UPDATE conversations SET turns = 1", &err) ==
	     0);
	want(sqlite3_changes(old) == 1);
	sqlite3_close(old);
	want(!lb_store_open(state, 5000, &err) && err.code == LB_CONFIG);
	return 1;
}

/* Wait for a child; its exit status. */
static int ended(pid_t pid)
{
	int status = -1;

	while (waitpid(pid, &status, 0) < 0)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int check_race(void)
{
	enum { N = 16 };
	pid_t pids[N];
	int bad = 0;
	struct lb_store *s;

	for (int i = 0; i < N; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			int64_t id;

			s = lb_store_open(state, 5000, &err);
			id = s ? lb_conversation_use(s, "s", "b", "p", 1, &err)
			       : -1;
			if (id < 0 || append(s, id, "r", "x") < 0)
				fprintf(stderr, "# %s\n", err.text);
			else
				_exit(0);
			_exit(1);
		}
	}
	for (int i = 0; i < N; i++)
		bad += ended(pids[i]) != 0;
	want(bad == 0);
	s = lb_store_open(state, 5000, &err);
	want(said_is(s, lb_conversation_find(s, "s", "p", &err), -1,
		     "x x x x x x x x x x x x x x x x"));
	lb_store_close(s);
	return 1;
}

static int check_locked(void)
{
	struct lb_store *a = lb_store_open(state, 5000, &err);
	struct lb_store *b = lb_store_open(state, 10, &err);

	want(a && b && lb_store_begin(a, &err) == 0);
	want(lb_store_begin(b, &err) < 0 && err.code == LB_AGAIN);
	want(!lb_store_is_open(b));
	want(lb_store_commit(a, &err) == 0 && lb_store_begin(b, &err) == 0);
	lb_store_close(a);
	lb_store_close(b);
	return 1;
}

static int check_full(void)
{
	struct lb_store *s = lb_store_open(state, 5000, &err);
	int64_t id = lb_conversation_use(s, "s", "b", "p", 1, &err);
	struct rlimit was, limit;
	int r;

	want(append(s, id, "r", "kept") == 0);
	getrlimit(RLIMIT_FSIZE, &was);
	limit = was;
	limit.rlim_cur = 65536; /* as good as a full disk */
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	for (int i = 0; (r = append(s, id, "r", "more")) == 0 && i < 999; i++)
		;
	setrlimit(RLIMIT_FSIZE, &was);
	want(r < 0 && err.code == LB_IO);
	want(append(s, id, "r", "again") == 0);
	lb_store_close(s);
	return 1;
}

static int check_remote(void)
{
	want(lb_place_is_remote("nfs4") && lb_place_is_remote("cifs"));
	want(lb_place_is_remote("9p") && lb_place_is_remote("fuse.sshfs"));
	want(lb_place_is_remote("fuse.gvfsd-fuse"));
	want(!lb_place_is_remote("ext4") && !lb_place_is_remote(""));
	want(!lb_place_is_remote("fuse.fuse-overlayfs"));
	want(!lb_place_is_remote("fuseblk") && !lb_place_is_remote("nfsd"));
	return 1;
}

static const struct {
	const char *what;
	int (*check)(void);
} checks[] = {
	{"turns come back in order, the last ones first to stay", check_turns},
	{"reset ends the use of a conversation and keeps it", check_reset},
	{"answers are kept by session and id, attempts counted", check_answers},
	{"writes gather in one transaction or are undone", check_group},
	{"a thousand sessions in one transaction", check_many},
	{"stored text with half surrogates and bad bytes heals", check_heal},
	{"a turn that cannot be read is left out", check_broken_turn},
	{"history is cut by turns to a budget of tokens", check_budget},
	{"a session has several conversations, one in use", check_several},
	{"files are private under any umask", check_modes},
	{"a deleted database is made anew with one warning", check_deleted},
	{"a damaged file is refused and left as it is", check_damaged},
	{"another program's database is refused", check_foreign},
	{"a newer schema names the version needed", check_newer},
	{"a migration keeps a copy, a failed one changes nothing",
	 check_migration},
	{"many processes may make one database at once", check_race},
	{"a lock held too long is LB_AGAIN", check_locked},
	{"a full disk is LB_IO and not the end", check_full},
	{"network file systems are known by name", check_remote},
};

int main(void)
{
	const char *tmp = getenv("TMPDIR");
	size_t n = sizeof(checks) / sizeof(*checks);
	int bad = 0;

	printf("1..%zu\n", n);
	for (size_t i = 0; i < n; i++) {
		lb_autofree char *sweep = NULL;
		int ok;

		fflush(stdout); /* children must not print it again */
		snprintf(state, sizeof(state), "%s/test-store-XXXXXX",
			 tmp ? tmp : "/tmp");
		ok = mkdtemp(state) != NULL;
		err.text[0] = '\0';
		ok = ok && checks[i].check();
		bad |= !ok;
		printf("%sok %zu - %s\n", ok ? "" : "not ", i + 1,
		       checks[i].what);
		sweep = lb_printf("rm -rf '%s'", state);
		bad |= system(sweep) != 0;
	}
	return bad;
}
