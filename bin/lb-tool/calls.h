/* calls.h - a call of lb-tool serve. */
#ifndef LB_TOOL_CALLS_H
#define LB_TOOL_CALLS_H

#include "serving.h"

struct call {
	struct lb_job *job;
	struct tool_place place;
	struct tool_skills skills;
	struct lb_policy policy;
	char *session;             /* of the sandbox; or NULL */
	json_t *arguments;         /* of a command, with what we add */
	struct lb_tool_run *run;   /* of a file tool */
	struct lb_exec *exec;      /* or a command */
	struct lb_python *waiting; /* or what it needs first */
	bool is_open;              /* the place */
	bool cancelled;
	int64_t begun;
};

/*
 * Does the command use a skill that needs packages of Python? Then it begins
 * once they are there: 1. 0: it may begin. -1: they cannot be had.
 */
int call_python(struct call *c, struct lb_error *err);
/* It may begin. */
void call_exec_now(struct call *c);
/* It cannot: what a model is told. */
void call_answer(struct call *c, json_t *take_result);

#endif
