/* lb-config set and unset. */
#include <string.h>

#include "base/mem.h"
#include "config/edit.h"
#include "config/keys.h"
#include "verbs.h"

/* KEY=VALUE, unless the one pair is given as KEY VALUE. */
static int set_pair(const char *pair, struct lb_buf *text, struct lb_error *err)
{
	const char *equals = strchr(pair, '=');
	lb_autofree char *path = NULL;

	if (!equals && lb_key_find(pair))
		return lb_fail(err, LB_USAGE,
			       "a value is missing: write %s=VALUE", pair);
	if (!equals)
		return lb_fail(err, LB_USAGE, "'%s' is not KEY=VALUE", pair);
	path = lb_strndup(pair, (size_t)(equals - pair));
	return change_set(path, equals + 1, text, err);
}

int verb_set(int argc, char **argv)
{
	autochange struct change c = {.lock = -1};
	lb_autobuf struct lb_buf text = {0};
	struct lb_error err;
	int bad = change_begin(&c, &err);

	if (!bad)
		lb_buf_put(&text, c.text, c.len);
	if (!bad && argc == 2 && !strchr(argv[0], '='))
		bad = change_set(argv[0], argv[1], &text, &err);
	else
		for (int i = 0; i < argc && !bad; i++)
			bad = set_pair(argv[i], &text, &err);
	if (!bad)
		bad = change_commit(&c, &text, &err);
	return bad ? lb_report(&err) : LB_OK;
}

static int unset_key(const char *path, struct lb_buf *text,
		     struct lb_error *err)
{
	lb_autobuf struct lb_buf out = {0};
	int done = lb_edit_unset(lb_buf_str(text), text->len, path, &out, err);

	/* what is no key can stand in a file, and must be got rid of */
	if (done == 0 && !lb_key_find(path) && !lb_key_is_branch(path) &&
	    lb_key_absence(path, NULL) == LB_KEY_UNKNOWN)
		return lb_fail(err, LB_USAGE, "'%s' is no key", path);
	if (done == 0)
		return lb_fail(err, LB_NO, "'%s' is not in the file", path);
	lb_buf_reset(text);
	lb_buf_put(text, lb_buf_str(&out), out.len);
	return done < 0 ? -1 : 0;
}

int verb_unset(int argc, char **argv)
{
	autochange struct change c = {.lock = -1};
	lb_autobuf struct lb_buf text = {0};
	struct lb_error err;
	int bad = change_begin(&c, &err);

	if (!bad)
		lb_buf_put(&text, c.text, c.len);
	for (int i = 0; i < argc && !bad; i++)
		bad = unset_key(argv[i], &text, &err);
	if (!bad)
		bad = change_commit(&c, &text, &err);
	return bad ? lb_report(&err) : LB_OK;
}
