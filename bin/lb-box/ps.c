/* lb-box ps, stop and logs: the processes that go on */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/table.h"
#include "base/utf8.h"
#include "base/watch.h"
#include "box.h"
#include "box/keeper.h"
#include "box/kept.h"
#include "keep.h"

enum { LOOK_MS = 1000 };

static const char *config_file;
static bool json, follow, at_once;
static int64_t grace;
static long lines;

const struct lb_opt ps_options[] = {
	{'c', "config", "FILE", "read this configuration",
	 .text = &config_file},
	{.name = "json", .help = "write a line of JSON each", .flag = &json},
	BOX_WORKSPACE,
	{0},
};

const struct lb_opt stop_options[] = {
	{'c', "config", "FILE", "read this configuration",
	 .text = &config_file},
	{.name = "grace",
	 .arg = "TIME",
	 .help = "from the end of its input to its death (default 5s)",
	 .duration = &grace},
	{.name = "kill", .help = "kill it at once", .flag = &at_once},
	BOX_WORKSPACE,
	{0},
};

const struct lb_opt logs_options[] = {
	{'c', "config", "FILE", "read this configuration",
	 .text = &config_file},
	{'n', "lines", "N", "only the last N", .number = &lines, .min = 1,
	 .max = 1000000},
	{'f', "follow", NULL, "go on as long as it runs", .flag = &follow},
	BOX_WORKSPACE,
	{0},
};

static void list(void *arg, const char *name, const json_t *info)
{
	json_t *row = json_copy((json_t *)(uintptr_t)info);
	lb_autobuf struct lb_buf command = {NULL};
	int64_t time = 0;
	size_t i;
	json_t *word;

	(void)name;
	json_array_foreach(json_object_get(info, "command"), i, word)
		lb_buf_printf(&command, "%s%s", i ? " " : "",
			      json_string_value(word));
	if (!json && isatty(STDOUT_FILENO))
		json_object_set_new(row, "command",
				    lb_json_text(lb_buf_str(&command),
						 command.len));
	lb_json_int(info, "started_at", &time);
	lb_table_time(arg, row, "started_at", time);
	if (lb_json_int(info, "exited_at", &time))
		lb_table_time(arg, row, "exited_at", time);
	lb_table_row(arg, row);
}

int ps_verb(int argc, char **argv)
{
	static const char *const columns[] = {"name",       "status",
					      "exit_code",  "session",
					      "pid",        "attached",
					      "started_at", "command",
					      NULL};
	struct place p = {NULL, NULL, NULL};
	struct lb_table *table = NULL;
	struct lb_error err;
	int bad = place_open(&p, config_file, &err);

	(void)argc;
	(void)argv;
	if (bad == 0) {
		table = lb_table_open(columns, json);
		bad = lb_kept_each(p.processes, list, table, &err);
		lb_table_close(table);
	}
	place_close(&p);
	return bad < 0 ? lb_report(&err) : LB_OK;
}

int stop_verb(int argc, char **argv)
{
	struct place p = {NULL, NULL, NULL};
	struct lb_error err;
	int code = LB_OK;

	if (place_open(&p, config_file, &err) < 0) {
		place_close(&p);
		return lb_report(&err);
	}
	if (!grace)
		grace = KEEP_GRACE_MS;
	for (int i = 0; i < argc; i++) {
		lb_autofree char *folder = lb_kept_folder(p.processes, argv[i]);

		if (lb_kept_check_name(argv[i], &err) == 0 &&
		    lb_kept_stop(folder, at_once ? 0 : grace, &err) == 0)
			continue;
		lb_complain("%s", err.text);
		code = code == LB_OK ? (int)err.code : code;
	}
	place_close(&p);
	return code;
}

/* On a terminal nothing that it obeys. */
static void print(const char *text, size_t len)
{
	lb_autobuf struct lb_buf clean = {NULL};

	if (isatty(STDOUT_FILENO)) {
		lb_text_visible(&clean, text, len);
		text = lb_buf_str(&clean);
		len = clean.len;
	}
	fwrite(text, 1, len, stdout);
	fflush(stdout);
}

static const char *last_lines(const char *text, size_t *len)
{
	const char *from = text + *len;
	long n = lines;

	if (!lines)
		return text;
	while (from > text && (from[-1] != '\n' || n-- > 0))
		from--;
	*len -= (size_t)(from - text);
	return from;
}

/* What comes more, until its keeper is gone. */
static void go_on(const char *folder, const char *path, off_t at)
{
	int change = lb_watch_open(path);
	bool lives = true;
	char text[8192];

	while (lives) {
		struct pollfd p = {.fd = change, .events = POLLIN};
		lb_autoclose int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t n;

		lives = lb_kept_keeper(folder) != 0;
		if (fd >= 0 && lseek(fd, 0, SEEK_END) < at)
			at = 0; /* it began anew */
		while (fd >= 0 && (n = pread(fd, text, sizeof(text), at)) > 0) {
			print(text, (size_t)n);
			at += n;
		}
		if (!lives)
			break;
		poll(&p, change >= 0 ? 1 : 0, LOOK_MS);
		if (change >= 0)
			lb_watch_drain(change);
	}
	if (change >= 0)
		close(change);
}

static int show(const struct place *p, const char *name, struct lb_error *err)
{
	lb_autofree char *folder = lb_kept_folder(p->processes, name);
	lb_autofree char *path = lb_printf("%s/log", folder);
	lb_autofree char *before = lb_printf("%s/log.1", folder), *text = NULL;
	lb_autobuf struct lb_buf all = {NULL};
	struct lb_error none;
	const char *from;
	size_t len, shown;
	off_t at = 0;

	if (lb_kept_check_name(name, err) < 0)
		return -1;
	if (access(path, F_OK) < 0)
		return lb_fail(err, LB_NOINPUT, "there is no process '%s'",
			       name);
	if (lb_path_read(before, 2 * LB_KEEPER_LOG, &text, &len, &none) == 0)
		lb_buf_put(&all, text, len);
	free(text);
	text = NULL;
	if (lb_path_read(path, 2 * LB_KEEPER_LOG, &text, &len, err) < 0)
		return -1;
	lb_buf_put(&all, text, len);
	at = (off_t)len;
	shown = all.len;
	from = last_lines(lb_buf_str(&all), &shown);
	print(from, shown);
	if (follow)
		go_on(folder, path, at);
	return 0;
}

int logs_verb(int argc, char **argv)
{
	struct place p = {NULL, NULL, NULL};
	struct lb_error err;
	int bad = place_open(&p, config_file, &err);

	(void)argc;
	if (bad == 0)
		bad = show(&p, argv[0], &err);
	place_close(&p);
	return bad < 0 ? lb_report(&err) : LB_OK;
}
