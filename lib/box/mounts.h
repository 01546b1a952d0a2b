/*
 * box/mounts.h - which folders of this machine a sandbox may see.
 *
 * An allow-list: `box.local.allowed_mount_roots`, by default a session's own
 * workspace and, read-only, skills alone. Never, whatever the list says: "/",
 * home folders (/root, /home, what is in it, and any person's home itself),
 * the system's (/etc /proc /sys /dev /boot /run /usr /lib* /bin /sbin and most
 * of /var), what holds an engine's socket, lb's own folders but for workspaces
 * and skills, and whatever lies above one of these.
 */
#ifndef LB_BOX_MOUNTS_H
#define LB_BOX_MOUNTS_H

#include <stdbool.h>

#include "base/error.h"
#include "box/spec.h"
#include "config/config.h"

/* Who asks. */
enum lb_box_asker {
	LB_BOX_BY_POLICY, /* a record, a model, a configuration */
	LB_BOX_BY_PERSON, /* somebody's own command line: also what he owns */
};

/*
 * Judge the mounts of a spec, resolve their sources once, and put the real
 * paths in their place. A source must be a folder (or, read-only, a regular
 * file) that is there; for root, which is never root inside, one that it may
 * write to belongs to somebody else. Targets must be below the mount path or
 * /mnt, none in another, and none in a workspace that earlier commands could
 * write to. LB_DENIED names the path, the rule and what to do; LB_DATA a
 * target, or a path with ':'; LB_NOINPUT a source that is missing.
 */
int lb_box_mounts_check(struct lb_config *config, const char *state,
			enum lb_box_asker asker, struct lb_box_spec *spec,
			struct lb_error *err);

#endif
