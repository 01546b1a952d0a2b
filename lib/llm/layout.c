#include "llm/layout.h"

#include <string.h>

#include "base/json.h"

enum { MAX_PIECES = 1024 };

static void add(struct lb_layout *l, json_t *take)
{
	if (!l->pieces)
		l->pieces = json_array();
	l->spilled |= json_array_size(l->pieces) >= MAX_PIECES;
	if (l->spilled)
		json_decref(take);
	else
		json_array_append_new(l->pieces, take);
}

void lb_layout_text(struct lb_layout *l, size_t bytes)
{
	l->bytes += bytes;
}

static json_t *with(struct lb_layout *l, json_t *piece, json_t *take)
{
	l->worth |= take != NULL;
	if (take)
		json_object_set_new(piece, "with", take);
	return piece;
}

void lb_layout_end_text(struct lb_layout *l, json_t *take)
{
	if (l->bytes > 0)
		add(l,
		    with(l, lb_json_pack("{s:I}", "text", (json_int_t)l->bytes),
			 take));
	else
		json_decref(take);
	l->bytes = 0;
}

void lb_layout_call(struct lb_layout *l, json_t *take)
{
	lb_layout_end_text(l, NULL);
	add(l, with(l, lb_json_pack("{s:b}", "call", 1), take));
}

void lb_layout_block(struct lb_layout *l, json_t *take)
{
	lb_layout_end_text(l, NULL);
	l->worth = true;
	add(l, lb_json_pack("{s:o}", "block", take));
}

json_t *lb_layout_keep(struct lb_layout *l)
{
	lb_layout_end_text(l, NULL);
	return l->worth && !l->spilled ? json_incref(l->pieces) : NULL;
}

void lb_layout_release(struct lb_layout *l)
{
	json_decref(l->pieces);
}

/* A walk over one turn. */
struct walk {
	const json_t *parts, *calls;
	const char *text; /* NULL: the parts are not laid out */
	size_t at;        /* in it */
	size_t call;
	bool said; /* the parts were handed out */
	lb_laid_fn *fn;
	void *arg;
};

static void hand(struct walk *w, enum lb_laid_kind kind, const json_t *value,
		 const json_t *with_it)
{
	w->fn(w->arg, &(struct lb_laid){kind, value, with_it});
}

/* The text, if the pieces add up to it. */
static const char *laid_text(const json_t *pieces, const json_t *parts)
{
	const char *text = lb_json_str(json_array_get(parts, 0), "text");
	const json_t *piece;
	uint64_t bytes = 0;
	size_t i;
	int64_t n;

	json_array_foreach(pieces, i, piece)
	{
		if (!lb_json_int(piece, "text", &n))
			continue;
		if (n < 0 || n > (1 << 30))
			return NULL;
		bytes += (uint64_t)n;
	}
	return json_array_size(parts) == 1 && text && strlen(text) == bytes
		       ? text
		       : NULL;
}

static void walk_text(struct walk *w, const json_t *piece, int64_t n)
{
	const json_t *with_it = json_object_get(piece, "with");
	json_auto_t *one = NULL;

	if (w->text) {
		one = lb_json_pack("[{s:o}]", "text",
				   lb_json_text(w->text + w->at, (size_t)n));
		w->at += (size_t)n;
		hand(w, LB_LAID_PARTS, one, with_it);
	} else if (!w->said && json_array_size(w->parts) > 0) {
		hand(w, LB_LAID_PARTS, w->parts, NULL);
	}
	w->said = true;
}

static void walk_calls(struct walk *w, const json_t *with_it, size_t most)
{
	const json_t *call;

	while (most-- > 0 && (call = json_array_get(w->calls, w->call))) {
		w->call++;
		hand(w, LB_LAID_CALL, call, with_it);
	}
}

void lb_layout_walk(const json_t *turn, lb_laid_fn *fn, void *arg)
{
	const json_t *pieces = json_object_get(turn, "keep"), *piece;
	struct walk w = {.parts = json_object_get(turn, "parts"),
			 .calls = json_object_get(turn, "calls"),
			 .fn = fn,
			 .arg = arg};
	size_t i;
	int64_t n;

	w.text = laid_text(pieces, w.parts);
	json_array_foreach(pieces, i, piece)
	{
		const json_t *block = json_object_get(piece, "block");

		if (json_is_object(block))
			hand(&w, LB_LAID_BLOCK, block, NULL);
		else if (json_object_get(piece, "call"))
			walk_calls(&w, json_object_get(piece, "with"), 1);
		else if (lb_json_int(piece, "text", &n))
			walk_text(&w, piece, n);
	}
	if (!w.said && json_array_size(w.parts) > 0)
		hand(&w, LB_LAID_PARTS, w.parts, NULL);
	walk_calls(&w, NULL, SIZE_MAX);
}
