/*
 * box/e2b.h - the backend e2b: commands run in virtual machines of a service,
 * asked for by HTTP. Inside the room only.
 *
 *     e2b.c          the driver: one run, in a tender (remote.h)
 *     e2b-ask.c      a request, its answer, and what a refusal means
 *     e2b-vm.c       the machine of a session, or of one command (e2b-vm.h)
 *     e2b-lease.c    that it lives on while something runs in it
 *     e2b-command.c  a command in it, and its output
 *     e2b-input.c    and its input
 *
 * All of it waits: it is for processes that have nothing else to do.
 */
#ifndef LB_BOX_E2B_H
#define LB_BOX_E2B_H

#include "base/loop.h"
#include "box/driver.h"
#include "net/http.h"

/* One who asks. Zeroed, orders -1, before first use. */
struct lb_e2b {
	char *key;      /* the header that has it; owned */
	char *api;      /* "https://HOST", without a slash at its end; owned */
	char *template; /* owned */
	int orders;     /* readable once all is to stop; -1: never */
	bool stopped;   /* and so it was */
	bool hurries;   /* somebody waits: little time, and no second try */
	struct lb_loop *loop;
	struct lb_http *http;
};

/* Is there a key, whoever uses it? */
bool lb_e2b_is_configured(const struct lb_config *config);

/*
 * Does the service answer, and take the key? What there is to say of it is added
 * to `said`, or it is NULL. LB_CONFIG, LB_UNAVAILABLE, LB_AGAIN.
 */
int lb_e2b_look(const struct lb_config *config, struct lb_buf *said,
		struct lb_error *err);

/* What the configuration says. LB_CONFIG: there is no key, or no URL. */
int lb_e2b_configure(struct lb_e2b *e, const struct lb_config *config,
		     struct lb_error *err);
/* After it, in the process that asks. */
void lb_e2b_open(struct lb_e2b *e);
void lb_e2b_release(struct lb_e2b *e);

struct lb_e2b_answer {
	int status;
	int64_t retry_after_ms;
	struct lb_buf body;
};

/*
 * A request, and the whole answer: any status. *asked (or NULL): it may have
 * been seen, also where there is no answer. LB_AGAIN: there is none; release it
 * either way.
 */
int lb_e2b_ask(struct lb_e2b *e, const struct lb_http_request *request,
	       struct lb_e2b_answer *answer, bool *asked, struct lb_error *err);

/* Turn the loop until *done, or until we are to stop: -1, LB_AGAIN. */
int lb_e2b_wait(struct lb_e2b *e, const bool *done, struct lb_error *err);
int lb_e2b_nap(struct lb_e2b *e, int64_t ms, struct lb_error *err);

/*
 * Ask the service: `body` may be NULL. Asked again, a few times, where that can
 * help and cannot make two of what is made. 0 and *take (or NULL) is its answer,
 * NULL if it has none; -1: *status is what it refused with, 0: nothing.
 */
struct lb_e2b_call {
	const char *method, *path;
	const json_t *body;
	bool once; /* what it asks for is there twice if it is asked twice */
};

int lb_e2b_api(struct lb_e2b *e, const struct lb_e2b_call *call, int *status,
	       json_t **take, struct lb_error *err);

/* What a refusal means: "e2b WHAT: its words". -1 always. */
int lb_e2b_refused(const struct lb_e2b_answer *answer, const char *what,
		   struct lb_error *err);

/* The machine of the session whose record that is, if there is one, ends. */
int lb_e2b_forget(const struct lb_config *config, const char *record,
		  struct lb_error *err);

#endif
