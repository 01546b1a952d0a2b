/* lb-run - which programs there are to be. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "platform/ingest.h"
#include "super.h"

static struct member *add(struct super *s, enum member_kind kind,
			  const char *name)
{
	struct member *m = lb_alloc(sizeof(*m)), **end = &s->members;

	m->super = s;
	m->kind = kind;
	m->name = lb_strdup(name);
	m->watch = m->from = m->to = -1;
	m->state = "starting";
	m->since = s->began;
	while (*end)
		end = &(*end)->next;
	*end = m;
	return m;
}

bool plan_listens(const json_t *conf)
{
	const char *adapter = conf ? lb_json_str(conf, "adapter") : NULL;
	const struct lb_source *source =
		adapter ? lb_source_find(adapter) : NULL;

	return source && source->listens;
}

void plan_bot_words(struct member *m, const json_t *conf)
{
	const struct super *s = m->super;
	struct words *w = &m->words;

	free(m->adapter);
	m->adapter = lb_strdup(lb_json_str(conf, "adapter"));
	json_decref(m->conf);
	m->conf = json_deep_copy(conf);
	words_release(w);
	words_program(w, "lb-ingest");
	words_put(w, m->adapter);
	words_put(w, "--bot");
	words_put(w, m->name);
	words_config(w, s->config_file);
	if (!s->no_queue) {
		words_put(w, "--queue");
		words_put(w, "in");
	}
	if (s->once)
		words_put(w, "--once");
}

struct member *plan_bot(struct super *s, const char *name, const json_t *conf)
{
	struct member *m = add(s, BOT, name);

	m->once = s->once;
	plan_bot_words(m, conf);
	return m;
}

/* You, at this terminal, or what is piped into us. */
static void plan_by_hand(struct super *s)
{
	struct member *m = add(s, BOT, "-");

	m->adapter = lb_strdup("text");
	m->by_hand = m->once = true;
	words_program(&m->words, "lb-ingest");
	words_put(&m->words, "text");
}

static void put_grace(const struct super *s, struct words *w, int64_t grace)
{
	char text[32];

	if (s->print)
		return; /* the defaults will do */
	snprintf(text, sizeof(text), "%lldms", (long long)grace);
	words_put(w, "--grace");
	words_put(w, text);
}

static void put_number(struct words *w, const char *option, long n)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", n);
	words_put(w, option);
	words_put(w, text);
}

static void put_flow(struct super *s, struct words *w, int64_t grace)
{
	words_program(w, "lb-run");
	words_put(w, "flow");
	words_config(w, s->config_file);
	put_grace(s, w, grace);
	if (s->tee) {
		words_put(w, "--tee");
		words_put(w, s->tee);
	}
	if (s->no_queue)
		words_put(w, "--no-queue");
	if (s->chat)
		put_number(w, "--text", 3);
}

struct member *plan_flow(struct super *s, bool once)
{
	struct member *m = add(s, FLOW, "flow");
	/* Each within the grace of the one that waits for it. */
	int64_t grace = s->grace * 9 / 10;

	m->once = once;
	s->flow = m;
	if (!s->no_queue) {
		words_program(&m->words, "lb-queue");
		words_put(&m->words, "work");
		words_put(&m->words, "in");
		put_grace(s, &m->words, grace);
		if (s->copies > 1)
			put_number(&m->words, "--copies", s->copies);
		if (once)
			words_put(&m->words, "--once");
		words_put(&m->words, "--");
		grace = grace * 9 / 10;
	}
	put_flow(s, &m->words, grace);
	return m;
}

struct member *plan_gc(struct super *s)
{
	struct member *m = add(s, GC, "gc");

	m->once = true;
	words_program(&m->words, "lb-run");
	words_put(&m->words, "gc");
	words_config(&m->words, s->config_file);
	return m;
}

/* The bots that listen to a network, by their names. */
static size_t plan_bots(struct super *s)
{
	const json_t *bots = lb_config_section(s->config, "bots");
	const char *name;
	json_t *written;
	size_t n = 0;

	json_object_foreach((json_t *)(uintptr_t)bots, name, written)
	{
		const json_t *conf = lb_config_bot(s->config, name);

		(void)written;
		if (!plan_listens(conf))
			continue;
		plan_bot(s, name, conf);
		n++;
	}
	return n;
}

int plan_make(struct super *s, struct lb_error *err)
{
	size_t bots = s->role == ROLE_WORKER ? 0 : plan_bots(s);

	if (s->role == ROLE_INGEST && bots == 0)
		return lb_fail(err, LB_CONFIG,
			       "no bot is configured that listens; 'lb-config "
			       "add bot NAME adapter=telegram "
			       "token=env:TELEGRAM_BOT_TOKEN' adds one");
	if (s->role == ROLE_ALL && bots == 0) {
		s->chat = s->no_queue = true;
		plan_by_hand(s);
	}
	/* With --once it starts when all that came is in the queue. */
	if (s->role == ROLE_WORKER ||
	    (s->role == ROLE_ALL && (!s->once || s->no_queue || s->print)))
		plan_flow(s, s->once);
	return 0;
}

/* The line begins with what brings messages, in the background or first. */
static void print_bots(const struct super *s, struct lb_buf *line)
{
	size_t n = 0;

	for (const struct member *m = s->members; m; m = m->next) {
		if (m->kind != BOT)
			continue;
		if (n++ > 0 && (s->once || s->no_queue))
			lb_buf_puts(line, s->no_queue ? " & " : "; ");
		words_print(&m->words, line);
		if (!s->no_queue && !s->once)
			lb_buf_puts(line, " & bots=\"$bots $!\"; ");
	}
	if (!s->no_queue && !s->once && n > 0 && s->flow)
		lb_buf_puts(line, "trap 'kill $bots' EXIT; ");
	else if (!s->no_queue && n > 0 && s->flow)
		lb_buf_puts(line, "; ");
}

/* What is run, as a line for a shell that ends when we would. */
int plan_print(const struct super *s)
{
	lb_autobuf struct lb_buf line = {0}, bots = {0};

	if (s->workspace) {
		lb_buf_puts(&line, "export ");
		words_print_one("LB__BOX__WORKSPACE", s->workspace, &line);
		lb_buf_puts(&line, "; ");
	}
	print_bots(s, &bots);
	if (!s->no_queue || s->chat)
		lb_buf_puts(&line, lb_buf_str(&bots));
	else
		lb_buf_printf(&line, "{ %s & wait; }", lb_buf_str(&bots));
	if (s->no_queue)
		lb_buf_puts(&line, " | ");
	if (s->flow)
		words_print(&s->flow->words, &line);
	if (s->chat)
		lb_buf_puts(&line, " 3>&1 >/dev/null");
	puts(lb_buf_str(&line));
	return LB_OK;
}
