/* guidance.c - how a model is to use what it has. */
#include "agent/local.h"
#include "agent/tools.h"
#include "base/json.h"

static const char text[] =
	"You have a sandbox: exec runs commands in it, and its files are below "
	"/workspace. They stay for this conversation; nothing else there does. "
	"Use it for what should be exact: arithmetic, dates, counting, "
	"statistics, reading CSV, JSON or logs. Write a short script, run it, "
	"and answer from what it printed; show the script only when asked. "
	"Work "
	"in /workspace without asking where. When a command is refused or has "
	"no network, say so and do not try to get around it.";

static const char files_text[] =
	" Files that come with a message are named in it, below "
	"/workspace/inbox. What the user is to get as a file goes into the "
	"folder of /workspace/outbox that the last message names, which is "
	"$LB_OUTBOX in exec: what is in there when you have answered is sent "
	"with the answer, as pictures, sound or files. Do not paste files as "
	"base64, and do not make up links to them.";

json_t *local_guidance(bool files)
{
	return lb_json_pack("{s:s, s:s++}", "role", "system", "content", text,
			    files ? files_text : "", "");
}

void toolset_prompts(const struct toolset *set, json_t *messages)
{
	for (size_t i = 0; i < set->n; i++) {
		const char *said = lb_json_str(set->at[i].entry, "prompt");

		if (said && *said)
			json_array_append_new(messages,
					      lb_json_pack("{s:s, s:s}", "role",
							   "system", "content",
							   said));
	}
}
