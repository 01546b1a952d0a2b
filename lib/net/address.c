#include "net/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

/* A network: the first `bits` of an address. */
struct network {
	int family;
	unsigned char bytes[16];
	unsigned bits;
};

/* RFC 6890 and its registries; what a cloud answers to its own machines. */
static const char *const inner4[] = {
	"0.0.0.0/8",      "10.0.0.0/8",     "100.64.0.0/10", "127.0.0.0/8",
	"169.254.0.0/16", "172.16.0.0/12",  "192.0.0.0/24",  "192.0.2.0/24",
	"192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "224.0.0.0/4",    "240.0.0.0/4",   "168.63.129.16/32",
};
static const char public6[] = "2000::/3";
static const char *const inner6[] = {
	"2001::/23", /* Teredo, benchmarks, ORCHID */
	"2001:db8::/32",
	"2002::/16", /* 6to4 */
	"3fff::/20",
};

static bool parse(const char *text, struct network *n)
{
	const char *slash = strchr(text, '/');
	size_t len = slash ? (size_t)(slash - text) : 0;
	char address[INET6_ADDRSTRLEN], *end;
	unsigned long bits;

	if (!slash || len >= sizeof(address) || slash[1] < '0' ||
	    slash[1] > '9')
		return false;
	memcpy(address, text, len);
	address[len] = '\0';
	bits = strtoul(slash + 1, &end, 10);
	n->family = strchr(address, ':') ? AF_INET6 : AF_INET;
	if (*end || bits > (n->family == AF_INET ? 32 : 128) ||
	    inet_pton(n->family, address, n->bytes) != 1)
		return false;
	n->bits = (unsigned)bits;
	return true;
}

static const void *bytes_of(const struct sockaddr *a)
{
	if (a->sa_family == AF_INET)
		return &((const struct sockaddr_in *)(const void *)a)->sin_addr;
	if (a->sa_family == AF_INET6)
		return &((const struct sockaddr_in6 *)(const void *)a)
				->sin6_addr;
	return NULL;
}

bool lb_address_in(const struct sockaddr *address, const char *network)
{
	const unsigned char *bytes = bytes_of(address);
	struct network n;
	unsigned rest;

	if (!bytes || !parse(network, &n) || n.family != address->sa_family ||
	    memcmp(bytes, n.bytes, n.bits / 8) != 0)
		return false;
	rest = n.bits % 8;
	return rest == 0 ||
	       (bytes[n.bits / 8] ^ n.bytes[n.bits / 8]) >> (8 - rest) == 0;
}

bool lb_address_is_public(const struct sockaddr *a)
{
	const char *const *inner = a->sa_family == AF_INET ? inner4 : inner6;
	size_t n = a->sa_family == AF_INET ? sizeof(inner4) / sizeof(inner4[0])
					   : sizeof(inner6) / sizeof(inner6[0]);

	if (a->sa_family != AF_INET && !lb_address_in(a, public6))
		return false;
	for (size_t i = 0; i < n; i++)
		if (lb_address_in(a, inner[i]))
			return false;
	return true;
}

int lb_address_check(const char *network, struct lb_error *err)
{
	struct network n;

	if (parse(network, &n))
		return 0;
	return lb_fail(err, LB_CONFIG,
		       "'%.80s' is no network such as 10.0.0.0/8", network);
}
