/* lb-tool - the skills that a call has. */
#include "skills.h"

#include <string.h>

#include "base/json.h"
#include "box/admit.h"
#include "box/backend.h"
#include "pipeline/policy.h"
#include "shelf.h"
#include "skill/index.h"
#include "skill/lend.h"

enum mode { RO, RW, OVERLAY };

static enum mode mode_of(const struct tool_shelf *shelf)
{
	const char *mode = lb_box_skills_mode(shelf->config);

	if (strcmp(mode, "rw") == 0)
		return RW;
	return strcmp(mode, "overlay") == 0 ? OVERLAY : RO;
}

void tool_skills_tell(struct tool_skills *to, json_t *take)
{
	if (!to->notes)
		to->notes = json_array();
	json_array_append_new(to->notes, take);
}

/* The next one, as it is on the shelf; NULL: it is there already, cannot be
 * had, or there are too many. */
static struct lb_place_skill *add(struct tool_skills *to,
				  const struct lb_shelved *one)
{
	struct shelf_state *s = to->of;
	size_t i = (size_t)(one - s->all.at);

	for (size_t k = 0; k < to->n; k++)
		if (to->place[k].name == one->name)
			return NULL;
	if (to->n == MAX_SKILLS) {
		to->left_out++;
		return NULL;
	}
	if (!shelf_open_one(s, i))
		return NULL;
	to->box[to->n] = (struct lb_box_skill){
		.name = one->name,
		.path = s->paths[i],
	};
	to->place[to->n] = (struct lb_place_skill){
		.name = one->name,
		.fd = s->folders[i],
	};
	return &to->place[to->n++];
}

/* The one that was added last may be written to. */
static int make_writable(struct tool_skills *to, const struct lb_shelved *one,
			 enum mode mode, const struct lb_box_session *session,
			 struct lb_error *err)
{
	struct lb_place_skill *p = &to->place[to->n - 1];
	struct lb_box_skill *b = &to->box[to->n - 1];
	struct lb_skill_copy *c = &to->copies[to->n_copies];

	if (mode == RW && one->is_own) {
		p->writable = b->writable = true;
		return lb_skill_lend(p->fd, err);
	}
	if (mode != OVERLAY || !session)
		return 0;
	to->n_copies++;
	if (lb_skill_copy_open(c, one, session, err) < 0)
		return -1;
	p->fd = c->folder;
	b->path = c->path;
	p->writable = b->writable = p->counts = true;
	if (c->is_old)
		tool_skills_tell(
			to,
			json_sprintf("skill '%s' was changed since; here it "
				     "stays as it was, because it was written "
				     "to; remove all files of "
				     "/workspace/.skills/%s to have the new "
				     "one",
				     one->name, one->name));
	return 0;
}

static int add_active(struct tool_skills *to, const struct tool_shelf *shelf,
		      const struct lb_visible *visible, const json_t *names,
		      const struct lb_box_session *session,
		      struct lb_error *err)
{
	const json_t *name;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)names, i, name)
	{
		const struct lb_shelved *one =
			json_is_string(name)
				? lb_visible_get(visible,
						 json_string_value(name))
				: NULL;

		if (one && add(to, one) &&
		    make_writable(to, one, mode_of(shelf), session, err) < 0)
			return -1;
	}
	return 0;
}

bool tool_skills_copied(const struct tool_shelf *shelf, const json_t *context)
{
	return mode_of(shelf) == OVERLAY &&
	       json_array_size(json_object_get(context, "skills")) > 0;
}

int tool_skills_take(struct tool_skills *to, struct tool_shelf *shelf,
		     const json_t *context,
		     const struct lb_box_session *session, struct lb_error *err)
{
	enum mode mode = mode_of(shelf);
	enum lb_policy_place place;
	struct lb_visible visible;
	int r;

	*to = (struct tool_skills){0};
	if (!lb_box_has_files(shelf->config) ||
	    !lb_policy_lists(shelf->config, context, "activate", &place))
		return 0;
	to->of = shelf_look(shelf);
	to->of->users++;
	lb_visible_find(&visible, shelf->config,
			lb_json_str(context, "pipeline"), &to->of->all,
			to->of->known);
	r = add_active(to, shelf, &visible, json_object_get(context, "skills"),
		       session, err);
	for (size_t i = 0; i < visible.n; i++) {
		struct lb_place_skill *p = add(to, visible.at[i]);

		if (p)
			p->asleep = mode == OVERLAY ||
				    (mode == RW && visible.at[i]->is_own);
	}
	lb_visible_release(&visible);
	if (to->left_out > 0)
		tool_skills_tell(
			to, json_sprintf("%zu more skills are not mounted: "
					 "activate the one that is needed",
					 to->left_out));
	return r;
}

void tool_skills_note(const struct tool_skills *skills, json_t *result)
{
	json_t *notes = json_object_get(result, "notes");

	if (!skills->notes)
		return;
	if (notes)
		json_array_extend(notes, skills->notes);
	else
		json_object_set(result, "notes", skills->notes);
}

void tool_skills_release(struct tool_skills *skills)
{
	for (size_t i = 0; i < skills->n_copies; i++)
		lb_skill_copy_release(&skills->copies[i]);
	json_decref(skills->notes);
	shelf_let_go(skills->of);
	*skills = (struct tool_skills){0};
}
