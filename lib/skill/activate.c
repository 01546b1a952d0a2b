#include "skill/activate.h"

#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/utf8.h"

enum { MAX_NAMED = 300 };

/* The mark at the end must be ours. */
static void put_body(struct lb_buf *out, const char *text, size_t len)
{
	static const char mark[] = "</skill";
	size_t n = sizeof(mark) - 1;

	for (size_t i = 0; i < len; i++) {
		if (len - i >= n && strncasecmp(text + i, mark, n) == 0)
			lb_buf_puts(out, "<\\");
		else
			lb_buf_putc(out, text[i]);
	}
}

static void put_tools(struct lb_buf *out, const json_t *tools)
{
	size_t i;
	json_t *one;

	if (!tools)
		return;
	lb_buf_puts(out, json_array_size(tools)
				 ? "\nUse it with these tools alone: "
				 : "\nUse no tool with it.");
	json_array_foreach((json_t *)(uintptr_t)tools, i, one)
	{
		if (i > 0)
			lb_buf_puts(out, ", ");
		lb_index_clean(out, json_string_value(one),
			       json_string_length(one));
	}
}

static void put_files(struct lb_buf *out, const struct lb_shelved *one,
		      enum lb_skill_files files)
{
	static const char *const texts[] = {
		[LB_SKILL_READ_ONLY] =
			"They are read-only: look at them with read, run its "
			"scripts with exec, copy what is to be changed to "
			"/workspace.",
		[LB_SKILL_WRITABLE] =
			"Look at them with read, run its scripts with exec. "
			"They can be written to, which changes the skill for "
			"everybody: do so only when you are asked to.",
		[LB_SKILL_COPIED] =
			"Look at them with read, run its scripts with exec. "
			"They are a copy: what is written there stays in this "
			"conversation.",
	};

	if (files == LB_SKILL_NO_FILES) {
		lb_buf_puts(out, "\nIts files cannot be reached here.");
		return;
	}
	if (files == LB_SKILL_RESOURCES) {
		lb_buf_printf(out,
			      "\nIts files are the resources below "
			      "skill://%s/, and paths in it are relative to "
			      "that.",
			      one->name);
		return;
	}
	if (files == LB_SKILL_WRITABLE && !one->is_own)
		files = LB_SKILL_READ_ONLY;
	lb_buf_printf(out,
		      "\nIts files are in " LB_SKILL_MOUNT
		      "/%s, and paths in it are relative to that. %s",
		      one->name, texts[files]);
}

static void put_content(struct lb_buf *out, const struct lb_shelved *one,
			enum lb_skill_files files)
{
	const struct lb_skill *s = &one->skill;
	lb_autobuf struct lb_buf clean = {0};
	size_t len;

	lb_utf8_clean(&clean, s->body, s->body_len);
	len = lb_utf8_cut(lb_buf_str(&clean), clean.len, LB_SKILL_SHOWN);
	lb_buf_printf(out, "Skill '%s' is active.\n<skill name=\"%s\">\n",
		      one->name, one->name);
	put_body(out, lb_buf_str(&clean), len);
	if (len < clean.len)
		lb_buf_printf(out,
			      "\n... the rest is in " LB_SKILL_MOUNT
			      "/%s/SKILL.md",
			      one->name);
	lb_buf_puts(out, "\n</skill>");
	put_files(out, one, files);
	put_tools(out, s->tools);
}

static int not_there(const struct lb_visible *v, const char *name,
		     struct lb_error *err)
{
	lb_autobuf struct lb_buf holding = {0};
	struct lb_slip slip = {.typed = name};

	for (size_t i = 0; i < v->n; i++) {
		lb_slip_try(&slip, v->at[i]->name);
		if (*name && strstr(v->at[i]->name, name) &&
		    holding.len < MAX_NAMED)
			lb_buf_printf(&holding, "%s%s", holding.len ? ", " : "",
				      v->at[i]->name);
	}
	if (holding.len == 0 && slip.meant)
		lb_buf_puts(&holding, slip.meant);
	if (v->n == 0)
		return lb_fail(err, LB_NOINPUT, "there are no skills");
	if (holding.len > 0)
		return lb_fail(err, LB_NOINPUT,
			       "there is no skill '%.64s', but: %s", name,
			       lb_buf_str(&holding));
	for (size_t i = 0; i < v->n && holding.len < MAX_NAMED; i++)
		lb_buf_printf(&holding, "%s%s", holding.len ? ", " : "",
			      v->at[i]->name);
	return lb_fail(err, LB_NOINPUT,
		       "there is no skill '%.64s'; there are: %s", name,
		       lb_buf_str(&holding));
}

json_t *lb_skill_activate(const struct lb_visible *v, const char *name,
			  enum lb_skill_files files, struct lb_error *err)
{
	const struct lb_shelved *one = lb_visible_get(v, name);
	lb_autofree char *mount = lb_printf(LB_SKILL_MOUNT "/%s", name);
	lb_autobuf struct lb_buf content = {0};
	json_t *result;

	if (!one) {
		not_there(v, name, err);
		return NULL;
	}
	put_content(&content, one, files);
	result = lb_json_pack("{s:b, s:s, s:s}", "activated", 1, "skill_name",
			      one->name, "mount_path", mount);
	if (one->skill.tools)
		json_object_set(result, "allowed_tools", one->skill.tools);
	lb_json_set_str(result, "content", lb_buf_str(&content), content.len);
	return result;
}
