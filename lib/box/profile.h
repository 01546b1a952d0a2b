/*
 * box/profile.h - the limits that go by one name.
 *
 * Four are built in: default, offline_readonly, network_basic and
 * network_extended. `box.profiles.NAME` of the configuration adds others, or
 * changes one of these; what it leaves out is as in `default`.
 */
#ifndef LB_BOX_PROFILE_H
#define LB_BOX_PROFILE_H

#include <jansson.h>
#include <stdint.h>

#include "base/error.h"
#include "config/config.h"

/*
 * What `request` (an object, spec.h) becomes under a profile: a locked member
 * is the profile's, a missing one too. `box.local.image` and
 * `box.local.workspace_quota_mb` come between the two. timeout_sec is at most
 * max_timeout_sec. What was asked for and not given is told in `notes`, an
 * array of texts for whoever asked. In a workspace all but timeout_sec is as if
 * it were locked, and there is no network; see admit.h. New; NULL and LB_DATA
 * names the profiles there are.
 */
json_t *lb_box_profile_apply(struct lb_config *config, const char *profile,
			     const json_t *request, json_t *notes,
			     struct lb_error *err);

/* What a profile (NULL: that of `box.local.profile`) lets a workspace hold, MiB;
 * 0: as much as it wants. -1: LB_DATA, there is none of that name. */
int64_t lb_box_profile_quota(struct lb_config *config, const char *profile,
			     struct lb_error *err);

/* All of them, {NAME: {...}}, new. */
json_t *lb_box_profiles(struct lb_config *config);

#endif
