#include "box/result.h"

#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/json.h"
#include "base/mem.h"
#include "box/output.h"

static const char *const limits[] = {
	[LB_BOX_NO_LIMITS] = "none",
	[LB_BOX_RLIMIT] = "rlimit",
	[LB_BOX_CGROUP] = "cgroup",
};

static const char *const quotas[] = {
	[LB_BOX_QUOTA_NONE] = "none",
	[LB_BOX_QUOTA_SOFT] = "soft",
	[LB_BOX_QUOTA_HARD] = "hard",
};

const char *lb_box_limits_name(enum lb_box_limits l)
{
	return limits[l];
}

const char *lb_box_quota_name(enum lb_box_quota q)
{
	return quotas[q];
}

/* o["stdout_truncated"] and the like. */
static void set(json_t *o, const char *stream, const char *what, json_t *take)
{
	lb_autofree char *name = lb_printf("%s_%s", stream, what);

	json_object_set_new(o, name, take);
}

static json_t *number(uint64_t n)
{
	return json_integer((json_int_t)n);
}

static void put_stream(json_t *o, const char *name,
		       const struct lb_box_output *s, bool raw)
{
	lb_autobuf struct lb_buf text = {0}, bytes = {0};
	bool truncated, encoded = raw && lb_box_output_is_binary(s);
	size_t kept, head = 0;

	if (encoded) {
		head = lb_box_output_bytes(s, &bytes, &truncated);
		kept = bytes.len;
		lb_base64_encode(&text, lb_buf_str(&bytes), bytes.len);
	} else {
		kept = lb_box_output_show(s, &text, &truncated);
	}
	lb_json_set_str(o, name, lb_buf_str(&text), text.len);
	set(o, name, "truncated", json_boolean(truncated));
	if (encoded)
		set(o, name, "encoding", json_string("base64"));
	if (!truncated)
		return;
	set(o, name, "bytes", number(s->bytes));
	set(o, name, "kept", number(kept));
	if (encoded)
		set(o, name, "head", number(head));
}

/* People know what they asked for; whoever reads this may not. */
static void put_notes(json_t *o, const struct lb_box_result *r)
{
	json_auto_t *notes = json_array();

	if (r->network)
		json_array_append_new(notes, lb_json_text(r->network,
							  strlen(r->network)));
	json_array_extend(notes, r->notes);
	if (json_array_size(notes) > 0)
		json_object_set(o, "notes", notes);
}

json_t *lb_box_result_json(const struct lb_box_result *r, bool raw)
{
	bool over = r->end == LB_BOX_COMPLETED;
	json_t *o =
		lb_json_pack("{s:s?, s:s?, s:s, s:b}", "session_id",
			     (const char *)NULL, "backend", r->backend,
			     "status", over ? "completed" : "timed_out", "ok",
			     over && r->exit_code == 0 && !r->killed_by);

	if (r->session)
		lb_json_set_str(o, "session_id", r->session,
				strlen(r->session));
	json_object_set_new(o, "exit_code",
			    over && r->exit_code >= 0
				    ? json_integer(r->exit_code)
				    : json_null());
	put_stream(o, "stdout", &r->out, raw);
	put_stream(o, "stderr", &r->err, raw);
	json_object_set_new(o, "duration_ms", json_integer(r->duration_ms));
	json_object_set_new(o, "isolated", json_boolean(r->isolated));
	json_object_set_new(o, "limits_backend",
			    json_string(limits[r->limits]));
	json_object_set_new(o, "quota", json_string(quotas[r->quota]));
	if (r->killed_by)
		json_object_set_new(o, "killed_by", json_string(r->killed_by));
	put_notes(o, r);
	return o;
}

void lb_box_result_release(struct lb_box_result *r)
{
	lb_box_output_release(&r->out);
	lb_box_output_release(&r->err);
	json_decref(r->notes);
	r->notes = NULL;
	json_decref(r->refused);
	r->refused = NULL;
	free(r->network);
	r->network = NULL;
}
