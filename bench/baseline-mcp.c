/*
 * baseline-mcp - the least that lists the tools of an MCP server: start it, say
 * `initialize`, `notifications/initialized` and `tools/list`, read the answers.
 *
 *     baseline-mcp COMMAND...
 *
 * Prints how many milliseconds that took, and kills it.
 */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static char said[16 << 20];
static size_t len;

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void fail(const char *what)
{
	fprintf(stderr, "baseline-mcp: %s\n", what);
	exit(1);
}

static void say(int fd, const char *text)
{
	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		fail("the server does not read");
}

/* Read lines up to the one that has `what` in it. */
static void read_until(int fd, const char *what)
{
	for (;;) {
		char *end = memchr(said, '\n', len);
		ssize_t n = 0;

		if (end) {
			size_t line = (size_t)(end + 1 - said);
			bool is = memmem(said, line, what, strlen(what));

			len -= line;
			memmove(said, end + 1, len);
			if (is)
				return;
			continue;
		}
		if (len < sizeof(said))
			n = read(fd, said + len, sizeof(said) - len);
		if (n <= 0)
			fail("the server does not answer");
		len += (size_t)n;
	}
}

static pid_t start(char **argv, int ends[2])
{
	posix_spawn_file_actions_t files;
	int in[2], out[2];
	pid_t pid;

	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		fail("cannot make a pipe");
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, in[0], 0);
	posix_spawn_file_actions_adddup2(&files, out[1], 1);
	posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
	if (posix_spawnp(&pid, argv[0], &files, NULL, argv, environ) != 0)
		fail("cannot start the server");
	posix_spawn_file_actions_destroy(&files);
	close(in[0]);
	close(out[1]);
	ends[0] = in[1];
	ends[1] = out[0];
	return pid;
}

int main(int argc, char **argv)
{
	double began = now_ms();
	int ends[2];
	pid_t pid;

	if (argc < 2)
		fail("usage: baseline-mcp COMMAND...");
	pid = start(argv + 1, ends);
	say(ends[0], "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
		     "\"params\":{\"protocolVersion\":\"2025-11-25\","
		     "\"capabilities\":{},\"clientInfo\":{\"name\":\"b\","
		     "\"version\":\"1\"}}}\n");
	read_until(ends[1], "\"id\":1");
	say(ends[0],
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
	    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}\n");
	read_until(ends[1], "\"id\":2");
	printf("%.3f\n", now_ms() - began);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 0;
}
