/*
 * box/output.h - the inside of result.h's output, for this room and its tests.
 */
#ifndef LB_BOX_OUTPUT_H
#define LB_BOX_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "box/result.h"

/*
 * How `shown` characters are made of more: head, a notice, tail. The notice
 * says how many are missing, and its own length takes part in that; where it
 * has no room of its own its beginning is all there is.
 */
struct lb_box_split {
	uint64_t head, tail; /* characters */
	char notice[64];
	size_t n_notice; /* bytes, and characters */
};

struct lb_box_split lb_box_split(uint64_t chars, size_t shown);

/* lb_box_output_text(); returns how many of the stream's bytes are in it. */
size_t lb_box_output_show(const struct lb_box_output *o, struct lb_buf *text,
			  bool *truncated);

/* Has it an ill-formed byte anywhere? */
bool lb_box_output_is_binary(const struct lb_box_output *o);

/*
 * The bytes as they came: all, or the first 60 and the last 40 of 100, without
 * a word between them. Returns how many the first are.
 */
size_t lb_box_output_bytes(const struct lb_box_output *o, struct lb_buf *bytes,
			   bool *truncated);

#endif
