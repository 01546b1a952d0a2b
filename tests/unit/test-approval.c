/* Calls that somebody allows: once, for a while, and only that one. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "store/approval.h"
#include "tap.h"

enum { NOW = 1000000000, MINUTE = 60000 };

static char state[] = "/tmp/lb-approval-XXXXXX";
static struct lb_error err;

static struct lb_store *open_store(void)
{
	struct lb_store *store = lb_store_open(state, 5000, &err);

	if (!store) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	return store;
}

static int ask(struct lb_store *s, const char *hash, int64_t now, char *id)
{
	char any[LB_APPROVAL_ID];
	const struct lb_approval_request r = {
		.hash = hash,
		.session = "b/person_ann",
		.bot = "b",
		.sender = "ann",
		.text = "make install",
	};

	return lb_approval_ask(s, &r, now, id ? id : any, &err);
}

static void count(void *arg, const json_t *request)
{
	*(int *)arg +=
		strcmp(lb_json_str(request, "text"), "make install") == 0;
}

static void granted(struct lb_store *s)
{
	char id[LB_APPROVAL_ID], again[LB_APPROVAL_ID];
	int n = 0;

	tap_ok(ask(s, "h1", NOW, id) == LB_APPROVAL_PENDING && strlen(id) == 8,
	       "what is asked for waits");
	tap_ok(ask(s, "h1", NOW + 1, again) == LB_APPROVAL_PENDING &&
		       strcmp(id, again) == 0,
	       "... under one id, however often");
	lb_approval_each(s, NOW, count, &n, &err);
	tap_ok(n == 1, "... and is shown once");
	tap_ok(lb_approval_decide(s, "nothing", true, "op", NOW, &err) < 0 &&
		       err.code == LB_NO,
	       "an id that there is not is said");
	tap_ok(lb_approval_decide(s, id, true, "op", NOW + 2, &err) == 0,
	       "an operator allows it");
	tap_ok(lb_approval_decide(s, id, false, "eve", NOW + 3, &err) < 0 &&
		       err.code == LB_NO && strstr(err.text, "by op"),
	       "... once, and it is known who");
	tap_ok(ask(s, "h2", NOW + 4, NULL) == LB_APPROVAL_PENDING,
	       "it is not for another call");
	tap_ok(ask(s, "h1", NOW + 4, again) == LB_APPROVAL_GRANTED,
	       "the same call is allowed");
	tap_ok(ask(s, "h1", NOW + 5, again) == LB_APPROVAL_PENDING &&
		       strcmp(id, again) != 0,
	       "... once");
}

static void times(struct lb_store *s)
{
	char id[LB_APPROVAL_ID];

	ask(s, "late", NOW, id);
	tap_ok(lb_approval_decide(s, id, true, "op", NOW + 15 * MINUTE, &err) <
			       0 &&
		       err.code == LB_NO && strstr(err.text, "expired"),
	       "a request waits for 15 minutes");
	tap_ok(ask(s, "late", NOW + 15 * MINUTE, id) == LB_APPROVAL_PENDING &&
		       lb_approval_decide(s, id, true, "op", NOW + 29 * MINUTE,
					  &err) == 0,
	       "... from when it is asked for anew");
	tap_ok(ask(s, "late", NOW + 44 * MINUTE, NULL) == LB_APPROVAL_PENDING,
	       "what was allowed is so for 15 minutes");
	ask(s, "back", NOW, id);
	lb_approval_decide(s, id, true, "op", NOW, &err);
	tap_ok(ask(s, "back", NOW - 2 * MINUTE, NULL) == LB_APPROVAL_PENDING,
	       "a clock that is set back makes it no longer");
}

static void denied(struct lb_store *s)
{
	char id[LB_APPROVAL_ID];

	ask(s, "no", NOW, id);
	lb_approval_decide(s, id, false, "op", NOW, &err);
	tap_ok(ask(s, "no", NOW + 14 * MINUTE, NULL) == LB_APPROVAL_DENIED &&
		       ask(s, "no", NOW + 14 * MINUTE, NULL) ==
			       LB_APPROVAL_DENIED,
	       "what was denied is, for as long");
	tap_ok(ask(s, "no", NOW + 15 * MINUTE, NULL) == LB_APPROVAL_PENDING,
	       "... and may be asked for later");
}

static void bounded(struct lb_store *s)
{
	int r = 0, n = 0;

	for (int i = 0; i < 100 && r >= 0; i++) {
		lb_autofree char *hash = lb_printf("many %d", i);

		r = ask(s, hash, NOW + 500 * MINUTE, NULL);
	}
	tap_ok(r < 0 && err.code == LB_DENIED,
	       "a session has a bound on what waits");
	lb_approval_each(s, NOW + 500 * MINUTE, count, &n, &err);
	tap_ok(n == LB_APPROVAL_EACH, "... of 20");
	tap_ok(lb_approval_expire(s, NOW + 500 * MINUTE, &err) > 0 &&
		       lb_approval_expire(s, NOW + 501 * MINUTE, &err) ==
			       LB_APPROVAL_EACH,
	       "what is old is forgotten");
}

/* How many of 100 that one sender asks for wait, each in another session. */
static int flood(struct lb_store *s, const char *sender, int64_t now)
{
	int n = 0;

	for (int i = 0; i < 100; i++) {
		lb_autofree char *hash = lb_printf("%s %d", sender, i);
		lb_autofree char *session = lb_printf("b/group_%d", i);
		char id[LB_APPROVAL_ID];

		n += lb_approval_ask(s,
				     &(struct lb_approval_request){
					     .hash = hash,
					     .session = session,
					     .bot = "b",
					     .sender = sender,
					     .text = "make install",
				     },
				     now, id, &err) == LB_APPROVAL_PENDING;
	}
	return n;
}

static void drowned(struct lb_store *s)
{
	const int64_t then = NOW + 1000 * MINUTE;
	int n = 0;

	tap_ok(flood(s, "eve", then) == LB_APPROVAL_EACH,
	       "so has who asks in many sessions");
	tap_ok(flood(s, "bob", then) == LB_APPROVAL_EACH,
	       "... which is not in the way of others");
	for (int day = 1; day < 10; day++)
		flood(s, "eve", then + day * 60 * MINUTE);
	tap_ok(lb_approval_expire(s, then + 11 * 60 * MINUTE, &err) <
		       5 * LB_APPROVAL_EACH,
	       "... nor kept, when nobody decided");
	flood(s, "eve", then + 9000 * MINUTE);
	tap_ok(lb_approval_each(s, then, count, &n, &err) == 0 && n == 0 &&
		       flood(s, "eve", then) == LB_APPROVAL_EACH,
	       "what was asked before the clock was set back is not counted");
}

/* Many make the same call at once. */
static void at_once(struct lb_store *s)
{
	char id[LB_APPROVAL_ID];
	int ran = 0, how;

	ask(s, "race", NOW, id);
	lb_approval_decide(s, id, true, "op", NOW, &err);
	lb_store_close(s);
	fflush(stdout);
	for (int i = 0; i < 8; i++)
		if (fork() == 0) {
			struct lb_store *own = open_store();

			_exit(ask(own, "race", NOW, NULL) ==
			      LB_APPROVAL_GRANTED);
		}
	while (wait(&how) > 0)
		ran += WIFEXITED(how) && WEXITSTATUS(how) == 1;
	tap_ok(ran == 1, "of many at once one is allowed");
}

int main(void)
{
	lb_autofree char *clean = NULL;
	struct lb_store *s;

	if (!mkdtemp(state))
		return 1;
	s = open_store();
	granted(s);
	times(s);
	denied(s);
	bounded(s);
	drowned(s);
	at_once(s);
	clean = lb_printf("rm -rf %s", state);
	return system(clean) != 0 || tap_end();
}
