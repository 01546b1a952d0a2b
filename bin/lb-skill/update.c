/* lb-skill update */
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "skill.h"
#include "skill/change.h"
#include "skill/install.h"
#include "skill/own.h"
#include "skill/sum.h"

static bool json, force, strict, dry, frozen;
static const char *config_file;

const struct lb_opt update_options[] = {
	{'c', "config", "FILE", "read this configuration",
	 .text = &config_file},
	{.name = "dry-run",
	 .help = "say what would be done, and do nothing",
	 .flag = &dry},
	{.name = "force",
	 .help = "undo what was edited here since it was installed",
	 .flag = &force},
	{.name = "frozen",
	 .help = "put back what lock.json says, and nothing newer",
	 .flag = &frozen},
	{.name = "json",
	 .help = "write records to a terminal too",
	 .flag = &json},
	{'s', "strict", NULL, "refuse what is not as the specification says",
	 .flag = &strict},
	{0},
};

static const char *const columns[] = {"name", "action", "path", NULL};

/* The one of the source that it was made of, under the name that it has. */
static int choose(struct lb_offers *offers, const struct lb_got *got,
		  const struct lb_source *source, const char *name,
		  struct lb_error *err)
{
	const char *folder = source->folder ? source->folder : ".";

	if (lb_offers_find(offers, &got->pack, &got->from, err) < 0 ||
	    lb_offers_choose(offers, &folder, 1, false, err) < 0) {
		err->code = LB_NOINPUT;
		return -1;
	}
	if (strcmp(offers->at[0].name, name) != 0)
		return lb_fail(err, LB_DENIED,
			       "it is called '%s' there now; install that one",
			       offers->at[0].name);
	return 0;
}

static int update_from(struct desk *d, struct lb_source *source,
		       const char *name, const char *tree,
		       struct lb_table *table, struct lb_error *err)
{
	const struct lb_install how = {.force = force,
				       .strict = strict,
				       .dry = dry,
				       .tree = tree};
	struct lb_install_rows rows = {0};
	struct lb_offers offers = {0};
	struct lb_got got = {0};
	int r = desk_fetch(d, &got, source, err);

	if (r == 0)
		r = choose(&offers, &got, source, name, err);
	if (r == 0)
		r = lb_skills_install(d->shelf, &offers, &got.pack, &got.origin,
				      &how, &rows, err);
	if (r == 0)
		lb_table_row(table,
			     install_record(d->shelf, &rows.at[0], dry,
					    !json && isatty(STDOUT_FILENO)));
	lb_install_rows_release(&rows);
	lb_offers_release(&offers);
	lb_got_release(&got);
	return r;
}

/* 1: it is there, of the very commit that its source has now. */
static int is_same(struct desk *d, struct lb_source *source, const char *name,
		   const json_t *from, struct lb_error *err)
{
	const char *was = lb_json_str(from, "commit");
	const char *now;
	struct lb_shelved one;
	struct lb_error none;
	bool is_own;

	if (desk_reach(d, err) < 0 ||
	    lb_source_resolve(source, &d->reach, err) < 0)
		return -1;
	now = source->github.commit;
	if (force || !was || !now || strcmp(was, now) != 0 ||
	    lb_shelf_find(d->shelf, name, &one, &none) < 0)
		return 0;
	is_own = one.is_own;
	lb_shelved_one_release(&one);
	return is_own;
}

static void tell_unchanged(struct desk *d, const char *name,
			   struct lb_table *table)
{
	lb_autofree char *own = lb_strdup(name);

	lb_table_row(table, install_record(d->shelf,
					   &(struct lb_install_row){
						   .name = own,
						   .what = LB_UNCHANGED,
					   },
					   dry, false));
}

static bool can_update(const json_t *from)
{
	const char *source = lb_json_str(from, "source");

	return source && strcmp(source, LB_SKILL_LOCAL) != 0 &&
	       strcmp(source, "-") != 0;
}

static int update(struct desk *d, const char *name, const json_t *from,
		  struct lb_table *table, struct lb_error *err)
{
	struct lb_source source;
	int r = lb_source_known(&source, from, false, err);
	int same = r == 0 ? is_same(d, &source, name, from, err) : r;

	if (same > 0)
		tell_unchanged(d, name, table);
	else if (same < 0)
		r = -1;
	else
		r = update_from(d, &source, name, NULL, table, err);
	lb_source_release(&source);
	return r;
}

/* Is it there, to the last byte as it was installed? */
static bool is_intact(const struct desk *d, const char *name, const char *tree)
{
	lb_autobuf struct lb_buf list = {0};
	struct lb_shelved one;
	char sum[LB_SKILL_SUM];
	struct lb_error none;
	bool good;

	if (lb_shelf_find(d->shelf, name, &one, &none) < 0)
		return false;
	good = one.is_own && lb_shelved_sum(&one, &list, sum, &none) == 0 &&
	       strcmp(sum, tree) == 0;
	lb_shelved_one_release(&one);
	return good;
}

/* As it was: of the same commit, and the same to the last byte. */
static int put_back(struct desk *d, const char *name, const json_t *from,
		    struct lb_table *table, struct lb_error *err)
{
	const char *tree = lb_json_str(from, "tree");
	struct lb_source source;
	int r;

	if (tree && is_intact(d, name, tree)) {
		tell_unchanged(d, name, table);
		return 0;
	}
	if (!tree || !can_update(from))
		return lb_fail(err, LB_DATA,
			       "it is not as it was installed, and nobody "
			       "knows where that is to be had");
	r = lb_source_known(&source, from, true, err);
	if (r == 0)
		r = update_from(d, &source, name, tree, table, err);
	lb_source_release(&source);
	return r;
}

static int renew(struct desk *d, const char *name, const json_t *from,
		 struct lb_table *table, struct lb_error *err)
{
	int r = frozen ? put_back(d, name, from, table, err)
		       : update(d, name, from, table, err);

	/* What names it already is not wrapped. */
	return r == 0 || strncmp(err->text, "skill '", 7) == 0
		       ? r
		       : lb_error_wrap(err, "skill '%s'", name);
}

static int no_such(struct desk *d, const char *name, struct lb_error *err)
{
	struct lb_shelved one;

	if (lb_shelf_find(d->shelf, name, &one, err) < 0)
		return -1;
	lb_shelved_one_release(&one);
	return lb_fail(err, LB_DATA,
		       "skill '%s': nobody knows where it is from", name);
}

static int complain(int code, const struct lb_error *err)
{
	lb_complain("%s", err->text);
	return code == LB_OK ? (int)err->code : code;
}

/* Each that can be; the first failure is the exit status. */
int update_verb(int argc, char **argv)
{
	struct lb_error err;
	struct desk d;
	json_auto_t *known = NULL;
	struct lb_table *table;
	const char *name;
	json_t *from;
	int code = LB_OK;

	if (desk_open(&d, config_file, &err) < 0 ||
	    !(known = lb_change_known(d.shelf->store, &err))) {
		desk_close(&d);
		return lb_report(&err);
	}
	table = lb_table_open(columns, json);
	for (int i = 0; i < argc; i++) {
		from = json_object_get(known, argv[i]);
		if ((from ? renew(&d, argv[i], from, table, &err)
			  : no_such(&d, argv[i], &err)) < 0)
			code = complain(code, &err);
	}
	json_object_foreach(known, name,
			    from) if (argc == 0 &&
				      (frozen || can_update(from)) &&
				      renew(&d, name, from, table, &err) < 0)
		code = complain(code, &err);
	lb_table_close(table);
	desk_close(&d);
	return code;
}
