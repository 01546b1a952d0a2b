/* stage.c - what has to be put into a sandbox, and how a server starts there. */
#include "mcp/stage.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "fs/digest.h"
#include "fs/walk.h"
#include "mcp/boxed.h"

enum { MAX_FILES = 20000, MAX_LISTING = 4 << 20 };

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_python(const char *command)
{
	const char *name = base_of(command);
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz");

	return strncmp(name, "python", 6) == 0 && n == 6 &&
	       strspn(name + 6, "0123456789.") == strlen(name + 6);
}

static bool has_file(const char *folder, const char *name)
{
	lb_autofree char *path = lb_printf("%s/%s", folder, name);

	return access(path, R_OK) == 0;
}

/* ---- packages that are named by the command ---- */

/* npx [-y] [-p PACKAGE] NAME; how many of the words are its own. */
static size_t read_npx(struct lb_mcp_plan *plan, char *const *args)
{
	const char *package = NULL;
	size_t i = 0;

	for (; args[i] && args[i][0] == '-'; i++) {
		if (strcmp(args[i], "--") == 0) {
			i++;
			break;
		}
		if (strncmp(args[i], "--package=", 10) == 0)
			package = args[i] + 10;
		else if ((strcmp(args[i], "-p") == 0 ||
			  strcmp(args[i], "--package") == 0) &&
			 args[i + 1])
			package = args[++i];
	}
	if (!args[i])
		return 0;
	plan->stage = LB_MCP_STAGE_NPX;
	plan->package = lb_strdup(package ? package : args[i]);
	plan->bin = package ? lb_strdup(args[i]) : NULL;
	return i + 1;
}

/* uvx [--from PACKAGE] NAME[@VERSION] */
static size_t read_uvx(struct lb_mcp_plan *plan, char *const *args)
{
	const char *package = NULL, *at;
	size_t i = 0;

	for (; args[i] && args[i][0] == '-'; i++) {
		if ((strcmp(args[i], "--from") == 0 ||
		     strcmp(args[i], "--spec") == 0) &&
		    args[i + 1])
			package = args[++i];
		else if (strncmp(args[i], "--from=", 7) == 0)
			package = args[i] + 7;
		else if ((strcmp(args[i], "--python") == 0 ||
			  strcmp(args[i], "-p") == 0) &&
			 args[i + 1])
			i++; /* there is one python here */
	}
	if (!args[i])
		return 0;
	plan->stage = LB_MCP_STAGE_UVX;
	at = strchr(args[i], '@');
	plan->bin =
		lb_strndup(args[i], at && at > args[i] ? (size_t)(at - args[i])
						       : strlen(args[i]));
	if (package)
		plan->package = lb_strdup(package);
	else if (!at || at == args[i] || strcmp(at, "@latest") == 0)
		plan->package = lb_strdup(plan->bin);
	else
		plan->package = lb_printf("%s==%s", plan->bin, at + 1);
	return i + 1;
}

static size_t read_runner(struct lb_mcp_plan *plan,
			  const struct lb_mcp_server *s)
{
	const char *name = base_of(s->command);
	char *const *args = s->args;

	if (strcmp(name, "npx") == 0)
		return read_npx(plan, args);
	if (strcmp(name, "npm") == 0 && args[0] && strcmp(args[0], "exec") == 0)
		return read_npx(plan, args + 1) + 1;
	if (strcmp(name, "uvx") == 0)
		return read_uvx(plan, args);
	if (strcmp(name, "pipx") == 0 && args[0] && strcmp(args[0], "run") == 0)
		return read_uvx(plan, args + 1) + 1;
	return 0;
}

/* ---- the project ---- */

/* Does it run scripts? */
static bool is_interpreter(const char *command)
{
	static const char *const names[] = {"node", "npm", "uv",   "deno",
					    "bun",  "sh",  "bash", "ruby",
					    "perl", "php", "java", "tsx"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], base_of(command)) == 0)
			return true;
	return is_python(command);
}

/* A script that is named by its path: the folder that it is in. */
static char *infer_project(const struct lb_mcp_server *s)
{
	static const char *const system[] = {"/usr/", "/bin/", "/sbin/",
					     "/lib",  "/etc/", "/dev/",
					     "/proc", "/sys/", "/run/",
					     "/mnt/", "/opt/", "/workspace"};
	struct stat st;

	if (!is_interpreter(s->command))
		return NULL;
	for (char *const *a = s->args; *a; a++) {
		bool is_ours = **a != '/';

		for (size_t i = 0; i < sizeof(system) / sizeof(system[0]); i++)
			is_ours = is_ours || strncmp(*a, system[i],
						     strlen(system[i])) == 0;
		if (!is_ours && stat(*a, &st) == 0 && S_ISREG(st.st_mode))
			return lb_strndup(*a, (size_t)(base_of(*a) - *a) > 1
						      ? (size_t)(base_of(*a) -
								 *a - 1)
						      : 1);
	}
	return NULL;
}

static void find_stage(struct lb_mcp_plan *plan, const struct lb_mcp_server *s)
{
	const char *name = base_of(s->command);
	const char *p = plan->project;

	if (is_python(s->command) || strcmp(name, "uv") == 0) {
		if (has_file(p, "requirements.txt"))
			plan->stage = LB_MCP_STAGE_REQUIREMENTS;
		else if (has_file(p, "pyproject.toml") ||
			 has_file(p, "setup.py") || has_file(p, "setup.cfg"))
			plan->stage = LB_MCP_STAGE_PYTHON;
	} else if (strcmp(name, "node") == 0 || strcmp(name, "npm") == 0) {
		if (has_file(p, "package.json") && !has_file(p, "node_modules"))
			plan->stage = LB_MCP_STAGE_NODE;
	}
}

/* What stands for a path in the project, inside; NULL: it is none. */
static char *inside_of(const struct lb_mcp_plan *plan, const char *path)
{
	lb_autofree char *real = realpath(plan->project, NULL);
	const char *const roots[] = {plan->project, real};

	for (size_t i = 0; i < 2; i++) {
		size_t n = roots[i] ? strlen(roots[i]) : 0;

		if (n > 1 && strncmp(path, roots[i], n) == 0 &&
		    (path[n] == '/' || path[n] == '\0'))
			return lb_printf("%s%s", plan->inside, path + n);
	}
	return NULL;
}

/*
 * An interpreter of a virtual environment is a link to one of the system, which
 * is not followed: there is another environment inside.
 */
static bool is_venv_python(const char *path)
{
	static const char *const names[] = {"/.venv/bin/", "/venv/bin/",
					    "/env/bin/", "/.env/bin/"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strstr(path, names[i]) && is_python(path))
			return true;
	return false;
}

static void put_word(struct lb_words *w, const struct lb_mcp_plan *plan,
		     const char *word)
{
	char *inside =
		plan->project && *word == '/' ? inside_of(plan, word) : NULL;

	lb_words_add(w, inside ? inside : lb_strdup(word));
}

/* ---- the stamp ---- */

static bool is_left_out(const char *name)
{
	static const char *const names[] = {".git", "__pycache__",  ".venv",
					    "venv", "node_modules", ".cache"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* What the project is made of: names, sizes and times. */
static void put_listing(struct lb_buf *out, const char *project)
{
	lb_autoclose int root =
		open(project, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct lb_walk *walk;
	struct lb_walk_entry e;
	struct lb_error err;
	struct stat st;

	walk = root < 0 ? NULL
			: lb_walk_open(root,
				       &(struct lb_walk_options){
					       .max_entries = MAX_FILES,
					       .max_depth = 32,
					       .sort = true,
					       .paths = true,
				       },
				       &err);
	while (walk && out->len < MAX_LISTING && lb_walk_next(walk, &e) > 0) {
		if (is_left_out(e.name))
			continue;
		if (e.type == DT_DIR)
			lb_walk_enter(walk);
		else if (fstatat(e.folder, e.name, &st, AT_SYMLINK_NOFOLLOW) ==
			 0)
			lb_buf_printf(out, "%s %lld %lld.%09ld\n", e.path,
				      (long long)st.st_size,
				      (long long)st.st_mtim.tv_sec,
				      st.st_mtim.tv_nsec);
	}
	lb_walk_close(walk);
}

static void make_stamp(struct lb_mcp_plan *plan)
{
	lb_autobuf struct lb_buf text = {0};
	unsigned char sum[LB_DIGEST_SIZE];

	lb_buf_printf(&text, "1 %d %s %s\n", (int)plan->stage,
		      plan->package ? plan->package : "-",
		      plan->bin ? plan->bin : "-");
	if (plan->stage > LB_MCP_STAGE_UVX)
		put_listing(&text, plan->project);
	lb_digest(&(struct lb_piece){text.data, text.len}, 1, sum);
	for (size_t i = 0; i < sizeof(sum); i++)
		snprintf(plan->stamp + 2 * i, 3, "%02x", sum[i]);
}

/* ---- the command ---- */

#define CHECK                                                                  \
	"d=" LB_MCP_STAGED "; [ \"$(cat $d/stamp 2>/dev/null)\" = \"$0\" ] "   \
	"|| exit 97; "
#define IN_VENV                                                                \
	"VIRTUAL_ENV=$d/venv; PATH=$d/venv/bin:$PATH; export VIRTUAL_ENV "     \
	"PATH; "

static const char *const starts[] = {
	[LB_MCP_STAGE_NPX] = CHECK "cd " LB_BOX_WORKSPACE
				   " && exec node \"$(cat $d/bin)\" \"$@\"",
	[LB_MCP_STAGE_UVX] = CHECK IN_VENV "exec \"$@\"",
	[LB_MCP_STAGE_REQUIREMENTS] =
		CHECK IN_VENV "cd " LB_MCP_PROJECT " && exec \"$@\"",
	[LB_MCP_STAGE_PYTHON] = CHECK IN_VENV "cd $d/app && exec \"$@\"",
	[LB_MCP_STAGE_NODE] = CHECK "cd $d/app && exec \"$@\"",
};

static void make_run(struct lb_mcp_plan *plan, const struct lb_mcp_server *s,
		     size_t own)
{
	struct lb_words *w = &plan->run;

	if (plan->stage != LB_MCP_STAGE_NONE) {
		lb_words_pair(w, "sh", "-c");
		lb_words_pair(w, starts[plan->stage], plan->stamp);
	}
	if (plan->stage == LB_MCP_STAGE_UVX)
		lb_words_add(w, lb_strdup(plan->bin));
	else if (plan->stage != LB_MCP_STAGE_NPX) {
		if (is_venv_python(s->command))
			lb_words_add(w, lb_strdup("python3"));
		else
			put_word(w, plan, s->command);
	}
	for (char *const *a = s->args + own; *a; a++)
		put_word(w, plan, *a);
}

int lb_mcp_plan_make(struct lb_mcp_plan *plan, const struct lb_mcp_server *s,
		     struct lb_error *err)
{
	const char *path = lb_json_str(s->box, "host_path");
	size_t own;

	*plan = (struct lb_mcp_plan){.stage = LB_MCP_STAGE_NONE};
	if (path && *path && *path != '/')
		return lb_fail(err, LB_CONFIG,
			       "box.host_path '%.200s' is no absolute path",
			       path);
	own = read_runner(plan, s);
	plan->project = path && *path ? lb_strdup(path) : infer_project(s);
	if (plan->project && plan->stage == LB_MCP_STAGE_NONE)
		find_stage(plan, s);
	plan->inside = plan->stage == LB_MCP_STAGE_PYTHON ||
				       plan->stage == LB_MCP_STAGE_NODE
			       ? LB_MCP_STAGED "/app"
			       : LB_MCP_PROJECT;
	if (plan->stage != LB_MCP_STAGE_NONE)
		make_stamp(plan);
	make_run(plan, s, own);
	return 0;
}

void lb_mcp_plan_release(struct lb_mcp_plan *plan)
{
	free(plan->project);
	free(plan->package);
	free(plan->bin);
	lb_words_release(&plan->run);
}
