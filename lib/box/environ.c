/* environ.c - what programs find in their environment, whatever runs them. */
#include "box/driver.h"

const char *const lb_box_environ[] = {
	"LANG=C.UTF-8",
	"USER=user",
	"LOGNAME=user",
	"SHELL=/bin/sh",
	"TMPDIR=/tmp",
	"CI=1",
	"PAGER=cat",
	"GIT_PAGER=cat",
	"GIT_TERMINAL_PROMPT=0",
	"PYTHONUNBUFFERED=1",
	NULL,
};

const char *const *lb_box_environ_terminal(bool terminal)
{
	static const char *const with[] = {"TERM=xterm", NULL};
	static const char *const without[] = {"TERM=dumb", "NO_COLOR=1", NULL};

	return terminal ? with : without;
}
