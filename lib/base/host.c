#include "base/host.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { LONGEST = 253, LONGEST_LABEL = 63, LAST_PORT = 65535 };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Decimal digits alone, 1 to `most`; 0: they are none. */
static int number(const char *text, size_t len, int most)
{
	int n = 0;

	if (len == 0 || len > 5)
		return 0;
	for (size_t i = 0; i < len; i++) {
		if (!is_digit(text[i]))
			return 0;
		n = n * 10 + (text[i] - '0');
	}
	return n <= most ? n : 0;
}

/* Labels of letters, digits, '-' and '_'. */
static bool is_name(const char *name)
{
	size_t label = 0;

	if (strlen(name) > LONGEST)
		return false;
	for (; *name; name++) {
		bool dot = *name == '.';

		if (dot ? label == 0
			: !is_letter(*name) && !is_digit(*name) &&
				    *name != '-' && *name != '_')
			return false;
		label = dot ? 0 : label + 1;
		if (label > LONGEST_LABEL)
			return false;
	}
	return label > 0;
}

/* Does the last label look like a number? Then some read an address. */
static bool ends_in_number(const char *name)
{
	const char *dot = strrchr(name, '.');
	const char *last = dot ? dot + 1 : name;
	size_t len = strlen(last);

	if (strspn(last, "0123456789") == len)
		return true;
	return len >= 2 && last[0] == '0' && last[1] == 'x' &&
	       strspn(last + 2, "0123456789abcdef") == len - 2;
}

static void lower(char *s)
{
	for (; *s; s++)
		if (*s >= 'A' && *s <= 'Z')
			*s = (char)(*s - 'A' + 'a');
}

/* The name, which has no brackets, into its shape. */
static bool settle(struct lb_host *host, int family)
{
	unsigned char bytes[sizeof(struct in6_addr)];
	size_t len = strlen(host->name);

	lower(host->name);
	if (family != AF_INET6 && len > 1 && host->name[len - 1] == '.')
		host->name[len - 1] = '\0';
	host->is_address = family == AF_INET6 || ends_in_number(host->name);
	if (host->is_address) {
		family = family == AF_INET6 ? AF_INET6 : AF_INET;
		return inet_pton(family, host->name, bytes) == 1 &&
		       inet_ntop(family, bytes, host->name, sizeof(host->name));
	}
	return is_name(host->name);
}

int lb_host_read(struct lb_host *host, const char *text, size_t len,
		 struct lb_error *err)
{
	const char *end = text + len, *close, *colon;
	bool bracket = len > 0 && *text == '[';
	const char *from = text + bracket;

	host->port = -1;
	host->is_address = false;
	host->name[0] = '\0';
	close = memchr(text, bracket ? ']' : ':', len);
	colon = bracket ? (close ? close + 1 : end) : close;
	if (colon && colon < end)
		host->port = *colon == ':' ? number(colon + 1,
						    (size_t)(end - colon) - 1,
						    LAST_PORT)
					   : 0;
	if (!close && !bracket)
		close = end;
	if (close && host->port != 0 && close > from &&
	    close - from < LB_HOST_NAME &&
	    !memchr(from, '\0', (size_t)(close - from))) {
		memcpy(host->name, from, (size_t)(close - from));
		host->name[close - from] = '\0';
		if (settle(host, bracket ? AF_INET6 : AF_UNSPEC))
			return 0;
	}
	return lb_fail(err, LB_DATA,
		       "that is no name and no address of a host");
}

char *lb_host_text(const struct lb_host *host)
{
	bool six = host->is_address && strchr(host->name, ':');
	lb_autofree char *port =
		host->port > 0 ? lb_printf(":%d", host->port) : lb_strdup("");

	return lb_printf("%s%s%s%s", six ? "[" : "", host->name, six ? "]" : "",
			 port);
}

/* A rule as a host; *below: only what is below it. */
static int read_rule(const char *rule, struct lb_host *of, bool *below,
		     struct lb_error *err)
{
	*below = rule[0] == '*' && rule[1] == '.';
	rule += *below ? 2 : 0;
	if (lb_host_read(of, rule, strlen(rule), err) == 0 &&
	    !(*below && of->is_address))
		return 0;
	return lb_fail(err, LB_DATA,
		       "'%.100s' is no host such as example.org, "
		       "*.example.org or example.org:8443",
		       rule - (*below ? 2 : 0));
}

int lb_host_rule_check(const char *rule, struct lb_error *err)
{
	struct lb_host of;
	bool below;

	return read_rule(rule, &of, &below, err);
}

bool lb_host_is_meant(const struct lb_host *host, const char *rule)
{
	size_t len = strlen(host->name), tail;
	struct lb_error err;
	struct lb_host of;
	bool below;

	if (read_rule(rule, &of, &below, &err) < 0)
		return false;
	if (of.port > 0 ? of.port != host->port
			: host->port != 80 && host->port != 443)
		return false;
	if (!below)
		return strcmp(of.name, host->name) == 0;
	tail = strlen(of.name);
	return !host->is_address && len > tail + 1 &&
	       host->name[len - tail - 1] == '.' &&
	       strcmp(host->name + len - tail, of.name) == 0;
}

static int no_network(const char *rule, struct lb_error *err)
{
	return lb_fail(err, LB_DATA,
		       "'%.80s' is no network such as 10.0.0.0/8, nor an "
		       "address such as 10.1.2.3, 10.1.2.3:8080 or "
		       "[fd00::1]:8080",
		       rule);
}

/* What follows an address: "/BITS", ":PORT", both or nothing. */
static bool read_rest(const char *rest, int most, int *bits, int *port)
{
	size_t len;

	*bits = most;
	*port = 0;
	if (*rest == '/') {
		len = strspn(rest + 1, "0123456789");
		*bits = number(rest + 1, len, most);
		if (*bits == 0 && !(len == 1 && rest[1] == '0'))
			return false;
		rest += 1 + len;
	}
	if (*rest == ':') {
		*port = number(rest + 1, strlen(rest + 1), LAST_PORT);
		return *port > 0;
	}
	return *rest == '\0';
}

int lb_host_network(const char *rule, char network[LB_HOST_NETWORK], int *port,
		    struct lb_error *err)
{
	char address[INET6_ADDRSTRLEN];
	unsigned char bytes[sizeof(struct in6_addr)];
	bool bracket = *rule == '[';
	size_t len = bracket ? strcspn(rule, "]") : strcspn(rule, "/");
	const char *rest = rule + len + bracket;
	bool six = memchr(rule, ':', len) && (bracket || len > 0);
	int bits;

	/* Outside of brackets a single colon is a port's. */
	if (!bracket && six && !strchr(strchr(rule, ':') + 1, ':')) {
		six = false;
		len = strcspn(rule, "/:");
		rest = rule + len;
	}
	len -= bracket;
	if ((bracket && rule[len + 1] != ']') || len >= sizeof(address))
		return no_network(rule, err);
	memcpy(address, rule + bracket, len);
	address[len] = '\0';
	if (inet_pton(six ? AF_INET6 : AF_INET, address, bytes) != 1 ||
	    (bracket && !six) || !read_rest(rest, six ? 128 : 32, &bits, port))
		return no_network(rule, err);
	snprintf(network, LB_HOST_NETWORK, "%s/%d", address, bits);
	return 0;
}
