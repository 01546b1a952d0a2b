/* test-address - which addresses are public. TAP. */
#include <arpa/inet.h>
#include <netinet/in.h>

#include "net/address.h"
#include "tap.h"

static const struct {
	const char *text;
	bool public;
} rows[] = {
	{"8.8.8.8", true},
	{"1.1.1.1", true},
	{"0.0.0.0", false},
	{"0.255.255.255", false},
	{"9.255.255.255", true},
	{"10.0.0.0", false},
	{"10.255.255.255", false},
	{"11.0.0.0", true},
	{"100.63.255.255", true},
	{"100.64.0.0", false},
	{"100.100.100.200", false},
	{"100.127.255.255", false},
	{"100.128.0.0", true},
	{"127.0.0.1", false},
	{"127.255.255.255", false},
	{"128.0.0.0", true},
	{"169.253.255.255", true},
	{"169.254.169.254", false},
	{"172.15.255.255", true},
	{"172.16.0.0", false},
	{"172.31.255.255", false},
	{"172.32.0.0", true},
	{"192.0.0.8", false},
	{"192.0.1.0", true},
	{"192.0.2.1", false},
	{"192.88.99.1", false},
	{"192.168.1.1", false},
	{"192.169.0.0", true},
	{"198.17.255.255", true},
	{"198.18.0.0", false},
	{"198.19.255.255", false},
	{"198.20.0.0", true},
	{"198.51.100.7", false},
	{"203.0.113.7", false},
	{"168.63.129.16", false},
	{"168.63.129.17", true},
	{"223.255.255.255", true},
	{"224.0.0.1", false},
	{"239.255.255.255", false},
	{"240.0.0.1", false},
	{"255.255.255.255", false},
	{"2606:4700:4700::1111", true},
	{"2a00:1450::1", true},
	{"::", false},
	{"::1", false},
	{"::ffff:127.0.0.1", false},
	{"::ffff:8.8.8.8", false},
	{"::127.0.0.1", false},
	{"64:ff9b::7f00:1", false},
	{"64:ff9b::808:808", false},
	{"64:ff9b:1::1", false},
	{"100::1", false},
	{"2001::1", false},
	{"2001:2::1", false},
	{"2001:1ff::1", false},
	{"2001:200::1", true},
	{"2001:db8::1", false},
	{"2002:7f00:1::1", false},
	{"3fff::1", false},
	{"3fff:1000::1", true},
	{"4000::1", false},
	{"fc00::1", false},
	{"fd00:ec2::254", false},
	{"fe80::1", false},
	{"fec0::1", false},
	{"ff02::1", false},
};

static const struct {
	const char *network;
	bool ok;
} networks[] = {
	{"10.0.0.0/8", true},   {"::/0", true},
	{"0.0.0.0/0", true},    {"127.0.0.1/32", true},
	{"fd00::/8", true},     {"10.0.0.0/33", false},
	{"::/129", false},      {"10.0.0.0", false},
	{"10.0/8", false},      {"10.0.0.0/", false},
	{"10.0.0.0/8x", false}, {"10.0.0.0/-1", false},
	{"x/8", false},         {"", false},
	{"/8", false},
};

static const struct sockaddr *address(const char *text,
				      struct sockaddr_storage *to)
{
	memset(to, 0, sizeof(*to));
	to->ss_family = strchr(text, ':') ? AF_INET6 : AF_INET;
	inet_pton(to->ss_family, text,
		  to->ss_family == AF_INET
			  ? (void *)&((struct sockaddr_in *)to)->sin_addr
			  : (void *)&((struct sockaddr_in6 *)to)->sin6_addr);
	return (struct sockaddr *)to;
}

int main(void)
{
	struct sockaddr_storage to = {.ss_family = AF_UNIX};
	struct lb_error err;

	tap_ok(!lb_address_is_public((struct sockaddr *)&to),
	       "what is no internet address");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		tap_ok(lb_address_is_public(address(rows[i].text, &to)) ==
			       rows[i].public,
		       rows[i].text);
	for (size_t i = 0; i < sizeof(networks) / sizeof(networks[0]); i++)
		tap_ok((lb_address_check(networks[i].network, &err) == 0) ==
			       networks[i].ok,
		       networks[i].network);
	tap_ok(lb_address_in(address("10.9.255.255", &to), "10.8.0.0/15") &&
		       !lb_address_in(address("10.10.0.0", &to),
				      "10.8.0.0/15") &&
		       !lb_address_in(address("::1", &to), "0.0.0.0/0") &&
		       lb_address_in(address("1.2.3.4", &to), "0.0.0.0/0"),
	       "in a network");
	return tap_end();
}
