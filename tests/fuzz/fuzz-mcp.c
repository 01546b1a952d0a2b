/*
 * fuzz-mcp - lines of an MCP server, any bytes: each call is answered at most
 * once, whatever answers it; what is sent back is a message.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "mcp/content.h"
#include "mcp/elicit.h"
#include "mcp/param-headers.h"
#include "mcp/peer.h"
#include "mcp/protocol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CALLS = 4 };

struct play {
	struct lb_peer *peer;
	int answered[CALLS];
};

struct one {
	struct play *play;
	int i;
};

static int send_out(void *arg, const struct lb_peer_out *out,
		    struct lb_error *err)
{
	struct lb_rpc_message m;
	json_t *value = lb_rpc_parse(out->text, out->len, err);

	(void)arg;
	if (!value || memchr(out->text, '\n', out->len) ||
	    lb_rpc_read(&m, value, err) < 0)
		abort();
	lb_rpc_release(&m);
	return 0;
}

static void on_request(void *arg, const struct lb_rpc_message *m)
{
	struct play *play = arg;
	struct lb_error err;
	json_auto_t *form = lb_mcp_elicit(m->params, true);

	lb_peer_answer(play->peer, m->id, json_incref(form), &err);
	lb_peer_refuse(play->peer, m->id, LB_RPC_NO_METHOD, m->method, &err);
}

static void on_notification(void *arg, const struct lb_rpc_message *m)
{
	struct play *play = arg;
	struct lb_mcp_request_meta meta;

	lb_mcp_read_meta(&meta, m->params);
	if (lb_peer_find(play->peer, meta.progress_token))
		lb_peer_touch(lb_peer_find(play->peer, meta.progress_token));
}

static void on_noise(void *arg, const char *text, size_t len,
		     const struct lb_error *why)
{
	(void)arg;
	(void)text;
	(void)len;
	if (!why->text[0])
		abort();
}

static const struct lb_peer_events events = {
	.send = send_out,
	.on_request = on_request,
	.on_notification = on_notification,
	.on_noise = on_noise,
};

static void on_answer(void *arg, const struct lb_peer_answer *answer)
{
	struct one *one = arg;
	lb_autobuf struct lb_buf text = {0};
	json_auto_t *parts = NULL, *headers = NULL;
	const json_t *versions;
	struct lb_error err;
	const char *raw;
	size_t len;

	if (one->play->answered[one->i]++)
		abort();
	if (answer->failure) {
		lb_mcp_is_modern_failure(answer->failure->code,
					 answer->failure->data, &versions);
		lb_mcp_named(answer->failure->message);
	}
	if (!answer->result)
		return;
	parts = lb_mcp_content_parts(answer->result);
	lb_mcp_content_text(&text, answer->result, 1000);
	headers = lb_mcp_param_headers(answer->result, answer->result);
	lb_mcp_param_headers_check(answer->result, &err);
	if (!parts || (lb_peer_result_text(answer, &raw, &len) && len == 0))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lb_loop *loop = lb_loop_open();
	struct play play = {.peer = NULL};
	struct one ones[CALLS];
	const char *at = (const char *)data, *end = at + size;

	play.peer = lb_peer_open(loop, &events, &play);
	for (int i = 0; i < CALLS; i++) {
		ones[i] = (struct one){&play, i};
		lb_peer_ask(play.peer, &(struct lb_peer_ask){
					       .method = "tools/call",
					       .timeout_ms = INT64_MAX,
					       .progress = i % 2,
					       .fn = on_answer,
					       .arg = &ones[i],
				       });
	}
	while (at < end) {
		const char *line = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((line ? line : end) - at);

		lb_peer_receive(play.peer, at, len);
		at += len + 1;
	}
	lb_peer_close(play.peer);
	lb_loop_close(loop);
	return 0;
}
