/*
 * provider/names.h - what a tool is called when it is offered to a model.
 */
#ifndef LB_PROVIDER_NAMES_H
#define LB_PROVIDER_NAMES_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"

/* What model APIs take: ^[a-zA-Z0-9_-]{1,64}$. */
enum { LB_TOOL_NAME_MAX = 64 };

/*
 * Append the name under which a tool is offered: PROVIDER__NAME, or (provider
 * NULL) NAME alone. What a model API does not take becomes '_'; a name that is
 * too long is cut, and ends in a digest of the whole. The same tool always has
 * the same name.
 */
void lb_tool_name(struct lb_buf *out, const char *provider, const char *name);

/* Does lb_tool_name() leave it as it is? */
bool lb_tool_name_is_clean(const char *name);

/*
 * The tools of a provider's answer as they are offered: an array of
 * {"own","name","spec","prompt"?}, where `own` is what the provider calls it,
 * `name` what the model is told, `spec` stands in a request as it is, and
 * `prompt` is what whoever has the tool is told beside it.
 * Entries that are no tool are left out, texts are cut, and a schema that is
 * none takes any object (parameters.h). Of tools that would have one name those
 * that were not clean end in a digest, too; `told` gets some words about each that was left out.
 * New.
 */
json_t *lb_tools_read(const json_t *tools, const char *provider,
		      struct lb_buf *told);

#endif
