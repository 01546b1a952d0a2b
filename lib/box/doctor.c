#include "box/doctor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/proc.h"
#include "box/backend.h"
#include "store/place.h"

enum { LINE = 4096, VERSION_MS = 5000, MAX_COUNTED = 100000 };

void lb_symptom_say(struct lb_symptom *s, enum lb_health health,
		    const char *fmt, ...)
{
	lb_autofree char *text = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	s->health = health;
	lb_buf_puts(&s->text, text ? text : "");
}

char *lb_patient_line(const struct lb_patient *p, const char *path)
{
	lb_autofree char *full = lb_printf("%s%s", p->root, path);
	char line[LINE];
	FILE *f = fopen(full, "re");
	bool there = f && fgets(line, sizeof(line), f);

	if (f)
		fclose(f);
	if (!there)
		return NULL;
	line[strcspn(line, "\n")] = '\0';
	return lb_strdup(line);
}

bool lb_patient_has(const struct lb_patient *p, const char *path)
{
	lb_autofree char *full = lb_printf("%s%s", p->root, path);

	return access(full, F_OK) == 0;
}

/* The one that decides: is there a sandbox? */
static void check_sandbox(const struct lb_patient *p, struct lb_symptom *s)
{
	const char *name = NULL;
	struct lb_error err;

	if (lb_box_probe(p->config, &name, &err) == 0) {
		if (!json_is_false(lb_config_get(p->config, "box.enabled"))) {
			lb_symptom_say(s, LB_HEALTH_OK, "%s: a sandbox starts",
				       name);
			return;
		}
		lb_symptom_say(s, LB_HEALTH_WEAK,
			       "one would start, but box.enabled is false: "
			       "none is used");
		lb_buf_puts(&s->advice, "'lb-config set box.enabled true' has "
					"its tools offered where a pipeline "
					"grants them");
		return;
	}
	lb_symptom_say(s, LB_HEALTH_MISSING, "none starts: %s", err.text);
	lb_buf_puts(&s->advice, "see the lines below; without a sandbox no "
				"command is run and no tool offered that needs "
				"one");
}

static void check_bwrap(const struct lb_patient *p, struct lb_symptom *s)
{
	lb_autofree char *path = lb_printf("%s/usr/bin/bwrap", p->root);
	char version[] = "--version";
	char *argv[] = {path, version, NULL};
	lb_autobuf struct lb_buf out = {0};
	struct lb_error err;
	struct stat st;

	if (stat(path, &st) < 0) {
		lb_symptom_say(s, LB_HEALTH_MISSING, "no /usr/bin/bwrap");
		lb_buf_puts(&s->advice, "install it: apt-get install "
					"bubblewrap");
		return;
	}
	if (lb_proc_capture(argv, LINE, VERSION_MS, &out, &err) < 0) {
		lb_symptom_say(s, LB_HEALTH_MISSING, "%s", err.text);
		return;
	}
	lb_symptom_say(s, LB_HEALTH_OK, "%.*s",
		       (int)strcspn(lb_buf_str(&out), "\n"), lb_buf_str(&out));
	if ((st.st_mode & S_ISUID) == 0)
		return;
	s->health = LB_HEALTH_WEAK;
	lb_buf_puts(&s->text, ", with root's rights (set-uid)");
	lb_buf_puts(&s->advice, "chmod u-s /usr/bin/bwrap, where user "
				"namespaces are there for everybody");
}

/* The state's folder, or what is there of the way to it. */
static char *nearest(const char *folder)
{
	char *path = lb_strdup(folder);

	while (access(path, F_OK) < 0) {
		char *slash = strrchr(path, '/');

		if (!slash || slash == path)
			break;
		*slash = '\0';
	}
	return path;
}

/* May we make something in that folder? errno says why not. */
static bool may_write(const char *folder)
{
	struct stat st;

	if (stat(folder, &st) < 0)
		return false;
	if (!S_ISDIR(st.st_mode)) {
		errno = ENOTDIR;
		return false;
	}
	return faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0;
}

static void check_state(const struct lb_patient *p, struct lb_symptom *s)
{
	lb_autofree char *folder = nearest(p->state);
	struct lb_error err;
	struct stat st;

	if (lb_place_check(folder, &err) < 0) {
		lb_symptom_say(s, LB_HEALTH_WEAK, "%s", err.text);
		return;
	}
	if (!may_write(folder)) {
		lb_symptom_say(s, LB_HEALTH_WEAK,
			       "nothing can be kept in %s: cannot write to %s: "
			       "%s",
			       p->state, folder, strerror(errno));
		lb_buf_puts(&s->advice, "set LB_STATE to a folder of your own, "
					"or have this one given to you");
		return;
	}
	lb_symptom_say(s, LB_HEALTH_OK, "%s is on a disk of this machine",
		       p->state);
	if (strcmp(folder, p->state) != 0 || stat(folder, &st) < 0 ||
	    (st.st_mode & 077) == 0)
		return;
	s->health = LB_HEALTH_WEAK;
	lb_buf_puts(&s->text, ", and others may look into it");
	lb_buf_printf(&s->advice, "chmod 700 '%s'", p->state);
}

/* How many folders in one have no namesake in another. */
static long without(const char *folder, const char *other)
{
	DIR *dir = opendir(folder);
	const struct dirent *one;
	long n = 0;

	while (dir && n < MAX_COUNTED && (one = readdir(dir)) != NULL) {
		lb_autofree char *there =
			lb_printf("%s/%s", other, one->d_name);

		n += one->d_name[0] != '.' && access(there, F_OK) < 0;
	}
	if (dir)
		closedir(dir);
	return n;
}

static void check_leftovers(const struct lb_patient *p, struct lb_symptom *s)
{
	lb_autofree char *folding = lb_printf("%s/box/audit.folding", p->state);
	lb_autofree char *sessions = lb_printf("%s/box/sessions", p->state);
	lb_autofree char *workspaces = lb_printf("%s/box/workspaces", p->state);
	long orphans = without(workspaces, sessions);
	bool folds = access(folding, F_OK) == 0;

	lb_symptom_say(s, folds || orphans ? LB_HEALTH_WEAK : LB_HEALTH_OK,
		       "%s", folds || orphans ? "" : "none");
	if (orphans > 0) {
		lb_buf_printf(&s->text, "%ld workspaces of no session",
			      orphans);
		lb_buf_printf(&s->advice,
			      "look at them, then remove them: "
			      "'%s'",
			      workspaces);
	}
	if (folds) {
		lb_buf_printf(&s->text, "%srows of the audit half moved",
			      orphans ? ", " : "");
		lb_buf_printf(&s->advice, "%s'lb-run gc' moves the rest",
			      orphans ? "; " : "");
	}
}

static const struct {
	const char *name;
	lb_box_check *look;
} checks[] = {
	{"sandbox", check_sandbox},
	{"bwrap", check_bwrap},
	{"podman", lb_check_podman},
	{"docker", lb_check_docker},
	{"nsjail", lb_check_nsjail},
	{"e2b", lb_check_e2b},
	{"namespaces", lb_check_namespaces},
	{"unprivileged", lb_check_unprivileged},
	{"apparmor", lb_check_apparmor},
	{"container", lb_check_container},
	{"seccomp", lb_check_seccomp},
	{"landlock", lb_check_landlock},
	{"limits", lb_check_limits},
	{"quota", lb_check_quota},
	{"network", lb_check_network},
	{"users", lb_check_users},
	{"state", check_state},
	{"processes", lb_check_processes},
	{"leftovers", check_leftovers},
};

enum lb_health lb_box_doctor(const struct lb_patient *patient,
			     void (*fn)(void *arg,
					const struct lb_symptom *symptom),
			     void *arg)
{
	enum lb_health worst = LB_HEALTH_OK;

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		struct lb_symptom s = {.check = checks[i].name};

		checks[i].look(patient, &s);
		if (i == 0)
			worst = s.health;
		else if (s.health != LB_HEALTH_OK && worst == LB_HEALTH_OK)
			worst = LB_HEALTH_WEAK;
		fn(arg, &s);
		lb_buf_release(&s.text);
		lb_buf_release(&s.advice);
	}
	return worst;
}
