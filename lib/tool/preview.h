/*
 * tool/preview.h - what a command wrote, as one text. For this room.
 */
#ifndef LB_TOOL_PREVIEW_H
#define LB_TOOL_PREVIEW_H

#include <jansson.h>

/*
 * Put `preview` into a result (box/result.h): its stdout, or its stderr, or both
 * with their names, at most 50 KiB; and `truncated`, and what did it.
 */
void lb_exec_preview(json_t *result);

#endif
