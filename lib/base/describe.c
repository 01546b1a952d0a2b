#include "base/describe.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"

#ifndef LB_VERSION
#define LB_VERSION "0.0"
#endif

static void help_line(const struct lb_opt *o)
{
	char left[64], dash[5] = "    ";

	if (o->letter)
		snprintf(dash, sizeof(dash), "-%c, ", o->letter);
	snprintf(left, sizeof(left), "%s--%s%s%s", dash, o->name,
		 o->arg ? "=" : "", o->arg ? o->arg : "");
	printf("  %-25s  %s\n", left, o->help);
}

static void help_options(const struct lb_opt *opts)
{
	for (; opts && opts->name; opts++)
		help_line(opts);
}

static void help_verbs(const struct lb_prog *self)
{
	printf("\nVerbs ('%s VERB --help' tells more):\n", self->name);
	for (const struct lb_verb *v = self->verbs; v->name; v++)
		printf("  %-12s %s\n", v->name, v->about);
}

void lb_prog_help(const struct lb_prog *self, const struct lb_verb *verb,
		  const struct lb_opt *common)
{
	const struct lb_opt *opts = verb ? verb->opts : self->opts;

	if (verb)
		printf("usage: %s %s [OPTION...]%s%s\n%s.\n\n", self->name,
		       verb->name, *verb->operands ? " " : "", verb->operands,
		       verb->about);
	else
		printf("usage: %s%s%s%s\n%s.\n", self->name,
		       self->verbs ? "" : " [OPTION...]",
		       *self->operands ? " " : "", self->operands, self->about);
	if (!verb && self->example)
		printf("\nExample:\n  %s\n", self->example);
	if (!verb && self->verbs)
		help_verbs(self);
	if (!verb)
		putchar('\n');
	help_options(opts);
	help_options(common);
	if (strncmp(self->name, "lb-", 3) == 0)
		printf("\nThe manual: lb-help %s\n", self->name + 3);
}

static json_t *describe_options(const struct lb_opt *opts)
{
	json_t *list = json_array();

	for (; opts && opts->name; opts++) {
		json_t *o =
			lb_json_pack("{s:s, s:s, s:s*, s:b}", "name",
				     opts->name, "help", opts->help, "arg",
				     opts->arg, "repeat", opts->list != NULL);

		if (opts->letter)
			lb_json_set_str(o, "letter", &opts->letter, 1);
		json_array_append_new(list, o);
	}
	return list;
}

void lb_prog_describe(const struct lb_prog *self, const struct lb_opt *common)
{
	json_auto_t *all = lb_json_pack(
		"{s:s, s:s, s:s, s:s, s:s*, s:s*, s:s*, s:s*, s:o, s:o}",
		"name", self->name, "version", LB_VERSION, "about", self->about,
		"operands", self->operands, "values", self->values, "reads",
		self->reads, "writes", self->writes, "usual", self->usual,
		"options", describe_options(self->opts), "common",
		describe_options(common));
	json_t *verbs = json_array();

	for (const struct lb_verb *v = self->verbs; v && v->name; v++)
		json_array_append_new(verbs,
				      lb_json_pack("{s:s, s:s, s:s, s:o}",
						   "name", v->name, "about",
						   v->about, "operands",
						   v->operands, "options",
						   describe_options(v->opts)));
	if (json_array_size(verbs) > 0)
		json_object_set(all, "verbs", verbs);
	json_decref(verbs);
	json_dumpf(all, stdout, JSON_COMPACT);
	putchar('\n');
}
