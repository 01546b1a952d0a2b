/* doctor-processes.c - what goes on although nobody needs it any more. */
#include "base/mem.h"
#include "box/doctor.h"
#include "box/kept.h"
#include "box/place.h"

struct count {
	const struct lb_patient *patient;
	long orphans;
};

static void add(void *arg, const char *name)
{
	struct count *c = arg;

	(void)name;
	c->orphans++;
}

static void look_in(void *arg, const char *tenant)
{
	struct count *c = arg;
	lb_autofree char *processes = NULL;
	struct lb_box_places p;
	struct lb_error ignored;

	if (lb_box_places_of(&p, c->patient->config, c->patient->state, tenant,
			     &ignored) > 0) {
		processes = lb_kept_below(p.root);
		lb_kept_orphans(processes, add, c, &ignored);
	}
	lb_box_places_release(&p);
}

void lb_check_processes(const struct lb_patient *p, struct lb_symptom *s)
{
	lb_autofree char *tenant = lb_box_tenant(p->config);
	struct count c = {.patient = p};

	look_in(&c, tenant);
	if (!tenant)
		lb_box_tenants(p->config, p->state, look_in, &c);
	if (c.orphans == 0) {
		lb_symptom_say(s, LB_HEALTH_OK, "none whose owner is gone");
		return;
	}
	lb_symptom_say(s, LB_HEALTH_WEAK,
		       "%ld go on although their owner is gone", c.orphans);
	lb_buf_puts(&s->advice, "'lb-box reap' ends them");
}
