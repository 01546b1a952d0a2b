#include "base/loop.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/mem.h"

enum { BATCH = 64 };

/* What is known of a descriptor; the table is indexed by its number. */
struct watch {
	uint32_t events; /* 0 when not watched */
	bool always;     /* epoll cannot wait for it */
	lb_loop_fn *fn;
	void *arg;
};

struct lb_loop {
	int epoll;
	struct watch *watches;
	size_t n_watches; /* length of the table */
	size_t watched, always;
	struct lb_timer **heap; /* heap[1] is the earliest */
	size_t timers, heap_size;
};

struct lb_loop *lb_loop_open(void)
{
	struct lb_loop *loop = lb_alloc(sizeof(*loop));

	loop->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (loop->epoll < 0) {
		/* perror() needs a descriptor, and they may have run out */
		fprintf(stderr, "lb: cannot wait for descriptors: %s\n",
			strerror(errno));
		_Exit(LB_OS);
	}
	return loop;
}

void lb_loop_close(struct lb_loop *loop)
{
	if (!loop)
		return;
	close(loop->epoll);
	free(loop->watches);
	free(loop->heap);
	free(loop);
}

void lb_loop_many_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static struct watch *watch_of(struct lb_loop *loop, int fd)
{
	size_t want = (size_t)fd + 1;

	if (want > loop->n_watches) {
		size_t n = want * 2;

		loop->watches =
			lb_grow(loop->watches, n * sizeof(*loop->watches));
		for (size_t i = loop->n_watches; i < n; i++)
			loop->watches[i] = (struct watch){0};
		loop->n_watches = n;
	}
	return &loop->watches[fd];
}

void lb_loop_watch(struct lb_loop *loop, int fd, uint32_t events,
		   lb_loop_fn *fn, void *arg)
{
	struct watch *w = watch_of(loop, fd);
	struct epoll_event ev = {.events = events, .data.fd = fd};
	int op = EPOLL_CTL_ADD;

	if (events == 0)
		op = EPOLL_CTL_DEL;
	else if (w->events)
		op = EPOLL_CTL_MOD;
	loop->watched += (events != 0) - (size_t)(w->events != 0);
	if (w->always || epoll_ctl(loop->epoll, op, fd, &ev) < 0) {
		bool now = events != 0 && (w->always || errno == EPERM);

		loop->always += now - (size_t)w->always;
		w->always = now;
	}
	w->events = events;
	w->fn = fn;
	w->arg = arg;
}

static void place(struct lb_loop *loop, struct lb_timer *t, size_t slot)
{
	loop->heap[slot] = t;
	t->slot = slot;
}

static void sift(struct lb_loop *loop, struct lb_timer *t, size_t slot)
{
	while (slot > 1 && loop->heap[slot / 2]->at > t->at) {
		place(loop, loop->heap[slot / 2], slot);
		slot /= 2;
	}
	for (size_t kid; (kid = slot * 2) <= loop->timers; slot = kid) {
		if (kid < loop->timers &&
		    loop->heap[kid + 1]->at < loop->heap[kid]->at)
			kid++;
		if (loop->heap[kid]->at >= t->at)
			break;
		place(loop, loop->heap[kid], slot);
	}
	place(loop, t, slot);
}

void lb_timer_set(struct lb_loop *loop, struct lb_timer *timer, int64_t at,
		  lb_timer_fn *fn, void *arg)
{
	timer->at = at;
	timer->fn = fn;
	timer->arg = arg;
	if (timer->slot == 0) {
		if (loop->timers + 2 > loop->heap_size) {
			loop->heap_size = loop->heap_size * 2 + 16;
			loop->heap = lb_grow(loop->heap,
					     loop->heap_size *
						     sizeof(struct lb_timer *));
		}
		timer->slot = ++loop->timers;
	}
	sift(loop, timer, timer->slot);
}

void lb_timer_cancel(struct lb_loop *loop, struct lb_timer *timer)
{
	size_t slot = timer->slot;
	struct lb_timer *last;

	if (slot == 0)
		return;
	timer->slot = 0;
	last = loop->heap[loop->timers--];
	if (last != timer)
		sift(loop, last, slot);
}

/* How long to wait, ms; -1 for ever. */
static int patience(const struct lb_loop *loop, int max_ms)
{
	int64_t left;

	if (loop->always > 0)
		return 0;
	if (loop->timers == 0)
		return max_ms;
	left = loop->heap[1]->at - lb_clock_mono();
	if (left < 0)
		left = 0;
	if (max_ms >= 0 && left > max_ms)
		left = max_ms;
	return left > INT_MAX ? INT_MAX : (int)left;
}

static void run_timers(struct lb_loop *loop)
{
	int64_t now = lb_clock_mono();

	/* No more than there are now: one that always sets itself again must
	 * not hold the turn. */
	for (size_t n = loop->timers; n > 0 && loop->timers > 0; n--) {
		struct lb_timer *t = loop->heap[1];

		if (t->at > now)
			break;
		lb_timer_cancel(loop, t);
		t->fn(t->arg);
	}
}

static void call(struct lb_loop *loop, int fd, uint32_t events)
{
	struct watch w = loop->watches[fd];

	if (w.events)
		w.fn(fd, events, w.arg);
}

bool lb_loop_turn(struct lb_loop *loop, int max_ms)
{
	struct epoll_event got[BATCH];
	int n;

	if (loop->watched == 0 && loop->timers == 0)
		return false;
	n = epoll_wait(loop->epoll, got, BATCH, patience(loop, max_ms));
	for (int i = 0; i < n; i++)
		call(loop, got[i].data.fd, got[i].events);
	for (size_t fd = 0; loop->always > 0 && fd < loop->n_watches; fd++)
		if (loop->watches[fd].always)
			call(loop, (int)fd, loop->watches[fd].events);
	/* With a full batch more may be waiting: time-outs must not overtake
	 * the data that would call them off. */
	if (n < BATCH)
		run_timers(loop);
	return true;
}
