/* What the doctor says of machines that are not this one. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "box/doctor.h"
#include "tap.h"

static char root[] = "/tmp/lb-doctor-XXXXXX";

static void put(const char *name, const char *text, mode_t mode)
{
	lb_autofree char *path = lb_printf("%s%s", root, name);
	lb_autofree char *folder = lb_strdup(path);
	struct lb_error err;
	FILE *f;

	*strrchr(folder, '/') = '\0';
	if (lb_path_make(folder, &err) < 0 || !(f = fopen(path, "w"))) {
		printf("# cannot make '%s'\n", path);
		exit(1);
	}
	fputs(text, f);
	fclose(f);
	chmod(path, mode);
}

static void drop(const char *name)
{
	lb_autofree char *path = lb_printf("%s%s", root, name);

	remove(path);
}

#define USER_NS "/proc/sys/user/max_user_namespaces"
#define CLONE "/proc/sys/kernel/unprivileged_userns_clone"
#define APPARMOR "/proc/sys/kernel/apparmor_restrict_unprivileged_userns"
#define SECCOMP "/proc/sys/kernel/seccomp/actions_avail"
#define MOUNTS "/proc/self/mountinfo"

/* Stock Debian, where all is well. */
static void heal(void)
{
	put(USER_NS, "96365\n", 0644);
	put(CLONE, "1\n", 0644);
	drop(APPARMOR);
	drop("/etc/apparmor.d/bwrap");
	put(SECCOMP, "kill_process kill_thread trap errno log allow\n", 0644);
	put(MOUNTS,
	    "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
	    "23 22 0:4 / /proc rw - proc proc rw\n"
	    "24 23 0:5 / /proc/sys/fs/binfmt_misc rw - autofs a rw\n",
	    0644);
	drop("/.dockerenv");
	drop("/run/.containerenv");
	put("/usr/bin/bwrap", "#!/bin/sh\necho bubblewrap 0.8.0\n", 0755);
	put("/usr/sbin/mkfs.ext4", "", 0755);
	put("/dev/loop-control", "", 0600);
	put("/etc/passwd",
	    "root:x:0:0:root:/root:/bin/sh\nann:x:1000:1000::/h:/bin/sh\n",
	    0644);
	put("/state/lb.db", "", 0600);
	drop("/state/box/audit.folding");
}

struct wanted {
	const char *check, *text, *advice;
	enum lb_health health;
	bool found;
};

static void look(void *arg, const struct lb_symptom *s)
{
	struct wanted *w = arg;

	if (strcmp(s->check, w->check) != 0)
		return;
	w->found = s->health == w->health &&
		   strstr(lb_buf_str(&s->text), w->text) &&
		   strstr(lb_buf_str(&s->advice), w->advice) &&
		   (*w->advice || s->advice.len == 0) &&
		   !strchr(lb_buf_str(&s->text), '\n');
	if (!w->found)
		printf("# %d %s: %s -> %s\n", s->health, s->check,
		       lb_buf_str(&s->text), lb_buf_str(&s->advice));
}

static struct lb_config *config;

/* Does a check say so? With what is not well comes what to do. */
static void says(uid_t uid, const char *check, enum lb_health health,
		 const char *text, const char *advice)
{
	lb_autofree char *state = lb_printf("%s/state", root);
	const struct lb_patient patient = {root, state, config, uid};
	struct wanted w = {check, text, advice, health, false};

	lb_box_doctor(&patient, look, &w);
	tap_ok(w.found, text);
	heal();
}

static void kernels(void)
{
	heal();
	says(1, "namespaces", LB_HEALTH_OK, "at most 96365", "");
	put(USER_NS, "0\n", 0644);
	says(1, "namespaces", LB_HEALTH_MISSING, "switched off",
	     "user.max_user_namespaces=15000");
	drop(USER_NS);
	says(1, "namespaces", LB_HEALTH_MISSING, "no user namespaces",
	     "CONFIG_USER_NS");
	drop(CLONE); /* other kernels than Debian's */
	says(1, "unprivileged", LB_HEALTH_OK, "anybody", "");
	put(CLONE, "0\n", 0644);
	says(0, "unprivileged", LB_HEALTH_MISSING, "only root",
	     "sysctl -w kernel.unprivileged_userns_clone=1");
	says(1, "apparmor", LB_HEALTH_OK, "does not hold", "");
	put(APPARMOR, "1\n", 0644);
	says(1, "apparmor", LB_HEALTH_MISSING, "holds user namespaces back",
	     "lb-box(1)");
	put(APPARMOR, "1\n", 0644);
	put("/etc/apparmor.d/bwrap", "", 0644);
	says(1, "apparmor", LB_HEALTH_OK, "lets bwrap", "");
	drop(SECCOMP);
	says(1, "seccomp", LB_HEALTH_MISSING, "cannot be filtered",
	     "CONFIG_SECCOMP_FILTER");
	put(SECCOMP, "kill_thread trap allow\n", 0644);
	says(1, "seccomp", LB_HEALTH_MISSING, "cannot be filtered", "4.14");
}

static void containers(void)
{
	says(1, "container", LB_HEALTH_OK, "we are in none", "");
	put("/.dockerenv", "", 0644);
	says(1, "container", LB_HEALTH_OK, "of docker", "");
	put("/.dockerenv", "", 0644);
	put(MOUNTS, "24 23 0:5 / /proc/kcore rw - tmpfs tmpfs rw\n", 0644);
	says(1, "container", LB_HEALTH_MISSING, "covers parts of /proc",
	     "docker run --security-opt seccomp=unconfined");
	put("/run/.containerenv", "", 0644);
	put(MOUNTS, "24 23 0:5 / /proc/kcore rw - tmpfs tmpfs rw\n", 0644);
	says(1, "container", LB_HEALTH_MISSING, "of podman",
	     "podman run --security-opt unmask=ALL");
}

static void programs(void)
{
	says(1, "bwrap", LB_HEALTH_OK, "bubblewrap 0.8.0", "");
	drop("/usr/bin/bwrap");
	says(1, "bwrap", LB_HEALTH_MISSING, "no /usr/bin/bwrap",
	     "apt-get install bubblewrap");
	put("/usr/bin/bwrap", "#!/bin/sh\nexit 3\n", 0755);
	says(1, "bwrap", LB_HEALTH_MISSING, "bwrap", "");
	put("/usr/bin/bwrap", "#!/bin/sh\necho bubblewrap 0.3\n", 04755);
	says(1, "bwrap", LB_HEALTH_WEAK, "set-uid", "chmod u-s");
}

static void limits(void)
{
	says(0, "quota", LB_HEALTH_OK, "file system of its quota's size", "");
	says(1, "quota", LB_HEALTH_WEAK, "may exceed", "root alone");
	drop("/usr/sbin/mkfs.ext4");
	says(0, "quota", LB_HEALTH_WEAK, "may exceed", "e2fsprogs");
	drop("/dev/loop-control");
	says(0, "quota", LB_HEALTH_WEAK, "may exceed", "modprobe loop");
	says(7, "users", LB_HEALTH_WEAK, "as user 7", "a user of its own");
}

static void states(void)
{
	lb_autofree char *state = lb_printf("%s/state", root);

	chmod(state, 0700);
	says(1, "state", LB_HEALTH_OK, "on a disk of this machine", "");
	chmod(state, 0755);
	says(1, "state", LB_HEALTH_WEAK, "others may look", "chmod 700");
	says(1, "leftovers", LB_HEALTH_OK, "none", "");
	put("/state/box/audit.folding", "", 0600);
	says(1, "leftovers", LB_HEALTH_WEAK, "half moved", "lb-run gc");
	put("/state/box/workspaces/a/x", "", 0600);
	put("/state/box/workspaces/b/x", "", 0600);
	put("/state/box/sessions/b/name", "", 0600);
	says(1, "leftovers", LB_HEALTH_WEAK, "1 workspaces of no session",
	     "box/workspaces");
}

int main(void)
{
	lb_autofree char *clean = NULL, *file = NULL;
	struct lb_error err;

	if (!mkdtemp(root))
		return 1;
	file = lb_printf("%s/config.yaml", root);
	put("/config.yaml", "", 0600);
	config = lb_config_load(file, &err);
	if (!config)
		return 1;
	kernels();
	containers();
	programs();
	limits();
	states();
	lb_config_close(config);
	clean = lb_printf("rm -rf %s", root);
	return system(clean) != 0 || tap_end();
}
