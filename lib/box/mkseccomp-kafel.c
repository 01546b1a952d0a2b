/* mkseccomp-kafel.c - the filter as nsjail reads it: a policy of kafel. */
#include <sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "box/mkseccomp.h"

/* Arguments are 64 bits to it, and the kernel reads 32 of these. */
#define LOW(argument) "(" argument " & 0xffffffff)"

static const struct {
	const char *name, *arguments, *allowed;
} partly[] = {
	{"clone", "a", "(a & 0x7e020000) == 0"},
	{"socket", "a, b, c",
	 LOW("a") " == 1 || " LOW("a") " == 16 && " LOW(
		 "c") " == 0 || "
		      "(" LOW("a") " == 2 || " LOW(
			      "a") " == 10) && "
				   "((b & 15) == 1 || (b & 15) == 2 || (b & "
				   "15) == 5)"},
	{"ioctl", "a, b", LOW("b") " != 0x5412 && " LOW("b") " != 0x541c"},
	{"mknod", "a, b",
	 "(b & 0xf000) == 0 || (b & 0xf000) == 0x8000 || "
	 "(b & 0xf000) == 0x1000 || (b & 0xf000) == 0xc000"},
	{"mknodat", "a, b, c",
	 "(c & 0xf000) == 0 || (c & 0xf000) == 0x8000 || "
	 "(c & 0xf000) == 0x1000 || (c & 0xf000) == 0xc000"},
	{"personality", "a",
	 LOW("a") " == 0 || " LOW("a") " == 0x40000 || " LOW("a") " == "
								  "0xffffffff"},
};

_Static_assert(AF_UNIX == 1 && AF_INET == 2 && AF_INET6 == 10 &&
		       AF_NETLINK == 16 && TIOCSTI == 0x5412 &&
		       TIOCLINUX == 0x541c && S_IFMT == 0xf000,
	       "the numbers of the policy");

static bool is_refused(const char *name)
{
	for (const char *const *one = refused; *one; one++)
		if (strcmp(*one, name) == 0)
			return true;
	return strcmp(name, "clone3") == 0 || strcmp(name, "fallocate") == 0;
}

static void allow(int nr, const char *name)
{
	for (size_t i = 0; i < sizeof(partly) / sizeof(partly[0]); i++)
		if (strcmp(partly[i].name, name) == 0) {
			printf("\", SYSCALL[%d](%s) { %s }\"\n", nr,
			       partly[i].arguments, partly[i].allowed);
			return;
		}
	printf("\"%s SYSCALL[%d]\"\n", nr > 0 ? "," : "", nr);
}

/* By their numbers: it knows fewer names than there are. */
static void put(const char *begins, bool refuses)
{
	bool first = true;

	printf("\"%s\"\n", begins);
	for (int nr = 0; nr <= NEWEST; nr++) {
		char *name =
			seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, nr);

		if (name && is_refused(name) == refuses && !refuses)
			allow(nr, name);
		else if (name && refuses && is_refused(name) &&
			 strcmp(name, "clone3") != 0 &&
			 strcmp(name, "fallocate") != 0) {
			printf("\"%s SYSCALL[%d]\"\n", first ? "" : ",", nr);
			first = false;
		}
		free(name);
	}
	puts("\" }\"");
}

int mkseccomp_kafel(void)
{
	puts("/* Made by mkseccomp-kafel.c. */\n"
	     "const char lb_box_seccomp_kafel[] =");
	put("POLICY lb { ALLOW {", false);
	put(", ERRNO(1) {", true);
	printf("\", ERRNO(95) { SYSCALL[%d] } } USE lb DEFAULT ERRNO(38)\"\n"
	       ";\n",
	       SCMP_SYS(fallocate));
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : -1;
}
