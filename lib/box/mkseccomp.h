/*
 * box/mkseccomp.h - what both forms of the filter are made from. For mkseccomp
 * alone.
 */
#ifndef LB_BOX_MKSECCOMP_H
#define LB_BOX_MKSECCOMP_H

/* By name, since not every call is there on every machine. */
static const char *const refused[] = {
	/* kernel code behind them that nobody here needs */
	"bpf", "perf_event_open", "userfaultfd", "io_uring_setup",
	"io_uring_enter", "io_uring_register",
	/* keyrings are not of any namespace */
	"keyctl", "add_key", "request_key",
	/* other processes */
	"ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd",
	"kcmp", "process_madvise",
	/* mounts and namespaces */
	"mount", "umount", "umount2", "pivot_root", "chroot", "unshare",
	"setns", "open_tree", "move_mount", "fsopen", "fsconfig", "fsmount",
	"fspick", "mount_setattr",
	/* files by handles, watchers of everything */
	"name_to_handle_at", "open_by_handle_at", "fanotify_init",
	"fanotify_mark", "lookup_dcookie",
	/* the kernel itself */
	"init_module", "finit_module", "delete_module", "create_module",
	"query_module", "get_kernel_syms", "kexec_load", "kexec_file_load",
	"reboot", "syslog", "acct", "swapon", "swapoff", "quotactl",
	"quotactl_fd", "vhangup", "uselib", "ustat", "sysfs", "_sysctl",
	"nfsservctl", "vserver",
	/* clocks and names */
	"settimeofday", "stime", "clock_settime", "clock_settime64",
	"clock_adjtime", "clock_adjtime64", "adjtimex", "sethostname",
	"setdomainname",
	/* the processor */
	"iopl", "ioperm", "modify_ldt", "vm86", "vm86old", "pciconfig_read",
	"pciconfig_write", "pciconfig_iobase", "remap_file_pages",
	/* memory of other nodes and processes */
	"mbind", "set_mempolicy", "get_mempolicy", "set_mempolicy_home_node",
	"move_pages", "migrate_pages", "vmsplice", NULL};

/* The newest call that was looked at: process_mrelease is 448, futex_waitv 449,
 * set_mempolicy_home_node 450. */
enum { NEWEST = 450, X32 = 0x40000000 };

/*
 * The same as a profile for engines (OCI runtime-spec, "linux.seccomp"), as C on
 * standard output. Their runtimes may be older than this machine and know fewer
 * calls by name, so it lists what is allowed: of calls it does not name, newer
 * ones included, none exists.
 */
int mkseccomp_oci(void);

/* The same as a policy of kafel, which nsjail reads. */
int mkseccomp_kafel(void);

#endif
