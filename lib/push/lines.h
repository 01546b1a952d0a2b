/*
 * push/lines.h - what lb-push does with lines; the lanes' `arg` is the push.
 */
#ifndef LB_PUSH_LINES_H
#define LB_PUSH_LINES_H

#include "push/push.h"

extern const struct lb_lanes_user lb_push_lines;

#endif
