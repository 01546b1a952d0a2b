/*
 * When a server that fails is begun again, by a clock that need not be waited
 * for: what epoll_wait() would wait for is there at once.
 */
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "mcp/pool-in.h"
#include "tap.h"

static int64_t slept; /* ms that nobody waited */

int clock_gettime(clockid_t clock, struct timespec *t)
{
	int r = (int)syscall(SYS_clock_gettime, clock, t);

	if (r == 0 && clock == CLOCK_MONOTONIC) {
		t->tv_sec += slept / 1000;
		t->tv_nsec += slept % 1000 * 1000000;
		t->tv_sec += t->tv_nsec / 1000000000;
		t->tv_nsec %= 1000000000;
	}
	return r;
}

int epoll_wait(int fd, struct epoll_event *events, int most, int timeout)
{
	int n = (int)syscall(SYS_epoll_pwait, fd, events, most, 0, NULL, 8);

	if (n == 0 && timeout > 0)
		slept += timeout;
	return n;
}

static void on_changed(void *arg)
{
	(void)arg;
}

/* In seconds since the first: when the member failed. */
static void put_failures(struct lb_loop *loop, const struct lb_mcp_member *m,
			 size_t most, char *out, size_t size)
{
	int64_t first = 0;
	int seen = 0;
	size_t len = 0;

	*out = '\0';
	while (most > 0 && lb_loop_turn(loop, -1)) {
		int64_t now = lb_clock_mono();

		if (m->state != LB_MCP_WAITS || m->retries <= seen)
			continue;
		first = first ? first : now;
		seen = m->retries;
		len += (size_t)snprintf(out + len, size - len, "%lld ",
					(long long)(now - first + 500) / 1000);
		most--;
	}
}

int main(void)
{
	char state[] = "/tmp/lb-mcp-pool-XXXXXX", times[128];
	struct lb_loop *loop = lb_loop_open();
	json_auto_t *servers = lb_json_pack("{s:{s:s, s:b}}", "none", "command",
					    "/nonexistent/server", "host", 1);
	struct lb_mcp_pool_how how = {
		.state = mkdtemp(state),
		.servers = servers,
		.on_changed = on_changed,
	};
	lb_autofree char *clean = lb_printf("rm -rf '%s'", state);
	struct lb_mcp_pool *pool;
	struct lb_error err;

	how.config = lb_config_load("/dev/null", &err);
	pool = how.state && how.config ? lb_mcp_pool_open(loop, &how, &err)
				       : NULL;
	if (!pool)
		return 99;
	put_failures(loop, pool->members[0], 6, times, sizeof(times));
	tap_same("0 2 6 14 74 134 ", times,
		 "it is begun again after 2, 4, 8 s, then every 60 s");
	tap_ok(pool->members[0]->retries == 6 &&
		       pool->members[0]->phase == LB_MCP_PROCESS_START,
	       "each try is counted");
	lb_mcp_pool_close(pool);
	lb_config_close(how.config);
	lb_loop_close(loop);
	return system(clean) != 0 || tap_end();
}
