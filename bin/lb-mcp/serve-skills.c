/* lb-mcp serve: skills, as resources, as prompts, and as a tool. */
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "pipeline/policy.h"
#include "skill/activate.h"
#include "skill/change.h"
#include "skill/stamp.h"
#include "skilled.h"

enum { LOOK_MS = 1000, MIN_INDEX = 512 };

static const char told[] =
	"Get the instructions of a skill. When a task clearly is what a skill "
	"is for, call this before anything else, and follow what it says. The "
	"skills, each with what it is for as its author put it:\n";

static const char schema[] =
	"{\"type\":\"object\",\"properties\":{\"skill_name\":{\"type\":"
	"\"string\",\"description\":\"one of the names above\"}},"
	"\"required\":[\"skill_name\"],\"additionalProperties\":false}";

static int room_open(struct room *room, struct serving *s, struct lb_error *err)
{
	*room = (struct room){0};
	room->known = lb_change_known(s->shelf->store, err);
	if (!room->known || lb_shelf_list(s->shelf, &room->all, err) < 0)
		return -1;
	lb_visible_find(&room->visible, s->config, s->pipeline, &room->all,
			room->known);
	return 0;
}

static void room_close(struct room *room)
{
	lb_visible_release(&room->visible);
	lb_shelved_release(&room->all);
	json_decref(room->known);
}

/* ---- prompts, and the tool ---- */

static json_t *list_prompts(const struct room *room)
{
	json_t *all = json_array();

	for (size_t i = 0; i < room->visible.n; i++) {
		const struct lb_shelved *one = room->visible.at[i];
		json_t *o = lb_json_pack("{s:s, s:[{s:s, s:s, s:b}]}", "name",
					 one->name, "arguments", "name", "task",
					 "description",
					 "What is to be done with it",
					 "required", 0);

		put_clean(o, "description", one->skill.description);
		json_array_append_new(all, o);
	}
	return lb_json_pack("{s:o}", "prompts", all);
}

/* In the sandbox there are those of a pipeline that grants it. */
static enum lb_skill_files files_of(const struct serving *s)
{
	enum lb_policy_place place;

	return s->provider && s->session &&
			       lb_policy_lists(s->config, s->context,
					       "activate", &place)
		       ? LB_SKILL_READ_ONLY
		       : LB_SKILL_NO_FILES;
}

/* lb_skill_activate(), and where its files are for who asks this server. */
static json_t *activate(const struct serving *s, const struct room *room,
			const char *name, struct lb_error *err)
{
	json_t *got = lb_skill_activate(&room->visible, name, files_of(s), err);
	lb_autobuf struct lb_buf text = {0};

	if (!got)
		return NULL;
	lb_buf_printf(&text,
		      "%s\nEach of its files is a resource of this server, "
		      "too: "
		      "skill://%s/PATH",
		      lb_json_str(got, "content"), name);
	lb_json_set_str(got, "content", text.data, text.len);
	return got;
}

static void get_prompt(const struct serving *s, const struct room *room,
		       struct lb_serve_ask *ask)
{
	const json_t *task = json_object_get(ask->arguments, "task");
	struct lb_error err;
	json_auto_t *got = activate(s, room, ask->name, &err);
	const char *content = lb_json_str(got, "content");
	lb_autobuf struct lb_buf text = {0};
	json_t *result;

	if (!content || (task && !json_is_string(task))) {
		lb_serve_fail(ask, LB_RPC_PARAMS, "%s",
			      content ? "'task' is no text" : err.text);
		return;
	}
	lb_buf_puts(&text, content);
	if (task) {
		lb_buf_puts(&text, "\n\n");
		lb_buf_put(&text, json_string_value(task),
			   json_string_length(task));
	}
	result = lb_json_pack("{s:[{s:s, s:{s:s, s:o}}]}", "messages", "role",
			      "user", "content", "type", "text", "text",
			      lb_json_text(text.data, text.len));
	put_clean(result, "description",
		  lb_visible_get(&room->visible, ask->name)->skill.description);
	lb_serve_done(ask, result);
}

static void call_activate(const struct serving *s, const struct room *room,
			  struct lb_serve_ask *ask)
{
	const char *name = lb_json_str(ask->arguments, "skill_name");
	struct lb_error err;
	json_t *got = name ? activate(s, room, name, &err) : NULL;
	lb_autobuf struct lb_buf text = {0};
	json_t *result;

	if (!name)
		lb_fail(&err, LB_USAGE, "'skill_name' is missing, or no text");
	if (!got) {
		lb_serve_done(ask,
			      text_result(err.text, strlen(err.text), true));
		return;
	}
	lb_buf_json(&text, got);
	result = text_result(text.data, text.len, false);
	json_object_set_new(result, "structuredContent", got);
	lb_serve_done(ask, result);
}

void skills_add_tool(struct serving *s, json_t *tools)
{
	lb_autobuf struct lb_buf text = {0};
	struct lb_index_cut cut;
	struct lb_error err;
	struct room room;
	int64_t max;

	if (!s->shelf)
		return;
	max = lb_config_bytes(s->config, "skills.index-size");
	if (room_open(&room, s, &err) < 0) {
		lb_complain("%s", err.text);
	} else if (room.visible.n > 0) {
		lb_buf_puts(&text, told);
		lb_index_text(&room.visible,
			      max < MIN_INDEX ? MIN_INDEX : (size_t)max, &text,
			      &cut);
		json_array_append_new(
			tools,
			lb_json_pack("{s:s, s:s, s:o, s:o, s:{s:b, s:b}}",
				     "name", "activate", "title", "Use a skill",
				     "description",
				     lb_json_text(text.data, text.len),
				     "inputSchema", json_loads(schema, 0, NULL),
				     "annotations", "readOnlyHint", 1,
				     "openWorldHint", 0));
	}
	room_close(&room);
}

void skills_ask(struct serving *s, struct lb_serve_ask *ask)
{
	struct lb_error err;
	struct room room;

	if (room_open(&room, s, &err) < 0)
		lb_serve_fail(ask, LB_RPC_INTERNAL, "%s", err.text);
	else if (ask->want == LB_SERVE_RESOURCES)
		lb_serve_done(ask, resources_list(&room));
	else if (ask->want == LB_SERVE_TEMPLATES)
		lb_serve_done(ask, resources_templates());
	else if (ask->want == LB_SERVE_READ)
		resources_read(&room, ask);
	else if (ask->want == LB_SERVE_PROMPTS)
		lb_serve_done(ask, list_prompts(&room));
	else if (ask->want == LB_SERVE_PROMPT)
		get_prompt(s, &room, ask);
	else
		call_activate(s, &room, ask);
	room_close(&room);
}

/* ---- changes ---- */

/* Others install and remove skills meanwhile. */
static void look_again(void *arg)
{
	struct serving *s = arg;
	char now[sizeof(s->stamp)];

	lb_shelf_stamp(s->shelf, now);
	if (strcmp(now, s->stamp) != 0) {
		lb_serve_changed(s->serve, LB_SERVE_RESOURCES);
		lb_serve_changed(s->serve, LB_SERVE_PROMPTS);
		lb_serve_changed(s->serve, LB_SERVE_TOOLS);
	}
	memcpy(s->stamp, now, sizeof(now));
	lb_timer_set(s->loop, &s->look, lb_clock_mono() + LOOK_MS, look_again,
		     s);
}

void skills_open(struct serving *s)
{
	s->shelf = lb_shelf_open(s->config, s->state);
	lb_shelf_stamp(s->shelf, s->stamp);
	lb_timer_set(s->loop, &s->look, lb_clock_mono() + LOOK_MS, look_again,
		     s);
}

void skills_close(struct serving *s)
{
	if (!s->shelf)
		return;
	lb_timer_cancel(s->loop, &s->look);
	lb_shelf_close(s->shelf);
}
