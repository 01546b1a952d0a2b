/* toolset.c - what a query gets of what the providers list. */
#include <stdlib.h>
#include <string.h>

#include "agent/tools.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"

/* Complaints that are remembered, so as not to be made again; how often a list
 * is asked for that changes as soon as it is there. */
enum { MAX_TOLD = 1000, MAX_CHANGES = 3 };

void asker_grants(struct lb_grants *g, const struct agent *a,
		  const struct asker *who)
{
	const struct lb_grantee whose = {
		.pipeline = who->pipeline,
		.bot = who->bot,
		.platform = lb_json_str(who->query, "platform"),
		.sender = lb_json_str(who->query, "sender_id"),
	};

	lb_grants_read(g, a->options->config, &whose);
}

json_t *asker_context(const struct asker *who)
{
	static const char *const keys[] = {"id",          "platform",
					   "sender_id",   "launcher_type",
					   "launcher_id", "conversation_id"};
	json_t *context =
		lb_json_pack("{s:s, s:s, s:s}", "bot", who->bot, "pipeline",
			     who->pipeline, "session", who->session);

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		json_t *value = json_object_get(who->query, keys[i]);

		if (json_is_string(value))
			json_object_set(context, keys[i], value);
	}
	if (json_array_size(who->skills) > 0)
		json_object_set_new(context, "skills",
				    json_copy(
					    (json_t *)(uintptr_t)who->skills));
	return context;
}

/* Is it the first time? */
static bool is_new(struct agent *a, const char *text)
{
	if (lb_map_find(&a->told, text) || a->told.n >= MAX_TOLD)
		return false;
	lb_map_add(&a->told, text, a);
	return true;
}

void agent_complain_once(struct agent *a, const char *what, const char *name,
			 const char *why)
{
	lb_autofree char *text = lb_printf("%s '%s' %s", what, name, why);

	if (is_new(a, text))
		lb_complain("%s", text);
}

static void use(struct agent *a, const char *name,
		void (*fn)(void *arg, struct lb_provider *p), void *arg)
{
	struct lb_provider *p = providers_find(a, name);

	if (p)
		fn(arg, p);
	else
		agent_complain_once(a, "provider", name, "cannot be started");
}

struct using
{
	struct agent *agent;
	void (*fn)(void *arg, struct lb_provider *p);
	void *arg;
};

static void use_native(void *arg, const char *name)
{
	const struct using *u = arg;

	use(u->agent, name, u->fn, u->arg);
}

/* Call fn with each provider that the asker's pipeline has. */
static void each_provider(struct agent *a, const struct lb_grants *g,
			  void (*fn)(void *arg, struct lb_provider *p),
			  void *arg)
{
	const json_t *all =
		lb_config_get(a->options->config, "tools.providers");
	struct using u = {a, fn, arg};
	const char *name;
	json_t *settings;

	json_object_foreach((json_t *)(uintptr_t)all, name, settings)
	{
		if (lb_grants_provider(g, name))
			use(a, name, fn, arg);
	}
	native_each(a, g, use_native, &u);
}

struct ask {
	struct listing *listing;
	struct lb_provider *provider;
	struct lb_provider_call *call; /* NULL: answered */
	int changes;                   /* of the list while it was asked for */
};

struct listing {
	struct agent *agent;
	const char *pipeline;
	json_t *context;
	struct ask **asked;
	size_t n, left;
	void (*done)(void *arg);
	void *arg;
};

static void free_listing(struct listing *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->asked[i]);
	free(l->asked);
	json_decref(l->context);
	free(l);
}

void listing_cancel(struct listing *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->n; i++)
		if (l->asked[i]->call)
			lb_provider_cancel(l->asked[i]->call);
	free_listing(l);
}

static void ask_again(struct ask *ask);

/* Whether it is there or not: the answer is made with what there is. */
static void on_list(void *arg, const struct lb_provider_answer *answer)
{
	struct ask *ask = arg;
	struct listing *l = ask->listing;
	void (*done)(void *) = l->done;
	void *of = l->arg;

	ask->call = NULL;
	if (!lb_provider_tools(ask->provider, l->pipeline) &&
	    (answer->content || strcmp(answer->code, "changed") == 0) &&
	    ++ask->changes < MAX_CHANGES) {
		ask_again(ask);
		return;
	}
	if (answer->content && ask->changes >= MAX_CHANGES)
		agent_complain_once(l->agent, "provider",
				    lb_provider_name(ask->provider),
				    "changes its tools too often to be asked "
				    "for them");
	else if (!answer->content)
		lb_log(LB_INFO, NULL, "some tools are not there: %s",
		       answer->message);
	if (--l->left > 0)
		return;
	free_listing(l);
	done(of);
}

static void ask_again(struct ask *ask)
{
	struct listing *l = ask->listing;
	int64_t ms =
		lb_config_ms(l->agent->options->config, "tools.list-timeout");

	ask->call =
		lb_provider_list(ask->provider, l->pipeline, l->context,
				 ms < INT32_MAX ? ms : INT32_MAX, on_list, ask);
}

static void ask_for_list(void *arg, struct lb_provider *p)
{
	struct listing *l = arg;
	struct ask *ask;

	if (lb_provider_tools(p, l->pipeline))
		return;
	ask = lb_alloc(sizeof(*ask));
	l->asked = lb_grow(l->asked, (l->n + 1) * sizeof(struct ask *));
	l->asked[l->n++] = ask;
	l->left++;
	ask->listing = l;
	ask->provider = p;
	ask_again(ask);
}

struct listing *listing_start(struct agent *a, const struct asker *who,
			      void (*done)(void *arg), void *arg)
{
	struct listing *l = lb_alloc(sizeof(*l));
	struct lb_grants g;

	asker_grants(&g, a, who);
	l->agent = a;
	l->pipeline = who->pipeline;
	l->context = asker_context(who);
	l->done = done;
	l->arg = arg;
	if (lb_grants_any(&g))
		each_provider(a, &g, ask_for_list, l);
	if (l->left > 0)
		return l;
	free_listing(l);
	return NULL;
}

struct fill {
	struct toolset *set;
	const struct lb_grants *grants;
	const char *pipeline;
};

static void take_tools(void *arg, struct lb_provider *p)
{
	struct fill *f = arg;
	struct toolset *set = f->set;
	json_t *entry;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)lb_provider_tools(p,
								  f->pipeline),
			   i, entry)
	{
		const char *name = lb_json_str(entry, "name");
		const char *own = lb_json_str(entry, "own");

		if (!lb_grants_allow(f->grants, name, own))
			continue;
		/* doubled at each power of two */
		if ((set->n & (set->n - 1)) == 0)
			set->at = lb_grow(set->at, (set->n ? 2 * set->n : 1) *
							   sizeof(*set->at));
		set->at[set->n++] =
			(struct tool){p, json_incref(entry), name, own, false};
	}
}

/* Which of two is meant cannot be known: neither. */
static void find_doubles(struct toolset *set, struct agent *a,
			 const struct lb_grants *g)
{
	struct lb_map names = {0}, owns = {0};

	for (size_t i = 0; i < set->n; i++) {
		struct tool *t = &set->at[i];
		struct tool *same = lb_map_find(&names, t->name);
		struct tool *other = NULL;

		if (strcmp(t->name, READ_RESULT) == 0) {
			agent_complain_once(a, "tool", t->name,
					    "is left out: the name is ours");
			t->bad = true;
		}
		if (same) {
			agent_complain_once(a, "tool", t->name,
					    "is there twice, so it is left "
					    "out");
			same->bad = t->bad = true;
		} else {
			lb_map_add(&names, t->name, t);
		}
		if (!lb_grants_by_own_name(g, t->name))
			continue;
		other = lb_map_find(&owns, t->own);
		if (other && !t->bad) {
			agent_complain_once(
				a, "tool", t->own,
				"is granted by a name that several providers "
				"have, so it is left out; name it as "
				"PROVIDER__NAME");
			other->bad = t->bad = true;
		} else if (!other) {
			lb_map_add(&owns, t->own, t);
		}
	}
	lb_map_release(&names, NULL);
	lb_map_release(&owns, NULL);
}

/* Whether anybody lists a tool that is granted by that name. */
struct wanted {
	const char *name, *pipeline;
	bool found, unsure;
};

static void look_for(void *arg, struct lb_provider *p)
{
	struct wanted *w = arg;
	const json_t *tools = lb_provider_tools(p, w->pipeline);
	json_t *entry;
	size_t i;

	/* one that did not answer may have it, and was complained of */
	w->unsure = w->unsure || !tools;
	json_array_foreach((json_t *)(uintptr_t)tools, i, entry)
	{
		if (strcmp(lb_json_str(entry, "name"), w->name) == 0 ||
		    strcmp(lb_json_str(entry, "own"), w->name) == 0)
			w->found = true;
	}
}

/* A slip of the pen grants nothing: once a pipeline that is worth a look. */
static void find_slips(struct agent *a, const struct lb_grants *g,
		       const char *pipeline)
{
	lb_autofree char *once = lb_printf("grants of %s", pipeline);
	lb_autofree char *why =
		lb_printf("is granted by pipeline '%s', and no provider has it",
			  pipeline);
	const json_t *one;
	size_t i;

	if (json_array_size(g->tools) == 0 || lb_map_find(&a->told, once))
		return;
	json_array_foreach((json_t *)(uintptr_t)g->tools, i, one)
	{
		struct wanted w = {json_string_value(one), pipeline, false,
				   false};

		if (!w.name || strcmp(w.name, READ_RESULT) == 0)
			continue;
		each_provider(a, g, look_for, &w);
		if (w.unsure)
			return;
		if (!w.found && !native_is_known(a, g, pipeline, w.name))
			agent_complain_once(a, "tool", w.name, why);
	}
	is_new(a, once);
}

void toolset_fill(struct toolset *set, struct agent *a, const struct asker *who)
{
	struct lb_grants g;
	struct fill f = {set, &g, who->pipeline};
	size_t kept = 0;

	asker_grants(&g, a, who);
	if (lb_grants_any(&g))
		each_provider(a, &g, take_tools, &f);
	find_slips(a, &g, who->pipeline);
	find_doubles(set, a, &g);
	for (size_t i = 0; i < set->n; i++) {
		if (set->at[i].bad)
			json_decref(set->at[i].entry);
		else
			set->at[kept++] = set->at[i];
	}
	set->n = kept;
}

const struct tool *toolset_find(const struct toolset *set, const char *name)
{
	for (size_t i = 0; i < set->n; i++)
		if (strcmp(set->at[i].name, name) == 0)
			return &set->at[i];
	return NULL;
}

json_t *toolset_specs(const struct toolset *set)
{
	json_t *specs = json_array();

	for (size_t i = 0; i < set->n; i++)
		json_array_append(specs,
				  json_object_get(set->at[i].entry, "spec"));
	return specs;
}

void toolset_release(struct toolset *set)
{
	for (size_t i = 0; i < set->n; i++)
		json_decref(set->at[i].entry);
	free(set->at);
	*set = (struct toolset){0};
}
