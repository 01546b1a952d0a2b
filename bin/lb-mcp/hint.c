/* hint.c - why a program that is here may not be there for a sandbox. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "mcp.h"

/* What is in every sandbox, or is its own. */
static bool is_inside(const char *path)
{
	static const char *const places[] = {"/usr/",      "/bin/",
					     "/sbin/",     "/lib",
					     "/workspace", "/mnt/project"};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (strncmp(path, places[i], strlen(places[i])) == 0)
			return true;
	return false;
}

static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static char *find(const char *command, const char *path)
{
	for (size_t n; path && *path; path += n + (path[n] == ':')) {
		char *file;

		n = strcspn(path, ":");
		file = lb_printf("%.*s/%s", (int)n, path, command);
		if (access(file, X_OK) == 0)
			return file;
		free(file);
	}
	return NULL;
}

char *program_path(const char *command)
{
	if (!strchr(command, '/'))
		return find(command, lb_config_env("PATH"));
	return access(command, X_OK) == 0 ? lb_strdup(command) : NULL;
}

/* Where a sandbox looks for programs. */
static bool is_in_usr(const char *command)
{
	lb_autofree char *path = find(command, "/usr/local/bin:/usr/bin:/bin:"
					       "/usr/sbin:/sbin");

	return path != NULL;
}

/* A word of its command; the first is the program. */
static char *hint_of_word(const char *word, bool first)
{
	lb_autofree char *path = first ? program_path(word) : NULL;

	if (path && (is_inside(path) || is_in_usr(word)))
		return NULL;
	if (path && !strchr(word, '/'))
		return lb_printf("'%.100s' is '%.200s' here, and its sandbox "
				 "has the programs of /usr alone; --host runs "
				 "it outside of one",
				 word, path);
	/* A script by its whole path is there, with its folder. */
	if (!path && (*word == '/' || !is_file(word)))
		return NULL;
	return lb_printf("'%.200s' is a file of this machine, which its "
			 "sandbox does not see: 'lb-mcp add --project DIR' "
			 "shows it a folder, as /mnt/project; --host runs it "
			 "outside of one",
			 word);
}

/* Words of a line for a shell, too, as far as they are plain. */
static char *hint_of_line(const char *line, bool first)
{
	char *hint = NULL;

	while (!hint && *line) {
		size_t n = strcspn(line, " \t\n");
		lb_autofree char *word = lb_strndup(line, n);

		if (n > 0)
			hint = hint_of_word(word, first);
		first = first && n == 0;
		line += n + (line[n] != '\0');
	}
	return hint;
}

char *program_hint(const struct lb_mcp_server *server, enum lb_mcp_phase phase,
		   const struct lb_error *why)
{
	bool shell, gone = phase == LB_MCP_PROCESS_START ||
			   strncmp(why->text, "it exited", 9) == 0;
	char *hint;

	if (!gone || server->mode != LB_MCP_STDIO || server->on_host)
		return NULL;
	shell = strcmp(server->command, "sh") == 0 && server->args[0] &&
		strcmp(server->args[0], "-c") == 0;
	hint = hint_of_word(server->command, true);
	for (char **a = server->args + shell; !hint && *a; a++)
		hint = hint_of_line(*a, shell && a == server->args + 1);
	return hint;
}

void line_hint(const struct line *line)
{
	lb_autofree char *hint =
		line->client
			? program_hint(&line->server, line->phase, &line->why)
			: NULL;

	if (hint)
		lb_warn("%s: %s", line->name, hint);
}
