/*
 * box/doctor.h - what isolation there really is on this machine.
 *
 * Each check tries what it can: a sandbox is started, a control group made.
 * What is missing comes with what to do about it.
 */
#ifndef LB_BOX_DOCTOR_H
#define LB_BOX_DOCTOR_H

#include <sys/types.h>

#include "base/buf.h"
#include "config/config.h"

enum lb_health {
	LB_HEALTH_OK,
	LB_HEALTH_WEAK,    /* there is a sandbox, and it could be better */
	LB_HEALTH_MISSING, /* without it there is none */
};

/* Where to look. All borrowed. */
struct lb_patient {
	/* What is put before /proc, /sys, /etc, /dev and /usr: "" but in tests.
	 */
	const char *root;
	const char *state; /* $LB_STATE */
	struct lb_config *config;
	uid_t uid; /* who runs us */
};

struct lb_symptom {
	const char *check; /* what was looked at: one word */
	enum lb_health health;
	struct lb_buf text;   /* what was found; one line */
	struct lb_buf advice; /* what to do; empty where nothing is */
};

/* Look, and call fn for each check; `symptom` is gone after the call. The
 * worst of them, where MISSING is said by the one that starts a sandbox. */
enum lb_health lb_box_doctor(const struct lb_patient *patient,
			     void (*fn)(void *arg,
					const struct lb_symptom *symptom),
			     void *arg);

/* ---- for the files of the doctor ---- */

typedef void lb_box_check(const struct lb_patient *p, struct lb_symptom *s);

lb_box_check lb_check_namespaces, lb_check_unprivileged, lb_check_apparmor,
	lb_check_container, lb_check_seccomp, lb_check_landlock,
	lb_check_limits, lb_check_network, lb_check_processes, lb_check_quota,
	lb_check_users, lb_check_podman, lb_check_docker, lb_check_nsjail,
	lb_check_e2b;

/* Say how it is, with what is not well. */
void lb_symptom_say(struct lb_symptom *s, enum lb_health health,
		    const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The first line of a file below the patient's root; NULL: it is not there.
 * Caller frees. */
char *lb_patient_line(const struct lb_patient *p, const char *path);
bool lb_patient_has(const struct lb_patient *p, const char *path);

#endif
