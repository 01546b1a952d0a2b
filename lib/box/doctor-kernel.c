/* doctor-kernel.c - what the kernel lets a sandbox be made of. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "box/doctor.h"
#include "fs/landlock.h"

/* A number of /proc/sys; -1: it is not there. */
static long sysctl_of(const struct lb_patient *p, const char *name)
{
	lb_autofree char *path = lb_printf("/proc/sys/%s", name);
	lb_autofree char *line = lb_patient_line(p, path);

	return line ? strtol(line, NULL, 10) : -1;
}

/* Give the advice to set it, now and at each start. */
static void advise(struct lb_symptom *s, const char *setting)
{
	lb_buf_printf(&s->advice,
		      "sysctl -w %s, and a line '%s' in "
		      "/etc/sysctl.d/60-lb.conf",
		      setting, setting);
}

/* Without /proc nothing is known of the kernel, and bubblewrap does nothing. */
static bool has_no_proc(const struct lb_patient *p, struct lb_symptom *s)
{
	if (lb_patient_has(p, "/proc/sys"))
		return false;
	lb_symptom_say(s, LB_HEALTH_MISSING,
		       "not known: there is no /proc, which bubblewrap needs");
	lb_buf_puts(&s->advice, "mount -t proc proc /proc");
	return true;
}

void lb_check_namespaces(const struct lb_patient *p, struct lb_symptom *s)
{
	long most = sysctl_of(p, "user/max_user_namespaces");

	if (has_no_proc(p, s))
		return;
	if (most < 0) {
		lb_symptom_say(s, LB_HEALTH_MISSING,
			       "this kernel has no user namespaces");
		lb_buf_puts(&s->advice, "a kernel with CONFIG_USER_NS");
	} else if (most == 0) {
		lb_symptom_say(s, LB_HEALTH_MISSING,
			       "user namespaces are switched off "
			       "(user.max_user_namespaces = 0)");
		advise(s, "user.max_user_namespaces=15000");
	} else {
		lb_symptom_say(s, LB_HEALTH_OK, "at most %ld user namespaces",
			       most);
	}
}

/* A switch of Debian's kernels; root drops its rights before it makes any. */
void lb_check_unprivileged(const struct lb_patient *p, struct lb_symptom *s)
{
	if (sysctl_of(p, "kernel/unprivileged_userns_clone") != 0) {
		lb_symptom_say(s, LB_HEALTH_OK,
			       "anybody may make user namespaces");
		return;
	}
	lb_symptom_say(s, LB_HEALTH_MISSING,
		       "only root may make user namespaces "
		       "(kernel.unprivileged_userns_clone = 0)");
	advise(s, "kernel.unprivileged_userns_clone=1");
}

/* A switch of Ubuntu's, since 23.10. */
void lb_check_apparmor(const struct lb_patient *p, struct lb_symptom *s)
{
	static const char *const profiles[] =
		{"/etc/apparmor.d/bwrap", "/etc/apparmor.d/usr.bin.bwrap",
		 "/etc/apparmor.d/bwrap-userns-restrict"};

	if (sysctl_of(p, "kernel/apparmor_restrict_unprivileged_userns") <= 0) {
		lb_symptom_say(s, LB_HEALTH_OK,
			       "does not hold user namespaces back");
		return;
	}
	for (size_t i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++)
		if (lb_patient_has(p, profiles[i])) {
			lb_symptom_say(s, LB_HEALTH_OK,
				       "lets bwrap have user namespaces (%s)",
				       profiles[i]);
			return;
		}
	lb_symptom_say(s, LB_HEALTH_MISSING,
		       "holds user namespaces back "
		       "(kernel.apparmor_restrict_unprivileged_userns = 1)");
	lb_buf_puts(&s->advice, "give bwrap a profile, as lb-box(1) shows; or, "
				"for all programs, ");
	advise(s, "kernel.apparmor_restrict_unprivileged_userns=0");
}

/* What covers parts of /proc keeps anybody from mounting another. */
static bool is_masked(const struct lb_patient *p)
{
	lb_autofree char *path = lb_printf("%s/proc/self/mountinfo", p->root);
	FILE *f = fopen(path, "re");
	char line[4096], at[1024];
	bool masked = false;

	while (f && !masked && fgets(line, sizeof(line), f))
		masked = sscanf(line, "%*s %*s %*s %*s %1023s", at) == 1 &&
			 strncmp(at, "/proc/", 6) == 0 &&
			 strncmp(at, "/proc/sys/fs/binfmt_misc", 24) != 0;
	if (f)
		fclose(f);
	return masked;
}

void lb_check_container(const struct lb_patient *p, struct lb_symptom *s)
{
	bool docker = lb_patient_has(p, "/.dockerenv");
	bool podman = lb_patient_has(p, "/run/.containerenv");
	bool masked = is_masked(p);

	if (!docker && !podman && !masked) {
		lb_symptom_say(s, LB_HEALTH_OK, "we are in none");
		return;
	}
	lb_symptom_say(s, masked ? LB_HEALTH_MISSING : LB_HEALTH_OK,
		       "we are in one%s%s",
		       docker   ? " of docker"
		       : podman ? " of podman"
				: "",
		       masked ? ", which covers parts of /proc" : "");
	if (masked)
		lb_buf_puts(&s->advice,
			    podman ? "podman run --security-opt unmask=ALL "
				     "--security-opt seccomp=unconfined"
				   : "docker run --security-opt "
				     "seccomp=unconfined "
				     "--security-opt apparmor=unconfined "
				     "--security-opt systempaths=unconfined");
}

void lb_check_seccomp(const struct lb_patient *p, struct lb_symptom *s)
{
	lb_autofree char *actions =
		lb_patient_line(p, "/proc/sys/kernel/seccomp/actions_avail");

	if (has_no_proc(p, s))
		return;
	if (actions && strstr(actions, "errno") &&
	    strstr(actions, "kill_process")) {
		lb_symptom_say(s, LB_HEALTH_OK, "system calls can be filtered");
		return;
	}
	lb_symptom_say(s, LB_HEALTH_MISSING, "system calls cannot be filtered");
	lb_buf_puts(&s->advice, "a kernel of 4.14 or later with "
				"CONFIG_SECCOMP_FILTER");
}

void lb_check_landlock(const struct lb_patient *p, struct lb_symptom *s)
{
	int version = lb_landlock_abi();

	(void)p;
	if (version > 0) {
		lb_symptom_say(s, LB_HEALTH_OK, "version %d", version);
		return;
	}
	lb_symptom_say(s, LB_HEALTH_WEAK,
		       "%s: the file tools are kept to the workspace by "
		       "openat2(2) alone",
		       errno == EOPNOTSUPP ? "switched off" : "not there");
	lb_buf_puts(&s->advice, "a kernel of 5.13 or later, booted with "
				"landlock in lsm=");
}
