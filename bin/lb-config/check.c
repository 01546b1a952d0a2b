/* lb-config check - every problem, where it is and what it is. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "config/config.h"
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

static void show_json(const struct lb_finding *p)
{
	const char *colon = strrchr(p->where, ':');
	json_auto_t *o =
		lb_json_pack("{s:s, s:s, s:s}", "level", levels[p->level],
			     "where", p->where, "text", p->text);

	if (colon && colon[1] && !colon[1 + strspn(colon + 1, "0123456789")]) {
		lb_json_set_str(o, "file", p->where,
				(size_t)(colon - p->where));
		json_object_set_new(o, "line",
				    json_integer(strtol(colon + 1, NULL, 10)));
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

int verb_check(int argc, char **argv)
{
	const struct lb_sources from = {.file = argc > 0 ? argv[0] : NULL};
	struct lb_config *config = lb_config_gather(&from);
	int code = LB_OK;

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
