/* test-box-spec.c - what is to run, read from JSON; and under a profile. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "box/profile.h"
#include "box/spec.h"
#include "tap.h"

/* A spec as one text. */
static char *told(const struct lb_box_spec *s)
{
	static const char *const modes[] = {"none", "ro", "rw"};
	static const char *const networks[] = {"off", "on", "listed"};
	lb_autobuf struct lb_buf out = {0};

	lb_buf_printf(&out, "%s|%s|%lld|%s", s->cmd ? s->cmd : "-", s->workdir,
		      (long long)s->timeout_ms, networks[s->network]);
	for (size_t i = 0; s->hosts && s->hosts[i]; i++)
		lb_buf_printf(&out, ",%s", s->hosts[i]);
	lb_buf_printf(&out, "|%s|%s|%s:%s:%s", s->session ? s->session : "-",
		      s->image ? s->image : "-",
		      s->host_path ? s->host_path : "-", s->mount_path,
		      modes[s->host_path_mode]);
	for (size_t i = 0; i < s->n_mounts; i++)
		lb_buf_printf(&out, "+%s:%s:%s", s->mounts[i].host_path,
			      s->mounts[i].mount_path,
			      modes[s->mounts[i].mode]);
	lb_buf_printf(&out, "|%s|%d|%g|%lld|%lld|%d|%lld",
		      s->skill_name ? s->skill_name : "-", s->persistent,
		      s->cpus, (long long)s->memory_mb,
		      (long long)s->pids_limit, s->read_only_rootfs,
		      (long long)s->quota_mb);
	for (size_t i = 0; s->env && s->env[i]; i++)
		lb_buf_printf(&out, "|%s", s->env[i]);
	return lb_buf_take(&out);
}

#define REST "|off|-|-|-:/workspace:rw|-|0|1|512|128|1|0"
#define USUAL "true|/workspace|30000" REST

static const struct row {
	const char *json, *want; /* or the error */
} rows[] = {
	{"{\"cmd\": \"true\"}", USUAL},
	{"{\"cmd\": \" \\n true\\t\", \"more\": 1}", USUAL},
	{"{\"cmd\": \"true\", \"workdir\": null, \"timeout_sec\": null,"
	 " \"env\": null, \"host_path\": null, \"skill_name\": null,"
	 " \"session_id\": null, \"extra_mounts\": null, \"network\": null}",
	 USUAL},
	{"{\"cmd\": \"x\", \"session_id\": \" b/g_1 \", \"env\":"
	 " {\"A\": \"1\", \"_b2\": \"x=y\\n\"}, \"network\": \"on\","
	 " \"image\": \"i:1\", \"persistent\": true, \"cpus\": 1.5,"
	 " \"memory_mb\": \"64\", \"pids_limit\": 7.0,"
	 " \"read_only_rootfs\": false, \"workspace_quota_mb\": 9,"
	 " \"skill_name\": \"pdf-2_\u6c49\", \"timeout_sec\": \" 5 \"}",
	 "x|/workspace|5000|on|b/g_1|i:1|-:/workspace:rw|pdf-2_\u6c49|1|1.5|64|"
	 "7|0|9|A=1|_b2=x=y\n"},
	{"{\"cmd\": \"true\", \"cpus\": \"1\", \"image\": \"\","
	 " \"skill_name\": \" \", \"host_path\": \"\", \"workdir\": \"\"}",
	 USUAL},
	{"{\"cmd\": \"x\", \"host_path\": \"/a//b/../c/\", \"mount_path\":"
	 " \"/mnt/./w\", \"host_path_mode\": \"ro\", \"extra_mounts\":"
	 " [{\"host_path\": \"/d\", \"mount_path\": \"/mnt/w/d\"},"
	 " {\"host_path\": \"/e\", \"mount_path\": \"/mnt/e\", \"mode\":"
	 " \"none\"}, {\"host_path\": \"/f\", \"mount_path\": \"/mnt/f\","
	 " \"mode\": \"ro\"}]}",
	 "x|/mnt/w|30000|off|-|-|/a/c:/mnt/w:ro+/d:/mnt/w/d:rw+/f:/mnt/f:ro"
	 "|-|0|1|512|128|1|0"},
	{"{\"cmd\": \"true\", \"workdir\": \"/tmp/x\"}",
	 "true|/tmp/x|30000" REST},

	{"[]", "it is not an object"},
	{"{}", "field 'cmd' is missing"},
	{"{\"cmd\": \" \"}", "field 'cmd' is empty"},
	{"{\"cmd\": 1}", "field 'cmd' is not a string"},
	{"{\"cmd\": \"a\\u0000b\"}", "field 'cmd' holds a NUL"},
	{"{\"cmd\": \"x\", \"timeout_sec\": true}",
	 "field 'timeout_sec' is not a whole number"},
	{"{\"cmd\": \"x\", \"timeout_sec\": 1.5}",
	 "field 'timeout_sec' is not a whole number"},
	{"{\"cmd\": \"x\", \"timeout_sec\": \"5s\"}",
	 "field 'timeout_sec' is not a whole number"},
	{"{\"cmd\": \"x\", \"timeout_sec\": \"\"}",
	 "field 'timeout_sec' is not a whole number"},
	{"{\"cmd\": \"x\", \"timeout_sec\": 1e300}",
	 "field 'timeout_sec' is not a whole number"},
	{"{\"cmd\": \"x\", \"timeout_sec\": 0}",
	 "field 'timeout_sec' is not from 1 to 31622400"},
	{"{\"cmd\": \"x\", \"timeout_sec\": 9223372036854775807}",
	 "field 'timeout_sec' is not from 1 to 31622400"},
	{"{\"cmd\": \"x\", \"memory_mb\": 31}",
	 "field 'memory_mb' is not from 32 to 16777216"},
	{"{\"cmd\": \"x\", \"pids_limit\": 0}",
	 "field 'pids_limit' is not from 1 to 4194304"},
	{"{\"cmd\": \"x\", \"workspace_quota_mb\": -1}",
	 "field 'workspace_quota_mb' is not from 0 to 16777216"},
	{"{\"cmd\": \"x\", \"cpus\": 0}",
	 "field 'cpus' is not above 0 and at most 1024"},
	{"{\"cmd\": \"x\", \"cpus\": 1025}",
	 "field 'cpus' is not above 0 and at most 1024"},
	{"{\"cmd\": \"x\", \"cpus\": true}", "field 'cpus' is not a number"},
	{"{\"cmd\": \"x\", \"cpus\": \"nan\"}", "field 'cpus' is not a number"},
	{"{\"cmd\": \"x\", \"cpus\": \"0x1p2\"}",
	 "field 'cpus' is not a number"},
	{"{\"cmd\": \"x\", \"persistent\": 1}",
	 "field 'persistent' is neither true nor false"},
	{"{\"cmd\": \"x\", \"read_only_rootfs\": \"true\"}",
	 "field 'read_only_rootfs' is neither true nor false"},
	{"{\"cmd\": \"x\", \"network\": true}",
	 "field 'network' is not a string"},
	{"{\"cmd\": \"x\", \"network\": \"full\"}",
	 "field 'network' is none of off, on"},
	{"{\"cmd\": \"x\", \"network\": {\"allow\": [\"a.b\", "
	 "\"*.c.d:8443\", \"[2001:DB8::1]:80\"]}}",
	 "x|/workspace|30000|listed,a.b,*.c.d:8443,[2001:DB8::1]:80"
	 "|-|-|-:/workspace:rw|-|0|1|512|128|1|0"},
	{"{\"cmd\": \"x\", \"network\": {\"allow\": []}}",
	 "x|/workspace|30000" REST},
	{"{\"cmd\": \"x\", \"network\": {}}",
	 "field 'network' is not off, on or {\"allow\": [...]}"},
	{"{\"cmd\": \"x\", \"network\": {\"allow\": [], \"deny\": []}}",
	 "field 'network' is not off, on or {\"allow\": [...]}"},
	{"{\"cmd\": \"x\", \"network\": {\"allow\": [\"a\", 7]}}",
	 "field 'network.allow.1' is no host"},
	{"{\"cmd\": \"x\", \"network\": {\"allow\": [\"a\\u0000b\"]}}",
	 "field 'network.allow.0' is no host"},
	{"{\"cmd\": \"x\", \"network\": {\"allow\": [\"http://a\"]}}",
	 "field 'network.allow.0': 'http://a' is no host such as example.org, "
	 "*.example.org or example.org:8443"},
	{"{\"cmd\": \"x\", \"session_id\": \" \"}",
	 "field 'session_id' is empty"},
	{"{\"cmd\": \"x\", \"session_id\": \"a\\u001bb\"}",
	 "field 'session_id' holds a control character"},
	{"{\"cmd\": \"x\", \"session_id\": \"a\\u009bb\"}",
	 "field 'session_id' holds a control character"},
	{"{\"cmd\": \"x\", \"session_id\": \"a\\u0000\"}",
	 "field 'session_id' holds a NUL"},
	{"{\"cmd\": \"x\", \"image\": \"-v\"}",
	 "field 'image' is no name of an image"},
	{"{\"cmd\": \"x\", \"skill_name\": \"-_-\"}",
	 "field 'skill_name' is no name of a skill: at most 64 letters, "
	 "digits, '-' and '_'"},
	{"{\"cmd\": \"x\", \"skill_name\": \"a/b\"}",
	 "field 'skill_name' is no name of a skill: at most 64 letters, "
	 "digits, '-' and '_'"},
	{"{\"cmd\": \"x\", \"env\": []}", "field 'env' is not an object"},
	{"{\"cmd\": \"x\", \"env\": {\"A\": 1}}",
	 "field 'env.A' is not a string"},
	{"{\"cmd\": \"x\", \"env\": {\"A\": \"\\u0000\"}}",
	 "field 'env.A' holds a NUL"},
	{"{\"cmd\": \"x\", \"env\": {\"\": \"\"}}",
	 "field 'env': '' is no name of a variable"},
	{"{\"cmd\": \"x\", \"env\": {\"A=B\": \"\"}}",
	 "field 'env': 'A=B' is no name of a variable"},
	{"{\"cmd\": \"x\", \"env\": {\"A\\n\": \"\"}}",
	 "field 'env': 'A?' is no name of a variable"},
	{"{\"cmd\": \"x\", \"env\": {\"1A\": \"\"}}",
	 "field 'env': '1A' is no name of a variable"},
	{"{\"cmd\": \"x\", \"workdir\": \"tmp\"}",
	 "field 'workdir' is no absolute path"},
	{"{\"cmd\": \"x\", \"host_path\": \"./a\"}",
	 "field 'host_path' is no absolute path"},
	{"{\"cmd\": \"x\", \"host_path\": \"/a\\nb\"}",
	 "field 'host_path' holds a control character"},
	{"{\"cmd\": \"x\", \"host_path_mode\": \"rwx\"}",
	 "field 'host_path_mode' is none of none, ro, rw"},
	{"{\"cmd\": \"x\", \"host_path\": \"/a\", \"workdir\":"
	 " \"/workspace/../etc\"}",
	 "field 'workdir': '/etc' is not below '/workspace', where the host "
	 "path is"},
	{"{\"cmd\": \"x\", \"host_path\": \"/a\", \"workdir\":"
	 " \"/workspaces\"}",
	 "field 'workdir': '/workspaces' is not below '/workspace', where the "
	 "host path is"},
	{"{\"cmd\": \"x\", \"extra_mounts\": {}}",
	 "field 'extra_mounts' is not a list"},
	{"{\"cmd\": \"x\", \"extra_mounts\": [1]}",
	 "field 'extra_mounts.0': is not an object"},
	{"{\"cmd\": \"x\", \"extra_mounts\": [{\"host_path\": \"/a\","
	 " \"mount_path\": \"/b\"}, {\"host_path\": \"/a\"}]}",
	 "field 'extra_mounts.1': field 'mount_path' is missing"},
	{"{\"cmd\": \"x\", \"extra_mounts\": [{\"host_path\": \"a\","
	 " \"mount_path\": \"/b\"}]}",
	 "field 'extra_mounts.0': field 'host_path' is no absolute path"},
};

static void try_spec(const json_t *o, const char *want, const char *what)
{
	struct lb_box_spec spec = {0};
	struct lb_error err = {0};
	lb_autofree char *got = NULL;

	if (lb_box_spec_read(&spec, o, &err) == 0)
		got = told(&spec);
	else if (err.code != LB_DATA)
		got = lb_strdup("not LB_DATA");
	tap_same(want, got ? got : err.text, what);
	lb_box_spec_release(&spec);
}

/* What is too big to write out. */
static void check_bounds(void)
{
	json_auto_t *o = lb_json_pack("{s:s}", "cmd", "x");
	json_t *env = json_object(), *mounts = json_array();
	size_t most = LB_BOX_MAX_CMD + 1;
	lb_autofree char *big = lb_alloc(most + 1);

	for (int i = 0; i < LB_BOX_MAX_ENV + 1; i++) {
		lb_autofree char *name = lb_printf("A%d", i);

		json_object_set_new(env, name, json_string("x"));
	}
	json_object_set_new(o, "env", env);
	try_spec(o, "field 'env' has more than 256 variables", "variables");
	memset(big, 'x', most);
	big[128 * 1024 - 2] = '\0';
	json_object_set_new(o, "env", lb_json_pack("{s:s}", "A", big));
	try_spec(o, "field 'env.A' is longer than 131071 bytes", "a long one");
	big[128 * 1024 - 2] = 'x';
	json_object_del(o, "env");
	for (int i = 0; i < LB_BOX_MAX_MOUNTS + 1; i++)
		json_array_append_new(mounts, json_object());
	json_object_set_new(o, "extra_mounts", mounts);
	try_spec(o, "field 'extra_mounts' has more than 64 mounts", "mounts");
	json_object_del(o, "extra_mounts");
	json_object_set_new(o, "cmd", json_string(big));
	try_spec(o, "field 'cmd' has 8388609 bytes, more than 8388608",
		 "a long command");
	json_object_set_new(o, "cmd", json_string("x"));
	big[LB_BOX_MAX_SESSION + 1] = '\0';
	json_object_set_new(o, "session_id", json_string(big));
	try_spec(o, "field 'session_id' has 513 bytes, more than 512",
		 "a long session");
}

static void check_argv(void)
{
	json_auto_t *o = json_object();
	struct lb_box_spec spec = {0};
	struct lb_error err;

	spec.argv = lb_alloc(2 * sizeof(*spec.argv));
	spec.argv[0] = lb_strdup("true");
	tap_ok(lb_box_spec_read(&spec, o, &err) == 0 && !spec.cmd &&
		       spec.argv[0],
	       "with argv there need be no cmd");
	lb_box_spec_release(&spec);
}

static const struct path {
	const char *from, *want;
} paths[] = {
	{"/", "/"},
	{"//", "/"},
	{"/a/", "/a"},
	{"/a//b/./c", "/a/b/c"},
	{"/a/../../b", "/b"},
	{"/a/..", "/"},
	{"/..a/...", "/..a/..."},
	{"/workspace/../etc", "/etc"},
	{"a", "-"},
	{"", "-"},
	{"/a\x7f", "-"},
};

static void check_paths(void)
{
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		lb_autofree char *got = lb_box_path(paths[i].from);

		tap_same(paths[i].want, got ? got : "-", paths[i].from);
	}
	tap_ok(lb_box_is_below("/a", "/a") && lb_box_is_below("/a/b", "/a") &&
		       lb_box_is_below("/a", "/") &&
		       !lb_box_is_below("/ab", "/a") &&
		       !lb_box_is_below("/", "/a"),
	       "below is by whole names");
}

static const struct profile {
	const char *what, *profile, *request, *want, *notes;
} profiles[] = {
	{"the default", NULL, "{\"cmd\":\"x\"}",
	 "{\"cmd\":\"x\",\"cpus\":1.0,\"host_path_mode\":\"rw\","
	 "\"image\":\"\",\"memory_mb\":512,\"network\":\"off\","
	 "\"pids_limit\":128,\"read_only_rootfs\":true,\"timeout_sec\":30,"
	 "\"workspace_quota_mb\":5}",
	 "[]"},
	{"locked members", "offline_readonly",
	 "{\"network\":\"on\",\"cpus\":3,\"host_path_mode\":\"ro\","
	 "\"read_only_rootfs\":false}",
	 "{\"cpus\":3,\"host_path_mode\":\"ro\",\"image\":\"\","
	 "\"memory_mb\":256,\"network\":\"off\",\"pids_limit\":64,"
	 "\"read_only_rootfs\":true,\"timeout_sec\":30,"
	 "\"workspace_quota_mb\":5}",
	 "[\"network: \\\"on\\\" was asked for, and profile "
	 "'offline_readonly' keeps it \\\"off\\\"\",\"read_only_rootfs: false "
	 "was asked for, and profile 'offline_readonly' keeps it true\"]"},
	{"a text as a number, clamped", "network_basic",
	 "{\"timeout_sec\":\"600\",\"workspace_quota_mb\":1}",
	 "{\"cpus\":1.0,\"host_path_mode\":\"rw\",\"image\":\"\","
	 "\"memory_mb\":512,\"network\":\"on\",\"pids_limit\":128,"
	 "\"read_only_rootfs\":true,\"timeout_sec\":120,"
	 "\"workspace_quota_mb\":1}",
	 "[\"timeout_sec: \\\"600\\\" was asked for, and profile "
	 "'network_basic' allows at most 120\"]"},
	{"what is no number is left to the reader", "network_extended",
	 "{\"timeout_sec\":\"long\"}",
	 "{\"cpus\":2.0,\"host_path_mode\":\"rw\",\"image\":\"\","
	 "\"memory_mb\":1024,\"network\":\"on\",\"pids_limit\":256,"
	 "\"read_only_rootfs\":false,\"timeout_sec\":\"long\","
	 "\"workspace_quota_mb\":5}",
	 "[]"},
	{"one of the configuration, and what it locks is no other's", "mine",
	 "{\"workspace_quota_mb\":100,\"pids_limit\":\"77\"}",
	 "{\"cpus\":1.0,\"host_path_mode\":\"rw\",\"image\":\"\","
	 "\"memory_mb\":512,\"network\":\"on\",\"pids_limit\":77,"
	 "\"read_only_rootfs\":true,\"timeout_sec\":7,"
	 "\"workspace_quota_mb\":0}",
	 "[\"workspace_quota_mb: 100 was asked for, and profile 'mine' keeps "
	 "it 0\"]"},
	{"none of that name", "none", "{}",
	 "there is no profile 'none' (there are default, mine, network_basic, "
	 "network_extended, offline_readonly)",
	 "[]"},
};

static void check_profiles(void)
{
	static const char text[] =
		"box:\n"
		"  local: {workspace_quota_mb: 5}\n"
		"  profiles:\n"
		"    mine: {network: on, timeout_sec: 7, pids_limit: 77,\n"
		"      locked: [workspace_quota_mb, pids_limit]}\n";
	char path[] = "/tmp/test-box-spec.XXXXXX";
	struct lb_error err = {0};
	struct lb_config *config;
	json_auto_t *all = NULL;
	const char *name;
	const json_t *any;
	bool known = true;
	int fd = mkstemp(path);

	tap_ok(fd >= 0 && write(fd, text, strlen(text)) > 0, "a file");
	close(fd);
	config = lb_config_load(path, &err);
	unlink(path);
	tap_same("", err.text, "a configuration");
	for (size_t i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++) {
		const struct profile *p = &profiles[i];
		json_auto_t *o = json_loads(p->request, 0, NULL);
		json_auto_t *notes = json_array(), *out = NULL;
		lb_autofree char *got = NULL, *said = NULL;

		out = lb_box_profile_apply(config, p->profile, o, notes, &err);
		got = out ? json_dumps(out, JSON_COMPACT | JSON_SORT_KEYS)
			  : NULL;
		said = json_dumps(notes, JSON_COMPACT);
		tap_same(p->want, got ? got : err.text, p->what);
		tap_same(p->notes, said, "and its notes");
	}
	all = lb_box_profiles(config);
	json_object_foreach(all, name, any)
	{
		known &= lb_config_has_profile(config, name);
	}
	tap_ok(known && json_object_size(all) == 5,
	       "the configuration knows each by name");
	lb_config_close(config);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		json_auto_t *o = json_loads(rows[i].json, JSON_ALLOW_NUL, NULL);

		try_spec(o, rows[i].want, rows[i].json);
	}
	check_bounds();
	check_argv();
	check_paths();
	check_profiles();
	return tap_end();
}
