/* doctor-engine.c - what could stand in for bubblewrap. */
#include <string.h>

#include "base/proc.h"
#include "box/container.h"
#include "box/doctor.h"
#include "box/e2b.h"

enum { LINE = 4096, LOOK_MS = 10000 };

static bool is_backend(const struct lb_patient *p, const char *name)
{
	const char *backend = lb_config_str(p->config, "box.backend");

	return backend && strcmp(backend, name) == 0;
}

/* What it says of its version: its first line; false: it is not there. */
static bool put_version(const struct lb_patient *p, const char *key,
			const char *option, struct lb_buf *text)
{
	struct lb_argv argv = {NULL, 0}, env = {NULL, 0};
	lb_autobuf struct lb_buf said = {NULL};
	int status;

	lb_argv_config(&argv, p->config, key);
	lb_argv_add(&argv, option, NULL);
	lb_engine_env(&env);
	status = lb_tender_run(argv.at, env.at, LOOK_MS, &said);
	lb_argv_release(&argv);
	lb_argv_release(&env);
	if (status != 0)
		return false;
	lb_buf_printf(text, "%.*s", (int)strcspn(lb_buf_str(&said), "\n"),
		      lb_buf_str(&said));
	return true;
}

/* One that is not there is missed where the configuration names it alone. */
static void absent(const struct lb_patient *p, const char *name,
		   struct lb_symptom *s)
{
	if (!is_backend(p, name)) {
		lb_symptom_say(s, LB_HEALTH_OK, "not here, and not needed");
		return;
	}
	lb_symptom_say(s, LB_HEALTH_MISSING, "not here");
	lb_buf_printf(&s->advice,
		      "install it, or say in box.%s.command where it is", name);
}

static void check_container(const struct lb_patient *p, bool is_podman,
			    struct lb_symptom *s)
{
	const char *name = is_podman ? "podman" : "docker";
	const char *key =
		is_podman ? "box.podman.command" : "box.docker.command";
	const char *image = lb_config_str(p->config, "box.local.image");
	lb_autobuf struct lb_buf version = {NULL};
	struct lb_error err;
	int there;

	if (!put_version(p, key, "--version", &version)) {
		absent(p, name, s);
		return;
	}
	if (!image || !*image) {
		lb_symptom_say(s, LB_HEALTH_OK,
			       "%s; no box.local.image, so it "
			       "is not used",
			       lb_buf_str(&version));
		return;
	}
	there = lb_container_has_image(p->config, is_podman, &err);
	if (there > 0) {
		lb_symptom_say(s, LB_HEALTH_OK, "%s has image '%s'",
			       lb_buf_str(&version), image);
		return;
	}
	lb_symptom_say(s,
		       is_backend(p, name) ? LB_HEALTH_MISSING : LB_HEALTH_OK,
		       "%s, %s", lb_buf_str(&version),
		       there < 0 ? err.text : "without box.local.image");
	if (there == 0)
		lb_buf_printf(&s->advice,
			      "no image is ever fetched: '%s pull %s' does it",
			      name, image);
}

void lb_check_podman(const struct lb_patient *p, struct lb_symptom *s)
{
	check_container(p, true, s);
}

void lb_check_docker(const struct lb_patient *p, struct lb_symptom *s)
{
	check_container(p, false, s);
}

void lb_check_nsjail(const struct lb_patient *p, struct lb_symptom *s)
{
	lb_autobuf struct lb_buf ignored = {NULL};

	if (put_version(p, "box.nsjail.command", "--help", &ignored))
		lb_symptom_say(s, LB_HEALTH_OK,
			       "here; used where box.backend names it");
	else
		absent(p, "nsjail", s);
}

/* It is asked where commands are to go there: nothing is told to it else. */
void lb_check_e2b(const struct lb_patient *p, struct lb_symptom *s)
{
	lb_autobuf struct lb_buf said = {NULL};
	struct lb_error err;

	if (!is_backend(p, "e2b")) {
		lb_symptom_say(s, LB_HEALTH_OK,
			       lb_e2b_is_configured(p->config)
				       ? "has a key; used where box.backend "
					 "names it"
				       : "no key, and not needed");
		return;
	}
	if (lb_e2b_look(p->config, &said, &err) == 0) {
		lb_symptom_say(s, LB_HEALTH_OK, "%s", lb_buf_str(&said));
		return;
	}
	lb_symptom_say(s, LB_HEALTH_MISSING, "%s", err.text);
	lb_buf_puts(&s->advice,
		    err.code == LB_AGAIN
			    ? "look whether box.e2b.api_url is what you mean "
			      "and can be reached from here"
			    : "box.e2b.api_key is to be env:NAME or file:PATH "
			      "of a key that the service takes");
}
