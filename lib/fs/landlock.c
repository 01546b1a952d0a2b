#include "fs/landlock.h"

#include <errno.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"

/* As in linux/landlock.h, which may be older than the kernel we run on. */
struct ruleset_attr {
	uint64_t fs, net, scoped;
};

struct beneath_attr {
	uint64_t allowed;
	int32_t parent;
} __attribute__((packed));

enum { CREATE_VERSION = 1, RULE_PATH_BENEATH = 1 };

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

#define READ_RIGHTS (1ULL << 2 | 1ULL << 3) /* read a file, a folder */
/* write, remove and make folders, files; cut files short (ABI 3) */
#define WRITE_RIGHTS                                                           \
	(1ULL << 1 | 1ULL << 4 | 1ULL << 5 | 1ULL << 7 | 1ULL << 8 | 1ULL << 14)
#define ALL_SCOPES 3ULL /* abstract sockets, signals */
#define ALL_NET 3ULL    /* bind, connect */

/* The rights over files that a kernel of this ABI knows. */
static uint64_t rights_of(int abi)
{
	int n = abi >= 5 ? 16 : abi >= 3 ? 15 : abi >= 2 ? 14 : 13;

	return (1ULL << n) - 1;
}

int lb_landlock_abi(void)
{
	long abi =
		syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_VERSION);

	return abi < 0 ? 0 : (int)abi;
}

static int add(int ruleset, const struct lb_landlock_folder *f, int abi,
	       struct lb_error *err)
{
	struct beneath_attr rule = {
		.allowed = (READ_RIGHTS | (f->writable ? WRITE_RIGHTS : 0)) &
			   rights_of(abi),
		.parent = f->fd,
	};

	if (syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule,
		    0) < 0)
		return lb_fail_sys(err, LB_OS, "cannot confine this process");
	return 0;
}

int lb_landlock_confine(const struct lb_landlock_folder *folders, size_t n,
			int *abi, struct lb_error *err)
{
	struct ruleset_attr attr = {0};
	lb_autoclose int ruleset = -1;
	size_t size = sizeof(attr.fs);

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return lb_fail_sys(err, LB_OS, "cannot renounce privileges");
	*abi = lb_landlock_abi();
	if (*abi < 1)
		return 0;
	attr.fs = rights_of(*abi);
	if (*abi >= 4) {
		attr.net = ALL_NET;
		size += sizeof(attr.net);
	}
	if (*abi >= 6) {
		attr.scoped = ALL_SCOPES;
		size += sizeof(attr.scoped);
	}
	ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr, size, 0);
	if (ruleset < 0)
		return lb_fail_sys(err, LB_OS, "cannot confine this process");
	for (size_t i = 0; i < n; i++)
		if (add(ruleset, &folders[i], *abi, err) < 0)
			return -1;
	if (syscall(SYS_landlock_restrict_self, ruleset, 0) < 0)
		return lb_fail_sys(err, LB_OS, "cannot confine this process");
	return 0;
}
