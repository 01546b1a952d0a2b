/* run-pipes.c - what a command reads from and writes to. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "box/run.h"

bool lb_run_is_one_place(int a, int b)
{
	struct stat one, other;

	return a >= 0 && b >= 0 && fstat(a, &one) == 0 &&
	       fstat(b, &other) == 0 && one.st_dev == other.st_dev &&
	       one.st_ino == other.st_ino;
}

/*
 * Whoever works inside may open what he was given anew, by /dev/stdin and its
 * like: it has to be his for that.
 */
static int give(const struct lb_box_run *run, int fd, struct lb_error *err)
{
	return !run->x.drop || fchown(fd, run->x.uid, run->x.gid) == 0
		       ? 0
		       : lb_fail_sys(err, LB_OS, "cannot give away a pipe");
}

static int pipe_for(const struct lb_box_run *run, int ends[2],
		    struct lb_error *err)
{
	if (pipe2(ends, O_CLOEXEC) < 0)
		return lb_fail_sys(err, LB_OS, "cannot make a pipe");
	if (give(run, ends[0], err) == 0)
		return 0;
	close(ends[0]);
	close(ends[1]);
	return -1;
}

void lb_box_resize(struct lb_box_run *run)
{
	struct winsize size;

	if (run->job.terminal && run->out.fd >= 0 &&
	    ioctl(run->job.in, TIOCGWINSZ, &size) == 0)
		ioctl(run->out.fd, TIOCSWINSZ, &size);
}

/* A terminal of the command's own: ours is copied to and from it. */
static int open_terminal(struct lb_box_run *run, int *inside,
			 struct lb_error *err)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), copy;
	char name[64];

	if (master < 0)
		return lb_fail_sys(err, LB_OS, "cannot make a terminal");
	lb_box_stream_open(&run->out, master);
	if (unlockpt(master) < 0 || ptsname_r(master, name, sizeof(name)) != 0)
		return lb_fail_sys(err, LB_OS, "cannot make a terminal");
	*inside = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*inside < 0)
		return lb_fail_sys(err, LB_OS, "cannot make a terminal");
	copy = fcntl(master, F_DUPFD_CLOEXEC, 0);
	if (copy < 0)
		return lb_fail_sys(err, LB_OS, "cannot make a terminal");
	lb_box_feed_open(&run->feed, run->box->loop, run->job.in, copy);
	lb_box_resize(run);
	return give(run, *inside, err);
}

/* A pipe is handed on as it is, so that nothing is read that the command does
 * not read; one that he could not open anew is copied. */
static bool can_have(const struct lb_box_run *run, int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode) &&
	       (!run->x.drop || st.st_uid == run->x.uid);
}

/*
 * Pipes of our own: a file or a terminal of ours could be opened anew from
 * inside, for more than was meant.
 */
static int open_pipes(struct lb_box_run *run, int inside[3],
		      struct lb_error *err)
{
	int ends[2];

	for (int i = 1; i < (run->is_one ? 2 : 3); i++) {
		if (pipe_for(run, ends, err) < 0)
			return -1;
		lb_box_stream_open(i == 1 ? &run->out : &run->err, ends[0]);
		inside[i] = ends[1];
	}
	if (run->job.in < 0)
		return 0;
	if (can_have(run, run->job.in)) {
		inside[0] = fcntl(run->job.in, F_DUPFD_CLOEXEC, 3);
		return inside[0] >= 0 ? 0
				      : lb_fail_sys(err, LB_OS,
						    "cannot hand on input");
	}
	if (pipe_for(run, ends, err) < 0)
		return -1;
	inside[0] = ends[0];
	lb_box_feed_open(&run->feed, run->box->loop, run->job.in, ends[1]);
	return 0;
}

int lb_run_launch(struct lb_box_run *run, struct lb_error *err)
{
	int inside[3] = {-1, -1, -1}, result;

	run->x.terminal = run->job.terminal;
	result = run->job.terminal ? open_terminal(run, &inside[0], err)
				   : open_pipes(run, inside, err);
	run->x.in = inside[0];
	run->x.out = run->job.terminal ? inside[0] : inside[1];
	run->x.err = run->is_one ? run->x.out : inside[2];
	if (result == 0)
		result = run->driver->exec(run->box, &run->x, err);
	for (int i = 0; i < 3; i++)
		if (inside[i] >= 0)
			close(inside[i]);
	return result;
}
