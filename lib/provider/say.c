#include "provider/say.h"

#include <string.h>

#include "base/json.h"
#include "record/line.h"
#include "record/record.h"

static void put_id(struct lb_buf *b, const char *id, bool ok)
{
	lb_buf_puts(b, "{\"id\":");
	lb_buf_json_str(b, id, strlen(id));
	lb_buf_puts(b, ok ? ",\"ok\":true" : ",\"ok\":false");
}

void lb_say_failure(struct lb_out *out, const char *id, const char *code,
		    const char *message)
{
	struct lb_buf *b = lb_out_buf(out);
	json_auto_t *error = json_object();

	lb_json_set_str(error, "code", code, strlen(code));
	lb_json_set_str(error, "message", message, strlen(message));
	put_id(b, id, false);
	lb_put_json(b, "error", error);
	lb_put_end(b);
	lb_out_built(out);
}

/* Whoever asked takes no longer line for an answer, and would end us for it, with
 * all that others wait for. */
void lb_say_answer(struct lb_out *out, const char *id, const char *key,
		   const json_t *value)
{
	struct lb_buf *b = lb_out_buf(out);
	size_t before = b->len;

	put_id(b, id, true);
	lb_put_json(b, key, value);
	lb_put_end(b);
	if (b->len - before <= LB_LINE_MAX) {
		lb_out_built(out);
		return;
	}
	b->len = before;
	b->data[before] = '\0';
	lb_say_failure(out, id, "limit",
		       "the answer is longer than a line may be (16 MiB)");
}
