/*
 * base/host.h - names of hosts, and rules about which of them are meant.
 */
#ifndef LB_BASE_HOST_H
#define LB_BASE_HOST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { LB_HOST_NAME = 256, LB_HOST_NETWORK = 64 /* bytes, the NUL included */ };

/* A host, and a port of it. */
struct lb_host {
	/* Lower case, without a final dot; an address is as inet_ntop(3)
	 * writes it, without brackets. */
	char name[LB_HOST_NAME];
	bool is_address;
	int port; /* -1: none was named */
};

/*
 * "NAME", "192.0.2.1" or "[2001:db8::1]", perhaps with ":PORT" (1 to 65535).
 * ASCII only. LB_DATA for anything else, and for what old functions take for
 * an address although it does not look like one: "127.1", "0x7f000001",
 * "0177.0.0.1", "2130706433".
 */
int lb_host_read(struct lb_host *host, const char *text, size_t len,
		 struct lb_error *err);

/* As it was written, with its port. Caller frees. */
char *lb_host_text(const struct lb_host *host);

/*
 * Is a host (with its port) one of those that a rule means? A rule is a host,
 * or "*.NAME", which are those below that name and not itself; with ":PORT"
 * that port alone, without it 80 and 443.
 */
bool lb_host_is_meant(const struct lb_host *host, const char *rule);
/* LB_DATA: this is no rule. */
int lb_host_rule_check(const char *rule, struct lb_error *err);

/*
 * "10.0.0.0/8", "10.1.2.3", "[fd00::]/8" or "fd00::1", perhaps with ":PORT"
 * (after an IPv6 address in brackets), as a network with its bits; *port is 0
 * for all of them. LB_DATA.
 */
int lb_host_network(const char *rule, char network[LB_HOST_NETWORK], int *port,
		    struct lb_error *err);

#endif
