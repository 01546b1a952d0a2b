#include "pipeline/output.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"

static const char *text_at(const json_t *o, const char *path)
{
	return json_string_value(lb_json_path(o, path));
}

static bool is_on(const json_t *o, const char *path)
{
	return json_is_true(lb_json_path(o, path));
}

static int64_t ms_at(const json_t *o, const char *path)
{
	return (int64_t)(1000 * json_number_value(lb_json_path(o, path)));
}

static enum lb_long_text strategy_of(const char *name)
{
	static const char *const names[] = {
		[LB_LONG_SPLIT] = "split",
		[LB_LONG_FORWARD] = "forward",
		[LB_LONG_IMAGE] = "image",
		[LB_LONG_FILE] = "file",
	};

	for (size_t i = LB_LONG_SPLIT; name && i <= LB_LONG_FILE; i++)
		if (strcmp(name, names[i]) == 0)
			return (enum lb_long_text)i;
	return LB_LONG_NONE;
}

static void read_failures(struct lb_output *o, const json_t *output)
{
	const char *mode = text_at(output, "misc.exception-handling");
	const char *hint = text_at(output, "misc.failure-hint");

	if (mode && strcmp(mode, "show-error") == 0)
		o->failures = LB_SHOW_ERROR;
	else if (mode && strcmp(mode, "hide") == 0)
		o->failures = LB_HIDE;
	o->hint = hint ? hint : "";
}

static void read_long_text(struct lb_output *o, const json_t *output)
{
	const json_t *text = json_object_get(output, "long-text-processing");
	const char *renderer = lb_json_str(text, "renderer");

	o->strategy = strategy_of(lb_json_str(text, "strategy"));
	o->threshold =
		(size_t)json_integer_value(json_object_get(text, "threshold"));
	if (renderer && strncmp(renderer, "cmd:", 4) == 0)
		o->renderer = renderer + 4;
	if (o->strategy != LB_LONG_IMAGE || o->renderer)
		return;
	lb_warn("pipeline '%s': output.long-text-processing.renderer is no "
		"cmd:COMMAND, so long answers are forwarded",
		o->pipeline);
	o->strategy = LB_LONG_FORWARD;
}

static void read_delay(struct lb_output *o, const json_t *output)
{
	int64_t min = ms_at(output, "force-delay.min");
	int64_t max = ms_at(output, "force-delay.max");

	/* The wrong way round is no mistake in LangBot either. */
	o->delay_min = min < max ? min : max;
	o->delay_max = min < max ? max : min;
}

static void output_free(struct lb_output *o)
{
	lb_words_close(o->words);
	free(o->pipeline);
	free(o);
}

static int output_open(struct lb_outputs *all, const char *name,
		       struct lb_error *err)
{
	const json_t *output =
		json_object_get(lb_config_pipeline(all->config, name),
				"output");
	struct lb_output *o = lb_alloc(sizeof(*o));

	o->pipeline = lb_strdup(name);
	o->next = all->first;
	all->first = o;
	read_failures(o, output);
	read_long_text(o, output);
	read_delay(o, output);
	o->at_sender = is_on(output, "misc.at-sender");
	o->quote_origin = is_on(output, "misc.quote-origin");
	o->remove_think = is_on(output, "misc.remove-think");
	o->track_calls = is_on(output, "misc.track-function-calls");
	o->words = lb_words_open(all->config, name, err);
	if (!o->words)
		return -1;
	if (!lb_words_apply(o->words, LB_WORDS_OUT)) {
		lb_words_close(o->words);
		o->words = NULL;
	}
	return 0;
}

int lb_outputs_open(struct lb_outputs *all, struct lb_config *config,
		    struct lb_error *err)
{
	const json_t *pipelines = lb_config_section(config, "pipelines");
	const char *name;
	json_t *written;

	*all = (struct lb_outputs){.config = config};
	json_object_foreach((json_t *)(uintptr_t)pipelines, name, written)
	{
		(void)written;
		if (strcmp(name, "default") != 0 &&
		    output_open(all, name, err) < 0)
			return -1;
	}
	return output_open(all, "default", err); /* the first, then */
}

void lb_outputs_release(struct lb_outputs *all)
{
	while (all->first) {
		struct lb_output *o = all->first;

		all->first = o->next;
		output_free(o);
	}
}

const struct lb_output *lb_output_of(const struct lb_outputs *all,
				     const json_t *record)
{
	const char *name = lb_json_str(record, "pipeline");
	const char *bot = lb_json_str(record, "bot");
	const json_t *conf =
		!name && bot ? lb_config_bot(all->config, bot) : NULL;
	const struct lb_output *o = all->first;

	if (conf)
		name = lb_json_str(conf, "pipeline");
	while (name && o && strcmp(o->pipeline, name) != 0)
		o = o->next;
	return o ? o : all->first;
}

bool lb_output_changes_text(const struct lb_output *o)
{
	return o->remove_think || o->words;
}

bool lb_output_keeps_streams(const struct lb_output *o)
{
	return lb_output_changes_text(o) || o->track_calls || o->delay_max > 0;
}
