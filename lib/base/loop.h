/*
 * base/loop.h - waiting for descriptors and deadlines in one thread.
 *
 * epoll and a heap of timers. A descriptor epoll cannot wait for (a regular
 * file) counts as always ready, as poll(2) has it.
 */
#ifndef LB_BASE_LOOP_H
#define LB_BASE_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>

struct lb_loop;

/* `events` are EPOLLIN, EPOLLOUT, EPOLLHUP and EPOLLERR. */
typedef void lb_loop_fn(int fd, uint32_t events, void *arg);
typedef void lb_timer_fn(void *arg);

/* Caller's memory, zeroed before first use; must not move while set. */
struct lb_timer {
	int64_t at; /* lb_clock_mono() ms */
	lb_timer_fn *fn;
	void *arg;
	size_t slot; /* place in the heap, from 1; 0 when not set */
};

struct lb_loop *lb_loop_open(void);
void lb_loop_close(struct lb_loop *loop);

/*
 * Let this process have as many descriptors as it may: for programs with a
 * connection for each of many conversations.
 */
void lb_loop_many_descriptors(void);

/* Watch fd, change what it is watched for, or (events 0) stop watching. */
void lb_loop_watch(struct lb_loop *loop, int fd, uint32_t events,
		   lb_loop_fn *fn, void *arg);

/* Call fn(arg) at `at` or soon after; again moves it. */
void lb_timer_set(struct lb_loop *loop, struct lb_timer *timer, int64_t at,
		  lb_timer_fn *fn, void *arg);
void lb_timer_cancel(struct lb_loop *loop, struct lb_timer *timer);

/*
 * Wait until something happens, at most max_ms (-1: as long as it takes), and
 * call what is due. Returns false when there is nothing left to wait for.
 */
bool lb_loop_turn(struct lb_loop *loop, int max_ms);

#endif
