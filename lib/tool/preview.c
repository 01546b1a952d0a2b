#include "tool/preview.h"

#include "base/buf.h"
#include "base/json.h"
#include "base/utf8.h"

enum { PREVIEW = 51200 }; /* bytes */

/* "stdout:" and what it said, then the same of stderr; or the one there is. */
void lb_exec_preview(json_t *result)
{
	const char *out = lb_json_str(result, "stdout"),
		   *err = lb_json_str(result, "stderr");
	lb_autobuf struct lb_buf b = {NULL};
	bool cut = lb_json_bool(result, "stdout_truncated", false) ||
		   lb_json_bool(result, "stderr_truncated", false);
	size_t len;

	if (*out && *err)
		lb_buf_printf(&b, "stdout:\n%s\n\nstderr:\n%s", out, err);
	else
		lb_buf_puts(&b, *out ? out : err);
	len = lb_utf8_cut(lb_buf_str(&b), b.len, PREVIEW);
	if (len < b.len)
		json_object_set_new(result, "truncated_by",
				    json_string("bytes"));
	json_object_set_new(result, "truncated",
			    json_boolean(cut || len < b.len));
	lb_json_set_str(result, "preview", lb_buf_str(&b), len);
}
