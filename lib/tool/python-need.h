/*
 * tool/python-need.h - what a skill in Python asks for. For this room.
 */
#ifndef LB_TOOL_PYTHON_NEED_H
#define LB_TOOL_PYTHON_NEED_H

#include <stdbool.h>

#include "base/error.h"
#include "box/session.h"

enum { LB_PYTHON_DIGEST = 17 }; /* digits and a NUL */

struct lb_python_need {
	char digest[LB_PYTHON_DIGEST]; /* other packages or another Python have
					  another one */
	bool is_list;    /* requirements.txt; else it is a package itself */
	bool has_wheels; /* it brings packages along, in wheels/ */
};

/* LB_NOINPUT: it asks for none; LB_DATA, LB_IO. */
int lb_python_need(int folder, struct lb_python_need *need,
		   struct lb_error *err);

/* The script that makes the environment at `env` of the skill NAME; new.
 * `offline`: of what is there already. */
char *lb_python_script(const struct lb_python_need *need, const char *name,
		       const char *env, bool offline);

/* Was that environment of the skill made, and is it there? */
bool lb_python_is_made(const struct lb_box_session *s, const char *name,
		       const char *digest);
/* It was. */
int lb_python_made(const struct lb_box_session *s, const char *name,
		   const char *digest, struct lb_error *err);
/* The file whose holder makes it; new. */
char *lb_python_lock(const struct lb_box_session *s, const char *name);

#endif
