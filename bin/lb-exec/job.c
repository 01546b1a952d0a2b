/* job.c - an exec record: how it is run, and what is answered. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "box/key.h"
#include "meter.h"
#include "records.h"

static const char *session_of(const json_t *record)
{
	const char *session = lb_json_str(record, "session_id");

	if (!session || !*session)
		session = lb_json_str(record, "session");
	return session && *session ? session : options.session;
}

int job_session(const struct stream *s, const struct lb_record *r,
		char **session, struct lb_error *err)
{
	static const char *const keys[] = {"session_id", "session"};
	const char *template =
		lb_config_str(s->work->config, "system.limitation.force_box_"
					       "session_id_template");
	const char *name = session_of(r->json);

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const json_t *value = json_object_get(r->json, keys[i]);

		if (value && !json_is_null(value) && !json_is_string(value))
			return lb_fail(err, LB_DATA,
				       "field '%s' is not a string", keys[i]);
	}
	if (name && template && *template)
		*session = lb_box_session(template, r->json, err);
	else
		*session = name ? lb_strdup(name) : NULL;
	return !name || *session ? 0 : -1;
}

static void put_error(struct stream *s, const struct lb_record *r,
		      const struct lb_error *e)
{
	/* It was not begun, and may be another time. */
	bool lost = e->code == LB_AGAIN;

	lb_put_error(lb_out_buf(s->out), r,
		     &(struct lb_problem){.stage = "lb-exec",
					  .code = lost ? LB_CODE_LOST
						       : error_code(e),
					  .message = e->text,
					  .retryable = lost,
					  .sent_parts = -1});
	lb_out_built(s->out);
	lb_complain("%s", e->text);
	if (s->code == LB_OK || e->code == LB_UNAVAILABLE)
		s->code = e->code == LB_NOINPUT ? LB_DATA : (int)e->code;
}

/* A record with the job's own members and what came of it. */
static void put_result(struct stream *s, const struct lb_record *r,
		       const struct lb_box_result *result)
{
	json_auto_t *object = lb_box_result_json(result, true);
	struct lb_buf *b = lb_out_buf(s->out);
	const char *key;
	json_t *value;

	lb_pick_members(b, r, "result", lb_common_keys);
	json_object_foreach(object, key, value) lb_put_json(b, key, value);
	lb_put_end(b);
	lb_out_built(s->out);
}

/* The record is done: the next one of its session may begin. */
static void end_job(struct job *job)
{
	struct lb_lane *of = job->lane;

	lb_item_free(lb_lane_shift(of));
	of->work = NULL;
	job->stream->running--;
	*job->link = job->next;
	if (job->next)
		job->next->link = job->link;
	lb_box_spec_release(&job->spec);
	json_decref(job->notes);
	free(job);
	lb_lane_ready(of);
}

static void on_done(void *arg, struct lb_box_result *result,
		    const struct lb_error *error)
{
	struct job *job = arg;
	struct stream *s = job->stream;
	const struct lb_record *r = &job->lane->first->record;
	json_t *note;
	size_t i;

	meter_settle(&job->ticket, result, error);
	json_array_foreach(job->notes, i, note)
		json_array_append(result->notes, note);
	request_audit(s->work, &job->spec, r->json, result, error);
	if (error)
		put_error(s, r, error);
	else
		put_result(s, r, result);
	end_job(job);
}

/* What the record wants mounted is judged as a record's; -w and --mount are our
 * own. */
static enum lb_box_asker asker_of(const struct lb_record *r)
{
	return json_object_get(r->json, "host_path") ||
			       json_object_get(r->json, "extra_mounts") ||
			       json_object_get(r->json, "mount_path")
		       ? LB_BOX_BY_POLICY
		       : LB_BOX_BY_PERSON;
}

static int start(struct job *job, struct lb_box_job how, const json_t *record,
		 struct lb_error *err)
{
	struct work *w = job->stream->work;

	if (meter_take(w, record, &how, &job->ticket, err) < 0)
		return -1;
	job->run = lb_box_start(w->box, &how, err);
	if (job->run)
		return 0;
	meter_settle(&job->ticket, NULL, err);
	return -1;
}

static int begin(struct job *job, const struct lb_record *r,
		 struct lb_error *err)
{
	struct stream *s = job->stream;
	json_auto_t *request = json_deep_copy(s->usual);
	lb_autofree char *session = NULL;

	if (s->stopping)
		return lb_fail(err, LB_AGAIN,
			       "lb-exec was stopped before it began");
	if (s->work->refused.code != LB_OK) {
		*err = s->work->refused;
		return -1;
	}
	if (job_session(s, r, &session, err) < 0)
		return -1;
	lb_json_merge(request, r->json);
	if (session)
		lb_json_set_str(request, "session_id", session,
				strlen(session));
	if (request_spec(s->work, request, job->notes, &job->spec, err) < 0)
		return -1;
	if (!job->spec.cmd || !*job->spec.cmd)
		return lb_fail(err, LB_DATA, "field 'cmd' is missing or empty");
	const struct lb_box_job how = {
		.spec = &job->spec,
		.asker = asker_of(r),
		.on_host = options.host,
		.skills = s->work->skills,
		.n_skills = s->work->n_skills,
		.shown = (size_t)options.shown,
		.in = -1,
		.out = -1,
		.err = -1,
		.need_groups = options.require != NULL,
		.helper = EXEC_HELPER,
		.done = on_done,
		.arg = job,
	};
	return start(job, how, r->json, err);
}

void job_start(void *arg, struct lb_lane *of)
{
	struct stream *s = arg;
	struct job *job = lb_alloc(sizeof(*job));
	struct lb_error err;

	*job = (struct job){.stream = s,
			    .lane = of,
			    .notes = json_array(),
			    .ticket = METER_NONE};
	job->next = s->jobs;
	job->link = &s->jobs;
	if (job->next)
		job->next->link = &job->next;
	s->jobs = job;
	of->work = job;
	s->running++;
	if (begin(job, &of->first->record, &err) == 0)
		return;
	request_audit(s->work, &job->spec, of->first->record.json, NULL, &err);
	put_error(s, &of->first->record, &err);
	end_job(job);
}
