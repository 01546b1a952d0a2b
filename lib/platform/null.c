/* null - deliver to nobody, or fail on request: for trying out a pipe. */
#include "base/json.h"
#include "platform/send.h"

static enum lb_sent reply(struct lb_send *send, struct lb_delivery *d)
{
	char id[32];

	if (send->fail != LB_CODES &&
	    (send->fail_part == 0 || send->fail_part == d->part)) {
		d->code = send->fail;
		d->why = "asked to fail by --fail";
		d->retryable = lb_code_is_passing(send->fail);
		return LB_NOT_SENT;
	}
	snprintf(id, sizeof(id), "null-%llu",
		 (unsigned long long)send->delivered + 1);
	json_array_append_new(d->message_ids, json_string(id));
	return LB_SENT;
}

const struct lb_sink lb_sink_null = {
	.name = "null",
	.about = "deliver to nobody; with --fail, fail",
	.reply = reply,
};
