/*
 * spawn - run a command many times and tell what a run costs.
 *
 *     spawn RUNS [file|pipe INPUT] -- COMMAND...
 *
 * Standard input is INPUT, as a file or through a pipe from cat(1), else
 * empty; standard output is /dev/null. Prints one JSON line: the least wall and
 * CPU time (user and system), which other work on the machine disturbs least,
 * and the most memory. Ends 1 when a run failed.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

struct cost {
	long wall_us, cpu_us, rss_kib;
};

static long now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static pid_t start(char *const argv[], int in, int out)
{
	posix_spawn_file_actions_t files;
	pid_t pid = -1;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, in, 0);
	posix_spawn_file_actions_adddup2(&files, out, 1);
	if (posix_spawnp(&pid, argv[0], &files, NULL, argv, environ) != 0)
		pid = -1;
	posix_spawn_file_actions_destroy(&files);
	return pid;
}

/* What the command reads: the file itself, or a pipe that cat fills. */
static int open_input(const char *how, const char *path, pid_t *cat)
{
	char *argv[] = {(char[]){"cat"}, NULL};
	int fd = open(path, O_RDONLY | O_CLOEXEC), ends[2];

	*cat = -1;
	if (fd < 0 || strcmp(how, "pipe") != 0)
		return fd;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	*cat = start(argv, fd, ends[1]);
	close(fd);
	close(ends[1]);
	return ends[0];
}

static int run(const char *how, const char *path, char *const argv[],
	       struct cost *cost)
{
	int out = open("/dev/null", O_WRONLY | O_CLOEXEC), in, status = 1;
	long began;
	struct rusage used = {0};
	pid_t cat, pid;

	in = open_input(how, path, &cat);
	began = now_us();
	pid = start(argv, in, out);
	close(in);
	close(out);
	if (pid < 0 || wait4(pid, &status, 0, &used) != pid)
		return -1;
	cost->wall_us = now_us() - began;
	cost->cpu_us = (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000 +
		       used.ru_utime.tv_usec + used.ru_stime.tv_usec;
	cost->rss_kib = used.ru_maxrss;
	if (cat > 0)
		waitpid(cat, NULL, 0);
	return status == 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
	const char *how = "file", *path = "/dev/null";
	long runs = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	struct cost one, all = {0};
	int at = 2;

	if (argc > 4 && strcmp(argv[2], "--") != 0) {
		how = argv[2];
		path = argv[3];
		at = 4;
	}
	if (runs < 1 || at + 1 >= argc || strcmp(argv[at], "--") != 0)
		return 64;
	for (long i = 0; i < runs; i++) {
		if (run(how, path, argv + at + 1, &one) < 0) {
			fprintf(stderr, "spawn: '%s' failed\n", argv[at + 1]);
			return 1;
		}
		if (i == 0 || one.cpu_us < all.cpu_us)
			all.cpu_us = one.cpu_us;
		if (i == 0 || one.wall_us < all.wall_us)
			all.wall_us = one.wall_us;
		if (one.rss_kib > all.rss_kib)
			all.rss_kib = one.rss_kib;
	}
	printf("{\"wall_us\":%ld,\"cpu_us\":%ld,\"rss_kib\":%ld}\n",
	       all.wall_us, all.cpu_us, all.rss_kib);
	return 0;
}
