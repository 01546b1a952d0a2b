/* lb-skill - what is named as where skills are. */
#include <string.h>

#include "base/mem.h"
#include "skill.h"
#include "skill/source.h"

int desk_get(struct lb_got *got, const char *name, struct lb_error *err)
{
	lb_autofree char *bytes = NULL;
	size_t len;

	if (strcmp(name, "-") != 0)
		return lb_source_get(got, name, err);
	if (read_input(LB_PACK_ARCHIVE, &bytes, &len, err) < 0)
		return -1;
	got->origin.source = "-";
	got->origin.nameless = true;
	return lb_source_bytes(got, "standard input", bytes, len, err);
}
