/*
 * samples - run a command many times and tell what each run took.
 *
 *     samples RUNS [-u UID] [-f FILE] -- COMMAND...
 *
 * The three standard descriptors are /dev/null; with -f, descriptor 9 is FILE,
 * opened anew for each run; with -u, the command runs as that user. Prints one
 * JSON array of microseconds, from before the fork until it was waited for.
 * Ends 1 when a run failed.
 */
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FILE_FD = 9 };

struct job {
	char **argv;
	const char *file; /* or NULL */
	uid_t uid;        /* 0: as we are */
};

static long now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static _Noreturn void become(const struct job *job)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int i = 0; i < 3; i++)
		if (dup2(null, i) < 0)
			_exit(126);
	if (job->file) {
		int fd = open(job->file, O_RDONLY | O_CLOEXEC);

		if (fd < 0 || dup2(fd, FILE_FD) < 0)
			_exit(126);
	}
	if (job->uid != 0 && (setgroups(0, NULL) < 0 ||
			      setresgid(job->uid, job->uid, job->uid) < 0 ||
			      setresuid(job->uid, job->uid, job->uid) < 0))
		_exit(126);
	execvp(job->argv[0], job->argv);
	_exit(127);
}

/* Microseconds; -1: it failed. */
static long run(const struct job *job)
{
	long began = now_us();
	pid_t pid = fork();
	int status;

	if (pid == 0)
		become(job);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		return -1;
	return now_us() - began;
}

int main(int argc, char **argv)
{
	struct job job = {.file = NULL};
	long runs = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	int at = 2;

	for (; at + 1 < argc && strcmp(argv[at], "--") != 0; at += 2) {
		if (strcmp(argv[at], "-u") == 0)
			job.uid = (uid_t)strtoul(argv[at + 1], NULL, 10);
		else if (strcmp(argv[at], "-f") == 0)
			job.file = argv[at + 1];
		else
			return 64;
	}
	if (runs < 1 || at + 1 >= argc)
		return 64;
	job.argv = argv + at + 1;
	for (long i = 0; i < runs; i++) {
		long took = run(&job);

		if (took < 0) {
			fprintf(stderr, "samples: '%s' failed\n", job.argv[0]);
			return 1;
		}
		printf("%c%ld", i == 0 ? '[' : ',', took);
	}
	puts("]");
	return 0;
}
