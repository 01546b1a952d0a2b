/* attach-child.c - the process that touches files of a session. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "box/attaching.h"
#include "box/session.h"
#include "fs/beneath.h"
#include "fs/confine.h"
#include "fs/tree.h"

enum {
	CPU_SECONDS = 20,
	FILES = 256,
	TRIES = 8, /* while somebody puts other things in a folder's place */
};

static const int64_t mib = 1024 * 1024;

static void put(const char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t n = write(STDOUT_FILENO, bytes, len);

		if (n < 0 && errno != EINTR)
			_exit(LB_IO);
		bytes += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
}

void lb_attach_say(json_t *take, const char *bytes, size_t len)
{
	lb_autobuf struct lb_buf line = {0};

	if (bytes)
		json_object_set_new(take, "bytes",
				    json_integer((json_int_t)len));
	lb_buf_json(&line, take);
	lb_buf_putc(&line, '\n');
	json_decref(take);
	put(line.data, line.len);
	if (bytes)
		put(bytes, len);
}

void lb_attach_refuse(const char *name, const char *why)
{
	lb_attach_say(lb_json_pack("{s:s, s:s}", "name", name, "why", why),
		      NULL, 0);
}

int lb_attach_folder(int in, const char *name, struct lb_error *err)
{
	static const struct lb_tree_limits some = {.max_entries = 10000,
						   .max_ms = 5000};

	for (int i = 0; i < TRIES; i++) {
		int fd = lb_beneath_step(in, name, O_RDONLY | O_DIRECTORY, 0);

		if (fd >= 0)
			return fd;
		if (errno == ENOENT && mkdirat(in, name, 0700) < 0 &&
		    errno != EEXIST)
			break;
		/* A link or a file is in its place. */
		if ((errno == ELOOP || errno == ENOTDIR) &&
		    lb_tree_remove(in, name, &some, err) < 0)
			return -1;
	}
	return lb_fail_sys(err, LB_IO, "cannot make '%s'", name);
}

static int work(const struct lb_attach_place *place, struct lb_error *err)
{
	switch (place->job->what) {
	case LB_ATTACH_PUT:
		return lb_attach_put(place, err);
	case LB_ATTACH_MAKE:
		return lb_outbox_make(place, err);
	case LB_ATTACH_COLLECT:
		break;
	}
	return lb_outbox_collect(place, err);
}

/* The session's user, who sees its workspace and what he is to read. */
static int confine(const struct lb_box_session *s,
		   const struct lb_attach_job *job, pid_t parent,
		   struct lb_error *err)
{
	const struct lb_landlock_folder workspace = {s->workspace_fd, true};
	int keep[LB_ATTACH_IN_FILES + 1], abi;
	struct lb_confine c = {
		.folders = &workspace,
		.n = 1,
		.keep = keep,
		.drop = s->drop,
		.uid = s->uid,
		.gid = s->gid,
		.cpu_seconds = CPU_SECONDS,
		.file_size = LB_ATTACH_ITEM,
		.files = FILES,
		.parent = parent,
	};

	keep[c.n_keep++] = s->used; /* nobody deletes the session meanwhile */
	for (size_t i = 0; i < job->n && i < LB_ATTACH_IN_FILES; i++)
		if (job->files[i].fd >= 0)
			keep[c.n_keep++] = job->files[i].fd;
	return lb_confine(&c, &abi, err);
}

void lb_attach_child(const struct lb_attach_job *job, pid_t parent)
{
	struct lb_attach_place place = {.job = job};
	struct lb_box_session s;
	struct lb_error err;
	int done = -1;

	/* Making one that is a file system of its own needs our user. */
	if (lb_box_session_open(&s, job->config, job->state, job->session,
				job->quota_mb, &err) == 0 &&
	    confine(&s, job, parent, &err) == 0) {
		place.workspace = s.workspace_fd;
		if (s.quota == LB_BOX_QUOTA_SOFT)
			place.quota = s.quota_mb * mib;
		done = work(&place, &err);
	}
	if (done < 0)
		lb_attach_say(lb_json_pack("{s:o, s:i}", "failed",
					   lb_json_text(err.text,
							strlen(err.text)),
					   "code", (int)err.code),
			      NULL, 0);
	else
		lb_attach_say(lb_json_pack("{s:b}", "end", 1), NULL, 0);
	_exit(LB_OK);
}
