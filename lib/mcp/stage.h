/*
 * mcp/stage.h - what a Python or Node server needs, put into its sandbox before
 * it is started there.
 *
 * Below /workspace/.mcp of the server's session, which stays:
 *
 *     stamp   what was put there: a digest of the command and its project
 *     venv    Python packages
 *     npm     a package of npm, and `bin`, the script of it that is started
 *     app     a copy of the project, where it has to be built
 *
 * A server is started by a script that exits LB_MCP_UNSTAGED where the stamp is
 * another one; then the install script runs, with a network, and the server is
 * started again.
 */
#ifndef LB_MCP_STAGE_H
#define LB_MCP_STAGE_H

#include "mcp/server.h"
#include "mcp/words.h"

enum { LB_MCP_UNSTAGED = 97 };

enum lb_mcp_stage {
	LB_MCP_STAGE_NONE,
	LB_MCP_STAGE_NPX,          /* npx PACKAGE */
	LB_MCP_STAGE_UVX,          /* uvx PACKAGE, pipx run PACKAGE */
	LB_MCP_STAGE_REQUIREMENTS, /* requirements.txt */
	LB_MCP_STAGE_PYTHON,       /* pyproject.toml, setup.py */
	LB_MCP_STAGE_NODE,         /* package.json without node_modules */
};

struct lb_mcp_plan {
	enum lb_mcp_stage stage;
	char *project;       /* the folder that is mounted, or NULL */
	char *package, *bin; /* of npx and uvx; bin may be NULL */
	const char *inside;  /* where the project is, inside; or NULL */
	char stamp[65];
	struct lb_words run; /* what is started, after "--" */
};

/* LB_CONFIG: box.host_path is no absolute path. */
int lb_mcp_plan_make(struct lb_mcp_plan *plan,
		     const struct lb_mcp_server *server, struct lb_error *err);
void lb_mcp_plan_release(struct lb_mcp_plan *plan);

/* The command that installs, after "--". */
void lb_mcp_plan_install(const struct lb_mcp_plan *plan, struct lb_words *argv);

#endif
