/* lb-tool - the skills that a call has. */
#ifndef LB_TOOL_SKILLS_H
#define LB_TOOL_SKILLS_H

#include <jansson.h>
#include <stdbool.h>

#include "box/box.h"
#include "config/config.h"
#include "skill/copy.h"
#include "tool/place.h"

/* So many are there for a call; of more, those that are active come first. */
enum { MAX_SKILLS = 64 };

struct tool_shelf; /* all there are, read anew when they changed */
struct shelf_state;

/* The configuration is borrowed. */
struct tool_shelf *tool_shelf_open(struct lb_config *config, const char *state);
void tool_shelf_close(struct tool_shelf *shelf);

/* Those of a call: for a file tool, and for a sandbox. */
struct tool_skills {
	struct shelf_state *of; /* where the texts and descriptors are */
	struct lb_place_skill place[MAX_SKILLS];
	struct lb_box_skill box[MAX_SKILLS];
	struct lb_skill_copy copies[MAX_SKILLS];
	size_t n, n_copies, left_out;
	json_t *notes; /* what whoever calls should know; or NULL */
};

/* Are there copies of skills in that call's session? Then it is to be open. */
bool tool_skills_copied(const struct tool_shelf *shelf, const json_t *context);

/*
 * Those that the pipeline of the context (lb-provider(7)) has: by
 * extensions_preferences, and none where it does not grant `activate`. Those
 * that are active may be written to as box.skills_mode says; `session` may be
 * NULL where there are no copies. Release them whatever happened. -1: one
 * cannot be made ready.
 */
int tool_skills_take(struct tool_skills *to, struct tool_shelf *shelf,
		     const json_t *context,
		     const struct lb_box_session *session,
		     struct lb_error *err);
/* One more thing to say. */
void tool_skills_tell(struct tool_skills *skills, json_t *take);
/* What there is to say of them, into the notes of a result. */
void tool_skills_note(const struct tool_skills *skills, json_t *result);
void tool_skills_release(struct tool_skills *skills);

#endif
