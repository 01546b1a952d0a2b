/* lb-skill install */
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "record/record.h"
#include "skill.h"
#include "skill/install.h"
#include "skill/source.h"

static bool all, json, replace, force, strict, dry;
static struct lb_list selected;
static const char *config_file;

const struct lb_opt install_options[] = {
	{'a', "all", NULL, "all skills that are there", .flag = &all},
	{'c', "config", "FILE", "read this configuration",
	 .text = &config_file},
	{.name = "dry-run",
	 .help = "say what would be done, and do nothing",
	 .flag = &dry},
	{.name = "force",
	 .help = "undo what was edited here since it was installed",
	 .flag = &force},
	{.name = "json",
	 .help = "write records to a terminal too",
	 .flag = &json},
	{.name = "replace",
	 .help = "replace a skill of that name from another source",
	 .flag = &replace},
	{.name = "select",
	 .arg = "SKILL",
	 .help = "this one of several, by name or folder; may be repeated",
	 .list = &selected},
	{'s', "strict", NULL, "refuse what is not as the specification says",
	 .flag = &strict},
	{0},
};

static const char *const columns[] = {"name", "action", "path", NULL};

static void warn(const struct lb_offers *offers)
{
	for (size_t i = 0; i < offers->n; i++) {
		const struct lb_offer_one *one = &offers->at[i];
		lb_autofree char *where = lb_printf("%s%sSKILL.md", one->shown,
						    *one->shown ? "/" : "");

		if (one->skill.fit)
			warn_of(where, &one->skill, LB_SKILL_OFF);
	}
}

/* What was got, those of it that are chosen. */
static int install(struct desk *d, struct lb_got *got,
		   const struct lb_list *which, struct lb_table *table,
		   struct lb_error *err)
{
	const struct lb_install how = {.replace = replace,
				       .force = force,
				       .strict = strict,
				       .dry = dry};
	struct lb_install_rows rows = {0};
	struct lb_offers offers = {0};
	int r = lb_offers_find(&offers, &got->pack, &got->from, err);

	if (r == 0)
		r = lb_offers_choose(&offers, which->at, which->n, all, err);
	if (r == 0) {
		warn(&offers);
		r = lb_skills_install(d->shelf, &offers, &got->pack,
				      &got->origin, &how, &rows, err);
	}
	for (size_t i = 0; r == 0 && i < rows.n; i++)
		lb_table_row(table,
			     install_record(d->shelf, &rows.at[i], dry,
					    !json && isatty(STDOUT_FILENO)));
	lb_install_rows_release(&rows);
	lb_offers_release(&offers);
	return r;
}

static int install_record_of(struct desk *d, const json_t *record,
			     struct lb_table *table, struct lb_error *err)
{
	struct lb_got got = {0};
	struct lb_source source;
	const char *folder = ".";
	const struct lb_list one = {&folder, 1};
	int r = lb_source_known(&source, record, true, err);

	if (r == 0)
		r = desk_fetch(d, &got, &source, err);
	if (source.folder)
		folder = source.folder;
	if (r == 0)
		r = install(d, &got, &one, table, err);
	lb_got_release(&got);
	lb_source_release(&source);
	return r;
}

/* Each that can be; the first failure is what is told. Other kinds are not for
 * us. */
static int install_line(struct desk *d, const char *line, size_t len,
			struct lb_table *table, struct lb_error *err)
{
	struct lb_record record = {0};
	const char *name;
	int r = lb_record_parse(&record, line, len, err);

	if (r == 0 && strcmp(lb_json_str(record.json, "kind")
				     ? lb_json_str(record.json, "kind")
				     : "",
			     "skill") == 0) {
		r = install_record_of(d, record.json, table, err);
		name = lb_json_str(record.json, "name");
		if (r < 0)
			lb_error_wrap(err, "skill '%.64s'", name ? name : "");
	}
	lb_record_release(&record);
	return r;
}

static int install_lines(struct desk *d, const char *text, size_t len,
			 struct lb_table *table, struct lb_error *err)
{
	struct lb_error first = {0};
	int r = 0;

	for (size_t at = 0, n; at < len; at += n + 1) {
		const char *end = memchr(text + at, '\n', len - at);

		n = end ? (size_t)(end - text) - at : len - at;
		if (strspn(text + at, " \t\r") >= n)
			continue;
		if (install_line(d, text + at, n, table, err) == 0)
			continue;
		if (r < 0)
			lb_complain("%s", err->text);
		else
			first = *err;
		r = -1;
	}
	if (r < 0)
		*err = first;
	return r;
}

/* Records of skills, or an archive. */
static int from_input(struct desk *d, struct lb_table *table,
		      struct lb_error *err)
{
	struct lb_got got = {0};
	lb_autofree char *bytes = NULL;
	size_t len;
	int r;

	if (read_input(LB_PACK_ARCHIVE, &bytes, &len, err) < 0)
		return -1;
	if (len == 0)
		return lb_fail(err, LB_NOINPUT,
			       "nothing came at the standard input");
	if (bytes[strspn(bytes, " \t\r\n")] == '{')
		return install_lines(d, bytes, len, table, err);
	r = desk_bytes(&got, bytes, len, err);
	if (r == 0)
		r = install(d, &got, &selected, table, err);
	lb_got_release(&got);
	return r;
}

static int from_source(struct desk *d, const char *name, struct lb_table *table,
		       struct lb_error *err)
{
	struct lb_got got = {0};
	int r = desk_get(d, &got, name, err);

	if (r == 0 && (r = install(d, &got, &selected, table, err)) < 0 &&
	    err->code != LB_DENIED)
		lb_error_wrap(err, "%.200s", name);
	lb_got_release(&got);
	return r;
}

int install_verb(int argc, char **argv)
{
	struct lb_error err;
	struct lb_table *table;
	struct desk d;
	int r;

	(void)argc;
	if (desk_open(&d, config_file, &err) < 0) {
		desk_close(&d);
		return lb_report(&err);
	}
	table = lb_table_open(columns, json);
	r = strcmp(argv[0], "-") == 0 ? from_input(&d, table, &err)
				      : from_source(&d, argv[0], table, &err);
	lb_table_close(table);
	desk_close(&d);
	return r < 0 ? lb_report(&err) : LB_OK;
}
