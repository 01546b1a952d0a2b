/* container-look.c - what an engine has. */
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "box/container.h"

enum { LOOK_MS = 10000, PODMAN_NONE = 1 };

bool lb_container_has_init(bool is_podman)
{
	static const char *const of_podman[] = {"/usr/libexec/podman/catatonit",
						"/usr/bin/catatonit", NULL};
	static const char *const of_docker[] =
		{"/usr/bin/docker-init", "/usr/sbin/docker-init",
		 "/usr/libexec/docker/docker-init",
		 "/usr/local/bin/docker-init", NULL};

	for (const char *const *one = is_podman ? of_podman : of_docker; *one;
	     one++)
		if (access(*one, X_OK) == 0)
			return true;
	return false;
}

int lb_container_has_image(struct lb_config *config, bool is_podman,
			   struct lb_error *err)
{
	const char *image = lb_config_str(config, "box.local.image");
	struct lb_argv argv = {NULL, 0}, env = {NULL, 0};
	lb_autobuf struct lb_buf said = {NULL};
	lb_autofree char *text = NULL;
	int status;

	if (!image || !*image)
		return 0;
	lb_container_program(config, is_podman, &argv);
	lb_argv_add(&argv, "image", "inspect", "--format={{.Id}}", image, NULL);
	lb_engine_env(&env);
	status = lb_tender_run(argv.at, env.at, LOOK_MS, &said);
	lb_argv_release(&argv);
	lb_argv_release(&env);
	if (status == 0)
		return 1;
	/* the words of both for one that is not there */
	if (strcasestr(lb_buf_str(&said), "no such image") ||
	    strcasestr(lb_buf_str(&said), "image not known"))
		return 0;
	text = lb_strdup(lb_buf_str(&said));
	return lb_fail(err, LB_UNAVAILABLE, "%s does not answer: %s",
		       is_podman ? "podman" : "docker", lb_engine_words(text));
}
