/* Files that go with a call. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/magic.h"
#include "base/mem.h"
#include "platform/media.h"
#include "platform/telegram-send.h"

/* What its first bytes say. */
static const char *type_of(int fd)
{
	char head[512];
	ssize_t n = pread(fd, head, sizeof(head), 0);

	return n > 0 ? lb_magic_type(head, (size_t)n) : NULL;
}

static int open_file(const struct telegram *t,
		     const struct lb_telegram_upload *from,
		     struct lb_multipart_file *to, struct lb_error *err)
{
	lb_autoclose int fd = -1;
	const char *state = t->bot->send->state;
	struct stat st;

	if (!state)
		return lb_fail(err, LB_DENIED,
			       "there is no folder of files: set LB_STATE");
	fd = lb_media_open(state, from->path, err);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return lb_fail(err, LB_DENIED, "'%.200s' is no file",
			       from->path);
	to->type = type_of(fd);
	to->size = (size_t)st.st_size;
	to->fd = fd;
	fd = -1;
	return 0;
}

static int open_one(const struct telegram *t,
		    const struct lb_telegram_upload *from,
		    struct lb_multipart_file *to, struct lb_error *err)
{
	*to = (struct lb_multipart_file){.name = from->field,
					 .file_name = from->name,
					 .fd = -1,
					 .data = lb_buf_str(&from->bytes),
					 .size = from->bytes.len};
	if (!from->path)
		to->type = lb_magic_type(to->data, to->size);
	else if (open_file(t, from, to, err) < 0)
		return -1;
	if (from->max > 0 && (int64_t)to->size > from->max)
		return lb_fail(err, LB_DATA,
			       "'%.100s' has %zu bytes, and the platform "
			       "takes %lld",
			       from->name, to->size, (long long)from->max);
	return 0;
}

int telegram_files_open(const struct telegram *t,
			const struct lb_telegram_call *call,
			struct lb_multipart_file **take, struct lb_error *err)
{
	size_t n = call->n_uploads;

	*take = n ? lb_alloc(n * sizeof(**take)) : NULL;
	for (size_t i = 0; i < n; i++)
		(*take)[i].fd = -1;
	for (size_t i = 0; i < n; i++)
		if (open_one(t, &call->uploads[i], &(*take)[i], err) < 0) {
			for (size_t k = 0; k <= i; k++)
				lb_close_fd(&(*take)[k].fd);
			free(*take);
			*take = NULL;
			return -1;
		}
	return 0;
}
