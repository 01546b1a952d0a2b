/*
 * allowed.c - what the skills that are used say of tools.
 *
 * A list of a skill (allowed-tools) only takes away: what the pipeline does not
 * grant stays away, and of several skills each must allow a call, or what one
 * reads could have another give back what the first does without. Words are
 * those of other programs too: Bash is exec, Read is read. In parentheses
 * stands what a call may be: "Bash(git:*)" is git with anything behind, and no
 * second command.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "agent/turn.h"
#include "base/glob.h"
#include "base/json.h"
#include "base/mem.h"

#define SKILLS "/workspace/.skills/"

static const struct {
	const char *theirs, *ours;
} words[] = {
	{"bash", "exec"},         {"shell", "exec"}, {"notebookread", "read"},
	{"ls", "read"},           {"ls", "glob"},    {"multiedit", "edit"},
	{"notebookedit", "edit"},
};

/* Does a word of a list mean that tool? */
static bool means(const char *word, size_t len, const char *name)
{
	if (strlen(name) == len && strncasecmp(word, name, len) == 0)
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i].theirs) == len &&
		    strncasecmp(word, words[i].theirs, len) == 0 &&
		    strcmp(name, words[i].ours) == 0)
			return true;
	/* mcp__server__tool, or all of mcp__server */
	if (len > 5 && strncasecmp(word, "mcp__", 5) == 0 &&
	    strncmp(name, word + 5, len - 5) == 0)
		return !name[len - 5] || strncmp(name + len - 5, "__", 2) == 0;
	return len == 1 && *word == '*';
}

/* One command, that begins another in no way. */
static bool is_plain(const char *command)
{
	return !strpbrk(command, ";&|`$()<>\n\r");
}

/* "git:*", "npm run test", "git *" */
static bool fits_command(const char *pattern, size_t len, const char *command)
{
	lb_autofree char *text = lb_strndup(pattern, len);

	command += strspn(command, " \t");
	if (!is_plain(command))
		return false;
	if (len >= 2 && strcmp(text + len - 2, ":*") == 0) {
		len -= 2;
		return strncmp(command, text, len) == 0 &&
		       (!command[len] || isspace((unsigned char)command[len]));
	}
	return lb_glob(text, command, strlen(command));
}

/* A file below /workspace, by a pattern of paths. */
static bool fits_path(const char *pattern, size_t len, const char *path)
{
	static const char top[] = "/workspace/";
	lb_autofree char *text = lb_strndup(pattern, len);
	const char *of = text;

	if (strstr(path, ".."))
		return false;
	if (strncmp(path, top, sizeof(top) - 1) == 0)
		path += sizeof(top) - 1;
	if (strncmp(of, top, sizeof(top) - 1) == 0)
		of += sizeof(top) - 1;
	if (strncmp(of, "./", 2) == 0)
		of += 2;
	return lb_glob(of, path, strlen(path));
}

/* An entry of a list: does it allow this call? */
static bool entry_allows(const char *entry, const char *name,
			 const json_t *arguments)
{
	size_t len = strcspn(entry, "(");
	const char *inner = entry[len] ? entry + len + 1 : NULL;
	const char *command = lb_json_str(arguments, "command");
	const char *path = lb_json_str(arguments, "path");
	size_t n = inner ? strlen(inner) : 0;

	if (!means(entry, len, name))
		return false;
	if (n > 0 && inner[n - 1] == ')')
		n--;
	if (!inner || (n == 1 && *inner == '*'))
		return true;
	if (strcmp(name, "exec") == 0)
		return command && fits_command(inner, n, command);
	return path && fits_path(inner, n, path);
}

/* The files of a skill belong to its instructions. */
static bool is_own_file(const char *skill, const char *name,
			const json_t *arguments)
{
	static const char *const readers[] = {"read", "glob", "grep"};
	const char *path = lb_json_str(arguments, "path");
	lb_autofree char *folder = lb_printf(SKILLS "%s", skill);
	size_t n = strlen(folder);
	bool reads = false;

	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
		reads = reads || strcmp(name, readers[i]) == 0;
	return reads && path && strncmp(path, folder, n) == 0 &&
	       (!path[n] || path[n] == '/') && !strstr(path, "..");
}

static bool skill_allows(const json_t *tools, const struct tool *tool,
			 const json_t *arguments)
{
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)tools, i, one)
	{
		const char *entry = json_string_value(one);

		if (entry && (entry_allows(entry, tool->name, arguments) ||
			      entry_allows(entry, tool->own, arguments)))
			return true;
	}
	return false;
}

static void put_list(struct lb_buf *why, const json_t *tools)
{
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)tools, i, one)
	{
		if (why->len < 1000)
			lb_buf_printf(why, "%s%.100s", i ? ", " : "",
				      json_string_value(one));
	}
	if (json_array_size(tools) == 0)
		lb_buf_puts(why, "no tool");
}

static bool is_read(const json_t *in_use, const struct tool *tool,
		    const json_t *arguments)
{
	const json_t *skill;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)in_use, i, skill)
	{
		if (is_own_file(lb_json_str(skill, "name"), tool->own,
				arguments))
			return true;
	}
	return false;
}

bool active_allows(const struct turn *t, const struct tool *tool,
		   const json_t *arguments, struct lb_buf *why)
{
	const json_t *in_use = t->active.in_use, *skill;
	size_t i;

	if (!in_use ||
	    active_is_by(lb_provider_name(tool->provider), tool->own) ||
	    is_read(in_use, tool, arguments))
		return true;
	json_array_foreach((json_t *)(uintptr_t)in_use, i, skill)
	{
		const json_t *tools = json_object_get(skill, "tools");

		if (!json_is_array(tools) ||
		    skill_allows(tools, tool, arguments))
			continue;
		lb_buf_printf(
			why,
			"skill '%s' is in use until this answer is given, "
			"and does not allow that call of '%s'; it allows ",
			lb_json_str(skill, "name"), tool->name);
		put_list(why, tools);
		return false;
	}
	return true;
}
