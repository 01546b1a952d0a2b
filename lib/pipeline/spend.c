#include "pipeline/spend.h"

#include <string.h>

#include "base/json.h"

void lb_whose_key(struct lb_buf *b, const char *name, enum lb_window_per per,
		  const struct lb_whose *of)
{
	/* who has no id is the chat */
	bool known = of->sender_id && *of->sender_id;

	lb_buf_puts(b, name);
	lb_buf_putc(b, '\x1f');
	if (per == LB_PER_SENDER && known)
		lb_buf_puts(b, of->bot);
	else if (per != LB_PER_PIPELINE)
		lb_buf_puts(b, of->session);
	lb_buf_putc(b, '\x1f');
	if (known && (per == LB_PER_SENDER || per == LB_PER_SENDER_IN_GROUP))
		lb_buf_puts(b, of->sender_id);
	lb_buf_put(b, "", 1);
}

void lb_spent_name(struct lb_buf *b, enum lb_window_per per,
		   const char *pipeline)
{
	lb_buf_putc(b, (char)('0' + (int)per));
	lb_buf_putc(b, ' ');
	lb_buf_puts(b, pipeline);
	lb_buf_put(b, "", 1);
}

/* Is there a window of that kind that counts tokens or cost? */
static bool is_counted(const json_t *windows, const char *per)
{
	const json_t *row;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)windows, i, row)
	{
		const char *count = lb_json_str(row, "count");
		const char *of = lb_json_str(row, "per");

		if (count && strcmp(count, "messages") != 0 &&
		    strcmp(of ? of : "session", per) == 0)
			return true;
	}
	return false;
}

static const json_t *windows_of(struct lb_config *config,
				const struct lb_whose *of)
{
	const json_t *all = lb_config_pipeline(config, of->pipeline);

	return lb_json_path(all, "safety.rate-limit.windows");
}

bool lb_spend_counts(struct lb_config *config, const struct lb_whose *of)
{
	const json_t *windows = windows_of(config, of);

	for (int per = LB_PER_SESSION; per <= LB_PER_PIPELINE; per++)
		if (is_counted(windows, lb_window_per_names[per]))
			return true;
	return false;
}

void lb_spend(struct lb_limits *limits, struct lb_config *config,
	      const struct lb_whose *of, const struct lb_spent *used,
	      int64_t now_ms)
{
	const json_t *all = lb_config_pipeline(config, of->pipeline);
	const json_t *windows = lb_json_path(all, "safety.rate-limit.windows");

	for (int per = LB_PER_SESSION; per <= LB_PER_PIPELINE; per++) {
		lb_autobuf struct lb_buf name = {0}, key = {0};

		if (!is_counted(windows, lb_window_per_names[per]) ||
		    (per == LB_PER_SENDER_IN_GROUP && !of->group))
			continue;
		lb_spent_name(&name, (unsigned)per, of->pipeline);
		lb_whose_key(&key, name.data, (unsigned)per, of);
		lb_limits_spend(limits, key.data, now_ms, used);
	}
	lb_limits_commit(limits);
}
