/*
 * tool/child.h - what the process of a call does. Inside the room only.
 */
#ifndef LB_TOOL_CHILD_H
#define LB_TOOL_CHILD_H

#include <sys/types.h>

#include "tool/run.h"

/* Does it, writes the result to standard output and ends. */
void lb_tool_child(const struct lb_tool_order *order, pid_t parent)
	__attribute__((noreturn));

#endif
