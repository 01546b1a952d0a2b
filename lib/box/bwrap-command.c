/* bwrap-command.c - the command bubblewrap becomes, and what it says of it. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "box/bwrap.h"

enum {
	OWN_ARGV = 16, /* at most, beside those of the command */
	/* bwrap takes 9000, with those of its own. */
	MOST_ARGV = 8000,
};

/* Enter the folder, made where it is missing, then go on as the command. */
#define ENTER                                                                  \
	"cd -- \"$0\" 2>/dev/null || { mkdir -p -- \"$0\" && cd -- \"$0\"; } " \
	"|| exit 125; exec \"$@\""

const char **lb_bwrap_argv(const struct lb_box_exec *x, const char *script,
			   struct lb_error *err)
{
	const struct lb_box_spec *spec = x->spec;
	const char **argv;
	size_t n = 0, all = OWN_ARGV;

	for (char **one = spec->argv; one && *one; one++)
		all++;
	if (all > MOST_ARGV + OWN_ARGV) {
		lb_fail(err, LB_OS, "the command has more than %d arguments",
			MOST_ARGV);
		return NULL;
	}
	argv = lb_alloc(all * sizeof(*argv));
	argv[n++] = "/usr/bin/bwrap";
	argv[n++] = "--args";
	argv[n++] = "3";
	argv[n++] = "--";
	/* A session of its own, with the terminal: what keys do to all of a
	 * session must not reach bwrap, whose end would be everybody's. */
	if (x->terminal) {
		argv[n++] = "setsid";
		argv[n++] = "-c";
	}
	if (strcmp(spec->workdir, spec->mount_path) != 0) {
		argv[n++] = "sh";
		argv[n++] = "-c";
		argv[n++] = ENTER;
		argv[n++] = spec->workdir;
	}
	if (!spec->argv) {
		argv[n++] = "sh";
		if (!script)
			argv[n++] = "-c";
		argv[n++] = script ? script : spec->cmd;
	}
	for (char **one = spec->argv; one && *one; one++)
		argv[n++] = *one;
	argv[n] = NULL;
	return argv;
}

void lb_bwrap_read(const char *line, struct lb_box_report *report)
{
	const char *at = strstr(line, "\"child-pid\":");

	if (at)
		report->child = (pid_t)strtol(at + 12, NULL, 10);
	at = strstr(line, "\"exit-code\":");
	if (at)
		report->exit_code = (int)strtol(at + 12, NULL, 10);
}

/* Its last line, without its name. */
static const char *last_line(char *text)
{
	char *line;

	while (*text && isspace((unsigned char)text[strlen(text) - 1]))
		text[strlen(text) - 1] = '\0';
	line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	return strncmp(line, "bwrap: ", 7) == 0 ? line + 7 : line;
}

/* "execvp NAME: why", where a name may have all in it. */
static int explain_exec(const char *name, struct lb_error *err)
{
	const char *why = name, *next;
	bool missing;

	while ((next = strstr(why, ": ")) != NULL)
		why = next + 2;
	if (why == name)
		return lb_fail(err, LB_DENIED, "cannot run '%s'", name);
	missing = strncmp(why, "No such file", 12) == 0;
	return lb_fail(err, missing ? LB_NOINPUT : LB_DENIED,
		       "cannot run '%.*s': %s%s", (int)(why - name - 2), name,
		       why,
		       missing && memchr(name, ' ', (size_t)(why - name - 2))
			       ? "; a command line is for a shell: sh -c "
				 "'COMMAND LINE'"
			       : "");
}

/* "Can't mkdir PLACE: why": nothing is there to mount on, or something else. */
static bool is_about_place(const char *line)
{
	const char *place = strchr(line, '/');

	return place &&
	       (strncmp(line, "Can't mkdir /", 13) == 0 ||
		strncmp(line, "Can't create file at /", 22) == 0) &&
	       (lb_box_is_below(place, LB_BOX_WORKSPACE) ||
		lb_box_is_below(place, "/mnt"));
}

static int explain_place(const char *place, struct lb_error *err)
{
	return lb_fail(err, LB_DATA,
		       "cannot mount at '%.*s': it is not there as what is to "
		       "be mounted (a folder, or a file), and cannot be made; "
		       "mount it below /mnt",
		       (int)strcspn(place, ":"), place);
}

int lb_bwrap_explain(const char *said, struct lb_error *err)
{
	lb_autofree char *text = lb_strdup(said);
	const char *line = last_line(text);

	if (strncmp(line, "execvp ", 7) == 0)
		return explain_exec(line + 7, err);
	if (is_about_place(line))
		return explain_place(strchr(line, '/'), err);
	if (strstr(line, "uid map") || strstr(line, "new namespace"))
		return lb_fail(err, LB_UNAVAILABLE,
			       "there is no sandbox: this system does not let "
			       "bubblewrap make a user namespace (%s); "
			       "'lb-box doctor' says what to do",
			       line);
	return lb_fail(err, LB_UNAVAILABLE,
		       "there is no sandbox: bubblewrap failed: %s; 'lb-box "
		       "doctor' says more",
		       *line ? line : "it said nothing");
}

char *lb_bwrap_inside(pid_t child, const char *target)
{
	return lb_printf("/proc/%ld/root%s", (long)child, target);
}
