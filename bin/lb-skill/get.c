/* lb-skill - what is named as where skills are. */
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "skill.h"
#include "skill/source.h"

int desk_reach(struct desk *d, struct lb_error *err)
{
	if (d->reach.github)
		return 0;
	if (lb_reach_open(&d->reach, d->config, err) < 0) {
		lb_reach_close(&d->reach);
		return -1;
	}
	if (isatty(STDERR_FILENO))
		d->reach.progress = progress;
	return 0;
}

int desk_fetch(struct desk *d, struct lb_got *got, struct lb_source *s,
	       struct lb_error *err)
{
	if (desk_reach(d, err) < 0)
		return -1;
	return lb_source_get(got, s, &d->reach, err);
}

static int get_named(struct desk *d, struct lb_got *got, const char *name,
		     struct lb_error *err)
{
	struct lb_source source;
	int r = lb_source_parse(&source, name, err);

	if (r == 0)
		r = desk_fetch(d, got, &source, err);
	lb_source_release(&source);
	return r;
}

int desk_bytes(struct lb_got *got, const char *bytes, size_t len,
	       struct lb_error *err)
{
	got->origin.source = "-";
	got->origin.nameless = true;
	return lb_source_bytes(got, "standard input", bytes, len, err);
}

int desk_get(struct desk *d, struct lb_got *got, const char *name,
	     struct lb_error *err)
{
	lb_autofree char *bytes = NULL;
	size_t len;

	if (strcmp(name, "-") != 0)
		return get_named(d, got, name, err);
	if (read_input(LB_PACK_ARCHIVE, &bytes, &len, err) < 0)
		return -1;
	return desk_bytes(got, bytes, len, err);
}
