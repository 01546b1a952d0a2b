/* lb-run - stop, and read the configuration anew. */
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/stop.h"
#include "pipeline/pipeline.h"
#include "super.h"

static bool on_terminal;

static void on_end(void *arg)
{
	struct super *s = arg;

	for (struct member *m = s->members; m; m = m->next)
		member_signal(m, SIGKILL);
	s->over = true;
}

/* End all: those that bring messages, and the flow, each in its own way. */
void super_stop(struct super *s, int code)
{
	if (s->stopping)
		return;
	s->stopping = true;
	s->code = code;
	report_notify("STOPPING=1");
	for (struct member *m = s->members; m; m = m->next) {
		lb_timer_cancel(s->loop, &m->again);
		if (m->kind == FLOW && s->no_queue)
			continue; /* its input ends */
		member_signal(m, SIGTERM);
	}
	feed_end(s);
	s->until = lb_clock_mono() + s->grace;
	lb_timer_set(s->loop, &s->end, s->until, on_end, s);
}

static void on_stop(void *arg)
{
	struct super *s = arg;

	if (isatty(STDERR_FILENO))
		lb_tell(NULL, "stopping; again to quit now");
	super_stop(s, LB_OK);
}

/* A bot that is configured otherwise than it runs, or was given up. */
static void change(struct super *s, struct member *m, const json_t *conf)
{
	if (json_equal(conf, m->conf) && !m->ended)
		return;
	lb_tell(NULL, "bot '%s' is started anew", m->name);
	plan_bot_words(m, conf);
	m->ended = m->leaving = false;
	m->failures = 0;
	lb_timer_cancel(s->loop, &m->again);
	m->draining = m->pid > 0;
	if (m->draining)
		member_signal(m, SIGTERM);
	else
		member_start(m);
}

static void leave(struct super *s, struct member *m)
{
	if (m->leaving)
		return;
	lb_tell(NULL, "bot '%s' is gone", m->name);
	m->leaving = true;
	m->ended = m->pid == 0;
	lb_timer_cancel(s->loop, &m->again);
	member_signal(m, SIGTERM);
}

static bool is_there(const struct super *s, const char *name)
{
	for (const struct member *m = s->members; m; m = m->next)
		if (m->kind == BOT && strcmp(m->name, name) == 0)
			return true;
	return false;
}

static void reload_bots(struct super *s)
{
	const json_t *bots = lb_config_section(s->config, "bots");
	const json_t *conf;
	const char *name;
	json_t *written;

	for (struct member *m = s->members; m; m = m->next) {
		if (m->kind != BOT)
			continue;
		conf = lb_config_bot(s->config, m->name);
		if (plan_listens(conf))
			change(s, m, conf);
		else
			leave(s, m);
	}
	json_object_foreach((json_t *)(uintptr_t)bots, name, written)
	{
		(void)written;
		conf = lb_config_bot(s->config, name);
		if (is_there(s, name) || !plan_listens(conf))
			continue;
		lb_tell(NULL, "bot '%s' is new", name);
		member_start(plan_bot(s, name, conf));
	}
}

/* The flow ends when it has finished what it has, and begins anew. */
static void reload_flow(struct super *s)
{
	if (!s->flow || s->flow->pid == 0)
		return;
	s->flow->draining = true;
	if (s->no_queue)
		feed_pause(s);
	else
		member_signal(s->flow, SIGTERM);
}

static void reload(struct super *s)
{
	struct lb_config *config;
	struct lb_error err;

	report_notify("RELOADING=1");
	config = lb_pipeline_config(s->config_file, &err);
	if (!config) {
		lb_complain("the configuration stays as it was: %s", err.text);
		report_notify("READY=1");
		return;
	}
	lb_tell(NULL, "reading the configuration anew");
	lb_config_close(s->config);
	s->config = config;
	if (s->role != ROLE_WORKER)
		reload_bots(s);
	reload_flow(s);
	report_soon(s);
	report_notify("READY=1");
}

/* The terminal we were started from is gone. */
static bool hung_up(void)
{
	struct pollfd p = {.fd = STDIN_FILENO};

	return on_terminal && poll(&p, 1, 0) == 1 &&
	       (p.revents & (POLLHUP | POLLERR));
}

static void on_hangup(int fd, uint32_t events, void *arg)
{
	struct super *s = arg;
	struct signalfd_siginfo info;

	(void)events;
	if (read(fd, &info, sizeof(info)) != (ssize_t)sizeof(info) ||
	    s->stopping)
		return;
	if (hung_up())
		super_stop(s, LB_OK);
	else
		reload(s);
}

void super_watch_signals(struct super *s)
{
	sigset_t hangup;
	int fd;

	lb_stop_watch(s->loop, on_stop, s);
	if (s->chat || s->once)
		return; /* a hangup ends us, as it does any program */
	on_terminal = isatty(STDIN_FILENO);
	sigemptyset(&hangup);
	sigaddset(&hangup, SIGHUP);
	sigprocmask(SIG_BLOCK, &hangup, NULL);
	fd = signalfd(-1, &hangup, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd >= 0)
		lb_loop_watch(s->loop, fd, EPOLLIN, on_hangup, s);
}
