/* lb-queue work - what its files share. */
#ifndef LB_QUEUE_WORK_H
#define LB_QUEUE_WORK_H

#include <sys/types.h>

#include "base/loop.h"
#include "base/proc.h"
#include "queue.h"
#include "record/line.h"
#include "record/out.h"
#include "record/record.h"
#include "record/ticket.h"

/* A record in the hand of a copy. */
struct item {
	int64_t seq;
	uint32_t hash;      /* of the id, to look for it */
	char *id, *session; /* NULL when it has none */
	int64_t part;       /* of a reply; 0 for what is none */
	bool ends;          /* a record that comes back ends it */
	bool alone;
	int tries, deaths;
	uint64_t from, to; /* bytes of the copy's input */
	int64_t deadline;  /* monotonic ms */
	char *into, *drop; /* it ends, by this drop, when that id does */
	char *text;        /* of one that is alone; else NULL */
	bool over;         /* settled; to be swept out */
};

/* A running CMD. */
struct copy {
	struct work *work;
	pid_t pid;     /* 0: none runs */
	int to, from;  /* its input and output; -1 closed */
	int64_t owner; /* row of its leases; 0 none */
	struct lb_lines *lines;
	struct lb_buf out; /* not written yet */
	uint64_t given, written;
	struct item **items;
	int n, size;
	int tied;      /* of them, with `into` */
	bool closing;  /* it gets no more, its input is to be closed */
	bool draining; /* it gets no more until it has none in hand */
	bool dead;     /* to be buried */
	int64_t since, wait_until; /* mono: ended input; may start again */
};

/* What the next transaction writes of a record that was in hand. */
struct op {
	int64_t owner, seq;
	int how;         /* enum lb_queue_end, or 0: back in line */
	int64_t at;      /* when that is to be tried again */
	bool tried;      /* ... and whether this was a try */
	size_t off, len; /* what ended it, in `said`; len 0: nothing */
	bool hidden;     /* it had ended already: that is not passed on */
};

struct work {
	struct lb_queue *q;
	const char *name;
	char **command;
	long copies, window, tries;
	int64_t deadline, grace;
	bool once;
	size_t max_line;

	struct lb_loop *loop;
	struct lb_guard *guard;
	struct lb_out *stdout_;
	struct lb_buf said; /* passed on when the transaction is through */
	struct op *ops;
	size_t n_ops, size_ops;
	struct copy *all;
	struct lb_record record;
	struct lb_ticket ticket;
	struct lb_timer tick, next, end;
	int watch;         /* tells of changes to the queue; -1 */
	unsigned failures; /* deaths since something went well */
	bool look;         /* there may be something to take */
	int64_t ahead; /* the clock of the monotonic one, when last looked at */
	bool clocked;  /* that was done */
	bool stopping, give_up;
	int code; /* to exit with */
};

/* copy.c */
int copy_start(struct copy *c, struct lb_error *err);
void copy_give(struct copy *c, struct item *take, const char *text, size_t len);
void copy_write(struct copy *c); /* as much as it takes */
void copy_close(struct copy *c); /* its input, once all is written */
void copy_shut(struct copy *c);  /* its input, now */
void copy_read(struct copy *c);  /* what it wrote, once */
void copy_kill(struct copy *c);
void copy_sweep(struct copy *c);

/* copy-end.c */
void copy_look(struct copy *c); /* did it end, is something overdue? */
void item_free(struct item *take);

/* meant.c */
/* Of which record in hand one that came back speaks. */
struct meant {
	const char *id, *session; /* borrowed; NULL when it does not say */
	uint32_t hash;
	int64_t part;
	bool receipt; /* of that part of a reply only */
};

uint32_t id_hash(const char *id);
struct meant meant_by(const struct lb_record *r);
bool is_meant(const struct item *item, const struct meant *m);

/* answer.c */
void answer_line(struct copy *c, const struct lb_line *line);
/* It was written, and there is nothing more to wait for. */
void answer_written(struct copy *c, struct item *item);

/* settle.c: what was answered, and the dead; then `said` is written. */
int work_settle(struct work *w, struct lb_error *err);
bool work_has_news(const struct work *w);

/* feed.c: what may be taken goes to the copies. */
int work_feed(struct work *w, struct lb_error *err);
int work_reap(struct work *w, struct lb_error *err);

#endif
