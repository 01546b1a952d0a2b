/* pipeline-cases.c - the table that lb-pipeline --test reads. */
#include "pipeline-cases.h"

#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "config/yaml.h"

enum { MAX_FILE = LB_YAML_MAX };

/* How a case is written, and the member of a message that it is. */
static const struct {
	const char *key, *member;
} texts[] = {
	{"bot", "bot"},
	{"sender", "sender_id"},
	{"id", "id"},
	{"sender-name", "sender_name"},
	{"platform", "platform"},
	{"pipeline-named", "pipeline"},
};

static const char *const others[] = {"name",  "group",     "person",   "text",
				     "chain", "mentioned", "at",       "kind",
				     "stage", "reason",    "pipeline", "asked",
				     "waits", NULL};

/* A text, or a number or truth value as it is written. */
static char *text_of(const json_t *value)
{
	return json_is_string(value) ? lb_strdup(json_string_value(value))
	       : value               ? json_dumps(value, JSON_ENCODE_ANY)
				     : NULL;
}

char *pipeline_case_text(const struct pipeline_case *t, const char *key)
{
	return text_of(json_object_get(t->row, key));
}

static bool is_known(const char *key)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (strcmp(texts[i].key, key) == 0)
			return true;
	for (size_t i = 0; others[i]; i++)
		if (strcmp(others[i], key) == 0)
			return true;
	return false;
}

/* Nothing that is not understood, and something to hold it against. */
static int check(const struct pipeline_case *t, struct lb_error *err)
{
	const char *key;
	const json_t *any;

	if (!json_is_object(t->row))
		return lb_fail(err, LB_DATA, "it is not a mapping");
	json_object_foreach((json_t *)(uintptr_t)t->row, key, any)
	{
		if (!is_known(key))
			return lb_fail(err, LB_DATA, "unknown key '%s'", key);
	}
	if (!lb_json_str(t->row, "kind"))
		return lb_fail(err, LB_DATA,
			       "'kind' is missing: query, drop, "
			       "reply or error");
	return 0;
}

static void set(json_t *o, const char *member, const char *text)
{
	if (text)
		lb_json_set_str(o, member, text, strlen(text));
}

static json_t *chain_of(const struct pipeline_case *t)
{
	lb_autofree char *text = pipeline_case_text(t, "text");
	json_t *chain = json_object_get(t->row, "chain");

	return chain ? json_incref(chain)
		     : lb_json_pack("[{s:s, s:o}]", "type", "Plain", "text",
				    lb_json_text(text ? text : "hi",
						 text ? strlen(text) : 2));
}

static int set_time(struct pipeline_case *t, struct lb_error *err)
{
	lb_autofree char *at = pipeline_case_text(t, "at");
	int64_t ms = 0;

	if (!at)
		return 0;
	if (strcmp(at, "0") != 0 && lb_duration_parse(at, &ms, err) < 0)
		return lb_error_wrap(err, "at");
	t->now = PIPELINE_DAWN + ms;
	return 0;
}

/* The case as the line of a message. */
int pipeline_case_make(struct pipeline_case *t, struct lb_buf *line,
		       struct lb_error *err)
{
	lb_autofree char *group = pipeline_case_text(t, "group");
	lb_autofree char *person = pipeline_case_text(t, "person");
	lb_autofree char *sender = pipeline_case_text(t, "sender");
	const json_t *mentioned = json_object_get(t->row, "mentioned");
	json_auto_t *o = json_object();

	if (check(t, err) < 0 || set_time(t, err) < 0)
		return -1;
	lb_json_set_str(o, "kind", "message", 7);
	json_object_set_new(o, "id", json_sprintf("test-%zu", t->number));
	set(o, "bot", "-");
	set(o, "launcher_type", group ? "group" : "person");
	set(o, "launcher_id",
	    group    ? group
	    : person ? person
	    : sender ? sender
		     : "1");
	set(o, "sender_id", person ? person : "1");
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		lb_autofree char *text = pipeline_case_text(t, texts[i].key);

		set(o, texts[i].member, text);
	}
	if (mentioned || group)
		json_object_set_new(o, "mentioned_me",
				    json_boolean(json_is_true(mentioned)));
	json_object_set_new(o, "time", json_integer(t->now));
	json_object_set_new(o, "chain", chain_of(t));
	lb_buf_reset(line);
	lb_buf_json(line, o);
	return 0;
}

/* YAML, or a JSON object a line. A list, or NULL. */
json_t *pipeline_cases_read(const char *file, struct lb_error *err)
{
	bool input = strcmp(file, "-") == 0;
	lb_autofree char *text = NULL;
	json_auto_t *list = NULL;
	size_t len;

	if (lb_path_read(input ? "/dev/stdin" : file, MAX_FILE, &text, &len,
			 err) < 0)
		return NULL;
	if (text[strspn(text, " \t\r\n")] != '{') {
		list = lb_yaml_parse(text, len, file, err);
		if (list && !json_is_array(list))
			lb_fail(err, LB_DATA, "%s: it is not a list", file);
		return json_is_array(list) ? json_incref(list) : NULL;
	}
	list = json_array();
	for (char *line = text, *next; line; line = next) {
		json_error_t why;
		json_t *row;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (!line[strspn(line, " \t\r")])
			continue;
		row = json_loads(line, JSON_REJECT_DUPLICATES, &why);
		json_array_append_new(list, row ? row : json_null());
	}
	return json_incref(list);
}
