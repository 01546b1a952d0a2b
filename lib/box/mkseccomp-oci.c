/* mkseccomp-oci.c - the filter as engines read it: JSON, and by name. */
#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "box/mkseccomp.h"

#define ALL_NAMESPACES                                                         \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |         \
	 CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)

/* Those that are looked at more closely than by name. */
static const char *const partly[] = {"clone", "clone3",      "socket",
				     "mknod", "mknodat",     "ioctl",
				     "prctl", "personality", "fallocate",
				     NULL};

static bool first = true;

/* One piece of the profile, as a line of a C string. */
static void line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void line(const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	putchar('"');
	for (const char *c = text; *c; c++) {
		if (*c == '"')
			putchar('\\');
		putchar(*c);
	}
	puts("\"");
}

static const char *comma(void)
{
	const char *text = first ? "" : ",";

	first = false;
	return text;
}

static void refuse(const char *name, int number)
{
	line("%s{\"names\":[\"%s\"],\"action\":\"SCMP_ACT_ERRNO\","
	     "\"errnoRet\":%d}",
	     comma(), name, number);
}

/* ((argument & mask) == value); errno 0: allowed, else that. */
struct term {
	unsigned index;
	uint64_t mask, value;
};

static void rule(const char *name, const struct term *terms, int n, int number)
{
	if (number)
		line("%s{\"action\":\"SCMP_ACT_ERRNO\",\"errnoRet\":%d,",
		     comma(), number);
	else
		line("%s{\"action\":\"SCMP_ACT_ALLOW\",", comma());
	line("\"names\":[\"%s\"],\"args\":[", name);
	for (int i = 0; i < n; i++)
		line("%s{\"index\":%u,\"value\":%llu,\"valueTwo\":%llu,"
		     "\"op\":\"SCMP_CMP_MASKED_EQ\"}",
		     i > 0 ? "," : "", terms[i].index,
		     (unsigned long long)terms[i].mask,
		     (unsigned long long)terms[i].value);
	line("]}");
}

static void allow(const char *name, unsigned index, uint64_t mask,
		  uint64_t value)
{
	rule(name, &(struct term){index, mask, value}, 1, 0);
}

static bool is_in(const char *const *names, const char *name)
{
	for (; *names; names++)
		if (strcmp(*names, name) == 0)
			return true;
	return false;
}

/* All there are by their names up to the newest that was looked at. */
static void allow_the_rest(void)
{
	bool begins = true;

	line("%s{\"action\":\"SCMP_ACT_ALLOW\",\"names\":[", comma());
	for (int nr = 0; nr <= NEWEST; nr++) {
		char *name =
			seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, nr);

		if (name && !is_in(refused, name) && !is_in(partly, name)) {
			line("%s\"%s\"", begins ? "" : ",", name);
			begins = false;
		}
		free(name);
	}
	line("]}");
}

static void sockets(void)
{
	static const unsigned types[] = {SOCK_STREAM, SOCK_DGRAM,
					 SOCK_SEQPACKET};
	static const unsigned families[] = {AF_INET, AF_INET6};

	allow("socket", 0, UINT32_MAX, AF_UNIX);
	for (int f = 0; f < 2; f++)
		for (int t = 0; t < 3; t++)
			rule("socket",
			     (const struct term[]){{0, UINT32_MAX, families[f]},
						   {1, 0xf, types[t]}},
			     2, 0);
	rule("socket",
	     (const struct term[]){{0, UINT32_MAX, AF_NETLINK},
				   {2, UINT32_MAX, 0}},
	     2, 0);
	for (unsigned f = 0; f < 64; f++)
		if (f != AF_UNIX && f != AF_INET && f != AF_INET6 &&
		    f != AF_NETLINK)
			rule("socket", &(struct term){0, UINT32_MAX, f}, 1,
			     EAFNOSUPPORT);
}

/*
 * What is neither of two requests: a bit is other than both have it, or it is
 * one of the few that differ where they do.
 */
static void requests(void)
{
	const uint32_t one = TIOCSTI, other = TIOCLINUX, differ = one ^ other;

	for (unsigned bit = 0; bit < 32; bit++)
		if (!(differ & 1U << bit))
			allow("ioctl", 1, 1U << bit, ~one & 1U << bit);
	for (uint32_t part = differ;; part = (part - 1) & differ) {
		uint32_t value = (one & ~differ) | part;

		if (value != one && value != other)
			allow("ioctl", 1, UINT32_MAX, value);
		if (part == 0)
			break;
	}
}

static void files(const char *name, unsigned index)
{
	static const unsigned types[] = {0, S_IFREG, S_IFIFO, S_IFSOCK};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		allow(name, index, S_IFMT, types[i]);
}

static void refuse_part(const char *name, uint64_t mask, uint64_t value)
{
	rule(name, &(struct term){0, mask, value}, 1, EPERM);
}

/* What is not allowed is refused, and not said to be absent: programs go on
 * otherwise then. */
static void clones(void)
{
	allow("clone", 0, ALL_NAMESPACES, 0);
	for (unsigned bit = 0; bit < 32; bit++)
		if (ALL_NAMESPACES & 1ULL << bit)
			refuse_part("clone", 1ULL << bit, 1ULL << bit);
}

/*
 * One of three: none, all, ADDR_NO_RANDOMIZE. Any other has, going round, a bit
 * that is set below one that is not, and that is not this one alone.
 */
static void personalities(void)
{
	enum { NO_RANDOMIZE = 18 };

	allow("personality", 0, UINT32_MAX, 0);
	allow("personality", 0, UINT32_MAX, 1U << NO_RANDOMIZE);
	allow("personality", 0, UINT32_MAX, UINT32_MAX);
	for (unsigned bit = 0; bit < 32; bit++)
		if (bit != NO_RANDOMIZE)
			refuse_part("personality",
				    1U << bit | 1U << (bit + 1) % 32,
				    1U << bit);
	refuse_part("personality", 7U << (NO_RANDOMIZE - 1),
		    3U << (NO_RANDOMIZE - 1));
}

int mkseccomp_oci(void)
{
	puts("/* Made by mkseccomp-oci.c. */\n"
	     "const char lb_box_seccomp_oci[] =");
	line("{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"defaultErrnoRet\":%d,"
	     "\"syscalls\":[",
	     ENOSYS);
	for (const char *const *one = refused; *one; one++)
		if (seccomp_syscall_resolve_name(*one) >= 0)
			refuse(*one, EPERM);
	refuse("clone3", ENOSYS);
	refuse("fallocate", EOPNOTSUPP);
	allow_the_rest();
	clones();
	sockets();
	requests();
	files("mknod", 1);
	files("mknodat", 2);
	personalities();
	line("]}");
	puts(";");
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : -1;
}
