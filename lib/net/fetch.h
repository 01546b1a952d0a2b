/*
 * net/fetch.h - get what a stranger's URL names, and nothing inside.
 *
 * For URLs of users, models and skills: http and https only, without a name
 * and password in it; each address that is connected to must be public
 * (net/address.h), after the name was looked up and again at each of at most
 * five redirects; no proxy of the environment; bytes and time are bounded.
 */
#ifndef LB_NET_FETCH_H
#define LB_NET_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "net/http.h"

enum {
	LB_FETCH_MAX = 10 << 20, /* bytes, when `max` is 0 */
	LB_FETCH_REDIRECTS = 5,
	LB_FETCH_MS = 60 * 1000, /* when total_ms is 0 */
};

struct lb_fetch; /* one under way */

/* All borrowed until the end but url. */
struct lb_fetch_request {
	const char *url;
	size_t max;       /* bytes after decoding */
	int64_t total_ms; /* all redirects included */
	/* net.fetch-proxy; then names and addresses are the proxy's to check,
	 * but for an address that is written in the URL. */
	const char *proxy;
	/* Networks that may be fetched from although they are not public, as
	 * "10.1.0.0/16", NULL-ended; or NULL. */
	const char *const *allow;
	/* Hosts that may be asked, here and by redirects; one that begins with
	 * a dot stands for all below it. NULL-ended; or NULL: any. */
	const char *const *hosts;
	bool https;               /* http alone will not do, but for `plain` */
	const char *const *plain; /* hosts as above, or NULL */
	const char *ca_file;      /* NULL: the system's */
};

struct lb_fetch_end {
	/*
	 * LB_OK: all of it came. LB_DENIED: an address or a URL that is not to
	 * be fetched. LB_UNAVAILABLE: the server will not give it (status says
	 * why), or too many redirects. LB_DATA: too large. LB_AGAIN: it may
	 * work later.
	 */
	enum lb_exit code;
	int status;       /* of the last answer; 0 for none */
	const char *type; /* Content-Type, as the server says; "" for none */
	size_t bytes;
	const char *why; /* for people, without the URL; "" when LB_OK */
};

struct lb_fetch_events {
	/* Some of it, once the status is good. 0, or -1 to stop (LB_AGAIN). */
	int (*on_data)(void *arg, const char *data, size_t len);
	/* Once, last, unless cancelled; the fetch is gone afterwards. */
	void (*on_end)(void *arg, const struct lb_fetch_end *end);
};

/*
 * Never calls back before it returns. NULL: LB_DENIED (the URL is not to be
 * fetched) or LB_CONFIG (`allow` holds what is no network).
 */
struct lb_fetch *lb_fetch_start(struct lb_http *http,
				const struct lb_fetch_request *request,
				const struct lb_fetch_events *events, void *arg,
				struct lb_error *err);

/* End it without on_end. Not inside its own on_end. */
void lb_fetch_cancel(struct lb_fetch *fetch);

/* May this URL be fetched, as far as can be told without asking? LB_DENIED. */
int lb_fetch_check(const char *url, struct lb_error *err);

#endif
