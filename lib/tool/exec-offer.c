/* exec-offer.c - what a model is told of the tool that runs commands. */
#include <string.h>

#include "base/json.h"
#include "tool/exec.h"

const char lb_exec_schema[] =
	"{\"type\":\"object\",\"additionalProperties\":false,"
	"\"required\":[\"command\"],\"properties\":{"
	"\"command\":{\"type\":\"string\",\"description\":\"a command line "
	"for sh\"},"
	"\"workdir\":{\"type\":\"string\",\"description\":\"folder it begins "
	"in, made where it is missing; default /workspace\"},"
	"\"timeout_sec\":{\"type\":\"integer\",\"minimum\":1,\"description\":"
	"\"seconds it may take\"},"
	"\"env\":{\"type\":\"object\",\"additionalProperties\":{\"type\":"
	"\"string\"},\"description\":\"variables it gets\"},"
	"\"description\":{\"type\":\"string\",\"description\":\"in a few "
	"words, what it is for; kept for the operator\"},"
	"\"elevated\":{\"type\":\"boolean\",\"description\":\"ask for "
	"more than usual (time, memory, network); an operator may have to "
	"allow it first\"}}}";

static const char *key_of(struct lb_config *config, const json_t *context,
			  const char *key)
{
	const char *pipeline = lb_json_str(context, "pipeline");

	return lb_json_str(lb_config_pipeline(config,
					      pipeline ? pipeline : "default"),
			   key);
}

json_t *lb_exec_offer(struct lb_config *config, const json_t *context)
{
	json_t *parameters = json_loads(lb_exec_schema, 0, NULL);
	const char *elevated =
		config ? key_of(config, context, "elevated") : "allow";

	if (!elevated || strcmp(elevated, "never") == 0)
		json_object_del(json_object_get(parameters, "properties"),
				"elevated");
	return lb_json_pack(
		"{s:s, s:s, s:o}", "name", "exec", "description",
		"Run a command in a sandbox of this conversation: Linux, sh, "
		"python3 where the machine has it. Files in /workspace stay "
		"for later calls, everything else is gone after each. Nothing "
		"it starts outlives the call.",
		"parameters", parameters);
}
