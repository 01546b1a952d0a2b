/*
 * test-tools - what the process of a call can do, and what it cannot; skills,
 * quotas, calls side by side. TAP.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "fs/landlock.h"
#include "fs/tree.h"
#include "tap.h"
#include "tool/run.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif

enum { OTHER = 54321 };

static char folder[] = "/tmp/lb-tools-XXXXXX";
static struct lb_place place;
static struct lb_loop *loop;
static struct lb_tool_runner *runner;

static void done(void *arg, json_t *take)
{
	*(json_t **)arg = take;
}

static struct lb_tool_run *start(const struct lb_tool *tool,
				 const json_t *arguments, json_t **result,
				 int64_t ms)
{
	*result = NULL;
	return lb_tool_start(runner, &(struct lb_tool_order){
					     .tool = tool,
					     .place = &place,
					     .arguments = arguments,
					     .deadline = lb_clock_mono() + ms,
					     .done = done,
					     .arg = result,
				     });
}

/* The result of a call. New. */
static json_t *call(const struct lb_tool *tool, const char *arguments)
{
	json_auto_t *given = json_loads(arguments, JSON_ALLOW_NUL, NULL);
	json_t *result;

	start(tool, given, &result, 10000);
	while (!result && lb_loop_turn(loop, -1))
		;
	return result;
}

static void says(const char *want, const char *name, const char *arguments)
{
	json_auto_t *result = call(lb_tool_find(name), arguments);
	lb_autofree char *text = json_dumps(result, JSON_COMPACT);

	tap_ok(text && strstr(text, want), arguments);
	if (!text || !strstr(text, want))
		printf("# %s\n", text ? text : "nothing");
}

/* ---- tools of the test's own ---- */

static bool can_connect(void)
{
	const struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_port = htons(9),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	lb_autoclose int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return connect(fd, (const void *)&to, sizeof(to)) == 0 ||
	       errno == ECONNREFUSED;
}

static bool can_open(const char *path)
{
	lb_autoclose int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd >= 0;
}

static json_t *look_around(const struct lb_place *p, const json_t *arguments)
{
	(void)arguments;

	return lb_json_pack("{s:b, s:b, s:b, s:b, s:b, s:b, s:b, s:i, s:i}",
			    "ok", 1, "outside", can_open("/etc/passwd"), "proc",
			    can_open("/proc/self/environ"), "net",
			    can_connect(), "signal", kill(getppid(), 0) == 0,
			    "privileges",
			    prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0,
			    "inherited", fcntl(77, F_GETFD) >= 0, "uid",
			    (int)getuid(), "folder",
			    openat(p->workspace, ".", O_RDONLY | O_CLOEXEC) >=
				    0);
}

static json_t *sleep_long(const struct lb_place *p, const json_t *arguments)
{
	(void)p;
	(void)arguments;
	pause();
	return json_object();
}

static json_t *die(const struct lb_place *p, const json_t *arguments)
{
	(void)p;
	(void)arguments;
	raise(SIGKILL);
	return NULL;
}

static json_t *talk(const struct lb_place *p, const json_t *arguments)
{
	static char text[64 * 1024];

	(void)p;
	(void)arguments;
	memset(text, 'x', sizeof(text));
	while (write(STDOUT_FILENO, text, sizeof(text)) > 0)
		;
	return json_object();
}

#ifndef SANITIZED
static json_t *spin(const struct lb_place *p, const json_t *arguments)
{
	lb_autofree char *much = NULL;

	(void)p;
	(void)arguments;
	much = lb_alloc((size_t)1 << 30); /* more than it may have */
	return lb_json_pack("{s:b}", "ok", much != NULL);
}
#endif

#define OWN(work)                                                              \
	(&(const struct lb_tool){"own", "", "{\"properties\":{}}", work})

static void check_process(void)
{
	int abi = lb_landlock_abi();
	lb_autoclose int fd = fcntl(0, F_DUPFD, 77);
	json_auto_t *r = call(OWN(look_around), "{}");

	printf("# landlock %d, descriptor %d\n", abi, fd);
	tap_ok(lb_json_bool(r, "inherited", true) == false,
	       "it inherits no descriptor");
	tap_ok(!lb_json_bool(r, "privileges", true), "no new privileges");
	tap_ok(!lb_json_bool(r, "outside", true) || abi < 1,
	       "it opens nothing elsewhere");
	tap_ok(!lb_json_bool(r, "proc", true) || abi < 1, "nor in /proc");
	tap_ok(!lb_json_bool(r, "net", true) || abi < 4, "it has no network");
	tap_ok(!lb_json_bool(r, "signal", true) || abi < 6,
	       "it signals nobody");
	tap_ok(json_integer_value(json_object_get(r, "folder")) == 1,
	       "it sees its folder");
	tap_ok(json_integer_value(json_object_get(r, "uid")) ==
		       (place.drop ? OTHER : (int)getuid()),
	       "it is who it should be");
}

static void check_ends(void)
{
	json_t *results[3] = {NULL};
	json_auto_t *nothing = json_object();
	int64_t began = lb_clock_mono();
	struct lb_tool_run *stopped;
	json_t *r;

	start(OWN(sleep_long), nothing, &results[0], 100);
	stopped = start(OWN(sleep_long), nothing, &results[1], 60000);
	start(lb_tool_find("read"), nothing, &results[2], 60000);
	while (!results[0] || !results[2])
		lb_loop_turn(loop, -1);
	lb_tool_stop(stopped);
	tap_ok(lb_clock_mono() - began < 5000 &&
		       !lb_json_bool(results[0], "ok", true),
	       "one that takes too long is ended, and holds up nobody");
	tap_ok(!results[1], "one that was stopped says nothing");
	json_decref(results[0]);
	json_decref(results[2]);
	r = call(OWN(die), "{}");
	tap_ok(!lb_json_bool(r, "ok", true), "one that dies is a result");
	json_decref(r);
	r = call(OWN(talk), "{}");
	tap_ok(strstr(lb_json_str(r, "error"), "too long") != NULL,
	       "one that says too much is ended");
	json_decref(r);
#ifndef SANITIZED
	r = call(OWN(spin), "{}");
	tap_ok(!lb_json_bool(r, "ok", true), "memory has a limit");
	json_decref(r);
#endif
}

/* ---- skills ---- */

static void check_skills(int top)
{
	struct lb_place_skill skills[] = {
		{"demo", -1, false},
		{"mine", -1, true},
	};

	mkdirat(top, "demo", 0777);
	mkdirat(top, "mine", 0777);
	if (fchmodat(top, "mine", 0777, 0) < 0)
		perror("mine");
	skills[0].fd = openat(top, "demo", O_PATH | O_DIRECTORY);
	skills[1].fd = openat(top, "mine", O_PATH | O_DIRECTORY);
	close(openat(top, "demo/SKILL.md", O_CREAT | O_WRONLY, 0644));
	place.skills = skills;
	place.n_skills = 2;
	says("\"content\":\"demo/\\nmine/\"", "read",
	     "{\"path\":\"/workspace/.skills\"}");
	says(".skills/", "read", "{\"path\":\"/workspace\"}");
	says("\"ok\":true", "read",
	     "{\"path\":\"/workspace/.skills/demo/SKILL.md\"}");
	says("\"content\":\"SKILL.md\"", "read",
	     "{\"path\":\"/workspace/x/../.skills/demo\"}");
	says("there is no skill 'nix'", "read",
	     "{\"path\":\".skills/nix/SKILL.md\"}");
	says("outside of /workspace", "read",
	     "{\"path\":\".skills/demo/../../../etc/passwd\"}");
	says("read-only", "write",
	     "{\"path\":\".skills/demo/SKILL.md\",\"content\":\"x\"}");
	says("read-only", "write",
	     "{\"path\":\".skills/demo/new\",\"content\":\"x\","
	     "\"mode\":\"append\"}");
	says("\"ok\":true", "write",
	     "{\"path\":\".skills/mine/f\",\"content\":\"needle\"}");
	says("\"ok\":true", "write",
	     "{\"path\":\".skills/mine/f\",\"content\":\"2\","
	     "\"mode\":\"append\"}");
	says("/workspace/.skills/mine/f\",\"line\":1,\"content\":\"needle2\"",
	     "grep", "{\"pattern\":\"needle\",\"path\":\".skills/mine\"}");
	says("\"total\":0", "grep", "{\"pattern\":\"needle\"}");
	says("/workspace/.skills/demo/SKILL.md", "glob",
	     "{\"pattern\":\"*.md\",\"path\":\".skills/demo\"}");
	says("is a folder", "write", "{\"path\":\".skills\",\"content\":\"\"}");
	place.n_skills = 0;
	close(skills[0].fd);
	close(skills[1].fd);
}

/* ---- a quota ---- */

static void check_quota(int top)
{
	lb_autofree char *text = lb_alloc(200001);
	lb_autofree char *write = NULL, *append = NULL;

	memset(text, 'x', 200000);
	write = lb_printf("{\"path\":\"big\",\"content\":\"%s\"}", text);
	append = lb_printf("{\"path\":\"big\",\"content\":\"%s\",\"mode\":"
			   "\"append\"}",
			   text);
	place.quota = 300 * 1024;
	json_auto_t *first = call(lb_tool_find("write"), write);

	tap_ok(lb_json_bool(first, "ok", false), "what fits is written");
	json_auto_t *again = call(lb_tool_find("write"), write);

	tap_ok(lb_json_bool(again, "ok", false),
	       "and written anew, which takes no more");
	json_auto_t *more = call(lb_tool_find("write"), append);

	tap_ok(!lb_json_bool(more, "ok", true) &&
		       strstr(lb_json_str(more, "error"), "rm"),
	       "what does not fit is refused, with what to do");
	says("\"size_bytes\":200000", "read",
	     "{\"path\":\"big\",\"byte_offset\":1,\"max_bytes\":1}");
	json_auto_t *none = call(lb_tool_find("write"),
				 "{\"path\":\"big\",\"content\":\"\"}");

	tap_ok(lb_json_bool(none, "ok", false), "less always fits");
	place.quota = 0;
	(void)top;
}

int main(void)
{
	lb_autoclose int top = -1;
	lb_autoclose int tmp = open("/tmp", O_RDONLY | O_DIRECTORY);
	const struct lb_tree_limits none = {0};
	struct lb_error err;

	lb_log_start("test-tools");
	lb_log_level(LB_ERROR);
	if (!mkdtemp(folder) || chmod(folder, 0711) < 0)
		return 99;
	top = open(folder, O_RDONLY | O_DIRECTORY);
	mkdirat(top, "w", 0700);
	place.workspace = openat(top, "w", O_PATH | O_DIRECTORY);
	if (getuid() == 0) {
		place.drop = true;
		place.uid = place.gid = OTHER;
		if (fchownat(top, "w", OTHER, OTHER, 0) < 0)
			return 99;
	}
	loop = lb_loop_open();
	runner = lb_tool_runner_open(loop, 2);
	check_process();
	check_ends();
	check_skills(top);
	check_quota(top);
	lb_tool_runner_close(runner);
	lb_loop_close(loop);
	close(place.workspace);
	tap_ok(lb_tree_remove(tmp, folder + strlen("/tmp/"), &none, &err) == 0,
	       "all of it is removed");
	return tap_end();
}
