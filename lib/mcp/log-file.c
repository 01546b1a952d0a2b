#include "mcp/log-file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/utf8.h"

struct lb_log_file {
	char *folder, *path;
	int fd;
	off_t size;
};

static char *folder_of(const char *state)
{
	return lb_printf("%s/mcp/logs", state);
}

struct lb_log_file *lb_log_file_open(const char *state, const char *name)
{
	struct lb_log_file *log = lb_alloc(sizeof(*log));

	log->folder = folder_of(state);
	log->path = lb_printf("%s/%s", log->folder, name);
	log->fd = -1;
	return log;
}

void lb_log_file_close(struct lb_log_file *log)
{
	if (!log)
		return;
	lb_close_fd(&log->fd);
	free(log->folder);
	free(log->path);
	free(log);
}

static bool begin(struct lb_log_file *log)
{
	struct stat st;
	struct lb_error err;

	if (log->fd >= 0)
		return true;
	if (lb_path_make(log->folder, &err) < 0)
		return false;
	log->fd = open(log->path,
		       O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW |
			       O_NONBLOCK,
		       0600);
	if (log->fd >= 0 && fstat(log->fd, &st) == 0)
		log->size = st.st_size;
	return log->fd >= 0;
}

static void turn_over(struct lb_log_file *log)
{
	lb_autofree char *old = lb_printf("%s.1", log->path);

	lb_close_fd(&log->fd);
	log->fd = -1;
	log->size = 0;
	if (rename(log->path, old) < 0)
		unlink(log->path);
}

void lb_log_file_put(struct lb_log_file *log, const char *text, size_t len)
{
	lb_autobuf struct lb_buf line = {0};
	char time[LB_CLOCK_TEXT];
	ssize_t n;

	if (!log || !begin(log))
		return;
	if (log->size > LB_LOG_FILE_MAX) {
		turn_over(log);
		if (!begin(log))
			return;
	}
	lb_clock_text(lb_clock_now(), time);
	lb_buf_printf(&line, "%s ", time);
	lb_utf8_clean(&line, text, lb_utf8_cut(text, len, LB_LOG_FILE_LINE));
	lb_hide_secrets(&line);
	for (size_t i = 0; i < line.len; i++)
		if (line.data[i] == '\n' || line.data[i] == '\r')
			line.data[i] = ' ';
	lb_buf_putc(&line, '\n');
	n = write(log->fd, line.data, line.len);
	if (n > 0)
		log->size += n;
}

static int read_one(const char *path, struct lb_buf *out, struct lb_error *err)
{
	lb_autofree char *text = NULL;
	size_t len;

	if (lb_path_read(path, 2 * LB_LOG_FILE_MAX, &text, &len, err) < 0)
		return -1;
	lb_buf_put(out, text, len);
	return 0;
}

int lb_log_file_read(const char *state, const char *name, struct lb_buf *out,
		     struct lb_error *err)
{
	lb_autofree char *folder = folder_of(state);
	lb_autofree char *old = lb_printf("%s/%s.1", folder, name);
	lb_autofree char *now = lb_printf("%s/%s", folder, name);
	bool had = read_one(old, out, err) == 0;

	if (read_one(now, out, err) == 0 || had)
		return 0;
	return lb_fail(err, LB_NOINPUT, "server '%s' has said nothing so far",
		       name);
}

void lb_log_file_remove(const char *state, const char *name)
{
	lb_autofree char *folder = folder_of(state);
	lb_autofree char *old = lb_printf("%s/%s.1", folder, name);
	lb_autofree char *now = lb_printf("%s/%s", folder, name);

	unlink(old);
	unlink(now);
}
