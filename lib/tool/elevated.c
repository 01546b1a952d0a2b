#include "tool/elevated.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "box/admit.h"
#include "box/approval.h"
#include "store/approval.h"

enum { BUSY_MS = 2000 }; /* for another who writes to the store */

int lb_elevated_ask(const struct lb_elevated *e, json_t **refusal,
		    struct lb_error *err)
{
	lb_autobuf struct lb_buf text = {NULL};
	char hash[LB_BOX_HASH], id[LB_APPROVAL_ID];
	const struct lb_box_wish wish = {
		.command = e->spec->cmd,
		.workdir = e->spec->workdir,
		.session = e->session,
		.workspace = lb_box_workspace(e->config),
		.env = e->spec->env,
	};
	struct lb_approval_request request = {
		.hash = hash,
		.session = lb_json_str(e->context, "session"),
		.bot = lb_json_str(e->context, "bot"),
		.sender = lb_json_str(e->context, "sender_id"),
		.workspace = wish.workspace,
	};
	int answer;

	if (lb_box_wish_read(&wish, hash, &text, err) < 0)
		return -1;
	request.text = lb_buf_str(&text);
	if (!*e->store && !(*e->store = lb_store_open(e->state, BUSY_MS, err)))
		return -1;
	answer = lb_approval_ask(*e->store, &request, lb_clock_now(), id, err);
	if (answer < 0)
		return -1;
	if (answer == LB_APPROVAL_GRANTED)
		return 1;
	if (answer == LB_APPROVAL_DENIED)
		return lb_fail(err, LB_DENIED,
			       "an operator denied this (request %s); do not "
			       "ask again, call without elevated",
			       id);
	*refusal = lb_json_pack(
		"{s:b, s:s, s:s, s:o}", "ok", 0, "status", "approval_pending",
		"approval_id", id, "error",
		json_sprintf("an operator must allow this first: 'lb-box "
			     "approve %s', within 15 minutes; then make the "
			     "same call again",
			     id));
	return 0;
}
