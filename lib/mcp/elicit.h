/*
 * mcp/elicit.h - questions of a server to the person behind us.
 */
#ifndef LB_MCP_ELICIT_H
#define LB_MCP_ELICIT_H

#include <jansson.h>
#include <stdbool.h>

/*
 * The answer: {"action":"accept","content":{...}} with the default of each
 * field, where the operator allows that (`may`) and every field that is
 * required has one; else {"action":"decline"}. A question that is to be
 * answered elsewhere (mode "url") is declined. New.
 */
json_t *lb_mcp_elicit(const json_t *params, bool may);

#endif
