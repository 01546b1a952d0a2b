#include "tool/folder.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "fs/walk.h"
#include "tool/args.h"
#include "tool/shown.h"
#include "tool/tool.h"

enum { MAX_NAMES = 10000 };

struct names {
	char **at;
	size_t n;
};

static void add(struct names *names, const char *name, unsigned char type)
{
	const char *mark = type == DT_DIR ? "/" : type == DT_LNK ? "@" : "";

	if (names->n % 256 == 0)
		names->at = lb_grow(names->at,
				    (names->n + 256) * sizeof(*names->at));
	names->at[names->n++] = lb_printf("%s%s", name, mark);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A line each, as many as there is room for. */
static json_t *say(struct names *names, bool all)
{
	lb_autobuf struct lb_buf text = {0};
	const char *stopped_by = all ? NULL : "entries";
	json_t *result = json_object();
	size_t shown = 0;

	if (names->n > 1)
		qsort(names->at, names->n, sizeof(*names->at), compare);
	for (size_t i = 0; i < names->n; i++) {
		const char *name = names->at[i];
		size_t before = text.len, len = strlen(name);

		if (i == MAX_NAMES || text.len + 1 >= LB_TOOL_BYTES) {
			stopped_by = i == MAX_NAMES ? "entries" : "bytes";
			break;
		}
		if (i > 0)
			lb_buf_putc(&text, '\n');
		if (lb_show(&text, name, len, LB_TOOL_BYTES - text.len, true) <
		    len) {
			text.len = before;
			stopped_by = "bytes";
			break;
		}
		shown++;
	}
	json_object_set_new(result, "ok", json_true());
	lb_json_set_str(result, "content", lb_buf_str(&text), text.len);
	json_object_set_new(result, "is_directory", json_true());
	json_object_set_new(result, "total", json_integer((int64_t)names->n));
	json_object_set_new(result, "shown", json_integer((int64_t)shown));
	json_object_set_new(result, "truncated",
			    json_boolean(stopped_by != NULL));
	json_object_set_new(result, "truncated_by", lb_tool_word(stopped_by));
	for (size_t i = 0; i < names->n; i++)
		free(names->at[i]);
	free(names->at);
	return result;
}

json_t *lb_tool_list(const struct lb_place *place, const struct lb_spot *spot,
		     int fd)
{
	struct lb_walk_options options = {
		.max_entries = MAX_NAMES + 1,
		.deadline = lb_clock_mono() + LB_TOOL_SEARCH_MS,
	};
	bool is_top = spot->is_in_workspace && strcmp(spot->path, ".") == 0;
	struct names names = {0};
	struct lb_walk_entry e;
	struct lb_walk *walk;
	struct lb_error err;
	bool all;

	walk = lb_walk_open(fd, &options, &err);
	if (!walk)
		return lb_tool_refuse("cannot read '%s': %s", spot->shown,
				      err.text);
	/* Skills are shown in the place that they are in. */
	if (is_top && place->n_skills > 0)
		add(&names, ".skills", DT_DIR);
	while (lb_walk_next(walk, &e) > 0)
		if (!is_top || strcmp(e.name, ".skills") != 0)
			add(&names, e.name, e.type);
	all = lb_walk_ended(walk) == LB_WALK_WHOLE;
	lb_walk_close(walk);
	return say(&names, all);
}

json_t *lb_tool_list_skills(const struct lb_place *place)
{
	struct names names = {0};

	for (size_t i = 0; i < place->n_skills; i++)
		add(&names, place->skills[i].name, DT_DIR);
	return say(&names, true);
}
