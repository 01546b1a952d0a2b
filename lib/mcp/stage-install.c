/* stage-install.c - the scripts that put things into a sandbox. */
#include "base/mem.h"
#include "mcp/boxed.h"
#include "mcp/stage.h"

#define BEGIN "set -e; d=" LB_MCP_STAGED "; mkdir -p $d; rm -f $d/stamp; "
#define END "; printf %s \"$1\" > $d/stamp"
#define VENV "python3 -m venv --clear $d/venv; "
#define PIP                                                                    \
	"$d/venv/bin/python -m pip install -q --disable-pip-version-check "    \
	"--no-input "
#define COPY                                                                   \
	"rm -rf $d/app; mkdir $d/app; (cd " LB_MCP_PROJECT                     \
	" && tar cf - --exclude=./.git --exclude=__pycache__ "                 \
	"--exclude=./.venv --exclude=./venv --exclude=./node_modules .) | "    \
	"tar xf - -C $d/app; "
#define NPM "npm install --no-audit --no-fund --no-progress --loglevel=error "

/* The script of a package that is meant: by name, by the package's, or alone. */
#define BIN                                                                    \
	"node -e '"                                                            \
	"const fs=require(\"fs\"),r=f=>JSON.parse(fs.readFileSync(f)),"        \
	"d=Object.keys(r(\"package.json\").dependencies)[0],"                  \
	"m=\"node_modules/\"+d;"                                               \
	"let b=r(m+\"/package.json\").bin;"                                    \
	"if(b&&typeof b==\"object\")"                                          \
	"b=b[process.argv[1]]||b[d.replace(/^@[^/]*\\//,\"\")]"                \
	"||Object.values(b)[0];"                                               \
	"if(!b){console.error(d+\" has no program\");process.exit(1)}"         \
	"process.stdout.write(process.cwd()+\"/\"+m+\"/\"+b)' "                \
	"-- \"$3\" > $d/bin"

static const char *const scripts[] = {
	[LB_MCP_STAGE_NPX] =
		BEGIN "rm -rf $d/npm; mkdir $d/npm; cd $d/npm; "
		      "echo '{\"private\":true}' > package.json; " NPM
		      "--install-links -- \"$2\"; " BIN END,
	[LB_MCP_STAGE_UVX] = BEGIN VENV PIP "\"$2\"" END,
	[LB_MCP_STAGE_REQUIREMENTS] =
		BEGIN VENV PIP "-r " LB_MCP_PROJECT "/requirements.txt" END,
	[LB_MCP_STAGE_PYTHON] = BEGIN VENV COPY PIP "$d/app" END,
	[LB_MCP_STAGE_NODE] = BEGIN COPY
	"cd $d/app; if [ -e package-lock.json ]; then npm ci --omit=dev "
	"--no-audit --no-fund --no-progress --loglevel=error; else " NPM
	"--omit=dev; fi" END,
};

void lb_mcp_plan_install(const struct lb_mcp_plan *plan, struct lb_words *argv)
{
	lb_words_pair(argv, "sh", "-c");
	lb_words_pair(argv, scripts[plan->stage], "install");
	lb_words_add(argv, lb_strdup(plan->stamp));
	lb_words_add(argv, lb_strdup(plan->package ? plan->package : ""));
	lb_words_add(argv, lb_strdup(plan->bin ? plan->bin : ""));
}
