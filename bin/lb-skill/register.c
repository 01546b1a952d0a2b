/* lb-skill serve: register_skill. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "box/admit.h"
#include "box/audit.h"
#include "box/key.h"
#include "box/session.h"
#include "fs/beneath.h"
#include "serving.h"
#include "skill/install.h"
#include "skill/name.h"
#include "skill/own.h"
#include "skill/source.h"

/* "a/b" of "/workspace/a/b", or of "a/b"; "." for the workspace. */
static const char *below_workspace(const char *path)
{
	static const char top[] = "/workspace";
	size_t n = sizeof(top) - 1;

	if (strncmp(path, top, n) == 0 && (!path[n] || path[n] == '/'))
		path += n;
	else if (*path == '/')
		return NULL;
	while (*path == '/')
		path++;
	return *path ? path : ".";
}

static int read_folder(struct serving *s, const struct lb_job *job,
		       const char *session, struct lb_got *got,
		       struct lb_error *err)
{
	const char *said = lb_json_str(job->arguments, "path");
	const char *path = said ? below_workspace(said) : NULL;
	struct lb_box_session box;
	int r = -1;

	if (!path)
		return lb_fail(err, LB_USAGE,
			       "'path' must be a folder below /workspace");
	if (lb_box_session_open(&box, s->desk.config, s->desk.state, session, 0,
				err) < 0)
		return -1;
	{
		const struct lb_beneath at = {box.workspace_fd, path, said};
		lb_autoclose int fd =
			lb_beneath_open(&at, O_RDONLY, LB_BENEATH_FOLDER, err);

		if (fd >= 0)
			r = lb_pack_folder(&got->pack, fd, err);
	}
	lb_box_session_close(&box);
	return r;
}

static struct lb_pack_file *skill_md(struct lb_pack *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->files[i].path, "SKILL.md") == 0)
			return &p->files[i];
	return NULL;
}

/* One text of the arguments into the frontmatter. */
static int set(struct lb_pack_file *f, const char *key, const char *text,
	       struct lb_error *err)
{
	lb_autobuf struct lb_buf now = {0};
	json_auto_t *value = text ? json_string(text) : NULL;

	if (!text)
		return 0;
	if (lb_own_set(f->data, f->len, key, value, &now, err) < 0)
		return -1;
	free(f->data);
	f->len = now.len;
	f->data = lb_buf_take(&now);
	return 0;
}

static int make_md(struct lb_pack *p, const char *name, const char *about,
		   const char *body, struct lb_error *err)
{
	lb_autobuf struct lb_buf text = {0};
	struct lb_pack_file f = {.path = lb_strdup("SKILL.md")};

	if (!name || !about || !body) {
		free(f.path);
		return lb_fail(err, LB_NOINPUT,
			       "there is no SKILL.md in it; give name, "
			       "description and instructions to make one of");
	}
	lb_own_compose(&text, name, about, body, strlen(body));
	f.len = text.len;
	f.data = lb_buf_take(&text);
	if (lb_pack_add(p, &f, err) < 0)
		return -1;
	return lb_pack_end(p, err);
}

/* What the arguments say of it, over what its file says. */
static int apply(struct lb_pack *p, const json_t *arguments,
		 struct lb_error *err)
{
	const char *name = lb_json_str(arguments, "name");
	const char *about = lb_json_str(arguments, "description");
	const char *body = lb_json_str(arguments, "instructions");
	const char *why = name ? lb_skill_name_why(name, strlen(name)) : NULL;
	struct lb_pack_file *f = skill_md(p);
	lb_autobuf struct lb_buf now = {0};

	if (why)
		return lb_fail(err, LB_USAGE, "name '%.64s' %s", name, why);
	if (!f)
		return make_md(p, name, about, body, err);
	if (set(f, "name", name, err) < 0 ||
	    set(f, "description", about, err) < 0)
		return -1;
	if (!body)
		return 0;
	if (lb_own_body(f->data, f->len, body, strlen(body), &now, err) < 0)
		return -1;
	free(f->data);
	f->len = now.len;
	f->data = lb_buf_take(&now);
	return 0;
}

/* What one tenant's model wrote would be another's skill. */
static int check_workspace(const struct serving *s, struct lb_error *err)
{
	const char *workspace = lb_box_workspace(s->desk.config);

	if (!workspace)
		return 0;
	return lb_fail(err, LB_DENIED,
		       "skills are the operator's: none is registered from "
		       "workspace '%s'",
		       workspace);
}

static json_t *keep(struct serving *s, struct lb_got *got, struct lb_error *err)
{
	const struct lb_install how = {0};
	struct lb_install_rows rows = {0};
	struct lb_offers offers = {0};
	json_t *result = NULL;

	if (lb_offers_find(&offers, &got->pack, &got->from, err) == 0 &&
	    lb_offers_choose(&offers, NULL, 0, false, err) == 0 &&
	    lb_skills_install(s->desk.shelf, &offers, &got->pack, &got->origin,
			      &how, &rows, err) == 0)
		result = lb_json_pack("{s:b, s:s, s:s}", "registered", 1,
				      "skill_name", rows.at[0].name, "action",
				      lb_installed_word(rows.at[0].what));
	lb_install_rows_release(&rows);
	lb_offers_release(&offers);
	return result;
}

static void note(const struct serving *s, const struct lb_job *job,
		 const struct lb_error *err)
{
	struct lb_box_audit row = {
		.time = lb_clock_now(),
		.tool = job->name,
		.decision = LB_BOX_ALLOWED,
		.reason = err ? err->text : NULL,
		.command = lb_json_str(job->arguments, "path"),
		.exit_code = -1,
		.duration_ms = err ? -1 : 0,
	};

	lb_box_audit_context(&row, s->desk.config, job->context);
	lb_box_audit_write(s->desk.state, &row);
}

void serving_register(struct lb_job *job)
{
	struct serving *s = job->arg;
	const char *pipeline = lb_json_str(job->context, "pipeline");
	const char *path = lb_json_str(job->arguments, "path");
	const char *slash = path ? strrchr(path, '/') : NULL;
	struct lb_error err;
	lb_autofree char *session =
		lb_box_session(lb_box_template(s->desk.config, pipeline),
			       job->context, &err);
	lb_autofree char *source = NULL;
	lb_autobuf struct lb_buf text = {0};
	json_auto_t *result = NULL;
	struct lb_got got = {.from = {.is_folder = true}};

	got.from.name = slash && slash[1] ? slash + 1 : path;
	if (session && check_workspace(s, &err) == 0 &&
	    read_folder(s, job, session, &got, &err) == 0 &&
	    apply(&got.pack, job->arguments, &err) == 0) {
		source = lb_printf("workspace:%s", session);
		got.origin.source = source;
		result = keep(s, &got, &err);
	}
	lb_got_release(&got);
	note(s, job, result ? NULL : &err);
	if (!result) {
		lb_job_fail(job, err.code == LB_DENIED ? "denied" : "tool",
			    "%s", err.text);
		return;
	}
	lb_buf_json(&text, result);
	lb_job_text(job, lb_buf_str(&text), text.len);
}
