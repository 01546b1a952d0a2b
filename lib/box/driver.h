/*
 * box/driver.h - what a backend is to the rest of this room, and what they
 * share. Inside the room only.
 */
#ifndef LB_BOX_DRIVER_H
#define LB_BOX_DRIVER_H

#include <stdbool.h>
#include <sys/types.h>

#include "box/box.h"
#include "box/cgroup.h"
#include "box/session.h"
#include "box/spec.h"

struct ending;

struct lb_box {
	struct lb_loop *loop;
	struct lb_config *config; /* borrowed, as is the loop */
	char *state;
	struct lb_cgroups groups;
	bool swept; /* groups that others left behind are gone */
	/*
	 * Bubblewrap's own --die-with-parent is not in force before the command
	 * begins: who kills us just then would leave what nobody ends. NULL
	 * before it is needed.
	 */
	struct lb_guard *guard;
	const struct lb_box_driver *driver; /* once it is known; see select.c */
	bool tidied; /* runs that engines were left with are gone */
	int etc;     /* O_PATH of the folder that is /etc inside; -1 */
	char *etc_path;
	struct ending **ending; /* control groups that are not empty yet */
	size_t n_ending;
};

/* A folder or file of this machine, as it was when it was judged. */
struct lb_box_source {
	const char *path;   /* real; borrowed */
	const char *target; /* borrowed */
	enum lb_box_mode mode;
	bool is_file;
	dev_t dev;
	ino_t ino;
};

/* One command. Borrowed, but for what the driver fills in. */
struct lb_box_exec {
	const struct lb_box_spec *spec;
	const struct lb_box_session *session; /* NULL: it has none */
	const struct lb_box_source *sources;  /* the workspace first, if any */
	int n_sources;
	bool own_workspace; /* no source: an empty one in memory */
	bool pins_skills;   /* .skills is covered, so that nobody moves it */
	int in, out, err;   /* become 0, 1 and 2; -1 is /dev/null */
	bool terminal;      /* they are one, and the command's own */
	const struct lb_cgroup *group; /* or NULL */
	const char *home;              /* a folder inside */
	uid_t uid;
	gid_t gid;
	bool drop;
	/* Filled in: */
	pid_t pid;
	int status; /* what the backend reports of it; -1 */
	int ready;  /* writable once all is mounted; -1: it does not wait */
};

struct lb_box_report {
	pid_t child;          /* the first process inside, as seen here; 0 */
	int exit_code;        /* -1: the command did not run */
	bool short_of_memory; /* something in it was killed for that */
	bool began;           /* of one that is remote: the command has */
	json_t *answer;       /* and what it says at its end; owned */
};

struct lb_box_driver {
	const char *name;
	bool isolates;
	/* What its own messages begin with, NULL: it has none; "": all that
	 * comes before it is let go is its own. */
	const char *says;
	/* An engine: `pid` is its tender (tender.h), which reports a child once
	 * all is mounted, ends all of it when `ready` is closed or we are gone.
	 * False: it is the sandbox's own program. */
	bool is_tended;
	/* It sees to the limits itself; else it has a control group of ours. */
	bool has_limits;
	/* It has files of its own: nothing of this machine is mounted. */
	bool is_remote;
	/* And ms until the command begins, at most, which it says then; 0: that
	 * is not known, and counts as the command's time. */
	int begin_ms;
	/* Is it there? An error says why not. NULL: one is started to see. */
	int (*look)(struct lb_box *box, struct lb_error *err);
	/* May be NULL. May it be used here? LB_DENIED says why not. */
	int (*may)(struct lb_box *box, struct lb_error *err);
	int (*exec)(struct lb_box *box, struct lb_box_exec *x,
		    struct lb_error *err);
	/* What a line of its status says. */
	void (*read)(const char *line, struct lb_box_report *report);
	/* What it wrote to standard error when the command did not run. */
	int (*explain)(const char *text, struct lb_error *err);
	/* Is what waits to be let go as closed as it should be, and by what is
	 * it limited? LB_UNAVAILABLE. NULL: it is, by what run.c does. */
	int (*check)(const struct lb_box_exec *x, pid_t child,
		     enum lb_box_limits *limits, struct lb_error *err);
	/* Where target is seen from here while it waits to be let go; NULL. */
	char *(*inside)(pid_t child, const char *target);
	/* It may go on, by that `ready`; when that is closed, or we end, before
	 * this, it does not. -1 and errno. NULL alike. */
	int (*let_go)(int ready);
};

extern const struct lb_box_driver lb_box_bwrap, lb_box_host, lb_box_podman,
	lb_box_docker, lb_box_nsjail, lb_box_record, lb_box_e2b;

/*
 * The one that `box.backend` names: LB_CONFIG, there is none of that name. What
 * `local` is on this machine is found out once.
 */
const struct lb_box_driver *lb_box_select(struct lb_box *box,
					  struct lb_error *err);

/* What programs find in their environment, "NAME=TEXT", NULL-ended, beside PATH
 * and HOME. */
extern const char *const lb_box_environ[];
/* And those that depend on whether it has a terminal. */
const char *const *lb_box_environ_terminal(bool terminal);

/* Remove a control group, now or as soon as it is empty. */
void lb_box_end_group(struct lb_box *box, struct lb_cgroup *take);

/* The folder that is /etc inside, made once. LB_IO. */
int lb_box_etc(struct lb_box *box, struct lb_error *err);
/* Remove those that nothing needs any more, of the folder of sandboxes that the
 * caller holds by flock(2). How many. */
int lb_box_etc_sweep(int root);

#endif
