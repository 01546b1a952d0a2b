/* lb-box approve, lb-box deny */
#include "base/clock.h"
#include "base/mem.h"
#include "box.h"
#include "config/config.h"
#include "store/approval.h"

const struct lb_opt decide_options[] = {BOX_WORKSPACE, {0}};

/* 1; -1: the request is another's, of which nothing is said. */
static int check_whose(struct lb_store *store, const char *id,
		       struct lb_error *err)
{
	int is = lb_approval_is_of(store, id, box_whose(), err);

	return is == 0 ? lb_fail(err, LB_NO, "no request '%.40s' waits", id)
		       : is;
}

static int decide(const char *id, bool grant)
{
	struct lb_error err;
	struct lb_store *store;
	lb_autofree char *who = lb_config_login();
	int got = box_store(&store, &err);

	if (got == 0)
		got = lb_fail(&err, LB_NO, "no request '%.40s' waits", id);
	else if (got > 0 && box_whose())
		got = check_whose(store, id, &err);
	if (got > 0)
		got = lb_approval_decide(store, id, grant, who, lb_clock_now(),
					 &err);
	lb_store_close(store);
	return got < 0 ? lb_report(&err) : LB_OK;
}

int approve_verb(int argc, char **argv)
{
	(void)argc;
	return decide(argv[0], true);
}

int deny_verb(int argc, char **argv)
{
	(void)argc;
	return decide(argv[0], false);
}
