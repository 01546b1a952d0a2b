/* lb-skill serve */
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "box/admit.h"
#include "box/backend.h"
#include "pipeline/policy.h"
#include "serving.h"
#include "skill/activate.h"
#include "skill/stamp.h"

static const char *config_file;

const struct lb_opt serve_options[] = {
	{'c', "config", "FILE", "read this configuration",
	 .text = &config_file},
	{0},
};

static json_t *offer(const char *name, const char *description,
		     const char *parameters)
{
	json_t *schema = json_loads(parameters, 0, NULL);
	json_t *o = lb_json_pack("{s:s, s:s, s:o}", "name", name, "description",
				 description, "parameters", schema);

	return o;
}

/*
 * The skills are told in the prompt: there are APIs that take no more than a
 * thousand characters of a tool's description.
 */
static json_t *offer_activate(const struct lb_buf *skills)
{
	lb_autobuf struct lb_buf prompt = {0};
	json_t *o = offer("activate",
			  "Get the instructions of one of the skills that the "
			  "system prompt lists.",
			  "{\"type\":\"object\",\"properties\":{"
			  "\"skill_name\":{\"type\":\"string\","
			  "\"description\":\"as it stands in the list\"}},"
			  "\"required\":[\"skill_name\"],"
			  "\"additionalProperties\":false}");

	lb_buf_puts(&prompt,
		    "Skills are instructions for some kinds of tasks. When a "
		    "task clearly is what a skill is for, call activate with "
		    "its name before anything else, and follow what that says. "
		    "The skills, each with what it is for as its author put "
		    "it:\n<skills>\n");
	lb_buf_put(&prompt, lb_buf_str(skills), skills->len);
	lb_buf_puts(&prompt, "</skills>");
	lb_json_set_str(o, "prompt", lb_buf_str(&prompt), prompt.len);
	return o;
}

/* What an operator lists and is not there is said once. */
static void tell_missing(struct serving *s, const struct room *room,
			 const char *pipeline)
{
	size_t i;
	json_t *one;

	json_array_foreach(room->visible.missing, i, one)
	{
		lb_autofree char *key =
			lb_printf("%s\n%s", pipeline, json_string_value(one));

		if (json_object_get(s->told, key))
			continue;
		json_object_set_new(s->told, key, json_true());
		lb_warn("pipeline '%s': there is no skill '%.64s' that can be "
			"used",
			pipeline, json_string_value(one));
	}
}

static void add_activate(struct serving *s, json_t *all, const char *pipeline)
{
	lb_autobuf struct lb_buf text = {0};
	struct lb_index_cut cut;
	struct lb_error err;
	struct room room;

	if (room_open(&room, &s->desk, pipeline, &err) < 0) {
		lb_complain("%s", err.text);
	} else if (room.visible.n > 0) {
		room_index(&s->desk, &room, &text, &cut);
		json_array_append_new(all, offer_activate(&text));
	}
	tell_missing(s, &room, pipeline);
	room_close(&room);
}

static enum lb_skill_files files_mode(struct lb_config *config)
{
	const char *mode = lb_box_skills_mode(config);

	if (json_is_false(lb_config_get(config, "box.enabled")) ||
	    !lb_box_has_files(config))
		return LB_SKILL_NO_FILES;
	if (strcmp(mode, "rw") == 0)
		return LB_SKILL_WRITABLE;
	return strcmp(mode, "overlay") == 0 ? LB_SKILL_COPIED
					    : LB_SKILL_READ_ONLY;
}

static json_t *list(void *arg, const json_t *context)
{
	struct serving *s = arg;
	json_t *all = json_array();
	const char *pipeline = lb_json_str(context, "pipeline");
	struct lb_config *config = s->desk.config;
	enum lb_policy_place place;

	lb_shelf_stamp(s->desk.shelf, s->stamp);
	if (pipeline && lb_policy_lists(config, context, "activate", &place))
		add_activate(s, all, pipeline);
	if (!lb_box_workspace(config) &&
	    files_mode(config) != LB_SKILL_NO_FILES &&
	    lb_policy_lists(config, context, "register_skill", &place))
		json_array_append_new(
			all,
			offer("register_skill",
			      "Keep a folder of the workspace as a skill, for "
			      "later. It needs a SKILL.md, or a name, a "
			      "description and instructions to make one of.",
			      "{\"type\":\"object\",\"properties\":{"
			      "\"path\":{\"type\":\"string\",\"description\":"
			      "\"the folder, below /workspace\"},"
			      "\"name\":{\"type\":\"string\",\"description\":"
			      "\"a-z, 0-9 and single hyphens\"},"
			      "\"description\":{\"type\":\"string\","
			      "\"description\":\"what it does, and when to use "
			      "it\"},"
			      "\"instructions\":{\"type\":\"string\"}},"
			      "\"required\":[\"path\"],"
			      "\"additionalProperties\":false}"));
	return all;
}

static void activate(struct lb_job *job)
{
	struct serving *s = job->arg;
	const char *name = lb_json_str(job->arguments, "skill_name");
	const char *pipeline = lb_json_str(job->context, "pipeline");
	lb_autobuf struct lb_buf text = {0};
	json_auto_t *result = NULL;
	struct lb_error err;
	struct room room;

	if (!name) {
		lb_job_fail(job, "usage",
			    "'skill_name' is missing, or no text");
		return;
	}
	if (room_open(&room, &s->desk, pipeline, &err) == 0)
		result = lb_skill_activate(&room.visible, name,
					   files_mode(s->desk.config), &err);
	room_close(&room);
	if (!result) {
		lb_job_fail(job, err.code == LB_NOINPUT ? "not_found" : "tool",
			    "%s", err.text);
		return;
	}
	lb_buf_json(&text, result);
	lb_job_text(job, lb_buf_str(&text), text.len);
}

static void call(struct lb_job *job)
{
	struct serving *s = job->arg;
	const struct lb_policy_call what = {.tool = job->name};
	struct lb_policy policy;
	struct lb_error err;

	if (strcmp(job->name, "activate") != 0 &&
	    strcmp(job->name, "register_skill") != 0)
		lb_job_fail(job, "not_found", "there is no such tool");
	else if (lb_policy_decide(s->desk.config, job->context, &what, &policy,
				  &err) < 0)
		lb_job_fail(job, "denied", "%s", err.text);
	else if (strcmp(job->name, "activate") == 0)
		activate(job);
	else
		serving_register(job);
}

int serve_verb(int argc, char **argv)
{
	struct serving s = {.told = json_object()};
	struct lb_error err;
	int code;

	(void)argc;
	(void)argv;
	if (desk_open(&s.desk, config_file, &err) < 0) {
		code = lb_report(&err);
	} else {
		lb_note_terminal();
		code = lb_tools_serve(&(struct lb_serving){
			.name = "lb-skill",
			.list = list,
			.call = call,
			.begin = serving_look,
			.end = serving_end,
			.arg = &s,
		});
	}
	json_decref(s.told);
	desk_close(&s.desk);
	return code;
}
