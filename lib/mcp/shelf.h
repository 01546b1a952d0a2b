/*
 * mcp/shelf.h - servers in the configuration: one a file of conf.d, mcp-NAME.yaml.
 */
#ifndef LB_MCP_SHELF_H
#define LB_MCP_SHELF_H

#include <jansson.h>
#include <stdbool.h>

#include "config/config.h"

/* 1 to LB_MCP_NAME_MAX of [A-Za-z0-9_-], no '-' first. LB_USAGE. */
int lb_mcp_name_check(const char *name, struct lb_error *err);
/* A name that passes, made of one that may not: others become '_'. New. */
char *lb_mcp_name_clean(const char *name);

/* The file of a server, there or not. Caller frees. NULL: LB_CONFIG. */
char *lb_mcp_shelf_file(const char *config_file, const char *name,
			struct lb_error *err);

/*
 * Write a server's entity. LB_DENIED: there is one of that name, and `replace`
 * is not said, or it is not in a file of its own; LB_CONFIG: it would not be
 * accepted, and nothing is written. *path (may be NULL) is the file; caller
 * frees.
 */
int lb_mcp_shelf_put(struct lb_config *config, const char *config_file,
		     const char *name, const json_t *entity, bool replace,
		     char **path, struct lb_error *err);

/* 0: it is gone. LB_NOINPUT; LB_DENIED: it is in another file. */
int lb_mcp_shelf_remove(struct lb_config *config, const char *config_file,
			const char *name, struct lb_error *err);

/* Set `enable` of one, wherever it is. 1: changed; 0: it was so. */
int lb_mcp_shelf_enable(struct lb_config *config, const char *config_file,
			const char *name, bool enable, struct lb_error *err);

#endif
