/* lb-skill - how far a download is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "skill.h"

enum {
	FIRST_MS = 1000, /* what is over sooner says nothing */
	NEXT_MS = 250,
	MAX_HOST = 60,
};

static int64_t began, next;
static size_t shown; /* characters of the line that is there */

/* Whatever stood there is covered; an empty line leaves nothing. */
static void put(const char *line)
{
	size_t len = strlen(line);

	fprintf(stderr, "\r%s%*s\r%s", line,
		(int)(shown > len ? shown - len : 0), "", line);
	fflush(stderr);
	shown = len;
}

void progress(const char *host, int64_t bytes)
{
	int64_t now = lb_clock_mono();
	lb_autofree char *line = NULL;

	if (bytes < 0) {
		if (shown > 0)
			put("");
		began = next = 0;
		return;
	}
	if (began == 0)
		began = now;
	if (now < began + FIRST_MS || now < next)
		return;
	next = now + NEXT_MS;
	line = lb_printf("%.1f MiB from %.*s", (double)bytes / (1 << 20),
			 MAX_HOST, host);
	put(line);
}
