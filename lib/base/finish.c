/* finish.c - the last call of main(); see base/prog.h. */
#include "base/prog.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/stop.h"

/* Did the reader of standard output go away? */
static bool reader_left(void)
{
	struct pollfd p = {.fd = STDOUT_FILENO};

	return poll(&p, 1, 0) == 1 && (p.revents & POLLERR);
}

int lb_finish(int code)
{
	bool bad = ferror(stdout);
	int why;

	/*
	 * Why an earlier write failed is not known any more; if the next one
	 * fails too, or one of nothing, it was for this.
	 */
	errno = 0;
	bad |= fflush(stdout) == EOF;
	if (bad && errno == 0 && write(STDOUT_FILENO, "", 0) == 0)
		errno = 0;
	why = errno;
	if (bad && reader_left())
		lb_die_of_sigpipe();
	if (fclose(stdout) == 0 && !bad)
		return code;
	if (code != LB_IO) /* else it has been said */
		lb_complain("cannot write output%s%s", why ? ": " : "",
			    why ? strerror(why) : "");
	return LB_IO;
}
