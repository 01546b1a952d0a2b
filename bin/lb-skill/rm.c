/* lb-skill rm */
#include "base/log.h"
#include "skill.h"
#include "skill/change.h"

static const char *config_file;

const struct lb_opt rm_options[] = {
	{'c', "config", "FILE", "read this configuration",
	 .text = &config_file},
	{0},
};

static int remove_one(struct desk *d, struct lb_change *c, const char *name,
		      struct lb_error *err)
{
	struct lb_shelved one;
	int r = lb_shelf_find(d->shelf, name, &one, err);

	/* One that is known and not there: somebody was cut off. */
	if (r < 0 && err->code == LB_NOINPUT &&
	    json_object_get(c->skills, name))
		return lb_change_remove(c, name, err);
	if (r < 0)
		return -1;
	if (one.is_own)
		r = lb_change_remove(c, name, err);
	else
		r = lb_fail(err, LB_DENIED,
			    "skill '%s' is in '%.200s', which is only read",
			    name, one.folder);
	lb_shelved_one_release(&one);
	return r;
}

/* Each that can be; the first failure is the exit status. */
int rm_verb(int argc, char **argv)
{
	struct lb_change c;
	struct lb_error err;
	struct desk d;
	int code = LB_OK;

	if (desk_open(&d, config_file, &err) < 0 ||
	    lb_change_begin(&c, d.shelf->store, &err) < 0) {
		desk_close(&d);
		return lb_report(&err);
	}
	for (int i = 0; i < argc; i++) {
		if (remove_one(&d, &c, argv[i], &err) == 0)
			continue;
		lb_complain("%s", err.text);
		code = code == LB_OK ? (int)err.code : code;
	}
	lb_change_end(&c);
	desk_close(&d);
	return code;
}
