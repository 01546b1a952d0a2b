#include "box/keeper-log.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "box/keeper.h"

static void open_file(struct lb_keeper_log *log)
{
	lb_autofree char *path = lb_printf("%s/log", log->folder);
	struct stat st;

	log->fd = open(path,
		       O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
		       0600);
	log->size = log->fd >= 0 && fstat(log->fd, &st) == 0 ? st.st_size : 0;
}

int lb_keeper_log_open(struct lb_keeper_log *log, const char *folder,
		       struct lb_error *err)
{
	log->folder = folder;
	open_file(log);
	return log->fd >= 0 ? 0
			    : lb_fail_sys(err, LB_IO, "cannot open '%s/log'",
					  folder);
}

void lb_keeper_log_close(struct lb_keeper_log *log)
{
	if (log->fd >= 0)
		close(log->fd);
	log->fd = -1;
}

static void begin_anew(struct lb_keeper_log *log)
{
	lb_autofree char *path = lb_printf("%s/log", log->folder);
	lb_autofree char *before = lb_printf("%s/log.1", log->folder);

	lb_keeper_log_close(log);
	if (rename(path, before) < 0)
		unlink(path);
	open_file(log);
}

void lb_keeper_log_put(struct lb_keeper_log *log, const char *text, size_t len)
{
	ssize_t n;

	if (log->size + (off_t)len > LB_KEEPER_LOG)
		begin_anew(log);
	/* A full disk costs the process its log, nothing else. */
	n = log->fd >= 0 ? write(log->fd, text, len) : -1;
	log->size += n > 0 ? n : 0;
}

void lb_keeper_log(struct lb_keeper_log *log, const char *fmt, ...)
{
	lb_autobuf struct lb_buf line = {NULL};
	char now[LB_CLOCK_TEXT], text[LB_ERROR_TEXT];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	lb_clock_local(lb_clock_now(), now);
	lb_buf_printf(&line, "lb-box: %s: %s\n", now, text);
	lb_keeper_log_put(log, line.data, line.len);
}
