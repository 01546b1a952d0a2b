/*
 * model [NAME|default] - which model answers here; another one for this
 * conversation. lb-pipeline lets admins alone name one.
 */
#include <string.h>

#include "agent/command.h"
#include "agent/local.h"
#include "base/clock.h"
#include "base/log.h"
#include "config/notice.h"
#include "store/conversation.h"

enum { MAX_NAME = 200 };

static int show(struct order *o, struct lb_error *err)
{
	const struct lb_model *model =
		local_model(o->agent, o->conversation, o->pipeline, err);

	if (model)
		say(o, "command-model", "model", model->label, NULL);
	else
		say(o, "command-model-none", NULL);
	return 0;
}

static int set(struct order *o, const char *name, struct lb_error *err)
{
	bool usual = strcmp(name, "default") == 0;
	struct lb_error why;
	int64_t id;

	if (!usual && (strlen(name) > MAX_NAME ||
		       !local_find_model(o->agent, name, &why))) {
		lb_warn("command 'model': %s", why.text);
		say(o, "command-model-unknown", "model", name, NULL);
		return 0;
	}
	id = lb_conversation_use(o->agent->store, o->conversation, o->bot,
				 o->pipeline, lb_clock_now(), err);
	if (id < 0 || lb_conversation_set_model(o->agent->store, id,
						usual ? NULL : name, err) < 0)
		return -1;
	return show(o, err);
}

int command_model(struct order *o, struct lb_error *err)
{
	return o->args[0] ? set(o, o->args[0], err) : show(o, err);
}
