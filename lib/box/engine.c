#include "box/engine.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/id.h"
#include "base/mem.h"
#include "base/path.h"
#include "box/place.h"
#include "fs/tree.h"

enum {
	ID = 12, /* characters */
	TIDY_MS = 15000,
	MOST_LEFT = 1000, /* runs that are removed at once */
	FILE_MB = 1024,   /* a file, when nothing is said */
};

static const struct lb_tree_limits no_limits;

void lb_argv_add(struct lb_argv *a, ...)
{
	const char *text;
	va_list texts;

	va_start(texts, a);
	while ((text = va_arg(texts, const char *)) != NULL) {
		a->at = lb_grow(a->at, (a->n + 2) * sizeof(*a->at));
		a->at[a->n++] = lb_strdup(text);
		a->at[a->n] = NULL;
	}
	va_end(texts);
}

void lb_argv_printf(struct lb_argv *a, const char *fmt, ...)
{
	lb_autofree char *text = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	lb_argv_add(a, text ? text : "", NULL);
}

void lb_argv_config(struct lb_argv *a, struct lb_config *config,
		    const char *key)
{
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)lb_config_get(config, key), i,
			   one)
	{
		lb_argv_add(a, json_string_value(one), NULL);
	}
}

void lb_argv_release(struct lb_argv *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->at[i]);
	free(a->at);
	*a = (struct lb_argv){NULL, 0};
}

void lb_engine_env(struct lb_argv *env)
{
	static const char *const names[] = {
		"HOME",
		"XDG_RUNTIME_DIR",
		"XDG_CONFIG_HOME",
		"XDG_DATA_HOME",
		"DBUS_SESSION_BUS_ADDRESS",
		"CONTAINERS_CONF",
		"CONTAINERS_STORAGE_CONF",
		"DOCKER_CONFIG",
		"DOCKER_HOST",
		"SSH_AUTH_SOCK",
	};
	const char *path = lb_config_env("PATH");

	lb_argv_printf(env, "PATH=%s",
		       path ? path : "/usr/local/bin:/usr/bin:/bin:/usr/sbin");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *text = lb_config_env(names[i]);

		if (text)
			lb_argv_printf(env, "%s=%s", names[i], text);
	}
}

/* The folder of runs, made and open. */
static int open_runs(struct lb_box *box, char **path, struct lb_error *err)
{
	lb_autofree char *root = lb_box_base(box->config, box->state);
	lb_autofree char *real = NULL;
	int fd;

	if (lb_path_make(root, err) < 0)
		return -1;
	real = realpath(root, NULL);
	*path = lb_printf("%s/runs", real ? real : root);
	if (lb_path_make(*path, err) < 0)
		return -1;
	fd = open(*path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	return fd >= 0 ? fd
		       : lb_fail_sys(err, LB_IO, "cannot open '%s'", *path);
}

static bool is_id(const char *text)
{
	size_t n = strspn(text, "0123456789abcdef");

	return n == ID && text[n] == '\0';
}

/* A link's target is there whole or not at all. */
char *lb_engine_id(struct lb_box *box, struct lb_error *err)
{
	lb_autofree char *path = NULL;
	lb_autoclose int fd = open_runs(box, &path, err);
	char id[ID + 1], there[64];
	ssize_t len;

	if (fd < 0)
		return NULL;
	snprintf(id, sizeof(id), "%012llx",
		 (unsigned long long)(lb_random() & 0xffffffffffffULL));
	if (symlinkat(id, fd, ".id") < 0 && errno != EEXIST) {
		lb_fail_sys(err, LB_IO, "cannot make '%s/.id'", path);
		return NULL;
	}
	len = readlinkat(fd, ".id", there, sizeof(there) - 1);
	there[len > 0 ? len : 0] = '\0';
	if (is_id(there))
		return lb_strdup(there);
	lb_fail(err, LB_IO, "'%s/.id' is none of ours; remove it", path);
	return NULL;
}

/* A file that whoever is inside may read, whatever our umask. */
static int put_file(int at, const char *name, const char *text, size_t len)
{
	lb_autoclose int fd =
		openat(at, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
	size_t done = 0;
	ssize_t n = 0;

	if (fd < 0 || fchmod(fd, 0444) < 0)
		return -1;
	for (; done < len && n >= 0; done += n > 0 ? (size_t)n : 0)
		n = write(fd, text + done, len - done);
	return n < 0 ? -1 : 0;
}

static int put_pipe(int at, const char *name, mode_t mode)
{
	return mkfifoat(at, name, mode) < 0 ? -1 : fchmodat(at, name, mode, 0);
}

static int fill(int at, const struct lb_box_exec *x, bool is_blind)
{
	lb_autobuf struct lb_buf script = {NULL};
	const char *cmd = x->spec->cmd;
	lb_autoclose int in = -1;

	if (mkdirat(at, LB_TENDED_INSIDE, 0755) < 0 ||
	    fchmodat(at, LB_TENDED_INSIDE, 0755, 0) < 0)
		return -1;
	in = openat(at, LB_TENDED_INSIDE, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (in < 0)
		return -1;
	lb_engine_script(x, is_blind, &script);
	if (put_file(in, "start", script.data, script.len) < 0 ||
	    (cmd && put_file(in, "command", cmd, strlen(cmd)) < 0))
		return -1;
	return put_pipe(in, "ready", 0666) < 0 || put_pipe(in, "gate", 0644) < 0
		       ? -1
		       : 0;
}

int lb_engine_begin(struct lb_box *box, const struct lb_box_exec *x,
		    bool is_blind, struct lb_engine_run *run,
		    struct lb_error *err)
{
	lb_autofree char *id = lb_engine_id(box, err), *runs = NULL,
			 *new = NULL;
	lb_autoclose int at = id ? open_runs(box, &runs, err) : -1;

	if (at < 0)
		return -1;
	if (strchr(runs, ':'))
		return lb_fail(err, LB_CONFIG,
			       "'%s' has a ':' in it, which engines read "
			       "otherwise; put the state elsewhere",
			       runs);
	run->name =
		lb_printf("lb-%s-%016llx", id, (unsigned long long)lb_random());
	run->folder = lb_printf("%s/%s", runs, run->name);
	new = lb_printf(".%s", run->name);
	if (mkdirat(at, new, 0700) == 0)
		run->lock = openat(at, new, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* It has its name when it is held: others remove what nobody holds. */
	if (run->lock < 0 || flock(run->lock, LOCK_EX | LOCK_NB) < 0 ||
	    fill(run->lock, x, is_blind) < 0 ||
	    renameat(at, new, at, run->name) < 0)
		return lb_fail_sys(err, LB_IO, "cannot make '%s'", run->folder);
	return 0;
}

void lb_engine_end(struct lb_engine_run *run, bool undo)
{
	lb_autofree char *new = lb_printf(".%s", run->name ? run->name : "");
	struct lb_error ignored;
	int at;

	if (undo && run->lock >= 0) {
		at = openat(run->lock, "..",
			    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		lb_tree_remove(at, new, &no_limits, &ignored);
		lb_tree_remove(at, run->name, &no_limits, &ignored);
		close(at);
	}
	if (run->lock >= 0)
		close(run->lock);
	free(run->name);
	free(run->folder);
}

/* Nobody tends it: remove it where it runs, and then its folder. */
static bool remove_left(int runs, const char *name,
			const struct lb_argv *remove, const struct lb_argv *env)
{
	lb_autoclose int lock =
		openat(runs, name,
		       O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	lb_autobuf struct lb_buf said = {NULL};
	struct lb_argv argv = {NULL, 0};
	struct lb_error ignored;
	int status;

	if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB) < 0)
		return lock >= 0 || errno == ENOENT;
	for (size_t i = 0; i < remove->n; i++)
		lb_argv_add(&argv, remove->at[i], NULL);
	lb_argv_add(&argv, name, NULL);
	status = remove->n == 0
			 ? 0
			 : lb_tender_run(argv.at, env->at, TIDY_MS, &said);
	lb_argv_release(&argv);
	lb_buf_str(&said);
	if (status != 0 &&
	    !strcasestr(lb_buf_str(&said), "no such container") &&
	    !strcasestr(lb_buf_str(&said), "no container with"))
		return false;
	return lb_tree_remove(runs, name, &no_limits, &ignored) == 0;
}

int lb_engine_tidy(struct lb_box *box, const struct lb_argv *remove,
		   const struct lb_argv *env)
{
	struct lb_error ignored;
	lb_autofree char *path = NULL;
	lb_autoclose int fd = open_runs(box, &path, &ignored);
	int copy = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0), bad = 0;
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *one;

	for (int n = 0; dir && n < MOST_LEFT && (one = readdir(dir)); n++)
		if (strncmp(one->d_name, "lb-", 3) == 0)
			bad += !remove_left(fd, one->d_name, remove, env);
	if (dir)
		closedir(dir);
	return bad;
}

/* Does it only say where help is? */
static bool is_advice(const char *line)
{
	return strncmp(line, "Run '", 5) == 0 || strncmp(line, "See '", 5) == 0;
}

/* The last of its lines that says something. Cuts the text. */
const char *lb_engine_words(char *text)
{
	static const char *const begins[] = {"docker: ", "Error: ",
					     "Error response from daemon: "};
	char *end = text + strlen(text), *line = text;

	for (;;) {
		while (end > text && isspace((unsigned char)end[-1]))
			*--end = '\0';
		line = strrchr(text, '\n');
		line = line ? line + 1 : text;
		if (line == text || !is_advice(line))
			break;
		end = line;
	}
	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (strncmp(line, begins[i], strlen(begins[i])) == 0)
			line += strlen(begins[i]);
	return line;
}

int lb_engine_explain(const char *name, const char *said, struct lb_error *err)
{
	lb_autofree char *text = lb_strdup(said);
	const char *line = lb_engine_words(text);

	return lb_fail(err, LB_UNAVAILABLE,
		       "there is no sandbox: %s failed: %s; 'lb-box doctor' "
		       "says more",
		       name, *line ? line : "it said nothing");
}

int64_t lb_engine_file_bytes(const struct lb_box_exec *x)
{
	int64_t mb = x->spec->quota_mb;

	if (mb <= 0)
		mb = x->own_workspace ? LB_ENGINE_OWN_MB : FILE_MB;
	return mb << 20;
}
