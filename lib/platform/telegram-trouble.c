/* telegram-trouble.c - how it stands: said, and what is done about it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "platform/telegram-ingest.h"
#include "record/record.h"

enum {
	ONCE_TRIES = 3,     /* of --once, which is not to hang */
	CONFLICT_TRIES = 3, /* of 409: another polls, too */
};

void poller_say(struct poller *p, const char *state, const char *message,
		int64_t retry_ms)
{
	lb_autobuf struct lb_buf b = {0}, text = {0};

	if (message)
		lb_buf_puts(&text, message);
	lb_hide_secrets(&text);
	lb_put_begin(&b, "status");
	lb_put_int(&b, "time", lb_clock_now());
	lb_put_str(&b, "bot", p->in->bot);
	lb_put_str(&b, "platform", "telegram");
	lb_put_str(&b, "state", state);
	if (message)
		lb_put_strn(&b, "message", lb_buf_str(&text), text.len);
	if (retry_ms >= 0)
		lb_put_int(&b, "retry_in_ms", retry_ms);
	if (p->self.username) {
		lb_autofree char *id = lb_printf("%" PRId64, p->self.id);
		json_auto_t *self = lb_json_pack("{s:s, s:s}", "id", id, "name",
						 p->self.username);

		lb_put_json(&b, "self", self);
	}
	lb_put_end(&b);
	lb_inbox_say(p->inbox, &b);
	lb_log(LB_INFO, &(struct lb_subject){.bot = p->in->bot}, "%s%s%s",
	       state, message ? ": " : "", lb_buf_str(&text));
}

void poller_connected(struct poller *p)
{
	p->failures = 0;
	p->conflicts = 0;
	if (p->connected)
		return;
	p->connected = true;
	poller_say(p, "connected", NULL, -1);
}

int64_t poller_pause(size_t failures)
{
	static const int64_t s[] = {1, 2, 5, 10, 30, 60};
	size_t last = sizeof(s) / sizeof(*s) - 1;
	int64_t ms = 1000 * s[failures < last ? failures : last];

	return ms + ms / 5 * ((int64_t)(lb_random() % 201) - 100) / 100;
}

static void on_again(void *arg)
{
	struct poller *p = arg;

	p->then(p);
}

void poller_wait(struct poller *p, const char *state, const char *why,
		 int64_t ms, void (*then)(struct poller *p))
{
	if (state) {
		p->connected = false;
		poller_say(p, state, why, ms);
	}
	p->then = then;
	lb_timer_set(p->loop, &p->again, lb_clock_mono() + ms, on_again, p);
}

/* Somebody else asks for the same updates, or a webhook has them sent. */
static void conflict(struct poller *p, const struct lb_answer *a)
{
	bool hook = strcasestr(a->said, "webhook") != NULL;

	if (++p->conflicts >= CONFLICT_TRIES) {
		poller_say(p, "lost", a->said, -1);
		poller_end(p, LB_AGAIN,
			   hook ? "bot '%s': a webhook is set again and again, "
				  "so its messages cannot be asked for"
				: "bot '%s': another program asks for its "
				  "messages, too (HTTP 409); a token has one "
				  "reader: end the other, or take a token of "
				  "its own",
			   p->in->bot);
		return;
	}
	poller_wait(p, "lost", a->said, poller_pause(p->conflicts - 1),
		    hook ? poller_unhook : poll_start);
}

void poller_failed(struct poller *p, const struct lb_answer *a,
		   void (*then)(struct poller *p))
{
	bool rate = a->code == LB_CODE_RATE;
	int64_t ms = a->wait_ms;

	if (a->code == LB_CODE_AUTH) {
		poller_say(p, "auth_failed", a->why, -1);
		poller_end(p, LB_UNAVAILABLE,
			   "the token of bot '%s' is not one that the platform "
			   "knows: %s",
			   p->in->bot, a->why);
		return;
	}
	if (a->status == 404) {
		poller_say(p, "auth_failed", a->why, -1);
		poller_end(p, LB_UNAVAILABLE,
			   "bot '%s': there is no Bot API at its base-url: %s",
			   p->in->bot, a->why);
		return;
	}
	if (a->status == 409) {
		conflict(p, a);
		return;
	}
	if (ms < 0 || !rate)
		ms = poller_pause(p->failures);
	p->failures++;
	if (p->in->once && p->failures >= ONCE_TRIES) {
		poller_say(p, "lost", a->why, -1);
		poller_end(p,
			   a->code == LB_CODE_MALFORMED ? LB_PROTOCOL
							: LB_AGAIN,
			   "bot '%s': %s", p->in->bot, a->why);
		return;
	}
	poller_wait(p, rate ? "throttled" : "lost", a->why, ms, then);
}
