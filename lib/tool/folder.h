/*
 * tool/folder.h - what read says of a folder.
 */
#ifndef LB_TOOL_FOLDER_H
#define LB_TOOL_FOLDER_H

#include <jansson.h>

#include "tool/place.h"

/* The names in a folder that is open. New. */
json_t *lb_tool_list(const struct lb_place *place, const struct lb_spot *spot,
		     int fd);

/* Those of the skills. New. */
json_t *lb_tool_list_skills(const struct lb_place *place);

#endif
