/*
 * box/e2b-vm.h - a machine of e2b, and what runs in it. Inside the room only.
 */
#ifndef LB_BOX_E2B_VM_H
#define LB_BOX_E2B_VM_H

#include "box/e2b.h"

/* One machine. All owned; zeroed before first use. */
struct lb_e2b_vm {
	char *id;
	char *base;    /* "https://49983-ID.DOMAIN" */
	char *token;   /* the header, or NULL */
	bool is_new;   /* nothing was ever done in it */
	bool was_lost; /* the one before it, with the session's files */
	bool network;
};

void lb_e2b_vm_release(struct lb_e2b_vm *vm);

/*
 * The one whose id is kept in the file `record` (NULL: one for this command
 * alone), or a new one, alive as long as `spec` needs it. LB_DENIED: it has a
 * network and should have none.
 */
int lb_e2b_vm_find(struct lb_e2b *e, const char *record,
		   const struct lb_box_spec *spec, int64_t idle_ms,
		   struct lb_e2b_vm *vm, struct lb_error *err);

/* Its end, with all that runs and is kept in it; one that is gone is fine. */
int lb_e2b_vm_kill(struct lb_e2b *e, const char *id, struct lb_error *err);

/* A request to what runs in it, as that user; headers are in `h`, which has room
 * for them. Caller frees the url. */
struct lb_e2b_inside {
	const char *headers[8];
	struct lb_buf user;
	struct lb_http_request request;
	char *url; /* owned */
};

void lb_e2b_inside(struct lb_e2b_inside *i, const struct lb_e2b_vm *vm,
		   const char *path, const char *user);
void lb_e2b_inside_release(struct lb_e2b_inside *i);

/* Put a file there. */
int lb_e2b_put_file(struct lb_e2b *e, const struct lb_e2b_vm *vm,
		    const char *path, const char *text, size_t len,
		    struct lb_error *err);

/* One command, started and followed to its end. */
struct lb_e2b_command {
	const char *script; /* of sh; NULL: only what lb_e2b_sweep() does */
	/* "NAME=text", in the environment of what belongs to it and ends with
	 * it. */
	const char *mark;
	const char *user; /* "user" or "root" */
	int64_t timeout_ms;
	int in;              /* copied to it; -1: it has none */
	int out, err;        /* of its streams; -1: thrown away */
	void (*begun)(void); /* called when it has; or NULL */
	/* Filled in: */
	int64_t pid; /* there; 0: it did not begin */
	bool ended, timed_out;
	bool unread; /* nobody reads what it writes */
	int exit_code;
};

/* -1 where it did not begin, or its end is not known (`pid` tells which). */
int lb_e2b_command(struct lb_e2b *e, const struct lb_e2b_vm *vm,
		   struct lb_e2b_command *c, struct lb_error *err);

/* End what has that mark. */
void lb_e2b_sweep(struct lb_e2b *e, const struct lb_e2b_vm *vm,
		  const char *mark);

#endif
