/* lb-run - the supervisor: what its files share.
 *
 *     start.c     options, the lock, the loop
 *     plan.c      which programs there are to be, and with what arguments
 *     member.c    one of them: start it, start it again
 *     lines.c     what they write
 *     ended.c     what follows when one has ended
 *     feed.c      without a queue: what the flow is fed
 *     fate.c      ... what is in it, and what became of that
 *     records.c   --records
 *     signals.c   stop and reload
 *     processes.c what goes on in sandboxes, and ends with us
 *     report.c    the status file, the service manager
 */
#ifndef LB_RUN_SUPER_H
#define LB_RUN_SUPER_H

#include <jansson.h>
#include <sys/types.h>

#include "base/loop.h"
#include "base/map.h"
#include "config/config.h"
#include "record/line.h"
#include "record/record.h"
#include "run.h"

struct super;

enum member_kind { BOT, FLOW, GC };

/* A program that is kept running. */
struct member {
	struct super *super;
	struct member *next;
	enum member_kind kind;
	char *name;    /* of the bot; "flow", "gc" */
	char *adapter; /* of a bot; else NULL */
	json_t *conf;  /* of a bot, as it was started with */
	struct words words;
	bool by_hand;  /* reads our standard input: ends when that does */
	bool once;     /* ends by itself */
	bool leaving;  /* is not started again */
	bool ended;    /* will not run any more */
	bool draining; /* the flow: it was told to end, to be started again */

	pid_t pid, last; /* pid 0: not running; which it was then */
	int watch, from, to;
	struct lb_lines *lines;
	struct lb_timer again; /* when it is to be started */
	int64_t started;       /* monotonic ms */
	unsigned failures, restarts;
	int code; /* its last exit status; 128 + a signal */

	const char *state; /* what lb-run status says */
	int64_t since;     /* ms since the epoch */
	char *said;        /* the last status, for people; or NULL */
	char *self;        /* who the bot is, where it is; or NULL */
};

/* What of lb-run is wanted. */
enum role { ROLE_ALL, ROLE_WORKER, ROLE_INGEST };

struct super {
	enum role role;
	const char *config_file, *tee, *records_to, *workspace;
	bool once, no_queue, print;
	bool chat; /* no bot: who started us talks to one */
	long copies;
	int64_t grace;

	char *state;
	struct lb_config *config;
	struct lb_loop *loop;
	struct member *members;
	struct member *flow; /* one of them; or NULL */
	int records;         /* descriptor, or -1 */
	struct lb_buf said;  /* for it, not written yet */
	struct lb_timer report, gc, end;
	int locks[2];
	bool stopping, over;
	int64_t until; /* mono ms: the end of the grace; 0: not stopping */
	int code;
	int64_t began; /* ms since the epoch */

	/* feed.c */
	struct lb_buf out;     /* for the flow, not written yet */
	uint64_t fed, written; /* bytes, of this flow */
	bool pausing;
	bool half;          /* the last line was written by half */
	struct lb_map fate; /* id to struct fed */
	struct fed *first, *last;
	size_t in_flow, in_flow_bytes, tied; /* tied: end with another */
	bool feed_ends;
};

/* plan.c */
int plan_make(struct super *s, struct lb_error *err);
void plan_bot_words(struct member *m, const json_t *conf);
struct member *plan_bot(struct super *s, const char *name, const json_t *conf);
bool plan_listens(const json_t *conf);
struct member *plan_flow(struct super *s, bool once);
struct member *plan_gc(struct super *s);
int plan_print(const struct super *s);

/* member.c */
void member_start(struct member *m);
void member_start_later(struct member *m); /* after a pause */
void member_signal(const struct member *m, int signal);
void member_free(struct member *m);
void member_say(struct member *m, const char *state, const char *text);

/* lines.c */
/* Read what may be read now, and no more. */
void member_watch_all(struct super *s);
void member_close_output(struct member *m);
/* It has ended, once it is gone and all that it wrote was read. */
void member_gone(struct member *m);

/* feed.c, fate.c */
bool feed_is_full(const struct super *s);
void feed_line(struct super *s, const struct lb_line *line);
void feed_result(struct super *s, const struct lb_line *line);
void fate_keep(struct super *s, const struct lb_line *line);
size_t fate_lost(struct super *s); /* how many */
void fate_release(struct super *s);
void feed_write(struct super *s);
void feed_end(struct super *s);   /* no more comes */
void feed_pause(struct super *s); /* the flow is to end; the rest waits */
void feed_lost(struct super *s);
void feed_release(struct super *s);

/* records.c */
int records_open(struct super *s, struct lb_error *err);
void records_put(struct super *s, const char *text, size_t len); /* a line */
bool records_are_full(const struct super *s);

/* signals.c */
void super_watch_signals(struct super *s);
void super_stop(struct super *s, int code);

/* ended.c */
void super_ended(struct super *s, struct member *m);
bool super_all_ended(const struct super *s);
void super_plan_gc(struct super *s); /* hourly */

/* processes.c */
/* End now what `lb-box start` started below us; until then, mono ms. */
void processes_end(struct lb_config *config, const char *state, int64_t until);

/* report.c */
int report_lock(struct super *s, struct lb_error *err);
void report_soon(struct super *s);
void report_notify(const char *text); /* to the service manager, if any */
void report_close(struct super *s);
char *report_file(const char *state, enum role role);
char *report_lock_file(const char *state, enum role role);

#endif
