/* box.c - what is said of the sandbox and cannot be. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/host.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "config/config.h"
#include "config/keys.h"
#include "config/load.h"
#include "config/template.h"

#define BUILT_IN "default offline_readonly network_basic network_extended"

#define BACKENDS "local bubblewrap bwrap podman docker nsjail e2b host"

/* What a profile may lock. */
#define FIELDS                                                                 \
	"image network timeout_sec host_path_mode cpus memory_mb pids_limit "  \
	"read_only_rootfs workspace_quota_mb"

static void bad(struct lb_config *config, const char *path, const char *why)
{
	const char *where = lb_json_str(config->origins, path);

	lb_config_problem(config, LB_PROBLEM, where ? where : "", "%s: %s",
			  path, why);
}

bool lb_config_has_profile(const struct lb_config *config, const char *name)
{
	const json_t *own = lb_config_get(config, "box.profiles");

	return lb_key_has_word(BUILT_IN, name) || json_object_get(own, name);
}

static void check_profile_name(struct lb_config *config, const char *path,
			       const json_t *value)
{
	const char *name = json_string_value(value);
	lb_autofree char *why = NULL;

	if (!name || lb_config_has_profile(config, name))
		return;
	why = lb_printf("there is no profile '%.64s'", name);
	bad(config, path, why);
}

static void check_locked(struct lb_config *config, const char *path,
			 const json_t *list)
{
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)list, i, one)
	{
		lb_autofree char *why = NULL;

		if (lb_key_has_word(FIELDS, json_string_value(one)))
			continue;
		why = lb_printf("'%.40s' is nothing that a profile can lock",
				json_string_value(one));
		bad(config, path, why);
	}
}

static void check_profiles(struct lb_config *config)
{
	const json_t *profile;
	const char *name;

	json_object_foreach((json_t *)(uintptr_t)lb_config_get(config,
							       "box.profiles"),
			    name, profile)
	{
		lb_autofree char *cpus =
			lb_printf("box.profiles.%s.cpus", name);
		lb_autofree char *locked =
			lb_printf("box.profiles.%s.locked", name);
		const json_t *n = json_object_get(profile, "cpus");

		if (n && !(json_number_value(n) > 0))
			bad(config, cpus, "must be more than 0");
		check_locked(config, locked,
			     json_object_get(profile, "locked"));
	}
	check_profile_name(config, "box.local.profile",
			   lb_config_get(config, "box.local.profile"));
}

static void check_template(struct lb_config *config, const char *path,
			   const json_t *value)
{
	const char *template = json_string_value(value);
	struct lb_error why;

	if (template && *template && lb_template_check(template, &why) < 0)
		bad(config, path, why.text);
}

static void check_pipeline(struct lb_config *config, const char *name,
			   const json_t *of)
{
	bool host = json_is_true(lb_config_get(config, "box.allow_host"));
	const char *mode = lb_json_str(of, "sandbox-mode");
	lb_autofree char *where = lb_printf("pipelines.%s.sandbox-mode", name);
	lb_autofree char *profile =
		lb_printf("pipelines.%s.elevated-profile", name);
	lb_autofree char *template =
		lb_printf("pipelines.%s.ai.local-agent.box-session-id-template",
			  name);

	if (mode && strcmp(mode, "host") == 0 && !host)
		bad(config, where,
		    "host runs what a model says as whoever runs lb: it needs "
		    "box.allow_host: true");
	check_profile_name(config, profile,
			   json_object_get(of, "elevated-profile"));
	check_template(config, template,
		       lb_json_path(of, "ai.local-agent."
					"box-session-id-template"));
}

/* One that is named and cannot be is no reason to take another one. */
static void check_backend(struct lb_config *config)
{
	static const char path[] = "box.backend";
	const char *name = lb_config_str(config, path);
	lb_autofree char *why = NULL;

	if (!name || !*name)
		return;
	if (strcmp(name, "host") == 0 &&
	    !json_is_true(lb_config_get(config, "box.allow_host"))) {
		bad(config, path,
		    "host is no sandbox: it needs box.allow_host: true");
		return;
	}
	if (lb_key_has_word(BACKENDS, name) ||
	    (strncmp(name, "exec:", 5) == 0 && name[5 + strspn(name + 5, " ")]))
		return;
	why = lb_printf("'%.64s' is none of %s exec:COMMAND", name, BACKENDS);
	bad(config, path, why);
}

static void check_programs(struct lb_config *config)
{
	static const char *const paths[] = {"box.podman.command",
					    "box.docker.command",
					    "box.nsjail.command"};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		const json_t *list = lb_config_get(config, paths[i]);

		if (json_array_size(list) == 0 ||
		    json_string_length(json_array_get(list, 0)) == 0)
			bad(config, paths[i], "has to name a program");
	}
}

/* As those who read it know one: nothing that could be an option. */
static bool is_image(const char *name)
{
	return strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvw"
			    "xyz0123456789._/:@-") == strlen(name) &&
	       name[0] != '-' && name[0] != '.' && name[0] != '/';
}

static void check_image(struct lb_config *config, const char *path,
			const char *name)
{
	lb_autofree char *why = NULL;

	if (is_image(name))
		return;
	why = lb_printf("'%.64s' is no name of an image", name);
	bad(config, path, why);
}

static void check_e2b(struct lb_config *config)
{
	static const char path[] = "box.e2b.api_url";
	const char *url = lb_config_str(config, path);
	const char *template = lb_config_str(config, "box.e2b.template");

	if (url && *url && !lb_config_is_url(url))
		bad(config, path,
		    "has to begin with http:// or https:// and a host");
	check_image(config, "box.e2b.template", template ? template : "");
}

static void check_images(struct lb_config *config)
{
	const json_t *one;
	size_t i;
	const char *image = lb_config_str(config, "box.local.image");

	check_image(config, "box.local.image", image ? image : "");
	json_array_foreach((json_t *)(uintptr_t)
				   lb_config_get(config, "box.allowed_images"),
			   i, one)
	{
		check_image(config, "box.allowed_images",
			    json_string_value(one));
	}
}

static void check_roots(struct lb_config *config)
{
	static const char path[] = "box.local.allowed_mount_roots";
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)lb_config_get(config, path), i,
			   one)
	{
		const char *root = json_string_value(one);
		lb_autofree char *why = NULL;

		if (*root == '/')
			continue;
		why = lb_printf("'%.128s' is no absolute path", root);
		bad(config, path, why);
	}
}

static void check_private(struct lb_config *config)
{
	static const char path[] = "box.network.allow_private";
	char network[LB_HOST_NETWORK];
	const json_t *one;
	struct lb_error why;
	size_t i;
	int port;

	json_array_foreach((json_t *)(uintptr_t)lb_config_get(config, path), i,
			   one)
	{
		if (lb_host_network(json_string_value(one), network, &port,
				    &why) < 0)
			bad(config, path, why.text);
	}
}

static void check_uids(struct lb_config *config)
{
	const char *range = lb_config_str(config, "box.uid-range");
	unsigned long long first, last;
	char more;

	/* those below are the system's */
	if (!range || !*range ||
	    (strlen(range) <= 32 &&
	     sscanf(range, "%llu-%llu%c", &first, &last, &more) == 2 &&
	     first >= 1000 && last > first && last <= 4000000000ULL))
		return;
	bad(config, "box.uid-range",
	    "is not FIRST-LAST, user ids from 1000 to 4000000000");
}

int lb_config_workspace_check(const char *name, struct lb_error *err)
{
	bool control = false;

	for (const char *c = name; *c; c++)
		control = control || (unsigned char)*c < ' ' || *c == 0x7f;
	if (strlen(name) <= LB_CONFIG_WORKSPACE && !control &&
	    lb_utf8_valid(name, strlen(name)))
		return 0;
	return lb_fail(err, LB_USAGE,
		       "a workspace is called by at most %d bytes of text "
		       "without control characters",
		       LB_CONFIG_WORKSPACE);
}

static void check_workspace(struct lb_config *config)
{
	static const char path[] = "box.workspace";
	const char *name = lb_config_str(config, path);
	struct lb_error why;

	if (name && lb_config_workspace_check(name, &why) < 0)
		bad(config, path, why.text);
}

void lb_config_check_box(struct lb_config *config)
{
	static const char forced[] =
		"system.limitation.force_box_session_id_template";
	const json_t *of;
	const char *name;

	check_backend(config);
	check_programs(config);
	check_images(config);
	check_e2b(config);
	check_profiles(config);
	check_roots(config);
	check_private(config);
	check_uids(config);
	check_workspace(config);
	check_template(config, forced, lb_config_get(config, forced));
	json_object_foreach((json_t *)(uintptr_t)lb_config_section(config,
								   "pipelines"),
			    name, of)
	{
		check_pipeline(config, name, of);
	}
}
