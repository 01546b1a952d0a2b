/*
 * net/address.h - which addresses are on the public internet.
 */
#ifndef LB_NET_ADDRESS_H
#define LB_NET_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

#include "base/error.h"

/*
 * Public: not of this host, its networks, a provider's inner networks or
 * services of clouds, not reserved, no multicast, and not an IPv6 address that
 * stands for an IPv4 one (mapped, NAT64, 6to4, Teredo). What is not known to
 * be public is not.
 */
bool lb_address_is_public(const struct sockaddr *address);

/* Is it in the network "10.0.0.0/8" or "fd00::/8"? False for what is none. */
bool lb_address_in(const struct sockaddr *address, const char *network);

/* LB_CONFIG: that is no network. */
int lb_address_check(const char *network, struct lb_error *err);

#endif
