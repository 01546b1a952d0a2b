/*
 * skill/sum.h - what a skill's files are, in one number.
 *
 * A list has a line for each file, by the bytes of their paths: "x " where its
 * owner may run it, else "- ", then the SHA-256 of its bytes in small hex
 * digits, two blanks and the path. The sum of a skill is the SHA-256 of its
 * list.
 */
#ifndef LB_SKILL_SUM_H
#define LB_SKILL_SUM_H

#include <jansson.h>

#include "base/buf.h"
#include "skill/pack.h"
#include "skill/shelf.h"

enum { LB_SKILL_SUM = 72 }; /* "sha256:", 64 digits and a NUL */

void lb_skill_list(const struct lb_pack *p, struct lb_buf *list);
void lb_skill_sum(const struct lb_buf *list, char sum[LB_SKILL_SUM]);

/* Both of one that is on the shelf; as lb_shelved_pack(), and what could be read
 * is there on failure, too. */
int lb_shelved_sum(const struct lb_shelved *one, struct lb_buf *list,
		   char sum[LB_SKILL_SUM], struct lb_error *err);

/*
 * What differs between two lists, new: [{"path", "change": "added", "removed",
 * "changed" or "mode"}], by path.
 */
json_t *lb_skill_changes(const char *before, const char *after);

#endif
