/* box-filter - the filter of system calls, to standard output, for a bubblewrap
 * that is started by hand. */
#include <stdio.h>
#include <unistd.h>

#include "box/seccomp.h"

int main(void)
{
	char text[8192];
	struct lb_error err;
	int ends[2];
	ssize_t n;

	if (lb_box_seccomp(ends, &err) < 0) {
		fprintf(stderr, "box-filter: %s\n", err.text);
		return 1;
	}
	/* The end is written once there is room for it. */
	for (int turn = 0; turn < 2; turn++) {
		n = read(ends[0], text, sizeof(text));
		if (n <= 0 || fwrite(text, 1, (size_t)n, stdout) != (size_t)n)
			return 1;
		if (turn == 0 && lb_box_seccomp_end(ends[1]) < 0)
			return 1;
	}
	return fflush(stdout) == 0 ? 0 : 1;
}
