/* test-vectors.c - does a model make vectors, or sort? */
#include <stdio.h>

#include "base/clock.h"
#include "base/json.h"
#include "test.h"
#include "vectors.h"

static void on_embedding(void *arg, const struct lb_vectors_answer *a)
{
	struct trial *t = arg;
	char note[64];

	snprintf(note, sizeof(note), "%zu dimensions", a->dimensions);
	test_put(t, "embedding", "ok", LB_CODES, note);
}

static void on_ranks(void *arg, const struct lb_vectors_answer *a)
{
	struct trial *t = arg;
	bool good = a->n_ranks > 0 && a->ranks[0].index == 1;

	test_put(t, "rerank", good ? "ok" : "failed", LB_CODES,
		 good ? "" : "the answer is not the best");
}

/* What went wrong was said. */
static void finish(struct trial *t, struct vectors *v, int code)
{
	if (code != LB_OK)
		t->failed = true;
	vectors_release(v);
}

void test_embedding(struct trial *t)
{
	json_auto_t *texts = lb_json_pack("[s]", "Hello, world!");
	const struct lb_embed_request request = {.texts = texts};
	struct vectors v = {.fn = on_embedding, .arg = t};

	t->began = lb_clock_mono();
	finish(t, &v, vectors_embed(&v, t->model, &request, 0));
}

void test_rerank(struct trial *t)
{
	json_auto_t *documents =
		lb_json_pack("[s, s]", "Cheese is made of milk.",
			     "A pipe joins two programs.");
	const struct lb_rerank_request request =
		{.query = "What does a pipe join?", .documents = documents};
	struct vectors v = {.fn = on_ranks, .arg = t};

	t->began = lb_clock_mono();
	finish(t, &v, vectors_rerank(&v, t->model, &request, 0));
}
