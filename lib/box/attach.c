#include "box/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/proc.h"
#include "box/attaching.h"

/* What is read at once; lines that it may say. */
enum { PIECE = 256 * 1024, MAX_LINES = 256 };

struct lb_attach {
	struct lb_attach_job job;
	char *session, *key; /* the job's; owned */
	struct lb_timer timer;
	pid_t pid;
	int from;
	struct lb_buf said; /* what is not understood yet */
	json_t *files;
	size_t lines, collected;
	/* The file that comes: what it is, where it goes. */
	json_t *coming; /* NULL: none */
	char *path, *temporary;
	int to;      /* -1: it cannot be kept */
	size_t left; /* bytes of it */
	bool ended;
	struct lb_error why; /* LB_OK: nothing went wrong */
};

void lb_attach_file_release(struct lb_attach_file *f)
{
	free(f->name);
	if (f->fd >= 0)
		close(f->fd);
	lb_buf_release(&f->data);
	*f = (struct lb_attach_file){.fd = -1};
}

static void drop_coming(struct lb_attach *a)
{
	if (a->to >= 0)
		close(a->to);
	a->to = -1;
	if (a->temporary)
		unlink(a->temporary);
	free(lb_steal(&a->temporary));
	free(lb_steal(&a->path));
	json_decref(a->coming);
	a->coming = NULL;
	a->left = 0;
}

static void release(struct lb_attach *a)
{
	lb_loop_watch(a->job.loop, a->from, 0, NULL, NULL);
	close(a->from);
	lb_timer_cancel(a->job.loop, &a->timer);
	kill(a->pid, SIGKILL);
	while (waitpid(a->pid, NULL, 0) < 0 && errno == EINTR)
		;
	drop_coming(a);
	json_decref(a->files);
	lb_buf_release(&a->said);
	free(a->session);
	free(a->key);
	free(a);
}

void lb_attach_cancel(struct lb_attach *a)
{
	if (a)
		release(a);
}

static void finish(struct lb_attach *a)
{
	const struct lb_attach_job job = a->job;
	const struct lb_error why = a->why;
	json_t *files = a->files;

	a->files = NULL;
	release(a);
	job.done(job.arg, files, why.code == LB_OK ? NULL : &why);
	json_decref(files);
}

static void fail_sys(struct lb_attach *a, const char *what)
{
	struct lb_error err;

	lb_fail_sys(&err, LB_IO, "%s", what);
	lb_complain("a file from a sandbox is not kept: %s", err.text);
	if (a->to >= 0)
		close(a->to);
	a->to = -1;
}

/* Where it is written to, before it has its name. */
static void open_file(struct lb_attach *a)
{
	lb_autofree char *folder = NULL;
	struct lb_error err;

	a->path = a->job.place(a->job.arg, lb_json_str(a->coming, "name"),
			       a->collected++);
	a->temporary = lb_printf("%s.%ld.part", a->path, (long)getpid());
	folder = lb_strdup(a->path);
	*strrchr(folder, '/') = '\0';
	if (lb_path_make(folder, &err) < 0) {
		lb_complain("a file from a sandbox is not kept: %s", err.text);
		return;
	}
	unlink(a->temporary);
	a->to = open(a->temporary,
		     O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		     0600);
	if (a->to < 0)
		fail_sys(a, a->temporary);
}

/* All of it came: it is kept under its name, or the user is told. */
static void close_file(struct lb_attach *a)
{
	if (a->to >= 0 &&
	    (fsync(a->to) < 0 || rename(a->temporary, a->path) < 0))
		fail_sys(a, a->path);
	if (a->to >= 0) {
		free(lb_steal(&a->temporary));
		json_object_del(a->coming, "bytes");
		json_object_set_new(a->coming, "path",
				    lb_json_text(a->path, strlen(a->path)));
		json_array_append(a->files, a->coming);
	} else {
		json_array_append_new(a->files,
				      lb_json_pack("{s:O, s:s}", "name",
						   json_object_get(a->coming,
								   "name"),
						   "why", "unread"));
	}
	drop_coming(a);
}

static void write_file(struct lb_attach *a, const char *data, size_t len)
{
	a->left -= len;
	while (a->to >= 0 && len > 0) {
		ssize_t n = write(a->to, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			fail_sys(a, a->temporary);
			return;
		}
		data += n;
		len -= (size_t)n;
	}
}

static int not_ours(struct lb_attach *a)
{
	return lb_fail(&a->why, LB_BUG,
		       "what looks after attachments said what it should not");
}

/* The beginning of a file. */
static int take_header(struct lb_attach *a, json_t *line, int64_t bytes)
{
	if (bytes <= 0 || bytes > LB_ATTACH_ITEM || !a->job.place ||
	    a->collected >= LB_ATTACH_OUT_FILES || !lb_json_str(line, "name"))
		return not_ours(a);
	a->coming = json_incref(line);
	a->left = (size_t)bytes;
	open_file(a);
	return 0;
}

static int take_line(struct lb_attach *a, const char *text, size_t len)
{
	json_auto_t *line = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	const char *failed = lb_json_str(line, "failed");
	int64_t number = LB_BUG;

	if (!json_is_object(line) || ++a->lines > MAX_LINES)
		return not_ours(a);
	if (failed) {
		lb_json_int(line, "code", &number);
		return lb_fail(&a->why, (enum lb_exit)number, "%s", failed);
	}
	if (lb_json_bool(line, "end", false)) {
		a->ended = true;
		return 0;
	}
	if (lb_json_int(line, "bytes", &number))
		return take_header(a, line, number);
	json_array_append(a->files, line);
	return 0;
}

/* As much as can be understood. */
static int understand(struct lb_attach *a)
{
	size_t at = 0;

	while (at < a->said.len && !a->ended) {
		const char *text = a->said.data + at;
		size_t n = a->said.len - at;
		const char *end;

		if (a->coming) {
			n = n < a->left ? n : a->left;
			write_file(a, text, n);
			at += n;
			if (a->left == 0)
				close_file(a);
			continue;
		}
		end = memchr(text, '\n', n);
		if (!end && n > LB_ATTACH_LINE)
			return not_ours(a);
		if (!end)
			break;
		at += (size_t)(end - text) + 1;
		if (take_line(a, text, (size_t)(end - text)) < 0)
			return -1;
	}
	lb_buf_shift(&a->said, at);
	return 0;
}

static void on_said(int fd, uint32_t events, void *arg)
{
	struct lb_attach *a = arg;
	ssize_t n;

	(void)events;
	lb_buf_reserve(&a->said, PIECE);
	n = read(fd, a->said.data + a->said.len, PIECE);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n > 0) {
		a->said.len += (size_t)n;
		a->said.data[a->said.len] = '\0';
		if (understand(a) == 0 && !a->ended)
			return;
	}
	if (!a->ended && a->why.code == LB_OK)
		lb_fail(&a->why, LB_OS,
			"what looks after attachments ended too early");
	finish(a);
}

static void on_late(void *arg)
{
	struct lb_attach *a = arg;

	lb_fail(&a->why, LB_AGAIN, "attachments took too long");
	finish(a);
}

struct lb_attach *lb_attach_start(const struct lb_attach_job *job,
				  struct lb_error *err)
{
	pid_t parent = getpid(), pid;
	struct lb_attach *a;
	int from = -1;

	pid = lb_proc_split(&from, err);
	if (pid == 0)
		lb_attach_child(job, parent);
	if (pid < 0)
		return NULL;
	a = lb_alloc(sizeof(*a));
	a->job = *job;
	a->job.session = a->session = lb_strdup(job->session);
	a->job.key = a->key = lb_strdup(job->key);
	a->files = json_array();
	a->pid = pid;
	a->from = from;
	a->to = -1;
	lb_loop_watch(job->loop, from, EPOLLIN, on_said, a);
	lb_timer_set(job->loop, &a->timer, lb_clock_mono() + LB_ATTACH_MS,
		     on_late, a);
	return a;
}
