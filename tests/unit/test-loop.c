/* test-loop - timers in order, descriptors that are ready. TAP. */
#include <unistd.h>

#include "base/clock.h"
#include "base/loop.h"
#include "tap.h"

static char order[64];
static struct lb_loop *loop;
static struct lb_timer timers[8];

static void on_timer(void *arg)
{
	strncat(order, arg, sizeof(order) - strlen(order) - 1);
}

static void on_endless(void *arg)
{
	on_timer(arg);
	lb_timer_set(loop, &timers[0], 0, on_endless, arg);
}

/* Cancels one that is due, and sets itself again, once. */
static void on_first(void *arg)
{
	on_timer(arg);
	lb_timer_cancel(loop, &timers[1]);
	if (strlen(order) < 2)
		lb_timer_set(loop, &timers[0], 0, on_first, arg);
}

static void on_ready(int fd, uint32_t events, void *arg)
{
	char byte;

	if ((events & EPOLLIN) && read(fd, &byte, 1) == 1) {
		on_timer(arg);
		return;
	}
	on_timer((char[]){"-"});
	lb_loop_watch(loop, fd, 0, NULL, NULL);
}

static void test_timers(void)
{
	static char names[] = "a\0b\0c\0d\0e\0f\0g\0h";
	static const int64_t at[] = {5, 3, 8, 1, 7, 2, 6, 4};
	int64_t far = lb_clock_mono() + 3600000;

	tap_ok(!lb_loop_turn(loop, 0), "nothing to wait for");
	for (int i = 0; i < 8; i++)
		lb_timer_set(loop, &timers[i], at[i], on_timer, names + 2 * i);
	lb_timer_set(loop, &timers[3], 9, on_timer, names + 6); /* moved */
	lb_timer_cancel(loop, &timers[6]);
	lb_timer_cancel(loop, &timers[6]);
	lb_loop_turn(loop, 0);
	tap_same("fbhaecd", order, "timers are called in order of their time");
	order[0] = '\0';
	lb_timer_set(loop, &timers[0], 1, on_first, names);
	lb_timer_set(loop, &timers[1], 2, on_timer, names + 2);
	lb_loop_turn(loop, 0);
	tap_same("aa", order, "one cancelled by another is not called");
	lb_timer_set(loop, &timers[0], 1, on_endless, names);
	lb_loop_turn(loop, 0);
	tap_same("aaa", order, "one that sets itself again holds no turn");
	lb_timer_cancel(loop, &timers[0]);
	lb_timer_set(loop, &timers[0], far, on_timer, names);
	lb_loop_turn(loop, 0);
	tap_same("aaa", order, "one that is not due is not called");
	lb_timer_cancel(loop, &timers[0]);
}

static void test_descriptors(void)
{
	int ends[2];
	char x[] = "x", f[] = "f";
	FILE *file = tmpfile();

	order[0] = '\0';
	if (!file || pipe(ends) < 0 || write(ends[1], "..", 2) != 2)
		return;
	lb_loop_watch(loop, ends[0], EPOLLIN, on_ready, x);
	lb_loop_turn(loop, 0);
	lb_loop_turn(loop, 0);
	tap_same("xx", order, "a pipe with bytes is ready");
	close(ends[1]);
	lb_loop_turn(loop, 0);
	tap_same("xx-", order, "so is one that ended");
	order[0] = '\0';
	if (fputs("1", file) < 0 || fflush(file) || fseek(file, 0, SEEK_SET))
		return;
	lb_loop_watch(loop, fileno(file), EPOLLIN, on_ready, f);
	lb_loop_turn(loop, -1);
	lb_loop_turn(loop, -1);
	tap_same("f-", order, "a file is always ready");
	tap_ok(!lb_loop_turn(loop, 0), "nothing is left to wait for");
	close(ends[0]);
	fclose(file);
}

int main(void)
{
	loop = lb_loop_open();
	test_timers();
	test_descriptors();
	lb_loop_close(loop);
	return tap_end();
}
