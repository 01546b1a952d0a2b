/*
 * box/member.h - reading the members of a JSON object that somebody wrote who
 * is not to be trusted. For this room.
 *
 * Absent and null are the same. Each fails with LB_DATA, "field 'x' ...", and
 * leaves its target as it was when there is no such member.
 */
#ifndef LB_BOX_MEMBER_H
#define LB_BOX_MEMBER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The member, or NULL. */
const json_t *lb_member(const json_t *o, const char *name);

/*
 * A text without what is blank at its ends, at most `most` bytes and no NUL;
 * *take is freed first.
 */
int lb_member_text(const json_t *o, const char *name, size_t most, char **take,
		   struct lb_error *err);

/* A whole number of that range; "30" and 30.0 are 30, true is none. */
int lb_member_whole(const json_t *o, const char *name, int64_t min, int64_t max,
		    int64_t *value, struct lb_error *err);

/* A number above 0 and at most `max`; "1.5" is one. */
int lb_member_number(const json_t *o, const char *name, double max,
		     double *value, struct lb_error *err);

int lb_member_bool(const json_t *o, const char *name, bool *value,
		   struct lb_error *err);

/* One of the words, NULL-ended; its index. */
int lb_member_word(const json_t *o, const char *name, const char *const *words,
		   int *index, struct lb_error *err);

/* An absolute path, in shape (spec.h); an empty text is none. */
int lb_member_path(const json_t *o, const char *name, char **take,
		   struct lb_error *err);

/* Is it a whole number, or a text that is one? */
bool lb_whole(const json_t *value, int64_t *number);

/* Has the text a control character: C0, DEL, C1? */
bool lb_has_control(const char *text);

/*
 * Letters and digits of any script, with '-' and '_' among them? (Not by a
 * pattern: lb-exec would link PCRE2 for this alone.)
 */
bool lb_is_word(const char *text);

#endif
