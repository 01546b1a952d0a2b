/* stranger.c - an entity that somebody else wrote. */
#include "mcp/stranger.h"

#include "base/json.h"
#include "config/coerce.h"

/* "env:KEY" would give a stranger what is secret here, "cmd:..." run what he
 * likes. */
static int check_texts(const json_t *texts, const char *where, const char *of,
		       struct lb_error *err)
{
	const char *name;
	json_t *text;

	json_object_foreach((json_t *)(uintptr_t)texts, name, text)
	{
		const char *is = json_string_value(text);

		if (is && *is && !lb_secret_is_literal(is))
			return lb_fail(err, LB_DENIED,
				       "%s.%.60s %s refers to what is on this "
				       "machine",
				       where, name, of);
	}
	return 0;
}

int lb_mcp_stranger_check(const json_t *entity, const char *of,
			  struct lb_error *err)
{
	static const char *const places[] = {"env", "headers", "box.env"};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (check_texts(lb_json_path(entity, places[i]), places[i], of,
				err) < 0)
			return -1;
	return 0;
}

static void drop(json_t *from, const char *key, const char *within,
		 struct lb_buf *told)
{
	const json_t *value = json_object_get(from, key);

	if (!value)
		return;
	if (!json_is_false(value) && !json_is_null(value))
		lb_buf_printf(told, "%s%s%s", told->len ? ", " : "", within,
			      key);
	json_object_del(from, key);
}

void lb_mcp_stranger_confine(json_t *entity, struct lb_buf *told)
{
	json_t *box = json_object_get(entity, "box");

	drop(entity, "host", "", told);
	drop(entity, "elicitation", "", told);
	drop(entity, "roots", "", told);
	drop(box, "host_path", "box.", told);
	drop(box, "host_path_mode", "box.", told);
}
