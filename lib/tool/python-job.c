#include "tool/python-job.h"

#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "box/profile.h"
#include "tool/args.h"

enum { MAX_WHY = 600, MAX_SECONDS = 86400 };

char *lb_python_why(const struct lb_python_job *job,
		    const struct lb_box_spec *spec,
		    const struct lb_box_result *r, const struct lb_error *error)
{
	lb_autobuf struct lb_buf said = {0}, b = {0};
	const char *text;
	size_t len;
	bool cut;

	lb_buf_printf(&b,
		      "the Python packages of skill '%s' cannot be installed: ",
		      job->name);
	if (error) {
		lb_buf_puts(&b, lb_tool_told(error, job->state));
		return lb_buf_take(&b);
	}
	if (r->end == LB_BOX_TIMED_OUT) {
		lb_buf_printf(&b,
			      "it took longer than %lld s "
			      "(skills.python-timeout)",
			      (long long)spec->timeout_ms / 1000);
		return lb_buf_take(&b);
	}
	lb_box_output_text(&r->err, &said, &cut);
	text = lb_buf_str(&said);
	len = said.len;
	while (len > 0 && text[len - 1] == '\n')
		len--;
	if (len > MAX_WHY) {
		text += len - MAX_WHY;
		len = MAX_WHY;
		while (len > 0 && ((unsigned char)*text & 0xc0) == 0x80) {
			text++;
			len--;
		}
	}
	lb_buf_put(&b, text, len);
	if (r->killed_by)
		lb_buf_printf(&b, " (%s)", r->killed_by);
	if (spec->network == LB_BOX_OFF)
		lb_buf_puts(&b, "; there is no network for that "
				"(skills.python-network)");
	return lb_buf_take(&b);
}

/* It may be the first that is done in it: with what its workspace may hold. */
int lb_python_session(const struct lb_python_job *job, struct lb_box_session *s,
		      struct lb_error *err)
{
	json_auto_t *request = lb_json_pack("{s:s}", "cmd", "");
	json_auto_t *notes = json_array();
	json_auto_t *whole = lb_box_profile_apply(job->config, job->profile,
						  request, notes, err);
	int64_t mb = 0;

	if (!whole)
		return -1;
	lb_json_int(whole, "workspace_quota_mb", &mb);
	return lb_box_session_open(s, job->config, job->state, job->session, mb,
				   err);
}

/* Its own network and time, whatever the commands of the profile get. */
json_t *lb_python_request(const struct lb_python_job *job, struct lb_error *err)
{
	struct lb_config *config = job->config;
	const json_t *network = lb_config_get(config, "skills.python-network");
	int64_t s = lb_config_ms(config, "skills.python-timeout") / 1000;
	const char *index = lb_config_str(config, "skills.python-index");
	json_auto_t *request = lb_json_pack("{s:s, s:s}", "cmd", "true",
					    "session_id", job->session);
	json_auto_t *notes = json_array();
	json_auto_t *whole =
		lb_box_profile_apply(config, job->profile, request, notes, err);
	lb_autofree char *script = NULL;
	bool offline;

	if (!whole)
		return NULL;
	offline = !network || (json_is_string(network) &&
			       strcmp(json_string_value(network), "off") == 0);
	script = lb_python_script(&job->need, job->name, job->env, offline);
	if (s < 1 || s > MAX_SECONDS)
		s = MAX_SECONDS;
	if (network)
		json_object_set(whole, "network", (json_t *)(uintptr_t)network);
	json_object_set_new(whole, "timeout_sec", json_integer(s));
	json_object_set_new(whole, "cmd", json_string(script));
	if (index && *index)
		json_object_set_new(whole, "env",
				    lb_json_pack("{s:s}", "PIP_INDEX_URL",
						 index));
	return json_incref(whole);
}
