#include "tool/place.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "box/spec.h"
#include "fs/tree.h"

enum { BLOCK = 4096, MEASURE_MS = 3000, SHOWN = 200 };

#define SKILLS ".skills"

/* The path below /workspace without "//", "." and ".."; NULL: it is elsewhere. */
static char *shape(const char *path)
{
	const size_t n = strlen(LB_BOX_WORKSPACE);
	lb_autofree char *full =
		path[0] == '/' ? lb_strdup(path)
			       : lb_printf("%s/%s", LB_BOX_WORKSPACE, path);
	char *out = full;
	size_t len = 0;

	for (const char *at = full; *at;) {
		size_t part;

		at += strspn(at, "/");
		part = strcspn(at, "/");
		if (part == 2 && strncmp(at, "..", 2) == 0) {
			while (len > 0 && out[--len] != '/')
				;
		} else if (part > 0 && !(part == 1 && *at == '.')) {
			out[len++] = '/';
			memmove(out + len, at, part);
			len += part;
		}
		at += part;
	}
	out[len] = '\0';
	if (strncmp(out, LB_BOX_WORKSPACE, n) != 0 || (out[n] && out[n] != '/'))
		return NULL;
	return lb_strdup(out[n] ? out + n + 1 : ".");
}

static int find_skill(const struct lb_place *place, struct lb_spot *spot,
		      struct lb_error *err)
{
	const char *name = spot->path + strlen(SKILLS "/");
	size_t len = strcspn(name, "/");

	for (size_t i = 0; i < place->n_skills; i++) {
		const struct lb_place_skill *s = &place->skills[i];
		char *rest;

		if (strlen(s->name) != len || strncmp(s->name, name, len) != 0)
			continue;
		spot->root = s->fd;
		spot->writable = s->writable;
		spot->asleep = s->asleep;
		spot->counts = s->counts;
		spot->is_in_workspace = false;
		rest = lb_strdup(name[len] ? name + len + 1 : ".");
		free(spot->path);
		spot->path = rest;
		return 0;
	}
	return lb_fail(err, LB_NOINPUT,
		       "there is no skill '%.*s'; read " LB_BOX_WORKSPACE
		       "/" SKILLS " to see which there are",
		       (int)(len > SHOWN ? SHOWN : len), name);
}

static int find(const struct lb_place *place, struct lb_spot *spot,
		struct lb_error *err)
{
	spot->root = place->workspace;
	spot->writable = true;
	spot->is_in_workspace = spot->counts = true;
	if (strcmp(spot->path, SKILLS) == 0) {
		spot->root = -1;
		spot->writable = false;
		return 0;
	}
	if (strncmp(spot->path, SKILLS "/", strlen(SKILLS "/")) == 0)
		return find_skill(place, spot, err);
	return 0;
}

int lb_place_find(const struct lb_place *place, const char *path, size_t len,
		  struct lb_spot *spot, struct lb_error *err)
{
	*spot = (struct lb_spot){.root = -1};
	if (len == 0 || len >= PATH_MAX || memchr(path, '\0', len))
		return lb_fail(err, LB_DATA,
			       "that is no path: it is empty, too long or has "
			       "a zero byte");
	spot->path = shape(path);
	if (!spot->path)
		return lb_fail(err, LB_DENIED,
			       "'%.*s' is outside of " LB_BOX_WORKSPACE
			       "; only paths below it can be used here",
			       SHOWN, path);
	spot->shown =
		strcmp(spot->path, ".") == 0
			? lb_strdup(LB_BOX_WORKSPACE)
			: lb_printf("%s/%s", LB_BOX_WORKSPACE, spot->path);
	return find(place, spot, err);
}

void lb_spot_release(struct lb_spot *spot)
{
	free(spot->path);
	free(spot->shown);
}

int lb_place_room(const struct lb_place *place, const struct lb_spot *spot,
		  int64_t more, struct lb_error *err)
{
	const struct lb_tree_limits limits = {.max_bytes = place->quota,
					      .max_ms = MEASURE_MS};
	int64_t blocks = (more + BLOCK - 1) / BLOCK * BLOCK;
	struct lb_tree_size size;

	if (place->quota <= 0 || place->quota_is_kept || more <= 0 ||
	    !spot->counts)
		return 0;
	if (lb_tree_size(place->workspace, &limits, &size, err) < 0)
		return -1;
	if (size.bytes + blocks <= place->quota && size.unread == 0 &&
	    size.end == LB_WALK_WHOLE)
		return 0;
	if (size.unread > 0 || size.end == LB_WALK_TIME)
		return lb_fail(err, LB_DENIED,
			       "cannot tell how much of the quota is used: %s",
			       size.unread > 0
				       ? "there are folders that cannot be "
					 "read; remove them with exec, or "
					 "chmod u+rwx them"
				       : "there are too many files; remove "
					 "some with exec");
	return lb_fail(err, LB_DENIED,
		       "nothing was written: the workspace may have %lld bytes "
		       "and uses %lld; remove files with exec (rm) first",
		       (long long)place->quota, (long long)size.bytes);
}
