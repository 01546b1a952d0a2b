/* windows.c - the rate limits of a pipeline, made ready. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "pipeline/rules.h"

enum { MAX_WINDOWS = 16, HOUR_MS = 3600 * 1000, YEAR_S = 31536000 };

const char *const lb_window_per_names[] = {"session", "sender",
					   "sender-in-group", "pipeline", NULL};
static const char *const counts[] = {"messages", "tokens", "cost", NULL};
static const char *const algorithms[] = {"fixed", "sliding", NULL};
static const char *const strategies[] = {"drop", "wait", NULL};

/* Which of the words the member is; the first when it is not there. */
static int choice(const json_t *o, const char *key, const char *const *words,
		  int *index, struct lb_error *err)
{
	const char *text = lb_json_str(o, key);
	lb_autobuf struct lb_buf all = {0};

	*index = 0;
	for (int i = 0; words[i]; i++) {
		if (!text || strcmp(words[i], text) == 0) {
			*index = i;
			return 0;
		}
		lb_buf_puts(&all, i == 0 ? "" : words[i + 1] ? ", " : " or ");
		lb_buf_puts(&all, words[i]);
	}
	return lb_fail(err, LB_CONFIG, "%s '%s' is not %s", key, text,
		       lb_buf_str(&all));
}

/* Tokens and costs are kept by the hour. */
static int check_usage(const struct lb_window *w, struct lb_error *err)
{
	if (w->count == LB_COUNT_MESSAGES)
		return 0;
	if (w->length_ms % HOUR_MS != 0)
		return lb_fail(err, LB_CONFIG,
			       "a window of %s is of whole hours",
			       counts[w->count]);
	if (w->wait)
		return lb_fail(err, LB_CONFIG,
			       "strategy 'wait' does not fit %s: drop",
			       counts[w->count]);
	return 0;
}

static int read_limit(struct lb_window *w, const json_t *row,
		      struct lb_error *err)
{
	const char *text = lb_json_str(row, "limit");
	char *end = NULL;
	double limit = text ? strtod(text, &end) : 0;

	if (!text)
		return lb_fail(err, LB_CONFIG, "limit is missing");
	if (!*text || *end || !(limit >= 0 && limit <= 1e12) ||
	    (w->count != LB_COUNT_COST && limit != floor(limit)))
		return lb_fail(err, LB_CONFIG, "limit '%s' is not a number",
			       text);
	w->limit = llround(w->count == LB_COUNT_COST ? limit * 1e6 : limit);
	return 0;
}

static int read_length(struct lb_window *w, const json_t *row,
		       struct lb_error *err)
{
	const char *text = lb_json_str(row, "window");

	if (!text)
		return lb_fail(err, LB_CONFIG, "window is missing");
	if (lb_duration_parse(text, &w->length_ms, err) < 0)
		return lb_error_wrap(err, "window");
	if (w->length_ms < 1000 || w->length_ms > (int64_t)YEAR_S * 1000)
		return lb_fail(err, LB_CONFIG, "window '%s' is not 1s to 365d",
			       text);
	return 0;
}

static int read_row(struct lb_window *w, const json_t *row,
		    struct lb_error *err)
{
	static const char known[] = " per window limit count algorithm "
				    "strategy ";
	int per, count, algorithm, strategy;
	const char *name;
	const json_t *value;

	json_object_foreach((json_t *)(uintptr_t)row, name, value)
	{
		lb_autofree char *word = lb_printf(" %s ", name);

		if (!strstr(known, word))
			return lb_fail(err, LB_CONFIG, "unknown key '%s'",
				       name);
	}
	if (choice(row, "per", lb_window_per_names, &per, err) < 0 ||
	    choice(row, "count", counts, &count, err) < 0 ||
	    choice(row, "algorithm", algorithms, &algorithm, err) < 0 ||
	    choice(row, "strategy", strategies, &strategy, err) < 0)
		return -1;
	w->per = (unsigned)per;
	w->count = (unsigned)count;
	w->sliding = algorithm == 1;
	w->wait = strategy == 1;
	if (read_length(w, row, err) < 0 || read_limit(w, row, err) < 0)
		return -1;
	return check_usage(w, err);
}

/* What the counters of a window are called, before whose they are. */
static void name(struct lb_window *w, const char *pipeline)
{
	lb_autobuf struct lb_buf b = {0};

	lb_buf_printf(&b, "%s %s %lld %lld %s %s ", lb_window_per_names[w->per],
		      algorithms[w->sliding], (long long)w->length_ms,
		      (long long)w->limit, strategies[w->wait], pipeline);
	w->name = lb_buf_take(&b);
}

static int read_rows(struct lb_rules *r, const json_t *list,
		     struct lb_error *err)
{
	const json_t *row;
	size_t i;

	if (json_array_size(list) >= MAX_WINDOWS)
		return lb_fail(err, LB_CONFIG, "more than %d windows",
			       MAX_WINDOWS - 1);
	json_array_foreach(list, i, row)
	{
		struct lb_window *w = &r->limits.at[r->limits.n];

		if (read_row(w, row, err) < 0)
			return lb_error_wrap(err, "window %zu", i + 1);
		r->limits.counts_usage |= w->count != LB_COUNT_MESSAGES;
		name(w, r->pipeline);
		r->limits.n++;
	}
	return 0;
}

int lb_windows_read(struct lb_rules *r, struct lb_config *config,
		    const json_t *limit, struct lb_error *err)
{
	const char *algorithm = lb_json_str(limit, "algorithm");
	const char *strategy = lb_json_str(limit, "strategy");
	lb_autofree char *path =
		lb_printf("pipelines.%s.safety.rate-limit.windows",
			  r->pipeline);
	struct lb_window *first;

	r->limits.at = lb_alloc(MAX_WINDOWS * sizeof(*r->limits.at));
	r->limits.exempt_admins = lb_json_bool(limit, "exempt-admins", true);
	first = &r->limits.at[r->limits.n++];
	first->length_ms =
		1000 *
		json_integer_value(json_object_get(limit, "window-length"));
	first->limit = json_integer_value(json_object_get(limit, "limitation"));
	first->sliding = algorithm && strcmp(algorithm, "sliding") == 0;
	first->wait = strategy && strcmp(strategy, "wait") == 0;
	name(first, r->pipeline);
	if (read_rows(r, json_object_get(limit, "windows"), err) == 0)
		return 0;
	return lb_config_blame(config, path, err);
}

void lb_windows_release(struct lb_rules *r)
{
	for (size_t i = 0; i < r->limits.n; i++)
		free(r->limits.at[i].name);
	free(r->limits.at);
}
