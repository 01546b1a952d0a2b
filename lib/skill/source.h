/*
 * skill/source.h - what a person names as where skills are.
 *
 *     ./folder  /folder  ~/folder     a folder of this machine, or an archive
 *     -                               an archive at the standard input
 */
#ifndef LB_SKILL_SOURCE_H
#define LB_SKILL_SOURCE_H

#include <stdbool.h>

#include "base/error.h"
#include "skill/install.h"
#include "skill/offer.h"
#include "skill/pack.h"

/* What was got, in memory. Zeroed before; release it whatever happened. */
struct lb_got {
	struct lb_pack pack;
	struct lb_origin origin; /* its texts are in `texts` */
	struct lb_offer_from from;
	char *texts[6];
	size_t n_texts;
};

/*
 * Read what `name` stands for. LB_NOINPUT: it is not there; LB_DATA: it is no
 * archive, or not one that is taken.
 */
int lb_source_get(struct lb_got *got, const char *name, struct lb_error *err);
void lb_got_release(struct lb_got *got);

/* An archive that is at hand, `name` being what it is called ("demo.zip"). */
int lb_source_bytes(struct lb_got *got, const char *name, const char *bytes,
		    size_t len, struct lb_error *err);

/* A text that lives as long as what was got. */
const char *lb_got_keep(struct lb_got *got, char *take);

#endif
