/* lb-help - what programs there are, and their manual. */
#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/path.h"
#include "base/proc.h"
#include "base/prog.h"
#include "base/table.h"

#ifndef LB_MANDIR
#define LB_MANDIR "/usr/local/share/man"
#endif

enum { MAX_ANSWER = 1 << 20, ANSWER_MS = 5000 };

static bool as_json;

static const struct lb_opt options[] = {
	{.name = "json",
	 .help = "JSON lines, also on a terminal",
	 .flag = &as_json},
	{0},
};

static const struct lb_prog prog = {
	.name = "lb-help",
	.operands = "[[SECTION] NAME]",
	.about = "List the programs, or open the manual page of NAME",
	.example = "lb-help toolkit",
	.opts = options,
	.values = "toolkit cookbook records provider security",
};

/* Below the list, for people: what else there is to read. */
static const char pages[] =
	"\n'lb-help NAME' opens the page of a program. Others are:\n"
	"  lb-toolkit(7)  the tour, with recipes: lb-help toolkit\n"
	"  lb-cookbook(7) things to do, from start to end: lb-help cookbook\n"
	"  lb-records(7)  what passes between programs: lb-help records\n"
	"  lb-provider(7) tools for a model, of your own: lb-help provider\n"
	"  lb-security(7) whom they trust, and with what: lb-help security\n"
	"  lb-config(5)   the configuration file: lb-help 5 config\n";

/* The sections of the manual, in the order they are searched. */
static const char sections[] = "175";

static bool is_name(const char *name)
{
	return strncmp(name, "lb-", 3) == 0 && name[3] &&
	       !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")];
}

static int is_program(const struct dirent *entry)
{
	return is_name(entry->d_name);
}

/* Ask a program what it does; one that is not ours does not know. */
static void list_program(struct lb_table *table, const char *folder,
			 const char *name)
{
	lb_autofree char *path = lb_printf("%s/%s", folder, name);
	char flag[] = "--describe";
	char *argv[] = {path, flag, NULL};
	lb_autobuf struct lb_buf out = {0};
	json_auto_t *answer = NULL;
	const char *own, *about;
	struct lb_error err;

	if (access(path, X_OK) < 0 ||
	    lb_proc_capture(argv, MAX_ANSWER, ANSWER_MS, &out, &err) < 0)
		return;
	answer = json_loads(lb_buf_str(&out), 0, NULL);
	own = lb_json_str(answer, "name");
	about = lb_json_str(answer, "about");
	if (own && about && strcmp(own, name) == 0)
		lb_table_row(table, lb_json_pack("{s:s, s:s}", "name", name,
						 "about", about));
}

static int list(void)
{
	static const char *const columns[] = {"name", "about", NULL};
	lb_autofree char *folder = lb_path_program();
	struct lb_table *table = lb_table_open(columns, as_json);
	struct dirent **names = NULL;
	int n = scandir(folder, &names, is_program, alphasort);

	for (int i = 0; i < n; i++) {
		if (strcmp(names[i]->d_name, prog.name) == 0)
			lb_table_row(table, lb_json_pack("{s:s, s:s}", "name",
							 prog.name, "about",
							 prog.about));
		else
			list_program(table, folder, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	lb_table_close(table);
	if (isatty(STDOUT_FILENO) && !as_json)
		fputs(pages, stdout);
	return LB_OK;
}

/* The folder of the pages of a section: the build's, else the installed. */
static char *page_folder(char section)
{
	lb_autofree char *bin = lb_path_program();
	lb_autofree char *mark = lb_printf("%s/config.status", bin);
	char *near;

	if (access(mark, F_OK) == 0)
		return lb_printf("%s/man", bin);
	near = lb_printf("%s/../share/man/man%c", bin, section);
	if (access(near, F_OK) == 0)
		return near;
	free(near);
	return lb_printf("%s/man%c", LB_MANDIR, section);
}

/* The file of a page, packed or not, or NULL. Caller frees. */
static char *find_page(const char *name, char section)
{
	lb_autofree char *folder = page_folder(section);
	lb_autofree char *path = lb_printf("%s/%s.%c", folder, name, section);
	lb_autofree char *packed = lb_printf("%s.gz", path);

	if (access(path, R_OK) == 0)
		return lb_steal(&path);
	return access(packed, R_OK) == 0 ? lb_steal(&packed) : NULL;
}

/* Become a program that shows the page; returns when there is none. */
static int show(char *page)
{
	char man[] = "man", local[] = "-l", mandoc[] = "mandoc";
	char groff[] = "groff", macros[] = "-mandoc", utf8[] = "-Tutf8";
	char *const viewers[][5] = {
		{man, local, page, NULL},
		{mandoc, page, NULL},
		{groff, macros, utf8, page, NULL},
	};
	struct lb_error err;

	for (size_t i = 0; i < sizeof(viewers) / sizeof(viewers[0]); i++)
		execvp(viewers[i][0], viewers[i]);
	lb_fail(&err, LB_UNAVAILABLE,
		"there is no man, mandoc or groff to show '%s'", page);
	return lb_report(&err);
}

/* Put the page nearest to name among a section's into best. */
static void look_near(const char *name, char section, char **best,
		      size_t *least)
{
	lb_autofree char *folder = page_folder(section);
	struct dirent **names = NULL;
	int n = scandir(folder, &names, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		lb_autofree char *stem = lb_strdup(names[i]->d_name);
		char *dot = strchr(stem, '.');

		if (dot && dot[1] == section) {
			*dot = '\0';
			if (is_name(stem) && lb_near(name, stem) < *least) {
				*least = lb_near(name, stem);
				free(*best);
				*best = lb_strdup(stem + 3);
			}
		}
		free(names[i]);
	}
	free(names);
}

static int unknown(const char *name)
{
	lb_autofree char *best = NULL;
	size_t least = 4;
	struct lb_error err;

	for (const char *s = sections; *s; s++)
		look_near(name, *s, &best, &least);
	if (best)
		lb_fail(&err, LB_NOINPUT,
			"no page '%s' (did you mean 'lb-help %s'?)", name,
			best);
	else
		lb_fail(&err, LB_NOINPUT,
			"no page '%s'; 'lb-help' lists the programs", name);
	return lb_report(&err);
}

static int open_page(const char *name, const char *section)
{
	lb_autofree char *full = strncmp(name, "lb-", 3) == 0
					 ? lb_strdup(name)
					 : lb_printf("lb-%s", name);

	for (const char *s = section; *s && is_name(full); s++) {
		lb_autofree char *page = find_page(full, *s);

		if (page)
			return show(page);
	}
	return unknown(full);
}

int main(int argc, char **argv)
{
	int first;

	lb_start(&prog);
	first = lb_options(argc, argv);
	argc -= first;
	argv += first;
	if (argc > 2)
		lb_usage("name one page");
	if (argc == 2 && (!strchr(sections, *argv[0]) || strlen(argv[0]) != 1))
		lb_usage("'%s' is not section 1, 5 or 7", argv[0]);
	if (argc == 0)
		return lb_finish(list());
	return lb_finish(
		open_page(argv[argc - 1], argc == 2 ? argv[0] : sections));
}
