/* client-install.c - what a server needs is put into its sandbox. */
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "mcp/boxed.h"
#include "mcp/client-in.h"

enum { SAID = 500 /* bytes of its last words that are told */ };

static void hear(struct lb_mcp_client *c, const char *text, size_t len)
{
	if (c->how.events->on_words)
		c->how.events->on_words(c->how.arg, text, len);
	lb_buf_put(&c->said, text, len < SAID ? len : SAID);
	lb_buf_puts(&c->said, "; ");
	if (c->said.len > SAID)
		lb_buf_shift(&c->said, c->said.len - SAID);
}

static void on_message(void *arg, const char *text, size_t len)
{
	hear(arg, text, len);
}

static void on_words(void *arg, const char *text, size_t len)
{
	hear(arg, text, len);
}

static void on_noise(void *arg, const char *text, size_t len,
		     const struct lb_error *why)
{
	(void)why;
	hear(arg, text, len < SAID ? len : SAID);
}

/* Its own time is over; that of the server begins. */
static void begin_anew(void *arg)
{
	struct lb_mcp_client *c = arg;

	lb_timer_cancel(c->loop, &c->patience);
	lb_mcp_connect(c);
}

static void fail(struct lb_mcp_client *c, enum lb_mcp_phase phase,
		 const char *what)
{
	lb_autobuf struct lb_buf clean = {0};
	struct lb_error err;

	const char *said = lb_buf_str(&c->said), *whole = strstr(said, "; ");

	/* Whole lines, if there are some. */
	if (c->said.len == SAID && whole && whole[2])
		said = whole + 2;
	lb_utf8_clean(&clean, said, strlen(said));
	while (clean.len > 0 && strchr("; ", clean.data[clean.len - 1]))
		clean.data[--clean.len] = '\0';
	lb_fail(&err, LB_AGAIN, "%s: %s", what, lb_buf_str(&clean));
	lb_mcp_fail(c, phase, &err);
}

static void on_gone(void *arg, enum lb_mcp_phase phase,
		    const struct lb_error *why)
{
	struct lb_mcp_client *c = arg;

	lb_timer_cancel(c->loop, &c->patience);
	c->installing = false;
	c->installed = true;
	if (why->code == LB_OK)
		lb_timer_set(c->loop, &c->turn, lb_clock_mono(), begin_anew, c);
	else if (phase == LB_MCP_DEP_INSTALL)
		fail(c, phase, "what it needs cannot be installed");
	else
		lb_mcp_fail(c, phase, why);
}

static void too_late(void *arg)
{
	struct lb_mcp_client *c = arg;
	lb_autofree char *what =
		lb_printf("what it needs was not installed within %g s",
			  (double)c->how.launch->server->install_ms / 1000);

	fail(c, LB_MCP_DEP_INSTALL, what);
}

static const struct lb_mcp_transport_events events = {
	.on_message = on_message,
	.on_words = on_words,
	.on_noise = on_noise,
	.on_gone = on_gone,
};

static void start(void *arg)
{
	struct lb_mcp_client *c = arg;
	struct lb_error err;

	lb_mcp_transport_close(c->t, lb_clock_mono());
	c->t = lb_mcp_boxed_install(c->how.launch, c->loop, &events, c, &err);
	if (!c->t)
		lb_mcp_fail(c, LB_MCP_DEP_INSTALL, &err);
	else
		lb_timer_set(c->loop, &c->patience,
			     lb_clock_mono() +
				     c->how.launch->server->install_ms,
			     too_late, c);
}

void lb_mcp_install(struct lb_mcp_client *c)
{
	c->installing = true;
	lb_buf_reset(&c->said);
	lb_timer_cancel(c->loop, &c->patience);
	lb_timer_set(c->loop, &c->turn, lb_clock_mono(), start, c);
}
