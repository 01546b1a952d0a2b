#include "llm/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "base/mem.h"

enum { MAX_CALLS = 128, MAX_ID = 64 };

static void new_id(char out[LB_CALL_ID_SIZE])
{
	static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	char id[LB_ID_SIZE];
	unsigned long long n;

	lb_id_new(0, id);
	n = strtoull(id + LB_ID_SIZE - 13, NULL, 16); /* 48 random bits */
	for (size_t i = 0; i < LB_CALL_ID_SIZE - 1; i++, n /= 36)
		out[i] = letters[n % 36];
	out[LB_CALL_ID_SIZE - 1] = '\0';
}

/* The call that a piece belongs to, or NULL for a new one. */
static struct lb_growing_call *find(struct lb_calls *c,
				    const struct lb_call_piece *p)
{
	bool has_id = p->id && *p->id;

	for (size_t i = c->n; i-- > 0;) {
		struct lb_growing_call *s = &c->at[i];
		bool same_id = has_id && s->id && strcmp(s->id, p->id) == 0;
		/* A peer that gives all its calls one id still counts them. */
		bool apart = p->whole && p->index >= 0 && s->index >= 0 &&
			     s->index != p->index;

		if (same_id && !apart)
			return s;
		/* An index, unless a new id says that a new call begins. */
		if (p->index >= 0 && s->index == p->index &&
		    (!has_id || !s->id))
			return s;
	}
	if (p->index >= 0 || has_id)
		return NULL;
	if (p->together > 1)
		return p->position < c->n ? &c->at[p->position] : NULL;
	return c->n > 0 ? &c->at[c->n - 1] : NULL;
}

struct lb_growing_call *lb_calls_add(struct lb_calls *c,
				     const struct lb_call_piece *p)
{
	struct lb_growing_call *s = find(c, p);

	if (!s) {
		if (c->n == MAX_CALLS)
			return NULL;
		c->at = lb_grow(c->at, (c->n + 1) * sizeof(*c->at));
		s = &c->at[c->n++];
		*s = (struct lb_growing_call){.index = p->index};
	}
	if (!s->id && p->id && *p->id)
		s->id = lb_strdup(p->id);
	if (!s->id && p->whole) {
		s->id = lb_alloc(LB_CALL_ID_SIZE);
		new_id(s->id);
	}
	if (!s->name && p->name && *p->name)
		s->name = lb_strdup(p->name);
	if (p->arguments && p->whole)
		lb_buf_reset(&s->arguments);
	if (p->arguments)
		lb_buf_put(&s->arguments, p->arguments, p->arguments_len);
	return s;
}

/*
 * An id that goes back to any endpoint, and names one call: made up where what
 * the peer gave is none.
 */
static void settle_id(struct lb_calls *c, struct lb_growing_call *s)
{
	bool good = s->id && strlen(s->id) <= MAX_ID;

	for (const char *p = s->id; good && *p; p++)
		good = *p > ' ' && *p < 0x7f;
	for (size_t i = 0; good && &c->at[i] < s; i++)
		good = !c->at[i].id || strcmp(c->at[i].id, s->id) != 0;
	if (good)
		return;
	free(s->id);
	s->id = lb_alloc(LB_CALL_ID_SIZE);
	new_id(s->id);
}

void lb_calls_emit(struct lb_calls *c, lb_llm_fn *fn, void *arg)
{
	for (size_t i = 0; i < c->n; i++) {
		struct lb_growing_call *s = &c->at[i];
		const char *text = lb_buf_str(&s->arguments);

		if (!s->name)
			continue;
		settle_id(c, s);
		if (!text[strspn(text, " \t\r\n")] || strcmp(text, "null") == 0)
			text = "{}";
		fn(arg, &(struct lb_llm_event){
				.kind = LB_LLM_TOOL_CALL,
				.call_id = s->id,
				.name = s->name,
				.text = text,
				.len = strlen(text),
			});
	}
}

void lb_calls_release(struct lb_calls *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->at[i].id);
		free(c->at[i].name);
		lb_buf_release(&c->at[i].arguments);
	}
	free(c->at);
}
