#include "base/json.h"
#include "llm/protocol.h"

void lb_wire_release(struct lb_wire *wire)
{
	lb_buf_release(&wire->url);
	lb_buf_release(&wire->body);
	lb_buf_release(&wire->auth);
}

json_t *lb_llm_dry_run(const struct lb_model *model,
		       const struct lb_llm_request *request,
		       struct lb_error *err)
{
	struct lb_wire wire = {0};
	json_t *out = NULL;

	if (!model->protocol->encode) {
		lb_fail(err, LB_USAGE, "model '%s' sends nothing",
			model->label);
		return NULL;
	}
	if (model->protocol->encode(model, request, &wire, err) == 0) {
		out = lb_json_pack("{s:s, s:s, s:{s:s}}", "method", "POST",
				   "url", lb_buf_str(&wire.url), "headers",
				   "Content-Type", "application/json");
		if (wire.auth.len > 0)
			json_object_set_new(json_object_get(out, "headers"),
					    "Authorization",
					    json_string("Bearer ***"));
		json_object_set_new(out, "body",
				    json_loadb(wire.body.data, wire.body.len,
					       JSON_ALLOW_NUL, NULL));
	}
	lb_wire_release(&wire);
	return out;
}
