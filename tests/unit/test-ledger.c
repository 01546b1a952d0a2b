/* What was sent, and who has it in hand, across processes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "store/ledger.h"
#include "tap.h"

static char state[] = "/tmp/lb-ledger-XXXXXX";
static const struct lb_ledger_key key = {"b", "id", 1};
static const struct lb_ledger_key other = {"b", "id", 2};

static struct lb_ledger *open_ledger(void)
{
	struct lb_error err;
	struct lb_ledger *l = lb_ledger_open(state, 5000, &err);

	if (!l) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	return l;
}

/* Claim in a transaction of its own; *n is how many messages were sent. */
static int claim(struct lb_ledger *l, const struct lb_ledger_key *k, bool anew,
		 size_t *n)
{
	struct lb_error err = {0};
	json_t *ids = NULL;
	int was = -1;

	if (lb_ledger_begin(l, &err) == 0)
		was = lb_ledger_claim(l, k, anew, 1000, &ids, &err);
	if (was < 0 || lb_ledger_commit(l, &err) < 0) {
		printf("# %s\n", err.text);
		lb_ledger_rollback(l);
	}
	if (n)
		*n = json_array_size(ids);
	json_decref(ids);
	return was;
}

static void write_state(struct lb_ledger *l, const struct lb_ledger_key *k,
			enum lb_ledger_state s, const char *ids)
{
	json_auto_t *list = json_loads(ids, 0, NULL);
	struct lb_error err;

	tap_ok(lb_ledger_begin(l, &err) == 0 &&
		       lb_ledger_write(l, k, s, list, 1000, &err) == 0 &&
		       lb_ledger_commit(l, &err) == 0,
	       "written");
}

/* Another process claims, writes and dies. */
static void in_child(const struct lb_ledger_key *k, const char *ids)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		struct lb_ledger *l = open_ledger();

		claim(l, k, true, NULL);
		if (ids)
			write_state(l, k, LB_LEDGER_CLAIMED, ids);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void one_process(void)
{
	struct lb_ledger *l = open_ledger(), *m = open_ledger();
	size_t n;

	tap_ok(claim(l, &key, false, &n) == LB_LEDGER_FREE && n == 0,
	       "what is new is ours");
	tap_ok(claim(m, &key, true, NULL) == LB_LEDGER_CLAIMED,
	       "... and nobody else's");
	tap_ok(claim(l, &key, true, NULL) == LB_LEDGER_CLAIMED,
	       "... nor ours a second time");
	tap_ok(claim(m, &other, false, NULL) == LB_LEDGER_FREE,
	       "another part is another");
	write_state(l, &key, LB_LEDGER_FREE, "[\"5\"]");
	tap_ok(claim(m, &key, false, &n) == LB_LEDGER_FREE && n == 1,
	       "what was given up goes on where it was");
	write_state(m, &key, LB_LEDGER_SENT, "[\"5\",\"6\"]");
	tap_ok(claim(l, &key, true, &n) == LB_LEDGER_SENT && n == 2,
	       "what was sent stays sent");
	write_state(m, &other, LB_LEDGER_UNKNOWN, "[]");
	tap_ok(claim(l, &other, false, NULL) == LB_LEDGER_UNKNOWN &&
		       claim(l, &other, true, NULL) == LB_LEDGER_FREE,
	       "what is unknown is had only by asking");
	lb_ledger_close(l);
	lb_ledger_close(m);
}

static void dead_process(void)
{
	static const struct lb_ledger_key k = {"b", "dead", 1};
	struct lb_ledger *l = open_ledger();
	struct lb_error err;
	size_t n;

	in_child(&k, NULL);
	tap_ok(claim(l, &k, false, NULL) == LB_LEDGER_UNKNOWN,
	       "a claim of the dead is unknown");
	in_child(&k, "[\"1\"]");
	tap_ok(claim(l, &k, false, &n) == LB_LEDGER_UNKNOWN && n == 1,
	       "... with what is known of it");
	tap_ok(claim(l, &k, true, &n) == LB_LEDGER_FREE && n == 1,
	       "... and can be had");
	tap_ok(lb_ledger_expire(l, 1000, 10, &err) == 0 &&
		       claim(l, &k, false, NULL) == LB_LEDGER_CLAIMED,
	       "what is young is kept");
	tap_ok(lb_ledger_expire(l, 1001, 10, &err) > 0 &&
		       lb_ledger_expire(l, 1001, 10, &err) == 0 &&
		       claim(l, &k, false, NULL) == LB_LEDGER_FREE,
	       "what is old is forgotten");
	lb_ledger_close(l);
}

/* A transaction that is rolled back leaves no claim and no owner. */
static void rolled_back(void)
{
	static const struct lb_ledger_key k = {"b", "back", 1};
	struct lb_ledger *l = open_ledger();
	struct lb_error err;
	json_t *ids = NULL;

	tap_ok(lb_ledger_begin(l, &err) == 0 &&
		       lb_ledger_claim(l, &k, false, 1000, &ids, &err) ==
			       LB_LEDGER_FREE,
	       "claimed");
	json_decref(ids);
	lb_ledger_rollback(l);
	tap_ok(claim(l, &k, false, NULL) == LB_LEDGER_FREE,
	       "a claim that is rolled back is none");
	lb_ledger_close(l);
}

int main(void)
{
	lb_autofree char *rm = NULL;

	if (!mkdtemp(state))
		return 1;
	one_process();
	dead_process();
	rolled_back();
	rm = lb_printf("rm -rf '%s'", state);
	if (system(rm) != 0)
		return 1;
	return tap_end();
}
