/*
 * skill/source.h - what a person names as where skills are.
 *
 *     ./folder  /folder       a folder of this machine, or an archive
 *     https://...             an archive, or one SKILL.md
 *     owner/repo, its URLs    a repository (skill/github.h)
 *     market:author/name      LangBot's marketplace (skill/market.h)
 *
 * What is on this machine under that very name is meant before all others.
 */
#ifndef LB_SKILL_SOURCE_H
#define LB_SKILL_SOURCE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "skill/download.h"
#include "skill/github.h"
#include "skill/install.h"
#include "skill/offer.h"
#include "skill/pack.h"

struct lb_source {
	enum {
		LB_SOURCE_LOCAL,
		LB_SOURCE_URL,
		LB_SOURCE_GITHUB,
		LB_SOURCE_MARKET
	} kind;
	char *text; /* a path, a URL; what errors call it */
	struct lb_github github;
	char *folder; /* the skill is that one of it; or NULL */
};

/* LB_USAGE: it is none, or one that needs git. Release it whatever happened. */
int lb_source_parse(struct lb_source *s, const char *text,
		    struct lb_error *err);

/*
 * Where a skill is from, by what lock.json or a record has of it: "source",
 * "folder", "ref", and "commit" if that very one is wanted (`exactly`). LB_DATA:
 * that is not known, or was made up.
 */
int lb_source_known(struct lb_source *s, const json_t *from, bool exactly,
		    struct lb_error *err);
void lb_source_release(struct lb_source *s);

/* Which commit of a repository is meant: s->github.commit. As github.h. */
int lb_source_resolve(struct lb_source *s, struct lb_reach *reach,
		      struct lb_error *err);

/* What was got, in memory. Zeroed before; release it whatever happened. */
struct lb_got {
	struct lb_pack pack;
	struct lb_origin origin; /* its texts are in `texts` */
	struct lb_offer_from from;
	char *texts[8];
	size_t n_texts;
};

/*
 * Read it. LB_NOINPUT: it is not there; LB_DATA: it is no archive, or not one
 * that is taken; and as skill/download.h and github.h have it.
 */
int lb_source_get(struct lb_got *got, struct lb_source *s,
		  struct lb_reach *reach, struct lb_error *err);
void lb_got_release(struct lb_got *got);

/* An archive that is at hand, `name` being what it is called ("demo.zip"). */
int lb_source_bytes(struct lb_got *got, const char *name, const char *bytes,
		    size_t len, struct lb_error *err);

#endif
