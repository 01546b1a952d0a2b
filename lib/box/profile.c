#include "box/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "box/admit.h"
#include "box/member.h"

/* What a profile decides, in the order in which it is told. */
static const char *const fields[] = {
	"image",
	"network",
	"timeout_sec",
	"host_path_mode",
	"cpus",
	"memory_mb",
	"pids_limit",
	"read_only_rootfs",
	"workspace_quota_mb",
	NULL,
};

#define BASIC                                                                  \
	"\"image\": \"\", \"network\": \"off\", \"timeout_sec\": 30, "         \
	"\"max_timeout_sec\": 120, \"host_path_mode\": \"rw\", "               \
	"\"cpus\": 1.0, \"memory_mb\": 512, \"pids_limit\": 128, "             \
	"\"read_only_rootfs\": true, \"workspace_quota_mb\": 0, "              \
	"\"locked\": []"

/* Each is what differs from the first. */
static const struct built_in {
	const char *name, *values;
} built_in[] = {
	{"default", "{" BASIC "}"},
	{"offline_readonly",
	 "{\"max_timeout_sec\": 60, \"host_path_mode\": \"ro\", "
	 "\"cpus\": 0.5, \"memory_mb\": 256, \"pids_limit\": 64, "
	 "\"locked\": [\"network\", \"host_path_mode\", "
	 "\"read_only_rootfs\"]}"},
	{"network_basic", "{\"network\": \"on\"}"},
	{"network_extended",
	 "{\"network\": \"on\", \"max_timeout_sec\": 300, \"cpus\": 2.0, "
	 "\"memory_mb\": 1024, \"pids_limit\": 256, "
	 "\"read_only_rootfs\": false}"},
	{NULL, NULL},
};

/* One by its name; one of the operator's own begins as the default is, after
 * all that is said of it. NULL: there is none. */
static json_t *named(const json_t *own, const char *name)
{
	const json_t *said = json_object_get(own, name);
	const struct built_in *b = built_in;
	json_t *profile;

	while (b->name && strcmp(b->name, name) != 0)
		b++;
	if (!b->name && !said)
		return NULL;
	profile = json_loads(built_in[0].values, 0, NULL);
	if (b->name && b != built_in)
		json_object_update_new(profile, json_loads(b->values, 0, NULL));
	else if (!b->name)
		json_object_update(profile, json_object_get(own, "default"));
	json_object_update(profile, (json_t *)(uintptr_t)said);
	return profile;
}

json_t *lb_box_profiles(struct lb_config *config)
{
	const json_t *own = lb_config_get(config, "box.profiles"), *any;
	json_t *all = json_object();
	const char *name;

	for (const struct built_in *b = built_in; b->name; b++)
		json_object_set_new(all, b->name, named(own, b->name));
	json_object_foreach((json_t *)(uintptr_t)own, name, any)
	{
		if (!json_object_get(all, name))
			json_object_set_new(all, name, named(own, name));
	}
	return all;
}

static bool is_locked(const json_t *profile, const char *field)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(profile, "locked"), i, one)
	{
		if (strcmp(json_string_value(one), field) == 0)
			return true;
	}
	return false;
}

/* What the operator set for all profiles; NULL for nothing. */
static const json_t *for_all(const struct lb_config *config, const char *field)
{
	lb_autofree char *path = lb_printf("box.local.%s", field);
	const json_t *value;

	if (strcmp(field, "image") != 0 &&
	    strcmp(field, "workspace_quota_mb") != 0)
		return NULL;
	value = lb_config_get(config, path);
	if (json_is_null(value) ||
	    (json_is_string(value) && json_string_length(value) == 0))
		return NULL;
	return value;
}

/* A value as people write it; it may be anybody's, so only so much of it. */
static char *shown(const json_t *value)
{
	char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT |
					       JSON_ENSURE_ASCII);

	if (text && strlen(text) > 60)
		memcpy(text + 57, "...", 4);
	return text;
}

static void note(json_t *notes, const char *field, const json_t *asked,
		 const char *profile, const char *does, const json_t *given)
{
	lb_autofree char *was = shown(asked), *is = shown(given);
	lb_autofree char *text =
		lb_printf("%s: %s was asked for, and profile '%.64s' %s %s",
			  field, was, profile, does, is);

	if (notes)
		json_array_append_new(notes, lb_json_text(text, strlen(text)));
}

/* "30" is 30, and said nowhere. */
static bool is_same(const json_t *a, const json_t *b)
{
	int64_t x, y;

	if (lb_whole(a, &x) && lb_whole(b, &y))
		return x == y;
	return json_equal(a, b);
}

/* At most as long as the profile allows. What is no number is the reader's. */
static void clamp(json_t *out, const char *name, const json_t *profile,
		  json_t *notes)
{
	const json_t *most = json_object_get(profile, "max_timeout_sec");
	const json_t *asked = json_object_get(out, "timeout_sec");
	int64_t seconds;

	if (!lb_whole(asked, &seconds) || seconds <= json_integer_value(most))
		return;
	note(notes, "timeout_sec", asked, name, "allows at most", most);
	json_object_set(out, "timeout_sec", (json_t *)(uintptr_t)most);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int no_profile(struct lb_config *config, const char *profile,
		      struct lb_error *err)
{
	json_auto_t *all = lb_box_profiles(config);
	size_t n = 0;
	lb_autofree const char **names =
		lb_alloc((json_object_size(all) + 1) * sizeof(*names));
	lb_autobuf struct lb_buf list = {0};
	const json_t *any;
	const char *name;

	json_object_foreach(all, name, any)
	{
		names[n++] = name;
	}
	qsort(names, n, sizeof(*names), by_name);
	for (size_t i = 0; i < n; i++)
		lb_buf_printf(&list, "%s%s", i > 0 ? ", " : "", names[i]);
	return lb_fail(err, LB_DATA,
		       "there is no profile '%.64s' (there are %s)", profile,
		       lb_buf_str(&list));
}

/* One member of what a request becomes. */
static void settle(struct lb_config *config, const char *field,
		   const char *name, const json_t *profile, json_t *out,
		   json_t *notes)
{
	const json_t *asked = lb_member(out, field);
	const json_t *given = json_object_get(profile, field);
	const json_t *set = for_all(config, field);
	bool closed =
		lb_box_workspace(config) && strcmp(field, "timeout_sec") != 0;

	if (closed && set && !is_locked(profile, field))
		given = set;
	if (closed || is_locked(profile, field)) {
		if (asked && !is_same(asked, given))
			note(notes, field, asked, name, "keeps it", given);
	} else if (asked) {
		return;
	} else if (set) {
		given = set;
	}
	json_object_set(out, field, (json_t *)(uintptr_t)given);
}

/* There is none in a workspace, whatever the profile has. */
static void take_network(const struct lb_config *config, const char *name,
			 json_t *out, json_t *notes)
{
	const char *had = json_string_value(json_object_get(out, "network"));
	lb_autofree char *text =
		lb_printf("network: profile '%.64s' has one, and workspace "
			  "'%s' has none",
			  name, lb_box_workspace(config));

	if (had && strcmp(had, "off") == 0)
		return;
	if (notes)
		json_array_append_new(notes, lb_json_text(text, strlen(text)));
	json_object_set_new(out, "network", json_string("off"));
}

json_t *lb_box_profile_apply(struct lb_config *config, const char *profile,
			     const json_t *request, json_t *notes,
			     struct lb_error *err)
{
	const char *name =
		profile ? profile : lb_config_str(config, "box.local.profile");
	json_auto_t *of = NULL;
	json_t *out;

	name = name && *name ? name : built_in[0].name;
	of = named(lb_config_get(config, "box.profiles"), name);
	if (!of) {
		no_profile(config, name, err);
		return NULL;
	}
	if (lb_box_admit_request(config, request, err) < 0)
		return NULL;
	out = json_copy((json_t *)(uintptr_t)request);
	for (size_t i = 0; fields[i]; i++)
		settle(config, fields[i], name, of, out, notes);
	if (lb_box_workspace(config))
		take_network(config, name, out, notes);
	clamp(out, name, of, notes);
	return out;
}

int64_t lb_box_profile_quota(struct lb_config *config, const char *profile,
			     struct lb_error *err)
{
	const char *usual = lb_config_str(config, "box.local.profile");
	json_auto_t *request = lb_json_pack("{s:s}", "cmd", "");
	json_auto_t *notes = json_array();
	json_auto_t *whole = NULL;
	int64_t mb = 0;

	if (!profile)
		profile = usual && *usual ? usual : "default";
	whole = lb_box_profile_apply(config, profile, request, notes, err);
	if (!whole)
		return -1;
	lb_json_int(whole, "workspace_quota_mb", &mb);
	return mb;
}
