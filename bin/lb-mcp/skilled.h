/* skilled.h - what the files of lb-mcp serve that have to do with skills share.
 */
#ifndef LB_MCP_SKILLED_H
#define LB_MCP_SKILLED_H

#include "serving.h"
#include "skill/index.h"

/* What there is now, and what of it the pipeline has. */
struct room {
	json_t *known;
	struct lb_shelved_all all;
	struct lb_visible visible;
};

/* Results of lb_serve_done(), new. */
json_t *resources_list(const struct room *room);
json_t *resources_templates(void);
/* Answers. */
void resources_read(const struct room *room, struct lb_serve_ask *ask);

/* A stranger's text, in one line, cleaned. */
void put_clean(json_t *o, const char *key, const char *text);

#endif
