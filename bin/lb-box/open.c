/* lb-box - the store. */
#include "base/mem.h"
#include "box.h"
#include "config/config.h"
#include "store/audit.h"

enum { BUSY_MS = 5000 };

int box_store(struct lb_store **take, struct lb_error *err)
{
	struct lb_config *config = box_config(NULL, err);
	lb_autofree char *state = config ? lb_config_state(err) : NULL;

	lb_config_close(config);
	*take = NULL;
	if (!state)
		return -1;
	if (!lb_store_exists(state) && !lb_audit_waits(state))
		return 0;
	*take = lb_store_open(state, BUSY_MS, err);
	if (*take && lb_audit_fold(*take, state, err) == 0)
		return 1;
	lb_store_close(*take);
	*take = NULL;
	return -1;
}
