/*
 * skill/download.h - what a URL names, whole and in memory.
 */
#ifndef LB_SKILL_DOWNLOAD_H
#define LB_SKILL_DOWNLOAD_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "config/config.h"

/* What was got last, for the next who asks for the same. */
struct lb_kept {
	char *url;
	struct lb_buf bytes;
};

/* How far we may reach: the keys net.fetch-* and skills.*. */
struct lb_reach {
	const char *github;          /* a URL without a slash at its end */
	const char *market;          /* the same, or NULL for none */
	const char *proxy;           /* or NULL */
	const char **allow, **hosts; /* NULL-ended */
	struct lb_kept refs, zip;    /* of a repository */
	/* May be NULL: so many bytes of that host are there; -1: no more
	 * come. */
	void (*progress)(const char *host, int64_t bytes);
};

/* Borrows from the configuration. LB_CONFIG. */
int lb_reach_open(struct lb_reach *reach, const struct lb_config *config,
		  struct lb_error *err);
void lb_reach_close(struct lb_reach *reach);

struct lb_download {
	const char *url;
	size_t max;               /* bytes */
	const char *const *hosts; /* where redirects may lead, beside the URL's
				     own host and skills.hosts; or NULL */
	int status; /* of the answer; set by the download; 0: none */
};

/*
 * LB_DENIED, LB_UNAVAILABLE, LB_DATA (too large), LB_AGAIN: as net/fetch.h.
 * Takes five minutes at most.
 */
int lb_download(struct lb_download *d, const struct lb_reach *reach,
		struct lb_buf *out, struct lb_error *err);

/* The same, into what is kept, unless that is it already. */
int lb_download_kept(struct lb_download *d, const struct lb_reach *reach,
		     struct lb_kept *kept, struct lb_error *err);

#endif
