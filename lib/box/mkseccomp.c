/*
 * mkseccomp - writes the filter of box/seccomp.h as C, at build time: making it
 * takes longer than starting a sandbox.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/mkseccomp.h"

#define DENY SCMP_ACT_ERRNO(EPERM)
#define ABSENT SCMP_ACT_ERRNO(ENOSYS)

static int refuse_all(scmp_filter_ctx f)
{
	for (const char *const *one = refused; *one; one++) {
		int nr = seccomp_syscall_resolve_name(*one);

		if (nr >= 0 && seccomp_rule_add_exact(f, DENY, nr, 0) < 0)
			return -1;
	}
	return 0;
}

/* No new namespaces; flags that lie in memory cannot be looked at. */
static int refuse_clone(scmp_filter_ctx f)
{
	static const uint64_t spaces[] = {CLONE_NEWNS,   CLONE_NEWCGROUP,
					  CLONE_NEWUTS,  CLONE_NEWIPC,
					  CLONE_NEWUSER, CLONE_NEWPID,
					  CLONE_NEWNET,  0x80 /* time */};

	for (size_t i = 0; i + 1 < sizeof(spaces) / sizeof(spaces[0]); i++)
		if (seccomp_rule_add_exact(f, DENY, SCMP_SYS(clone), 1,
					   SCMP_A0(SCMP_CMP_MASKED_EQ,
						   spaces[i], spaces[i])) < 0)
			return -1;
	return seccomp_rule_add_exact(f, ABSENT, SCMP_SYS(clone3), 0);
}

/* Only what a program needs to talk to others of its own: local, IP, and the
 * route table that getaddrinfo() reads. */
static int refuse_sockets(scmp_filter_ctx f)
{
	const uint32_t no = SCMP_ACT_ERRNO(EAFNOSUPPORT);
	const int nr = SCMP_SYS(socket);

	for (unsigned family = 0; family < 64; family++) {
		if (family == AF_UNIX || family == AF_INET ||
		    family == AF_INET6 || family == AF_NETLINK)
			continue;
		if (seccomp_rule_add_exact(f, no, nr, 1,
					   SCMP_A0(SCMP_CMP_EQ, family)) < 0)
			return -1;
	}
	for (int i = 0; i < 2; i++) {
		const unsigned family = i == 0 ? AF_INET : AF_INET6;

		/* SOCK_PACKET of AF_INET is AF_PACKET by its old name. */
		if (seccomp_rule_add_exact(f, DENY, nr, 2,
					   SCMP_A0(SCMP_CMP_EQ, family),
					   SCMP_A1(SCMP_CMP_MASKED_EQ, 0xf,
						   SOCK_RAW)) < 0 ||
		    seccomp_rule_add_exact(f, DENY, nr, 2,
					   SCMP_A0(SCMP_CMP_EQ, family),
					   SCMP_A1(SCMP_CMP_MASKED_EQ, 0xf,
						   SOCK_PACKET)) < 0)
			return -1;
	}
	if (seccomp_rule_add_exact(f, no, nr, 2,
				   SCMP_A0(SCMP_CMP_EQ, AF_NETLINK),
				   SCMP_A2(SCMP_CMP_NE, 0)) < 0)
		return -1;
	return seccomp_rule_add_exact(f, no, nr, 1, SCMP_A0(SCMP_CMP_GE, 64));
}

static int refuse_devices(scmp_filter_ctx f)
{
	static const unsigned types[] = {S_IFCHR, S_IFBLK};
	int mknod_nr = seccomp_syscall_resolve_name("mknod");

	for (int i = 0; i < 2; i++) {
		if (mknod_nr >= 0 &&
		    seccomp_rule_add_exact(f, DENY, mknod_nr, 1,
					   SCMP_A1(SCMP_CMP_MASKED_EQ, S_IFMT,
						   types[i])) < 0)
			return -1;
		if (seccomp_rule_add_exact(f, DENY, SCMP_SYS(mknodat), 1,
					   SCMP_A2(SCMP_CMP_MASKED_EQ, S_IFMT,
						   types[i])) < 0)
			return -1;
	}
	return 0;
}

/* What would type into a terminal; the kernel reads 32 bits of it. */
static int refuse_typing(scmp_filter_ctx f)
{
	static const unsigned those[] = {TIOCSTI, TIOCLINUX};

	for (int i = 0; i < 2; i++)
		if (seccomp_rule_add_exact(f, DENY, SCMP_SYS(ioctl), 1,
					   SCMP_A1(SCMP_CMP_MASKED_EQ,
						   0xffffffff, those[i])) < 0)
			return -1;
	return 0;
}

static int add_rules(scmp_filter_ctx f)
{
	if (seccomp_attr_set(f, SCMP_FLTATR_ACT_BADARCH,
			     SCMP_ACT_KILL_PROCESS) < 0 ||
	    seccomp_attr_set(f, SCMP_FLTATR_CTL_OPTIMIZE, 2) < 0)
		return -1;
	if (refuse_all(f) < 0 || refuse_clone(f) < 0 || refuse_sockets(f) < 0 ||
	    refuse_devices(f) < 0 || refuse_typing(f) < 0)
		return -1;
	return seccomp_rule_add_exact(f, SCMP_ACT_ERRNO(EOPNOTSUPP),
				      SCMP_SYS(fallocate), 0);
}

/*
 * What libseccomp has no rule for: everything above a number, and an argument
 * that must be one of three. It stands in front of its program, which begins
 * anew.
 */
static int write_head(int fd, uint32_t arch)
{
	const unsigned nr = offsetof(struct seccomp_data, nr);
	const unsigned low = offsetof(struct seccomp_data, args[0]);
	const struct sock_filter head[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, arch, 0, 11),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, nr),
		/* x32: the rest ends the process */
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32, 9, 0),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, NEWEST, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
			 (unsigned)SCMP_SYS(personality), 0, 6),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, low),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x40000, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xffffffff, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	return write(fd, head, sizeof(head)) == sizeof(head) ? 0 : -1;
}

static int print(int fd)
{
	struct sock_filter one;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return -1;
	puts("/* Made by mkseccomp.c. */");
	while (read(fd, &one, sizeof(one)) == sizeof(one))
		printf("{0x%x, %u, %u, 0x%xU},\n", one.code, one.jt, one.jf,
		       one.k);
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : -1;
}

static int make_filter(void)
{
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_ALLOW);
	uint32_t arch = seccomp_arch_native() == SCMP_ARCH_AARCH64
				? AUDIT_ARCH_AARCH64
				: AUDIT_ARCH_X86_64;
	int fd = memfd_create("seccomp", MFD_CLOEXEC);
	bool made = f && fd >= 0 && add_rules(f) == 0 &&
		    write_head(fd, arch) == 0 &&
		    seccomp_export_bpf(f, fd) == 0 && print(fd) == 0;

	if (f)
		seccomp_release(f);
	return made ? 0 : -1;
}

int main(int argc, char **argv)
{
	const char *form = argc > 1 ? argv[1] : "";
	int made = strcmp(form, "oci") == 0     ? mkseccomp_oci()
		   : strcmp(form, "kafel") == 0 ? mkseccomp_kafel()
						: make_filter();

	if (made == 0)
		return 0;
	fputs("mkseccomp: cannot make the filter\n", stderr);
	return 1;
}
