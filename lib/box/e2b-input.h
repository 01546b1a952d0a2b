/*
 * box/e2b-input.h - what is written to a command in a machine of e2b, as it
 * comes. Inside the room only.
 */
#ifndef LB_BOX_E2B_INPUT_H
#define LB_BOX_E2B_INPUT_H

#include "box/e2b-vm.h"

/* e, vm, user, failed and arg are the caller's, zeroed else; must not move. */
struct lb_e2b_input {
	struct lb_e2b *e;
	const struct lb_e2b_vm *vm;
	const char *user;
	/* It cannot be told what it is to be told. Not for one that has ended. */
	void (*failed)(void *arg, const struct lb_error *why);
	void *arg;
	/* The room's own. */
	int fd; /* 0 before it is started */
	int64_t pid;
	struct lb_http_call *call;
	struct lb_buf said;
	bool closing;
};

/* All of fd, and then its end. */
void lb_e2b_input_start(struct lb_e2b_input *in, int fd, int64_t pid);
void lb_e2b_input_end(struct lb_e2b_input *in);

#endif
