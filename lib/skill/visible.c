/* visible.c - which skills a pipeline has. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "skill/index.h"
#include "skill/own.h"

static const struct lb_shelved *find(const struct lb_shelved_all *all,
				     const char *name)
{
	for (size_t i = 0; i < all->n; i++)
		if (!all->at[i].is_shadowed && all->at[i].skill.fit &&
		    strcmp(all->at[i].name, name) == 0)
			return &all->at[i];
	return NULL;
}

static bool has(const struct lb_visible *v, const struct lb_shelved *one)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->at[i] == one)
			return true;
	return false;
}

static void add_listed(struct lb_visible *v, const struct lb_shelved_all *all,
		       const json_t *list)
{
	json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)list, i, one)
	{
		const char *name = json_string_value(one);
		const struct lb_shelved *s = name ? find(all, name) : NULL;

		if (!s)
			json_array_append(v->missing, one);
		else if (!has(v, s))
			v->at[v->n++] = s;
	}
}

/* 0: of a search path; 1: made here; 2: installed. */
static int rank(const struct lb_shelved *one, const json_t *known)
{
	const char *source =
		lb_json_str(json_object_get(known, one->name), "source");

	if (!one->is_own)
		return 0;
	return source && strcmp(source, LB_SKILL_LOCAL) != 0 ? 2 : 1;
}

static void add_all(struct lb_visible *v, const struct lb_shelved_all *all,
		    const json_t *known)
{
	for (int r = 0; r <= 2; r++)
		for (size_t i = 0; i < all->n; i++)
			if (rank(&all->at[i], known) == r &&
			    all->at[i].skill.fit && !all->at[i].is_shadowed &&
			    !has(v, &all->at[i]))
				v->at[v->n++] = &all->at[i];
}

void lb_visible_find(struct lb_visible *v, struct lb_config *config,
		     const char *pipeline, const struct lb_shelved_all *all,
		     const json_t *known)
{
	const json_t *said =
		json_object_get(lb_config_pipeline(config, pipeline),
				"extensions_preferences");
	const json_t *list = json_object_get(said, "skills");
	const json_t *every = json_object_get(said, "enable_all_skills");
	bool is_all = json_is_boolean(every) ? json_is_true(every)
					     : !json_is_array(list);

	*v = (struct lb_visible){
		.at = lb_alloc((all->n + 1) * sizeof(*v->at)),
		.missing = json_array(),
	};
	if (!lb_config_pipeline(config, pipeline))
		return;
	add_listed(v, all, list);
	if (is_all)
		add_all(v, all, known);
}

void lb_visible_release(struct lb_visible *v)
{
	free(v->at);
	json_decref(v->missing);
	*v = (struct lb_visible){0};
}

const struct lb_shelved *lb_visible_get(const struct lb_visible *v,
					const char *name)
{
	for (size_t i = 0; i < v->n; i++)
		if (strcmp(v->at[i]->name, name) == 0)
			return v->at[i];
	return NULL;
}
