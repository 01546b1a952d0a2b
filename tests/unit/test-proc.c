/* test-proc - children are bounded and see what they should. TAP. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/proc.h"
#include "tap.h"

static void test_capture(const char *script, size_t max, int64_t timeout_ms,
			 int code, const char *expected)
{
	char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, strdup(script), NULL};
	lb_autobuf struct lb_buf out = {0};
	struct lb_error err = {0};
	int64_t began = lb_clock_mono();
	int r = lb_proc_capture(argv, max, timeout_ms, &out, &err);

	tap_ok((r == 0) == (code == LB_OK) && (int)err.code == code, script);
	if (expected)
		tap_same(expected, lb_buf_str(&out), "what it wrote");
	tap_ok(lb_clock_mono() - began < 10000, "in time");
	free(argv[2]);
}

static void test_children(void)
{
	char *none[] = {(char[]){"./no such program"}, NULL};
	lb_autobuf struct lb_buf out = {0};
	struct lb_error err;
	int extra = open("/dev/null", O_RDONLY); /* not ours to close */

	test_capture("echo hi", 100, 20000, LB_OK, "hi\n");
	test_capture("cat", 100, 20000, LB_OK, ""); /* /dev/null */
	test_capture("exit 3", 100, 20000, LB_UNAVAILABLE, NULL);
	test_capture("kill -9 $$", 100, 20000, LB_UNAVAILABLE, NULL);
	test_capture("yes", 1000, 20000, LB_DATA, NULL);
	test_capture("exec sleep 60", 100, 50, LB_AGAIN, NULL);
	test_capture("sleep 60 & wait", 100, 50, LB_AGAIN, NULL);
	test_capture("exec sleep 60 >&-", 100, 50, LB_AGAIN, NULL);
	test_capture("ls /proc/self/fd | wc -l", 100, 20000, LB_OK, "4\n");
	tap_ok(lb_proc_capture(none, 9, 1000, &out, &err) < 0 &&
		       err.code == LB_NOINPUT,
	       "a program that is not there");
	close(extra);
}

/* A text at the input, also where nobody reads it. */
static void test_filter(const char *script, const char *expected)
{
	char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, strdup(script), NULL};
	char *env[] = {(char[]){"PATH=/usr/bin:/bin"}, (char[]){"X=y"}, NULL};
	size_t len = 300000;
	char *text = malloc(len);
	const struct lb_proc_job job = {argv, env, text, len, 1 << 20, 20000};
	lb_autobuf struct lb_buf out = {0};
	struct lb_error err = {0};

	memset(text, 'x', len);
	tap_ok(lb_proc_filter(&job, &out, &err) == 0, script);
	tap_same(expected, lb_buf_str(&out), "what it wrote");
	free(argv[2]);
	free(text);
}

int main(void)
{
	test_children();
	test_filter("wc -c", "300000\n");
	test_filter("exec <&-; echo $X $HOME", "y\n");
	test_filter("tr x y | tail -c 3", "yyy");
	return tap_end();
}
