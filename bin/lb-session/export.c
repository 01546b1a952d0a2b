/* lb-session export */
#include <stdio.h>

#include "base/mem.h"
#include "session.h"

const struct lb_opt export_options[] = {{0}};

static int export(struct lb_store *store, const char *name,
		  struct lb_error *err)
{
	bool known = false;
	json_auto_t *list =
		session_conversations(store, name, true, &known, err);

	if (!list)
		return -1;
	if (name && !known)
		return session_unknown(name, err);
	for (size_t i = 0; i < json_array_size(list); i++)
		if (session_write_turns(store, json_array_get(list, i), err) <
		    0)
			return -1;
	return 0;
}

int export_verb(int argc, char **argv)
{
	lb_autofree char *name = argc > 0 ? session_name(argv[0]) : NULL;
	struct lb_error err;
	struct lb_store *store;
	int got = session_store(&store, &err);

	if (got == 0 && name)
		got = session_unknown(name, &err);
	else if (got > 0)
		got = export(store, name, &err);
	lb_store_close(store);
	return got < 0 ? lb_report(&err) : LB_OK;
}
