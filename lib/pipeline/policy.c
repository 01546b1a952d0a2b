#include "pipeline/policy.h"

#include <string.h>

#include "base/json.h"
#include "pipeline/grants.h"

/* A key of a pipeline; what is not set is the table's default. */
static const char *key_of(struct lb_config *config, const char *pipeline,
			  const char *key, const char *otherwise)
{
	const char *value =
		lb_json_str(lb_config_pipeline(config, pipeline), key);

	return value && *value ? value : otherwise;
}

static bool allows_host(const struct lb_config *config)
{
	return json_is_true(lb_config_get(config, "box.allow_host"));
}

/* Where commands of that pipeline run for that bot. */
static int place_of(struct lb_config *config, const struct lb_grantee *who,
		    enum lb_policy_place *place, struct lb_error *err)
{
	const char *mode = key_of(config, who->pipeline, "sandbox-mode", "all");
	bool host = strcmp(mode, "host") == 0;

	*place = LB_IN_SANDBOX;
	if (strcmp(mode, "off") == 0)
		return lb_fail(err, LB_DENIED,
			       "commands are not run in pipeline '%s' "
			       "(sandbox-mode: off)",
			       who->pipeline);
	if (host && !allows_host(config))
		return lb_fail(err, LB_DENIED,
			       "pipeline '%s' has sandbox-mode: host, which "
			       "needs box.allow_host: true",
			       who->pipeline);
	if (host || (strcmp(mode, "non_default") == 0 &&
		     strcmp(who->bot, "-") == 0 && allows_host(config)))
		*place = LB_ON_HOST;
	return 0;
}

/* More than others get, by another profile: never the host. */
static int elevate(struct lb_config *config, const struct lb_grantee *who,
		   struct lb_policy *policy, struct lb_error *err)
{
	const char *may = key_of(config, who->pipeline, "elevated", "never");

	policy->ask = strcmp(may, "ask") == 0;
	if (!policy->ask && strcmp(may, "allow") != 0)
		return lb_fail(err, LB_DENIED,
			       "a command cannot be elevated in pipeline '%s' "
			       "(elevated: never); call it without",
			       who->pipeline);
	policy->place = LB_IN_SANDBOX;
	policy->profile = key_of(config, who->pipeline, "elevated-profile",
				 "network_extended");
	return 0;
}

static int check_grants(struct lb_config *config, const struct lb_grantee *who,
			const struct lb_policy_call *call, struct lb_error *err)
{
	struct lb_grants g;

	lb_grants_read(&g, config, who);
	if (lb_grants_allow(&g, call->tool, call->tool))
		return 0;
	g.open = true;
	if (lb_grants_allow(&g, call->tool, call->tool))
		return lb_fail(err, LB_DENIED,
			       "tool '%.64s' is not for who asks (sandbox."
			       "open-to of pipeline '%s')",
			       call->tool, who->pipeline);
	return lb_fail(err, LB_DENIED, "pipeline '%s' grants no tool '%.64s'",
		       who->pipeline, call->tool);
}

static int read_whose(const json_t *context, struct lb_grantee *who,
		      struct lb_error *err)
{
	*who = (struct lb_grantee){
		.pipeline = lb_json_str(context, "pipeline"),
		.bot = lb_json_str(context, "bot"),
		.platform = lb_json_str(context, "platform"),
		.sender = lb_json_str(context, "sender_id"),
	};
	if (!who->pipeline || !who->bot)
		return lb_fail(err, LB_DENIED,
			       "the call does not say for which bot and "
			       "pipeline it is");
	return 0;
}

int lb_policy_decide(struct lb_config *config, const json_t *context,
		     const struct lb_policy_call *call,
		     struct lb_policy *policy, struct lb_error *err)
{
	const char *profile = lb_config_str(config, "box.local.profile");
	bool exec = strcmp(call->tool, "exec") == 0;
	struct lb_grantee who;

	*policy = (struct lb_policy){
		.place = LB_IN_SANDBOX,
		.profile = profile && *profile ? profile : "default",
	};
	if (read_whose(context, &who, err) < 0 ||
	    check_grants(config, &who, call, err) < 0)
		return -1;
	if (!exec && call->elevated)
		return lb_fail(err, LB_DENIED, "only exec can be elevated");
	if (exec && place_of(config, &who, &policy->place, err) < 0)
		return -1;
	return call->elevated ? elevate(config, &who, policy, err) : 0;
}

bool lb_policy_lists(struct lb_config *config, const json_t *context,
		     const char *tool, enum lb_policy_place *place)
{
	struct lb_grantee who;
	struct lb_grants g;
	struct lb_error why;

	*place = LB_IN_SANDBOX;
	if (read_whose(context, &who, &why) < 0)
		return false;
	lb_grants_read(&g, config, &who);
	g.open = true;
	if (!lb_grants_allow(&g, tool, tool))
		return false;
	return strcmp(tool, "exec") != 0 ||
	       place_of(config, &who, place, &why) == 0;
}
