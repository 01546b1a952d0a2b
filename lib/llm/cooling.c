#include "llm/cooling.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "llm/wire.h"

/* Another address is another provider, whatever it is called. */
static char *name_of(const char *what, const struct lb_model *m, const char *of)
{
	lb_autofree char *url =
		lb_wire_shown_url(m->base_url ? m->base_url : "");

	return lb_printf("llm %s\x1f%s\x1f%s", what, url, of);
}

void lb_cooling_model(const struct lb_llm_memo *memo, const struct lb_model *m,
		      const char *code, int64_t until_ms)
{
	lb_autofree char *name = name_of("model", m, m->name);

	if (memo)
		memo->note(memo->arg, name, code, until_ms);
}

const char *lb_cooling_is_model(const struct lb_llm_memo *memo,
				const struct lb_model *m)
{
	lb_autofree char *name = name_of("model", m, m->name), *text = NULL;

	if (memo)
		text = memo->recall(memo->arg, name);
	/* In the words that we have, whoever wrote the note. */
	return text ? lb_code_name(lb_code_find(text)) : NULL;
}

static char *key_name(const struct lb_model *m, size_t key)
{
	lb_autofree char *number = lb_printf("%zu", key);

	return name_of("key", m, number);
}

void lb_cooling_key(const struct lb_llm_memo *memo, const struct lb_model *m,
		    size_t key, const char *code, int64_t until_ms)
{
	lb_autofree char *name = key_name(m, key);

	if (memo)
		memo->note(memo->arg, name, code, until_ms);
}

/* The code of its failure; NULL: use it. */
static const char *is_key(const struct lb_llm_memo *memo,
			  const struct lb_model *m, size_t key)
{
	lb_autofree char *name = key_name(m, key), *text = NULL;

	if (memo)
		text = memo->recall(memo->arg, name);
	return text ? lb_code_name(lb_code_find(text)) : NULL;
}

bool lb_cooling_pick_key(const struct lb_llm_memo *memo,
			 const struct lb_model *m,
			 const bool tried[LB_MODEL_KEYS], size_t *key,
			 const char **why)
{
	const char *rate = lb_code_name(LB_CODE_RATE);

	*why = NULL;
	for (size_t i = 0; m->n_keys > 1 && i < m->n_keys; i++) {
		size_t k = (*key + i) % m->n_keys;
		const char *cold = tried[k] ? NULL : is_key(memo, m, k);

		if (!tried[k] && !cold) {
			*key = k;
			*why = NULL;
			return true;
		}
		/* a limit passes sooner than a refusal */
		if (cold && (!*why || strcmp(cold, rate) == 0))
			*why = cold;
	}
	return false;
}

void lb_cooling_note_changes(const struct lb_llm_memo *memo,
			     const struct lb_model *m, const json_t *changes,
			     int64_t until_ms)
{
	lb_autofree char *name = name_of("changes", m, m->name);
	lb_autobuf struct lb_buf text = {0};

	lb_buf_json(&text, changes);
	if (memo)
		memo->note(memo->arg, name, text.data, until_ms);
}

/* Only what is sound: the file may be anybody's. */
json_t *lb_cooling_changes(const struct lb_llm_memo *memo,
			   const struct lb_model *m)
{
	lb_autofree char *name = name_of("changes", m, m->name), *text = NULL;
	json_t *changes = NULL;

	if (memo)
		text = memo->recall(memo->arg, name);
	if (text)
		changes = json_loads(text, 0, NULL);
	if (changes && !lb_llm_is_change(changes)) {
		json_decref(changes);
		changes = NULL;
	}
	return changes;
}
