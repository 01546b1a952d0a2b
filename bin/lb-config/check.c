/* lb-config check - every problem, where it is and what it is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "config/config.h"
#include "llm/model.h"
#include "verbs.h"

static bool as_json;

const struct lb_opt check_options[] = {
	{.name = "json", .help = "one JSON object a problem", .flag = &as_json},
	{0},
};

static const char *const levels[] = {
	[LB_PROBLEM] = "error",
	[LB_PROBLEM_WARNING] = "warning",
	[LB_PROBLEM_ADVICE] = "warning",
};

/* "file:line" in two; without a line all of it is the file. */
static size_t file_part(const char *where, long *line)
{
	const char *colon = strrchr(where, ':');

	*line = 0;
	if (!colon || !colon[1] || colon[1 + strspn(colon + 1, "0123456789")])
		return strlen(where);
	*line = strtol(colon + 1, NULL, 10);
	return (size_t)(colon - where);
}

static void show_json(const struct lb_finding *p)
{
	long line;
	size_t file = file_part(p->where, &line);
	json_auto_t *o =
		lb_json_pack("{s:s, s:s, s:s}", "level", levels[p->level],
			     "where", p->where, "text", p->text);

	if (line > 0) {
		lb_json_set_str(o, "file", p->where, file);
		json_object_set_new(o, "line", json_integer(line));
	}
	json_dumpf(o, stdout, JSON_COMPACT);
	putchar('\n');
}

static void show(const struct lb_finding *p)
{
	lb_autobuf struct lb_buf text = {0};

	lb_buf_printf(&text, "%s%s%s%s", p->where, *p->where ? ": " : "",
		      p->level == LB_PROBLEM ? "" : "warning: ", p->text);
	for (char *c = text.data; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	puts(text.data);
}

/* Is b in the same file as a, and in an earlier line? */
static bool is_earlier(const struct lb_finding *a, const struct lb_finding *b)
{
	long line, other;
	size_t file = file_part(a->where, &line);

	return file_part(b->where, &other) == file && other < line &&
	       memcmp(a->where, b->where, file) == 0;
}

/* Some are found only when all is read; people read from top to bottom. */
static void sort(struct lb_finding *all, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct lb_finding moved = all[i];
		size_t to = i;

		for (size_t j = i; j-- > 0;)
			if (is_earlier(&all[j], &moved))
				to = j;
		memmove(&all[to + 1], &all[to], (i - to) * sizeof(*all));
		all[to] = moved;
	}
}

static bool is_told(const struct lb_config *config, const char *begin)
{
	for (size_t i = 0; i < config->n_problems; i++)
		if (strncmp(config->problems[i].text, begin, strlen(begin)) ==
		    0)
			return true;
	return false;
}

/*
 * Whoever asks the model of LB_MODEL now would fail at the first message. That
 * of a file may be at an endpoint which only the bot's environment names.
 */
static void check_model(struct lb_config *config)
{
	const char *spec = lb_config_str(config, "llm.model");
	const char *where = lb_json_str(config->origins, "llm.model");
	struct lb_error err;

	if (!spec || !*spec || !where ||
	    strncmp(where, "environment ", 12) != 0 ||
	    is_told(config, "llm.model: ") ||
	    lb_model_check(config, spec, &err) == 0)
		return;
	lb_config_problem(config, LB_PROBLEM, where, "llm.model: %s", err.text);
}

int verb_check(int argc, char **argv)
{
	struct lb_sources from = {.file = argc > 0 ? argv[0] : NULL};
	struct lb_config *config;
	struct lb_error err;
	int code = LB_OK;

	if (argc > 0 && access(argv[0], R_OK) < 0) {
		lb_fail_sys(&err, LB_NOINPUT, "cannot open '%s'", argv[0]);
		return lb_report(&err);
	}
	config = lb_config_gather(&from);
	lb_config_check_providers(config);
	check_model(config);
	env_check(config);
	check_rules(config);
	advise(config);
	if (argc == 0)
		advise_renamed(config);
	sort(config->problems, config->n_problems);
	for (size_t i = 0; i < config->n_problems; i++) {
		const struct lb_finding *p = &config->problems[i];

		if (as_json)
			show_json(p);
		else
			show(p);
		if (p->level == LB_PROBLEM)
			code = LB_NO;
	}
	lb_config_close(config);
	return code;
}
