/* glob - files by their names, the newest first. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "fs/walk.h"
#include "tool/args.h"
#include "tool/pattern.h"
#include "tool/search.h"
#include "tool/shown.h"
#include "tool/tool.h"

enum { MAX_MATCHES = 100 };

const char lb_tool_glob_schema[] =
	"{\"type\":\"object\",\"properties\":{"
	"\"pattern\":{\"type\":\"string\",\"maxLength\":1024,\"description\":"
	"\"such as *.py, src/**/*.{ts,tsx} or docs/\"},"
	"\"path\":{\"type\":\"string\",\"default\":\"/workspace\","
	"\"description\":\"the folder to look in\"}},"
	"\"required\":[\"pattern\"],\"additionalProperties\":false}";

struct match {
	char *path;
	int64_t time; /* ns: when it was changed last */
};

/* The newest ones; when it is full, a heap with the oldest on top. */
struct newest {
	struct match at[MAX_MATCHES];
	size_t n;
	int64_t total;
};

/* Less than 0: a comes before b. */
static int order(const void *a, const void *b)
{
	const struct match *x = a, *y = b;

	if (x->time != y->time)
		return x->time > y->time ? -1 : 1;
	return strcmp(y->path, x->path);
}

static void sink(struct newest *new, size_t i)
{
	size_t child;

	for (; (child = 2 * i + 1) < new->n; i = child) {
		struct match swap = new->at[i];

		if (child + 1 < new->n &&
		    order(&new->at[child + 1], &new->at[child]) > 0)
			child++;
		if (order(&new->at[child], &swap) <= 0)
			return;
		new->at[i] = new->at[child];
		new->at[child] = swap;
	}
}

static void add(struct newest *new, const struct lb_walk_entry *e)
{
	struct match m = {.path = (char *)(uintptr_t)e->path};
	struct stat st;

	if (fstatat(e->folder, e->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return; /* gone by now */
	m.time = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	new->total++;
	if (new->n == MAX_MATCHES) {
		if (order(&m, &new->at[0]) >= 0)
			return;
		free(new->at[0].path);
		new->at[0] = m;
		new->at[0].path = lb_strndup(e->path, e->path_len);
		sink(new, 0);
		return;
	}
	m.path = lb_strndup(e->path, e->path_len);
	new->at[new->n++] = m;
	if (new->n == MAX_MATCHES)
		for (size_t i = new->n / 2; i > 0; i--)
			sink(new, i - 1);
}

static void find(struct lb_walk *walk, const struct lb_path_pattern *pattern,
		 struct newest *new)
{
	struct lb_walk_entry e;

	while (lb_walk_next(walk, &e) > 0) {
		bool is_folder = e.type == DT_DIR;

		if (e.type == DT_LNK || lb_search_skips(e.name))
			continue;
		if (lb_path_pattern_match(pattern, e.path, e.path_len,
					  is_folder))
			add(new, &e);
		if (is_folder &&
		    lb_path_pattern_reaches(pattern, e.path, e.path_len))
			lb_walk_enter(walk);
	}
}

static json_t *say(struct newest *new, const struct lb_spot *spot,
		   const char *stopped_by)
{
	json_t *result = json_object(), *matches = json_array();
	lb_autobuf struct lb_buf preview = {0};

	qsort(new->at, new->n, sizeof(new->at[0]), order);
	if (!stopped_by && new->total > MAX_MATCHES)
		stopped_by = "matches";
	for (size_t i = 0; i < new->n; i++) {
		lb_autofree char *path =
			lb_printf("%s/%s", spot->shown, new->at[i].path);
		lb_autobuf struct lb_buf shown = {0};

		lb_show(&shown, path, strlen(path), LB_TOOL_BYTES, true);
		if (preview.len + shown.len + 1 > LB_TOOL_BYTES) {
			stopped_by = "bytes";
			break;
		}
		if (i > 0)
			lb_buf_putc(&preview, '\n');
		lb_buf_put(&preview, shown.data, shown.len);
		json_array_append_new(matches,
				      lb_json_text(shown.data, shown.len));
	}
	json_object_set_new(result, "ok", json_true());
	json_object_set_new(result, "matches", matches);
	lb_json_set_str(result, "preview", lb_buf_str(&preview), preview.len);
	json_object_set_new(result, "total", json_integer(new->total));
	json_object_set_new(result, "truncated",
			    json_boolean(stopped_by != NULL));
	json_object_set_new(result, "truncated_by", lb_tool_word(stopped_by));
	return result;
}

static json_t *search(const struct lb_spot *spot, const char *text)
{
	struct newest new = {0};
	struct lb_path_pattern *pattern;
	struct lb_walk *walk;
	struct lb_error err;
	json_t *result;

	pattern = lb_path_pattern_open(lb_search_below(spot, text), &err);
	if (!pattern)
		return lb_tool_no(&err);
	walk = lb_search_open(spot, false, &err);
	if (!walk) {
		lb_path_pattern_close(pattern);
		return lb_tool_no(&err);
	}
	find(walk, pattern, &new);
	result = say(&new, spot, lb_search_ended(walk));
	lb_walk_close(walk);
	lb_path_pattern_close(pattern);
	for (size_t i = 0; i < new.n; i++)
		free(new.at[i].path);
	return result;
}

json_t *lb_tool_glob(const struct lb_place *place, const json_t *arguments)
{
	lb_autospot struct lb_spot spot = {0};
	const char *pattern;
	struct lb_error err;
	size_t len;

	pattern = lb_args_text(arguments, "pattern", &len);
	if (strlen(pattern) != len)
		return lb_tool_refuse("the pattern has a zero byte");
	if (lb_args_spot(place, arguments, "/workspace", &spot, &err) < 0)
		return lb_tool_no(&err);
	if (spot.root < 0)
		return lb_tool_refuse("look in one skill, such as "
				      "/workspace/.skills/NAME, at a time");
	return search(&spot, pattern);
}
