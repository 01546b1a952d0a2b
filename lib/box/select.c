/* select.c - which backend runs commands here. */
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "box/available.h"
#include "box/backend.h"
#include "box/container.h"

static const struct {
	const char *name; /* of box.backend */
	const struct lb_box_driver *driver;
} drivers[] = {
	{"bubblewrap", &lb_box_bwrap}, {"bwrap", &lb_box_bwrap},
	{"podman", &lb_box_podman},    {"docker", &lb_box_docker},
	{"nsjail", &lb_box_nsjail},    {"e2b", &lb_box_e2b},
	{"host", &lb_box_host},
};

/* Is the image there that an engine would run? Not without one configured. */
static bool has_image(struct lb_box *box, bool is_podman)
{
	struct lb_error why;
	int there = lb_container_has_image(box->config, is_podman, &why);

	if (there < 0)
		lb_log(LB_INFO, NULL, "%s", why.text);
	return there > 0;
}

/*
 * What there is on this machine. Without an image configured that is bubblewrap,
 * and what is wrong with it is said when it is used; else it is tried once, so
 * that its failing is no failure where an engine can stand in for it.
 */
static const struct lb_box_driver *find_local(struct lb_box *box)
{
	const char *image = lb_config_str(box->config, "box.local.image");
	struct lb_error why;

	if (!image || !*image)
		return &lb_box_bwrap;
	if (lb_box_try(box->config, box->state, &lb_box_bwrap, &why) == 0)
		return &lb_box_bwrap;
	lb_log(LB_INFO, NULL, "%s", why.text);
	if (has_image(box, true))
		return &lb_box_podman;
	return has_image(box, false) ? &lb_box_docker : &lb_box_bwrap;
}

static const char *backend_of(const struct lb_config *config)
{
	const char *name = lb_config_str(config, "box.backend");

	return name && *name ? name : "local";
}

bool lb_box_has_files(const struct lb_config *config)
{
	const char *name = backend_of(config);

	return strncmp(name, "exec:", 5) != 0 && strcmp(name, "e2b") != 0;
}

bool lb_box_is_host(const struct lb_config *config)
{
	return strcmp(backend_of(config), "host") == 0;
}

const struct lb_box_driver *lb_box_select(struct lb_box *box,
					  struct lb_error *err)
{
	const char *name = backend_of(box->config);

	if (box->driver)
		return box->driver;
	if (strcmp(name, "local") == 0)
		box->driver = find_local(box);
	for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++)
		if (strcmp(drivers[i].name, name) == 0)
			box->driver = drivers[i].driver;
	if (strncmp(name, "exec:", 5) == 0)
		box->driver = &lb_box_record;
	if (!box->driver)
		lb_fail(err, LB_CONFIG, "box.backend: there is no '%.64s'",
			name);
	return box->driver;
}
