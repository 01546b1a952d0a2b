/* Where tools of the sandbox run, for whom, with what: a table. */
#include <stdlib.h>

#include "base/json.h"
#include "config/config.h"
#include "config/load.h"
#include "pipeline/policy.h"
#include "tap.h"

#define ADMIN "'bot':'tg','sender_id':'1','platform':'telegram'"
#define OTHER "'bot':'tg','sender_id':'2','platform':'telegram'"
/* Whoever writes to an adapter that vouches for nobody is nobody. */
#define FEIGNED "'bot':'web','sender_id':'1','platform':'jsonl'"
#define HERE "'bot':'-','sender_id':'ann','platform':'text'"
#define GIVE "'ai':{'local-agent':{'tools':['exec','read','write']}},"
#define ALL "'ai':{'local-agent':{'enable-all-tools':true}},"
#define HOST "'allow_host':true"

/* ' is " in what follows. */
static const struct {
	const char *what, *pipeline, *box, *context;
	const char *tool;
	bool elevated;
	/* "sandbox PROFILE", "host PROFILE", "... ask", or why not. */
	const char *want;
} rows[] = {
	{"with no key no tool", "", "", ADMIN, "read", false,
	 "pipeline 'p' grants no tool 'read'"},
	{"enable-all-tools grants read", ALL, "", OTHER, "read", false,
	 "sandbox default"},
	{"... and exec to admins alone", ALL, "", OTHER, "exec", false,
	 "tool 'exec' is not for who asks (sandbox.open-to of pipeline 'p')"},
	{"... as it does", ALL, "", ADMIN, "exec", false, "sandbox default"},
	{"a name grants it", GIVE, "", ADMIN, "exec", false, "sandbox default"},
	{"... and nothing else", GIVE, "", ADMIN, "edit", false,
	 "pipeline 'p' grants no tool 'edit'"},
	{"... nor to everybody", GIVE, "", OTHER, "write", false,
	 "tool 'write' is not for who asks (sandbox.open-to of pipeline 'p')"},
	{"an id that nobody vouches for is nobody's", GIVE, "", FEIGNED, "exec",
	 false,
	 "tool 'exec' is not for who asks (sandbox.open-to of pipeline 'p')"},
	{"a context without a sender is nobody", GIVE, "", "'bot':'tg'", "exec",
	 false,
	 "tool 'exec' is not for who asks (sandbox.open-to of pipeline 'p')"},
	{"the person at this machine is an admin", GIVE, "", HERE, "exec",
	 false, "sandbox default"},
	{"... by text alone", GIVE, "", "'bot':'-','sender_id':'ann'", "exec",
	 false,
	 "tool 'exec' is not for who asks (sandbox.open-to of pipeline 'p')"},
	{"the listed",
	 GIVE "'sandbox':{'open-to':'listed','listed':["
	      "'tg:person_2']},",
	 "", OTHER, "exec", false, "sandbox default"},
	{"everyone", GIVE "'sandbox':{'open-to':'everyone'},", "", OTHER,
	 "exec", false, "sandbox default"},
	{"deny narrows", GIVE "'tools':{'deny':['ex*']},", "", ADMIN, "exec",
	 false, "pipeline 'p' grants no tool 'exec'"},
	{"... and wins", GIVE "'tools':{'deny':['exec'],'allow':['exec']},", "",
	 ADMIN, "exec", false, "pipeline 'p' grants no tool 'exec'"},
	{"allow narrows", GIVE "'tools':{'allow':['read']},", "", ADMIN, "exec",
	 false, "pipeline 'p' grants no tool 'exec'"},
	{"... and grants nothing", "'tools':{'allow':['exec']},", "", ADMIN,
	 "exec", false, "pipeline 'p' grants no tool 'exec'"},
	{"off is no exec", GIVE "'sandbox-mode':'off',", HOST, HERE, "exec",
	 false, "commands are not run in pipeline 'p' (sandbox-mode: off)"},
	{"... and the file tools stay", GIVE "'sandbox-mode':'off',", "", ADMIN,
	 "write", false, "sandbox default"},
	{"host is for whom it is allowed", GIVE "'sandbox-mode':'host',", "",
	 ADMIN, "exec", false,
	 "pipeline 'p' has sandbox-mode: host, which needs box.allow_host: "
	 "true"},
	{"... and is the host then", GIVE "'sandbox-mode':'host',", HOST, ADMIN,
	 "exec", false, "host default"},
	{"... not for anybody", GIVE "'sandbox-mode':'host',", HOST, OTHER,
	 "exec", false,
	 "tool 'exec' is not for who asks (sandbox.open-to of pipeline 'p')"},
	{"... nor for files", GIVE "'sandbox-mode':'host',", HOST, ADMIN,
	 "read", false, "sandbox default"},
	{"all is all, also here", GIVE, HOST, HERE, "exec", false,
	 "sandbox default"},
	{"non_default is the host here", GIVE "'sandbox-mode':'non_default',",
	 HOST, HERE, "exec", false, "host default"},
	{"... where that is allowed", GIVE "'sandbox-mode':'non_default',", "",
	 HERE, "exec", false, "sandbox default"},
	{"... and the sandbox elsewhere", GIVE "'sandbox-mode':'non_default',",
	 HOST, ADMIN, "exec", false, "sandbox default"},
	{"another profile", GIVE, "'local':{'profile':'offline_readonly'}",
	 ADMIN, "exec", false, "sandbox offline_readonly"},
	{"elevated is never", GIVE, "", ADMIN, "exec", true,
	 "a command cannot be elevated in pipeline 'p' (elevated: never); call "
	 "it without"},
	{"... or asked for", GIVE "'elevated':'ask',", "", ADMIN, "exec", true,
	 "sandbox network_extended ask"},
	{"... or allowed, by a profile",
	 GIVE "'elevated':'allow',"
	      "'elevated-profile':'mine',",
	 "", ADMIN, "exec", true, "sandbox mine"},
	{"... and never the host",
	 GIVE "'elevated':'allow','sandbox-mode':'host',", HOST, ADMIN, "exec",
	 true, "sandbox network_extended"},
	{"... nor what is denied",
	 GIVE "'elevated':'allow',"
	      "'tools':{'deny':['exec']},",
	 "", ADMIN, "exec", true, "pipeline 'p' grants no tool 'exec'"},
	{"... nor for anybody", GIVE "'elevated':'allow',", "", OTHER, "exec",
	 true,
	 "tool 'exec' is not for who asks (sandbox.open-to of pipeline 'p')"},
	{"... nor where nothing runs",
	 GIVE "'elevated':'allow','sandbox-mode':'off',", "", ADMIN, "exec",
	 true, "commands are not run in pipeline 'p' (sandbox-mode: off)"},
	{"a file tool is not elevated", GIVE "'elevated':'allow',", "", ADMIN,
	 "read", true, "only exec can be elevated"},
	{"without a bot it is nobody's", GIVE, "", "'sender_id':'1'", "read",
	 false, "the call does not say for which bot and pipeline it is"},
};

static json_t *load(char *text)
{
	json_error_t why;
	json_t *value;

	for (char *at = text; *at; at++)
		if (*at == '\'')
			*at = '"';
	value = json_loads(text, 0, &why);
	if (!value)
		printf("# %s: %s\n", why.text, text);
	return value;
}

/* What is decided, as the table has it. */
static void decide(struct lb_config *config, const json_t *context,
		   const struct lb_policy_call *call, char got[1024])
{
	struct lb_policy policy;
	struct lb_error err;

	if (lb_policy_decide(config, context, call, &policy, &err) < 0)
		snprintf(got, 1024, "%s%s",
			 err.code == LB_DENIED ? "" : "not denied: ", err.text);
	else
		snprintf(got, 1024, "%s %s%s",
			 policy.place == LB_ON_HOST ? "host" : "sandbox",
			 policy.profile, policy.ask ? " ask" : "");
}

static void one(size_t i)
{
	char text[4096], got[1024];
	struct lb_config config = {0};
	const struct lb_policy_call call = {rows[i].tool, rows[i].elevated};
	json_auto_t *context = NULL;

	snprintf(text, sizeof(text),
		 "{'admins':['tg:person_1','web:person_1'],'box':{%s},"
		 "'bots':{'tg':{'adapter':'telegram'},"
		 "'web':{'adapter':'jsonl'}},'pipelines':{'p':{%s'x':1}}}",
		 rows[i].box, rows[i].pipeline);
	config.all = load(text);
	config.full = json_object();
	snprintf(text, sizeof(text), "{'pipeline':'p',%s}", rows[i].context);
	context = load(text);
	decide(&config, context, &call, got);
	tap_same(rows[i].want, got, rows[i].what);
	json_decref(config.all);
	json_decref(config.full);
	free(config.user);
}

/* Lists are kept for a pipeline: not for whom they were asked. */
static void lists(void)
{
	char text[] = "{'pipelines':{'p':{'ai':{'local-agent':{'tools':"
		      "['exec','read']}}},'off':{'sandbox-mode':'off',"
		      "'ai':{'local-agent':{'tools':['exec','read']}}}}}";
	char p[] = "{'pipeline':'p'," OTHER "}",
	     off[] = "{'pipeline':'off'," OTHER "}";
	struct lb_config config = {.all = load(text), .full = json_object()};
	json_auto_t *in_p = load(p), *in_off = load(off);
	enum lb_policy_place place;

	tap_ok(lb_policy_lists(&config, in_p, "exec", &place) &&
		       place == LB_IN_SANDBOX,
	       "a list has what somebody may use");
	tap_ok(!lb_policy_lists(&config, in_p, "write", &place),
	       "... and not what nobody may");
	tap_ok(!lb_policy_lists(&config, in_off, "exec", &place) &&
		       lb_policy_lists(&config, in_off, "read", &place),
	       "... such as exec where it is off");
	json_decref(config.all);
	json_decref(config.full);
}

int main(void)
{
	setenv("USER", "ann", 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		one(i);
	lists();
	return tap_end();
}
