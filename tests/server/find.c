#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "script.h"

/* A JSON value written in the script, or else plain text for a string. */
static bool same_value(const json_t *found, const char *wanted)
{
	json_t *value = json_loads(wanted, JSON_DECODE_ANY, NULL);
	bool same;

	if (!value)
		value = lb_json_text(wanted, strlen(wanted));
	same = found && json_equal(found, value);
	json_decref(value);
	return same;
}

static bool holds(const struct condition *c, const struct request *r)
{
	const char *header;
	json_t *body;
	bool ok;

	switch (c->check) {
	case IF_HEADER:
		header = lb_json_str(r->headers, c->name);
		return header && (!c->text || strstr(header, c->text));
	case IF_NO_HEADER:
		header = lb_json_str(r->headers, c->name);
		return !header || (c->text && !strstr(header, c->text));
	case IF_BODY:
		return memmem(r->body, r->body_len, c->text, strlen(c->text));
	case IF_JSON:
		body = json_loadb(r->body, r->body_len, JSON_ALLOW_NUL, NULL);
		ok = same_value(lb_json_path(body, c->name), c->text);
		json_decref(body);
		return ok;
	}
	return false;
}

static bool path_fits(const char *pattern, const char *path)
{
	size_t n = strlen(pattern);

	if (n > 0 && pattern[n - 1] == '*')
		return strncmp(pattern, path, n - 1) == 0;
	return strcmp(pattern, path) == 0;
}

static bool fits(const struct exchange *x, const struct request *r)
{
	if (x->uses == 0)
		return false;
	if (strcmp(x->method, "*") != 0 && strcmp(x->method, r->method) != 0)
		return false;
	if (!path_fits(x->path, r->path))
		return false;
	for (const struct condition *c = x->conditions; c; c = c->next)
		if (!holds(c, r))
			return false;
	return true;
}

struct exchange *script_find(struct exchange *all, const struct request *r)
{
	for (struct exchange *x = all; x; x = x->next) {
		if (!fits(x, r))
			continue;
		if (x->uses > 0)
			x->uses--;
		return x;
	}
	return NULL;
}
