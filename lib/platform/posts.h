/*
 * platform/posts.h - all that is on its way over a network: what the files of
 * lb-send share of it, and no adapter but for the client.
 */
#ifndef LB_PLATFORM_POSTS_H
#define LB_PLATFORM_POSTS_H

#include "net/http.h"
#include "platform/post.h"
#include "store/ledger.h"

/* Everything of the network. */
struct lb_posts {
	struct lb_http *http;
	struct lb_ledger *ledger;
	struct lb_map bots;
	struct lb_post *all;
	size_t n, asking;
	struct lb_post *ops, **ops_end;   /* for the ledger */
	struct lb_post *asks, **asks_end; /* until others have answers */
	struct lb_timer ledger_timer;
	int ledger_tries;
	bool ledger_waits;
};

struct lb_posts *lb_posts_of(struct lb_send *send); /* made when needed */
void lb_posts_close(struct lb_send *send);

/* Never NULL; see its `self` and `why`. Those not configured share one.
 * post-bot.c */
struct lb_bot *lb_bot_of(struct lb_send *send, const struct lb_sink *sink,
			 const struct lb_record *r);

/* The lane's first record is a reply for that bot: it gets work, or ends. */
void lb_post_start(struct lb_lane *lane, struct lb_bot *bot);

/* The end of a turn of the loop: one transaction. post-ledger.c */
void lb_posts_settle(struct lb_send *send);
bool lb_posts_unsettled(const struct lb_send *send);

/* No time is left: what asks is unknown, all else is given back. */
void lb_posts_abandon(struct lb_send *send);
void lb_post_cancel(struct lb_lane *lane); /* free its work */

/* ---- among the files of a post */

/* What the ledger had of it: before it waits for its time, and when that is
 * there. */
void lb_post_looked(struct lb_post *post, int was, const struct lb_error *err);
void lb_post_claimed(struct lb_post *post, int was, const struct lb_error *err);
/* It is not ours to ask for: as the ledger says. post-start.c */
void lb_post_not_ours(struct lb_post *post, int was,
		      const struct lb_error *err);
void lb_post_written(struct lb_post *post);
void lb_post_note(struct lb_post *post); /* into the next transaction */

/* Note in the ledger what it is now; lb_post_written() goes on. */
void lb_post_become(struct lb_post *post, enum lb_ledger_state state);

/* Why it fails; lb_post_written() says so. */
void lb_post_fail(struct lb_post *post, enum lb_code code, const char *why,
		  bool retryable);
void lb_post_unknown(struct lb_post *post, const char *why);

/* It was never in the ledger, and ends here. */
void lb_post_refuse(struct lb_post *post, enum lb_code code, const char *why,
		    bool retryable);

/* What became of it is written: the lane's next may start. */
void lb_post_finish(struct lb_post *post);

#endif
