/* grep - the lines that match, in the files of a folder. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "fs/beneath.h"
#include "fs/walk.h"
#include "tool/args.h"
#include "tool/lines.h"
#include "tool/pattern.h"
#include "tool/search.h"
#include "tool/shown.h"
#include "tool/tool.h"

enum {
	MAX_MATCHES = 200,
	MAX_FILES = 5000,
	MAX_PATTERN = 1024,
	MAX_FILE = 10 * 1024 * 1024,
	MAX_TOTAL = 50 * 1024 * 1024,
	FIRST_BLOCK = 8000, /* where a zero byte says that a file is binary */
	PIECE = 128 * 1024,
	SHOWN_CHARS = 500, /* of a line */
	BEFORE = 100,      /* bytes before a match that is further on */
	AROUND = 64,       /* what a match costs beside its texts */
};

const char lb_tool_grep_schema[] =
	"{\"type\":\"object\",\"properties\":{"
	"\"pattern\":{\"type\":\"string\",\"maxLength\":1024,\"description\":"
	"\"a regular expression in Perl's syntax, matched against each line "
	"alone; (?i) in front ignores case\"},"
	"\"path\":{\"type\":\"string\",\"default\":\"/workspace\","
	"\"description\":\"a folder or a file\"},"
	"\"include\":{\"type\":\"string\",\"maxLength\":1024,\"description\":"
	"\"only files whose names match this pattern, such as *.{c,h} or "
	"src/**/*.py\"}},"
	"\"required\":[\"pattern\"],\"additionalProperties\":false}";

struct grep {
	struct lb_line_search search;
	const struct lb_spot *spot;
	const char
		*path; /* of the file, below the spot; NULL: it is the spot */
	json_t *matches;
	size_t shown, files;
	int64_t total; /* bytes that were read */
	char *text;
	size_t cap;
	const char *stopped_by;
	bool cut_line, cut_file;
};

/* A line as it is shown; further on from its start if the match is there. */
static void show_line(struct grep *g, const struct lb_line_found *line,
		      struct lb_buf *out)
{
	const char *text = line->text, *mark = "";
	size_t len = line->len, most;

	while (len > 0 && strchr(" \t\r\v\f", text[len - 1]) && text[len - 1])
		len--;
	if (len > SHOWN_CHARS && line->from > SHOWN_CHARS - BEFORE) {
		size_t skip = line->from - BEFORE;

		while (((unsigned char)text[skip] & 0xc0) == 0x80 && skip > 0)
			skip--;
		text += skip;
		len -= len > skip ? skip : len;
		mark = "... ";
		g->cut_line = true;
	}
	lb_buf_puts(out, mark);
	lb_show(out, text, len > 4 * SHOWN_CHARS ? 4 * SHOWN_CHARS : len,
		4 * SHOWN_CHARS, true);
	if (lb_utf8_count(lb_buf_str(out), out->len) <= SHOWN_CHARS)
		return;
	for (most = 0; lb_utf8_count(out->data, most) < SHOWN_CHARS;)
		most += lb_utf8_char(out->data + most, out->len - most);
	out->len = most;
	lb_buf_puts(out, " ... [line cut]");
	g->cut_line = true;
}

static bool add_match(void *arg, const struct lb_line_found *line)
{
	struct grep *g = arg;
	lb_autofree char *path =
		g->path ? lb_printf("%s/%s", g->spot->shown, g->path)
			: lb_strdup(g->spot->shown);
	lb_autobuf struct lb_buf text = {0};

	if (json_array_size(g->matches) == MAX_MATCHES) {
		g->stopped_by = "matches";
		return false;
	}
	show_line(g, line, &text);
	if (g->shown + text.len + strlen(path) + AROUND > LB_TOOL_BYTES) {
		g->stopped_by = "bytes";
		return false;
	}
	g->shown += text.len + strlen(path) + AROUND;
	json_array_append_new(g->matches,
			      lb_json_pack("{s:o, s:I, s:o}", "file",
					   lb_json_text(path, strlen(path)),
					   "line", (json_int_t)line->number,
					   "content",
					   lb_json_text(lb_buf_str(&text),
							text.len)));
	return true;
}

/* The file, as far as it is looked at; -1: it cannot be read. */
static ssize_t read_file(struct grep *g, int fd)
{
	size_t len = 0;

	for (;;) {
		ssize_t n;

		if (g->cap < len + PIECE) {
			g->cap = len == 0 ? PIECE : 2 * g->cap;
			g->text = lb_grow(g->text, g->cap);
		}
		n = read(fd, g->text + len, g->cap - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -1 : (ssize_t)len;
		if (len == 0 &&
		    memchr(g->text, '\0',
			   (size_t)(n > FIRST_BLOCK ? FIRST_BLOCK : n)))
			return 0; /* binary */
		len += (size_t)n;
		if (len > MAX_FILE) {
			g->cut_file = true;
			return MAX_FILE;
		}
		/* A regular file gives what it has, unless that is all. */
		if (len < g->cap)
			return (ssize_t)len;
	}
}

/* False: enough. */
static bool search_file(struct grep *g, int fd)
{
	ssize_t len;

	if (g->files == MAX_FILES || g->total > MAX_TOTAL) {
		g->stopped_by = g->files == MAX_FILES ? "files" : "total";
		return false;
	}
	g->files++;
	len = read_file(g, fd);
	if (len <= 0)
		return true;
	g->total += len;
	if (lb_line_search(&g->search, g->text, (size_t)len))
		return true;
	if (g->search.late)
		g->stopped_by = "time";
	return false;
}

static bool visit(struct grep *g, const struct lb_walk_entry *e)
{
	lb_autoclose int fd = openat(e->folder, e->name,
				     O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
					     O_NOCTTY | O_CLOEXEC);

	g->path = e->path;
	return fd < 0 || search_file(g, fd);
}

static void search_folder(struct grep *g, struct lb_walk *walk,
			  const struct lb_path_pattern *include)
{
	struct lb_walk_entry e;

	while (!g->stopped_by && lb_walk_next(walk, &e) > 0) {
		if (lb_search_skips(e.name))
			continue;
		if (e.type == DT_DIR)
			lb_walk_enter(walk);
		else if (e.type == DT_REG &&
			 (!include ||
			  lb_path_pattern_match(include, e.path, e.path_len,
						false)) &&
			 !visit(g, &e))
			return;
	}
	if (!g->stopped_by)
		g->stopped_by = lb_search_ended(walk);
}

static json_t *say(struct grep *g)
{
	const char *by = g->stopped_by                  ? g->stopped_by
			 : g->search.gave_up            ? "regex"
			 : g->cut_file                  ? "file"
			 : g->cut_line || g->search.cut ? "line"
							: NULL;

	return lb_json_pack("{s:b, s:O, s:I, s:I, s:b, s:o}", "ok", 1,
			    "matches", g->matches, "total",
			    (json_int_t)json_array_size(g->matches), "files",
			    (json_int_t)g->files, "truncated", by != NULL,
			    "truncated_by", lb_tool_word(by));
}

static json_t *in_folder(struct grep *g, const char *include_text)
{
	struct lb_path_pattern *include = NULL;
	struct lb_walk *walk;
	struct lb_error err;

	if (include_text) {
		include = lb_path_pattern_open(lb_search_below(g->spot,
							       include_text),
					       &err);
		if (!include)
			return lb_tool_no(&err);
	}
	walk = lb_search_open(g->spot, true, &err);
	if (walk)
		search_folder(g, walk, include);
	lb_walk_close(walk);
	lb_path_pattern_close(include);
	return walk ? say(g) : lb_tool_no(&err);
}

/* The spot is a file, or a folder that is walked. */
static json_t *search(struct grep *g, const char *include)
{
	const struct lb_beneath at = {g->spot->root, g->spot->path,
				      g->spot->shown};
	struct lb_error err;
	lb_autoclose int fd =
		lb_beneath_open(&at, O_RDONLY, LB_BENEATH_EITHER, &err);
	struct stat st;

	if (fd < 0)
		return lb_tool_no(&err);
	if (fstat(fd, &st) < 0 || S_ISDIR(st.st_mode))
		return in_folder(g, include);
	search_file(g, fd);
	return say(g);
}

json_t *lb_tool_grep(const struct lb_place *place, const json_t *arguments)
{
	json_auto_t *matches = json_array();
	lb_autospot struct lb_spot spot = {0};
	struct grep g = {.spot = &spot, .matches = matches};
	size_t len, include_len;
	const char *pattern = lb_args_text(arguments, "pattern", &len);
	const char *include = lb_args_text(arguments, "include", &include_len);
	struct lb_error err;
	json_t *result;

	if (len == 0 || len > MAX_PATTERN || strlen(pattern) != len)
		return lb_tool_refuse("the pattern is empty, longer than %d "
				      "bytes or has a zero byte",
				      MAX_PATTERN);
	if (include && strlen(include) != include_len)
		return lb_tool_refuse("'include' has a zero byte");
	if (lb_args_spot(place, arguments, "/workspace", &spot, &err) < 0)
		return lb_tool_no(&err);
	if (spot.root < 0)
		return lb_tool_refuse("look in one skill, such as "
				      "/workspace/.skills/NAME, at a time");
	g.search.re = lb_regex_open_lines(pattern, &err);
	if (!g.search.re)
		return lb_tool_no(&err);
	lb_literal_read(&g.search.literal, pattern);
	g.search.deadline = lb_clock_mono() + LB_TOOL_SEARCH_MS;
	g.search.found = add_match;
	g.search.arg = &g;
	result = search(&g, include);
	lb_regex_close(g.search.re);
	free(g.text);
	return result;
}
