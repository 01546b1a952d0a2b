/* tally.c - what was called, for the reply. */
#include <string.h>

#include "agent/turn.h"
#include "base/json.h"

/* Calls that are listed one by one, and what one adds to the reply, bytes. */
enum { MAX_LISTED = 64, LISTED_SIZE = 400 };

static void count(json_t *by, const char *name)
{
	int64_t n = 0;

	lb_json_int(by, name, &n);
	json_object_set_new(by, name, json_integer(n + 1));
}

/* What the sandbox and the skills did is asked for by itself. */
static void count_native(struct tally *y, const struct work *w)
{
	const char *skill = lb_json_str(w->arguments, "skill_name");

	if (strcmp(w->source, "native") == 0 && strcmp(w->own, "exec") == 0) {
		y->execs++;
		y->exec_errors += w->failed;
	}
	if (strcmp(w->source, "skill") == 0 &&
	    strcmp(w->own, "activate") == 0 && !w->failed && skill &&
	    json_array_size(y->skills) < MAX_LISTED) {
		if (!y->skills)
			y->skills = json_array();
		json_array_append_new(y->skills,
				      lb_json_text(skill, strlen(skill)));
	}
}

void tally_add(struct turn *t, const struct work *w)
{
	struct tally *y = &t->tally;
	const char *source = w->source ? w->source : "none";
	json_t *one;

	if (!y->calls) {
		y->calls = json_object();
		y->list = json_array();
	}
	count(y->calls, source);
	y->n++;
	y->errors += w->failed;
	y->ms += w->ms;
	if (w->own)
		count_native(y, w);
	if (json_array_size(y->list) >= MAX_LISTED)
		return;
	one = lb_json_pack("{s:o, s:s, s:I}", "name",
			   lb_json_text(w->name, strnlen(w->name, 64)),
			   "source", source, "ms", (json_int_t)w->ms);
	if (w->failed)
		json_object_set_new(one, "error", json_true());
	json_array_append_new(y->list, one);
	t->room -= t->room < LISTED_SIZE ? t->room : LISTED_SIZE;
}

void tally_put(const struct tally *y, struct lb_buf *b)
{
	json_auto_t *all = NULL;

	if (y->n == 0)
		return;
	all = lb_json_pack("{s:I, s:I, s:I, s:O, s:O}", "n", (json_int_t)y->n,
			   "errors", (json_int_t)y->errors, "ms",
			   (json_int_t)y->ms, "calls", y->calls, "list",
			   y->list);
	if (y->execs > 0) {
		json_object_set_new(all, "execs", json_integer(y->execs));
		json_object_set_new(all, "exec_errors",
				    json_integer(y->exec_errors));
	}
	if (y->skills)
		json_object_set(all, "skills", y->skills);
	lb_put_json(b, "tools", all);
}

void tally_release(struct tally *y)
{
	json_decref(y->calls);
	json_decref(y->list);
	json_decref(y->skills);
}
