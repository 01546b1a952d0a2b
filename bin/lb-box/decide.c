/* lb-box approve, lb-box deny */
#include "base/clock.h"
#include "base/mem.h"
#include "box.h"
#include "config/config.h"
#include "store/approval.h"

const struct lb_opt decide_options[] = {{0}};

static int decide(const char *id, bool grant)
{
	struct lb_error err;
	struct lb_store *store;
	lb_autofree char *who = lb_config_login();
	int got = box_store(&store, &err);

	if (got == 0)
		got = lb_fail(&err, LB_NO, "no request '%.40s' waits", id);
	else if (got > 0)
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
