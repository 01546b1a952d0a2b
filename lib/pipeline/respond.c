/* respond - is the bot meant? In a group where the platform can tell. */
#include <string.h>

#include "pipeline/pipeline.h"

enum lb_verdict lb_stage_respond(struct lb_message *m, struct lb_error *err)
{
	const json_t *meant = json_object_get(m->record->json, "mentioned_me");

	(void)err;
	if (strcmp(m->launcher_type, "group") != 0 || !json_is_false(meant))
		return LB_PASS;
	lb_buf_reset(&m->reason);
	lb_buf_puts(&m->reason, "said in a group, and not to the bot");
	return LB_DROP;
}
