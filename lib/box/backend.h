/*
 * box/backend.h - what runs a command apart from this machine.
 */
#ifndef LB_BOX_BACKEND_H
#define LB_BOX_BACKEND_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "config/config.h"

struct lb_box_backend;

/*
 * Does a backend work here? It is tried: a sandbox is started and its identity
 * looked at. LB_UNAVAILABLE says in one line what is missing and what to do.
 */
int lb_box_probe(struct lb_config *config, const char **name,
		 struct lb_error *err);

/*
 * Run a request (box/spec.h) in a sandbox that is gone afterwards, and append
 * what it wrote. LB_UNAVAILABLE: it did not run, or not to its end in 10 s.
 */
int lb_box_ask(struct lb_config *config, const json_t *request,
	       struct lb_buf *said, struct lb_error *err);

/*
 * The same for programs that live long: asked anew 3 s after it failed, then
 * after 6, 12 ... 60 s, and 60 s after it worked; one line in the log when it
 * changes. Also false, with another reason, when `box.enabled` is false.
 */
bool lb_box_available(struct lb_config *config, struct lb_error *why);

/* Are the files of sessions on this machine? Not where another one runs the
 * commands. */
bool lb_box_has_files(const struct lb_config *config);

/* Is there no sandbox at all, as an operator wants it? */
bool lb_box_is_host(const struct lb_config *config);

/* How long to wait then, ms, after so long: it works or not, and is it news that
 * it does not? */
int lb_box_nap(int last_ms, bool works, bool is_news);

/* One did not start: ask anew, whatever was known. */
void lb_box_doubt(void);

#endif
