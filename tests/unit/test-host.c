/* test-host - names of hosts and rules about them. TAP. */
#include "base/host.h"
#include "base/mem.h"
#include "tap.h"

static const struct {
	const char *text, *want; /* as it is written; NULL: it is none */
} hosts[] = {
	{"example.org", "example.org"},
	{"EXAMPLE.org.", "example.org"},
	{"a-b_c.x1:8080", "a-b_c.x1:8080"},
	{"localhost", "localhost"},
	{"xn--bcher-kva.example:1", "xn--bcher-kva.example:1"},
	{"192.0.2.1", "192.0.2.1"},
	{"192.0.2.1:65535", "192.0.2.1:65535"},
	{"[2001:DB8:0::1]", "[2001:db8::1]"},
	{"[::ffff:127.0.0.1]:80", "[::ffff:127.0.0.1]:80"},
	{"1.example", "1.example"},
	{"0x7f.example", "0x7f.example"},

	{"", NULL},
	{".", NULL},
	{"a..b", NULL},
	{".a", NULL},
	{"a.b..", NULL},
	{"a b", NULL},
	{"a/b", NULL},
	{"a@b", NULL},
	{"a\r\nb", NULL},
	{"a:", NULL},
	{":80", NULL},
	{"a:0", NULL},
	{"a:65536", NULL},
	{"a:+1", NULL},
	{"a:1x", NULL},
	{"a:80:80", NULL},
	{"b\xc3\xbc"
	 "cher.example",
	 NULL},
	/* what inet_aton(3) takes for 127.0.0.1 */
	{"127.1", NULL},
	{"127.0.1", NULL},
	{"2130706433", NULL},
	{"0x7f000001", NULL},
	{"0x7f.0.0.1", NULL},
	{"127.0.0.0x1", NULL},
	{"0177.0.0.1", NULL},
	{"127.0.0.01", NULL},
	{"017700000001", NULL},
	{"127.0.0.1.1", NULL},
	{"256.0.0.1", NULL},
	{"a.0x", NULL},
	{"::1", NULL},
	{"[::1", NULL},
	{"[::1]80", NULL},
	{"[::1]:", NULL},
	{"[127.0.0.1]", NULL},
	{"[fe80::1%eth0]", NULL},
	{"[example.org]", NULL},
	{"[]", NULL},
	{"a123456789012345678901234567890123456789012345678901234567890123.b",
	 NULL},
};

static const struct {
	const char *rule, *host;
	bool is_meant;
} rules[] = {
	{"example.org", "example.org:443", true},
	{"example.org", "example.org:80", true},
	{"Example.ORG.", "example.org:80", true},
	{"example.org", "example.org:8080", false},
	{"example.org:8080", "example.org:8080", true},
	{"example.org:8080", "example.org:443", false},
	{"example.org", "www.example.org:443", false},
	{"example.org", "notexample.org:443", false},
	{"*.example.org", "www.example.org:443", true},
	{"*.example.org", "a.b.example.org:80", true},
	{"*.example.org", "example.org:443", false},
	{"*.example.org", "notexample.org:443", false},
	{"*.example.org:8080", "a.example.org:8080", true},
	{"*.example.org:8080", "a.example.org:443", false},
	{"*.org", "example.org:443", true},
	{"192.0.2.1", "192.0.2.1:80", true},
	{"192.0.2.1", "192.0.2.10:80", false},
	{"[2001:db8:0::1]", "[2001:db8::1]:443", true},
	{"127.1", "127.0.0.1:80", false},
	{"*", "example.org:443", false},
	{"*.", "example.org:443", false},
	{"*.192.0.2.1", "192.0.2.1:80", false},
	{"", "example.org:443", false},
};

static const struct {
	const char *rule, *network;
	int port;
} networks[] = {
	{"10.0.0.0/8", "10.0.0.0/8", 0},
	{"10.1.2.3", "10.1.2.3/32", 0},
	{"10.1.2.3:8080", "10.1.2.3/32", 8080},
	{"10.0.0.0/8:443", "10.0.0.0/8", 443},
	{"0.0.0.0/0", "0.0.0.0/0", 0},
	{"fd00::/8", "fd00::/8", 0},
	{"::1", "::1/128", 0},
	{"[::1]:80", "::1/128", 80},
	{"[fd00::]/8:443", "fd00::/8", 443},
	{"", NULL, 0},
	{"10.0.0.0/33", NULL, 0},
	{"10.0.0.0/", NULL, 0},
	{"10.0.0.0/-1", NULL, 0},
	{"10.0.0.0/8:", NULL, 0},
	{"10.0.0/8", NULL, 0},
	{"10.1.2.3:0", NULL, 0},
	{"10.1.2.3:x", NULL, 0},
	{"[::1", NULL, 0},
	{"[::1]x", NULL, 0},
	{"[10.1.2.3]", NULL, 0},
	{"fd00::/129", NULL, 0},
	{"localhost", NULL, 0},
	{"all", NULL, 0},
};

static void check_hosts(void)
{
	struct lb_host host;
	struct lb_error err;

	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
		const char *text = hosts[i].text;
		bool good = lb_host_read(&host, text, strlen(text), &err) == 0;
		lb_autofree char *got = good ? lb_host_text(&host) : NULL;

		if (hosts[i].want)
			tap_same(hosts[i].want, got ? got : err.text, text);
		else
			tap_ok(!good && err.code == LB_DATA, text);
	}
	tap_ok(lb_host_read(&host, "a\0b", 3, &err) < 0, "a NUL in a name");
	tap_ok(lb_host_read(&host, "a.bc", 3, &err) == 0 &&
		       strcmp(host.name, "a.b") == 0,
	       "no more than its length is read");
}

static void check_rules(void)
{
	struct lb_host host;
	struct lb_error err;

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		const char *name = rules[i].host;
		lb_autofree char *what =
			lb_printf("'%s' and %s", rules[i].rule, name);

		tap_ok(lb_host_read(&host, name, strlen(name), &err) == 0 &&
			       lb_host_is_meant(&host, rules[i].rule) ==
				       rules[i].is_meant,
		       what);
	}
}

static void check_networks(void)
{
	char network[LB_HOST_NETWORK];
	struct lb_error err;
	int port;

	for (size_t i = 0; i < sizeof(networks) / sizeof(networks[0]); i++) {
		const char *rule = networks[i].rule;
		bool good = lb_host_network(rule, network, &port, &err) == 0;

		if (networks[i].network)
			tap_ok(good && port == networks[i].port &&
				       strcmp(network, networks[i].network) ==
					       0,
			       rule);
		else
			tap_ok(!good && err.code == LB_DATA, rule);
	}
}

int main(void)
{
	check_hosts();
	check_rules();
	check_networks();
	return tap_end();
}
