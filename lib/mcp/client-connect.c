/* client-connect.c - from the start of a transport to a server that is ready. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "mcp/client-in.h"
#include "mcp/era.h"

static void remember(struct lb_mcp_client *c, enum lb_mcp_era era)
{
	char key[65];

	c->remembered = false;
	lb_mcp_launch_key(c->how.launch->server, key);
	lb_mcp_era_keep(c->how.launch->state, key, era);
}

/* A failure of the handshake. */
static void refuse(struct lb_mcp_client *c, enum lb_exit code, const char *fmt,
		   const char *text)
{
	struct lb_error err;

	lb_fail(&err, code, "%s%.400s", fmt, text);
	lb_mcp_fail(c, LB_MCP_INIT, &err);
}

static void lost(struct lb_mcp_client *c, const struct lb_error *why)
{
	/* What cannot be connected to was never asked. */
	bool reached = lb_mcp_is_program(c) || c->reached ||
		       why->code != LB_UNAVAILABLE;

	lb_mcp_fail(c, reached ? LB_MCP_INIT : LB_MCP_RELAY_CONNECT, why);
}

static void begin(struct lb_mcp_client *c);

static void on_reconnect(void *arg)
{
	lb_mcp_connect(arg);
}

/* Begin anew, as soon as nobody is in the midst of the transport. */
void lb_mcp_reconnect(struct lb_mcp_client *c)
{
	if (c->shake)
		lb_peer_cancel(c->shake, NULL);
	c->shake = NULL;
	lb_timer_set(c->loop, &c->turn, lb_clock_mono(), on_reconnect, c);
}

/* ---- the older era ---- */

static void take_facts(struct lb_mcp_client *c, const json_t *result)
{
	const json_t *info = json_object_get(result, "serverInfo");
	const char *text = lb_json_str(result, "instructions");

	if (!info)
		info = json_object_get(json_object_get(result, "_meta"),
				       LB_MCP_META_SERVER);
	json_decref(c->theirs);
	json_decref(c->info);
	free(c->instructions);
	c->theirs = json_deep_copy(json_object_get(result, "capabilities"));
	c->info = json_is_object(info) ? json_deep_copy(info) : NULL;
	c->instructions = text ? lb_strdup(text) : NULL;
	if (!json_is_object(c->theirs)) {
		json_decref(c->theirs);
		c->theirs = json_object();
	}
}

static void level_set(void *arg, const struct lb_peer_answer *answer)
{
	(void)arg;
	(void)answer;
}

static void want_log(struct lb_mcp_client *c)
{
	static const char *const levels[] = {
		"debug", "info",     "notice", "warning",
		"error", "critical", "alert",  "emergency",
	};
	int level = c->how.log_level;

	if (level < 0 || level > 7 || !json_object_get(c->theirs, "logging"))
		return;
	lb_peer_ask(c->peer,
		    &(struct lb_peer_ask){
			    .method = "logging/setLevel",
			    .take_params = lb_json_pack("{s:s}", "level",
							levels[level]),
			    .timeout_ms = c->how.init_ms,
			    .cannot_cancel = true,
			    .fn = level_set,
		    });
}

static void settle(struct lb_mcp_client *c, enum lb_mcp_revision revision)
{
	struct lb_error err;

	c->revision = revision;
	lb_mcp_settled(c->t, revision);
	if (!c->forced)
		remember(c, lb_mcp_is_modern(revision) ? LB_MCP_ERA_MODERN
						       : LB_MCP_ERA_LEGACY);
	if (!lb_mcp_is_modern(revision)) {
		lb_peer_notify(c->peer, "notifications/initialized", NULL,
			       &err);
		want_log(c);
	}
	lb_mcp_is_ready(c);
}

/* It names revisions that it has instead: try one of those, once. */
bool lb_mcp_try_another(struct lb_mcp_client *c, const char *text,
			const json_t *data)
{
	enum lb_mcp_revision r =
		lb_mcp_newest(json_object_get(data, "supported"), false);

	if (r == LB_MCP_UNKNOWN)
		r = lb_mcp_named(text);
	if (c->again || r == LB_MCP_UNKNOWN || r == c->revision)
		return false;
	c->again = true;
	lb_mcp_initialize(c, r);
	return true;
}

/* What was known of it is wrong: find out. */
bool lb_mcp_forget_era(struct lb_mcp_client *c)
{
	if (!c->remembered)
		return false;
	remember(c, LB_MCP_ERA_UNKNOWN);
	c->known = LB_MCP_ERA_UNKNOWN;
	return true;
}

static void on_initialized(void *arg, const struct lb_peer_answer *answer)
{
	struct lb_mcp_client *c = arg;
	const struct lb_rpc_message *f = answer->failure;
	const char *version = lb_json_str(answer->result, "protocolVersion");
	enum lb_mcp_revision revision = lb_mcp_revision(version);

	c->shake = NULL;
	if (answer->error)
		lost(c, answer->error);
	else if (f && lb_mcp_try_another(c, f->message, f->data))
		return;
	else if (f && c->state == LB_MCP_IS_STARTING && lb_mcp_forget_era(c))
		begin(c);
	else if (f && c->respawned && !c->asked_again && !c->forced) {
		c->asked_again = true; /* it may have been slow */
		lb_fail(&c->refused, LB_DATA,
			"it refused to be initialized: %.400s", f->message);
		c->known = LB_MCP_ERA_MODERN;
		begin(c);
	} else if (f)
		refuse(c, LB_DATA,
		       "it refused to be initialized: ", f->message);
	else if (revision == LB_MCP_UNKNOWN || lb_mcp_is_modern(revision))
		refuse(c, LB_PROTOCOL,
		       "it speaks a revision that is unknown here: ",
		       version ? version : "none");
	else {
		take_facts(c, answer->result);
		settle(c, revision);
	}
}

void lb_mcp_initialize(struct lb_mcp_client *c, enum lb_mcp_revision revision)
{
	c->probing = false;
	c->revision = revision;
	c->shake = lb_peer_ask(c->peer,
			       &(struct lb_peer_ask){
				       .method = "initialize",
				       .take_params = lb_mcp_initialize_params(
					       revision,
					       json_deep_copy(c->capabilities)),
				       .timeout_ms = c->how.init_ms,
				       .cannot_cancel = true,
				       .fn = on_initialized,
				       .arg = c,
			       });
}

void lb_mcp_renew(struct lb_mcp_client *c)
{
	enum lb_mcp_revision revision = c->revision;

	c->state = LB_MCP_IS_RENEWING;
	lb_mcp_settled(c->t, LB_MCP_UNKNOWN);
	lb_mcp_initialize(c, revision);
}

/* ---- the newer era ---- */

static void discovered(struct lb_mcp_client *c, const json_t *result)
{
	const json_t *versions = json_object_get(result, "supportedVersions");
	enum lb_mcp_revision modern = lb_mcp_newest(versions, true);
	enum lb_mcp_revision legacy = lb_mcp_newest(versions, false);

	if (modern != LB_MCP_UNKNOWN) {
		take_facts(c, result);
		settle(c, modern);
	} else if (json_array_size(versions) > 0 && legacy == LB_MCP_UNKNOWN) {
		refuse(c, LB_PROTOCOL,
		       "it speaks no revision that is known here", "");
	} else {
		lb_mcp_initialize(c, legacy != LB_MCP_UNKNOWN
					     ? legacy
					     : LB_MCP_LATEST_LEGACY);
	}
}

static void not_discovered(struct lb_mcp_client *c,
			   const struct lb_rpc_message *f)
{
	const json_t *versions;
	bool modern = lb_mcp_is_modern_failure(f->code, f->data, &versions);
	enum lb_mcp_revision legacy = lb_mcp_newest(versions, false);

	if (modern && !c->again &&
	    lb_mcp_newest(versions, true) != LB_MCP_UNKNOWN) {
		c->again = true; /* it has what we have, and should say so */
		begin(c);
	} else if (modern && legacy == LB_MCP_UNKNOWN)
		refuse(c, LB_DATA, "it refused server/discover: ", f->message);
	else if (c->forced)
		refuse(c, LB_DATA,
		       "it is not of the newer era (--era=modern): ",
		       f->message);
	else
		lb_mcp_initialize(c, modern ? legacy : LB_MCP_LATEST_LEGACY);
}

static void on_discovered(void *arg, const struct lb_peer_answer *answer)
{
	struct lb_mcp_client *c = arg;

	c->shake = NULL;
	if (answer->result)
		discovered(c, answer->result);
	else if (answer->failure)
		not_discovered(c, answer->failure);
	else if (c->asked_again)
		lb_mcp_fail(c, LB_MCP_INIT, &c->refused);
	else if (answer->error->code != LB_AGAIN || c->forced || c->respawned)
		lost(c, answer->error);
	else if (lb_mcp_is_program(c)) { /* silence: what it read confuses it */
		c->respawned = true;
		c->known = LB_MCP_ERA_LEGACY;
		lb_mcp_reconnect(c);
	} else {
		lb_mcp_initialize(c, LB_MCP_LATEST_LEGACY);
	}
}

static void discover(struct lb_mcp_client *c)
{
	bool sure = c->known == LB_MCP_ERA_MODERN && !c->asked_again;

	c->probing = true;
	c->revision = LB_MCP_LATEST;
	c->shake =
		lb_peer_ask(c->peer,
			    &(struct lb_peer_ask){
				    .method = "server/discover",
				    .take_params =
					    lb_mcp_params(LB_MCP_LATEST, NULL,
							  c->capabilities),
				    .timeout_ms = sure || !lb_mcp_is_program(c)
							  ? c->how.init_ms
							  : c->how.probe_ms,
				    .cannot_cancel = true,
				    .fn = on_discovered,
				    .arg = c,
			    });
}

/* ---- the beginning ---- */

static void begin(struct lb_mcp_client *c)
{
	if (c->known == LB_MCP_ERA_LEGACY)
		lb_mcp_initialize(c, LB_MCP_LATEST_LEGACY);
	else
		discover(c);
}

static void too_late(void *arg)
{
	struct lb_mcp_client *c = arg;
	struct lb_error err;

	if (c->shake)
		lb_peer_cancel(c->shake, NULL);
	c->shake = NULL;
	lb_fail(&err, LB_AGAIN, "it was not ready within %g s",
		(double)c->how.init_ms / 1000);
	lb_mcp_fail(c, LB_MCP_INIT, &err);
}

static void recall(struct lb_mcp_client *c)
{
	const struct lb_mcp_launch *l = c->how.launch;
	char key[65];

	c->forced = c->how.era != LB_MCP_ERA_UNKNOWN;
	c->known = c->how.era;
	if (l->server->mode == LB_MCP_SSE || c->old_way) {
		c->forced = true; /* there is no other era on it */
		c->known = LB_MCP_ERA_LEGACY;
	}
	if (c->forced)
		return;
	lb_mcp_launch_key(l->server, key);
	c->known = lb_mcp_era_recall(l->state, key);
	c->remembered = c->known != LB_MCP_ERA_UNKNOWN;
}

void lb_mcp_connect(struct lb_mcp_client *c)
{
	struct lb_error err;

	if (c->patience.slot == 0) {
		lb_timer_set(c->loop, &c->patience,
			     lb_clock_mono() + c->how.init_ms, too_late, c);
		recall(c);
	}
	lb_mcp_transport_close(c->t, lb_clock_mono());
	c->t = lb_mcp_launch(c->how.launch, c->loop,
			     c->old_way ||
				     c->how.launch->server->mode == LB_MCP_SSE,
			     &lb_mcp_client_hears, c, &err);
	if (c->t)
		begin(c);
	else
		lb_mcp_fail(c, LB_MCP_PROCESS_START, &err);
}
