/* words.c - the lists of a pipeline, made ready. */
#include "pipeline/words.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/utf8.h"
#include "pipeline/words-list.h"

enum {
	MAX_FILE = 4 << 20, /* bytes */
	MAX_WORDS = 50000,
	MAX_BYTES = 1 << 20, /* of all words */
	MAX_ENTRY = 1024,    /* characters */
	MAX_MASK = 64,       /* characters */
};

#define KEY "safety.content-filter."

/* What is read, before it is made ready. */
struct entries {
	const char **words; /* borrowed */
	size_t n, bytes;
};

static int add(struct lb_words *w, struct entries *e, const char *text,
	       struct lb_error *err)
{
	if (!*text) /* it would be found everywhere */
		return 0;
	if (!lb_utf8_valid(text, strlen(text)))
		return lb_fail(err, LB_CONFIG, "an entry is not UTF-8");
	if (lb_utf8_count(text, strlen(text)) > LB_PATTERN_MAX)
		return lb_fail(err, LB_CONFIG,
			       "an entry has more than %d characters",
			       LB_PATTERN_MAX);
	if (strpbrk(text, "\\^$.|?*+()[]{}"))
		return lb_patterns_add(&w->patterns, text, false, err);
	e->bytes += strlen(text);
	if (e->n == MAX_WORDS || e->bytes > MAX_BYTES)
		return lb_fail(err, LB_CONFIG,
			       "more than %d words, or %d bytes of them",
			       MAX_WORDS, MAX_BYTES);
	if ((e->n & (e->n - 1)) == 0) /* a power of two: full */
		e->words = lb_grow(e->words,
				   (e->n ? 2 * e->n : 1) * sizeof(*e->words));
	e->words[e->n++] = text;
	return 0;
}

static int add_all(struct lb_words *w, struct entries *e, const json_t *list,
		   struct lb_error *err)
{
	size_t i;
	const json_t *one;

	json_array_foreach(list, i, one)
	{
		if (!json_is_string(one))
			return lb_fail(err, LB_CONFIG,
				       "entry %zu is not a text", i + 1);
		if (add(w, e, json_string_value(one), err) < 0)
			return -1;
	}
	return 0;
}

/* A line each; blank ones and those that begin "# " say nothing. */
static json_t *of_lines(const char *text)
{
	json_t *list = json_array();

	while (*text) {
		size_t n = strcspn(text, "\n");
		size_t len = n > 0 && text[n - 1] == '\r' ? n - 1 : n;

		if (len > 0 && strncmp(text, "# ", 2) != 0)
			json_array_append_new(list, lb_json_text(text, len));
		text += n + (text[n] == '\n');
	}
	return list;
}

/* {"words", "mask", "mask_word"}, or lines. New, or NULL. */
static json_t *read_file(const char *path, struct lb_error *err)
{
	lb_autofree char *text = NULL;
	json_error_t why;
	json_t *all;
	size_t len;

	if (lb_path_read(path, MAX_FILE, &text, &len, err) < 0)
		return NULL;
	if (strlen(text) != len || !lb_utf8_valid(text, len)) {
		lb_fail(err, LB_CONFIG, "'%s' is not UTF-8 text", path);
		return NULL;
	}
	if (text[strspn(text, " \t\r\n")] != '{')
		return lb_json_pack("{s:o}", "words", of_lines(text));
	all = json_loads(text, JSON_REJECT_DUPLICATES, &why);
	if (!all) {
		lb_fail(err, LB_CONFIG, "%s:%d: %s", path, why.line, why.text);
		return NULL;
	}
	if (!json_is_array(json_object_get(all, "words"))) {
		lb_fail(err, LB_CONFIG, "'%s' has no list 'words'", path);
		json_decref(all);
		return NULL;
	}
	return all;
}

static int take_file(struct lb_words *w, struct entries *e,
		     struct lb_config *config, const char *name,
		     json_t **take_file, struct lb_error *err)
{
	lb_autofree char *path = lb_config_beside(config, name);

	*take_file = read_file(path, err);
	if (!*take_file)
		return -1;
	if (add_all(w, e, json_object_get(*take_file, "words"), err) < 0)
		return lb_error_wrap(err, "'%s'", path);
	return 0;
}

/* The first that is set. */
static int choose_mask(char **out, const char *own, const char *files,
		       const char *otherwise, struct lb_error *err)
{
	const char *mask = own ? own : files && *files ? files : otherwise;

	if (lb_utf8_count(mask, strlen(mask)) > MAX_MASK)
		return lb_fail(err, LB_CONFIG, "more than %d characters",
			       MAX_MASK);
	*out = lb_strdup(mask);
	return 0;
}

/* Prefix what went wrong with the place of the key it is about. */
static int blame(struct lb_config *config, const char *pipeline,
		 const char *key, struct lb_error *err)
{
	lb_autofree char *path =
		lb_printf("pipelines.%s.%s%s", pipeline, KEY, key);

	return lb_config_blame(config, path, err);
}

static int fill(struct lb_words *w, struct lb_config *config,
		const json_t *filter, struct lb_error *err)
{
	const char *file = lb_json_str(filter, "words-file");
	json_auto_t *other = NULL;
	lb_autofree const char **list = NULL;
	struct entries e = {0};
	int r;

	r = add_all(w, &e, json_object_get(filter, "words"), err);
	if (r < 0)
		blame(config, w->pipeline, "words", err);
	if (r == 0 && file && *file) {
		r = take_file(w, &e, config, file, &other, err);
		if (r < 0)
			blame(config, w->pipeline, "words-file", err);
	}
	list = e.words;
	if (r < 0)
		return -1;
	if (choose_mask(&w->mask, lb_json_str(filter, "mask"),
			lb_json_str(other, "mask"), "*", err) < 0)
		return blame(config, w->pipeline, "mask", err);
	if (choose_mask(&w->mask_word, lb_json_str(filter, "mask-word"),
			lb_json_str(other, "mask_word"), "", err) < 0)
		return blame(config, w->pipeline, "mask-word", err);
	if (e.n > 0)
		w->words = lb_automaton_open(list, e.n);
	return 0;
}

struct lb_words *lb_words_open(struct lb_config *config, const char *pipeline,
			       struct lb_error *err)
{
	const json_t *all = lb_config_pipeline(config, pipeline);
	const json_t *filter = lb_json_path(all, "safety.content-filter");
	const char *scope = lb_json_str(filter, "scope");
	struct lb_words *w = lb_alloc(sizeof(*w));

	w->pipeline = lb_strdup(pipeline);
	if (!lb_json_bool(filter, "check-sensitive-words", true))
		return w;
	if (fill(w, config, filter, err) < 0) {
		lb_words_close(w);
		return NULL;
	}
	if (w->words || w->patterns.n > 0) {
		w->in = !scope || strcmp(scope, "output-msg") != 0;
		w->out = !scope || strcmp(scope, "income-msg") != 0;
	}
	return w;
}

void lb_words_close(struct lb_words *w)
{
	if (!w)
		return;
	lb_patterns_release(&w->patterns);
	lb_automaton_close(w->words);
	lb_words_stream_release(&w->whole);
	lb_buf_release(&w->scratch);
	free(w->pipeline);
	free(w->mask);
	free(w->mask_word);
	free(w);
}

bool lb_words_apply(const struct lb_words *w, enum lb_words_side side)
{
	return side == LB_WORDS_IN ? w->in : w->out;
}
