/* serving.h - what the files of lb-tool serve share. */
#ifndef LB_TOOL_SERVING_H
#define LB_TOOL_SERVING_H

#include "lb-tool.h"
#include "provider/server.h"
#include "skills.h"
#include "tool/exec.h"
#include "tool/python.h"
#include "tool/run.h"

struct serving {
	const char *folder;  /* of -w, whoever asks; or NULL */
	const char *session; /* of --session, whoever asks; or NULL */
	struct lb_config *config;
	char *state;
	struct lb_loop *loop;
	struct lb_server *server;
	struct lb_tool_runner *runner;
	struct lb_execs *execs;
	struct lb_pythons *pythons;
	struct tool_shelf *shelf; /* NULL with a folder, which has no skills */
	struct lb_timer look;
	bool there; /* a sandbox, when we looked last */
	struct lb_error why;
};

/* Is there a sandbox? Whoever lists our tools hears when that changes. */
bool serving_look(struct serving *s);

/* Keep that a tool was called, for lb-box audit: `why` it failed, or NULL; -1
 * ms: it did not begin. Commands are kept by lib/tool/exec.c. */
void asked_audit(const struct serving *s, const struct lb_job *job,
		 const char *why, bool denied, int64_t ms);

/* For struct lb_serving. */
void serving_call(struct lb_job *job);
void serving_cancel(struct lb_job *job);

#endif
