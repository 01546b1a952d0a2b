/* doctor-limits.c - what bounds a command, and who it is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "box/cgroup.h"
#include "box/doctor.h"

void lb_check_limits(const struct lb_patient *p, struct lb_symptom *s)
{
	const char *parent = lb_config_str(p->config, "box.cgroup");
	struct lb_cgroups groups = {0};

	lb_cgroups_find(&groups, p->root, parent ? parent : "");
	lb_cgroups_try(&groups);
	if (groups.version > 0) {
		lb_symptom_say(s, LB_HEALTH_OK,
			       "memory, processes and processor are limited by "
			       "control groups below %s",
			       groups.below[LB_CGROUP_MEMORY]);
	} else {
		lb_symptom_say(s, LB_HEALTH_WEAK,
			       "of single processes only: %s", groups.why.text);
		lb_buf_puts(&s->advice,
			    "start it as 'systemd-run --user --scope -p "
			    "Delegate=yes PROGRAM', or have root make a group, "
			    "give it away by chown -R and name it in "
			    "box.cgroup");
	}
	lb_cgroups_release(&groups);
}

static bool has_mkfs(const struct lb_patient *p)
{
	return lb_patient_has(p, "/usr/sbin/mkfs.ext4") ||
	       lb_patient_has(p, "/sbin/mkfs.ext4");
}

void lb_check_quota(const struct lb_patient *p, struct lb_symptom *s)
{
	bool mkfs = has_mkfs(p), loop = lb_patient_has(p, "/dev/loop-control");

	if (p->uid == 0 && mkfs && loop) {
		lb_symptom_say(s, LB_HEALTH_OK,
			       "a workspace can be a file system of its "
			       "quota's "
			       "size");
		return;
	}
	lb_symptom_say(s, LB_HEALTH_WEAK,
		       "what a workspace takes is looked at while a command "
		       "runs, and may exceed its quota for a moment");
	if (p->uid != 0)
		lb_buf_puts(&s->advice, "root alone can do better");
	else if (!mkfs)
		lb_buf_puts(&s->advice, "apt-get install e2fsprogs");
	else
		lb_buf_puts(&s->advice, "modprobe loop; in a container, "
					"--device /dev/loop-control");
}

/* Somebody's user id that is one of ours, by name; NULL: nobody's. */
static char *taken(const struct lb_patient *p, unsigned long first,
		   unsigned long last)
{
	lb_autofree char *path = lb_printf("%s/etc/passwd", p->root);
	FILE *f = fopen(path, "re");
	char line[4096], name[64], *found = NULL;
	unsigned long uid;

	while (f && !found && fgets(line, sizeof(line), f))
		if (sscanf(line, "%63[^:]:%*[^:]:%lu:", name, &uid) == 2 &&
		    uid >= first && uid <= last)
			found = lb_strdup(name);
	if (f)
		fclose(f);
	return found;
}

void lb_check_users(const struct lb_patient *p, struct lb_symptom *s)
{
	const char *range = lb_config_str(p->config, "box.uid-range");
	unsigned long first = 0, last = 0;
	lb_autofree char *somebody = NULL;

	if (p->uid != 0) {
		lb_symptom_say(s, LB_HEALTH_WEAK,
			       "all sandboxes run as user %lu, as you do",
			       (unsigned long)p->uid);
		lb_buf_puts(&s->advice, "a user of its own for the bot; run by "
					"root, each session has one");
		return;
	}
	if (!range || sscanf(range, "%lu-%lu", &first, &last) != 2) {
		lb_symptom_say(s, LB_HEALTH_WEAK, "no box.uid-range");
		lb_buf_puts(&s->advice, "set it to ids that nobody has, such "
					"as 200000-265535");
		return;
	}
	somebody = taken(p, first, last);
	lb_symptom_say(s, somebody ? LB_HEALTH_WEAK : LB_HEALTH_OK,
		       "each session has a user of its own, of %lu to %lu",
		       first, last);
	if (somebody) {
		lb_buf_printf(&s->text, ", and '%s' has one of these",
			      somebody);
		lb_buf_puts(&s->advice, "set box.uid-range to ids that nobody "
					"has");
	}
}
