/* test-album - which updates can be kept, and parts that become one. TAP. */
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "platform/telegram-ingest.h"
#include "tap.h"

/*
 * Updates as words: a letter for the album, '-' for none, and the chat; '!'
 * behind it for one that has just come, at 900.
 */
struct row {
	const char *updates;
	int64_t now;
	size_t cut;
	int64_t until; /* where something waits */
};

static const struct row rows[] = {
	{"", 500, 0, 0},
	{"-7", 500, 1, 0},
	{"a7", 500, 0, 1000},
	{"a7", 1000, 1, 0},
	{"a7 a7!", 1000, 0, 1900},
	{"a7 a7!", 1900, 2, 0},
	{"-7 a7", 500, 1, 1000},
	{"-7 -8 a7 -8", 500, 2, 1000},
	/* something else was said there since */
	{"a7 -7", 500, 2, 0},
	{"a7 a7 b7 b7 -7", 500, 5, 0},
	{"a7 b7", 500, 1, 1000},
	{"a7 -8", 500, 0, 1000},
	{"b8 -8 a7", 500, 2, 1000},
	/* a part that comes late opens it again */
	{"a7 -7 a7", 500, 0, 1000},
	/* an album stays whole: its parts are on one side */
	{"a7 b8 a7 -7", 500, 0, 1000},
	{"-9 a7 b8 a7 -7", 500, 1, 1000},
	{"a7 -8 a7 -7 b8", 500, 4, 1000},
	/* the same name in two chats is two albums */
	{"a7 a8 -7", 500, 1, 1000},
	/* ten are all */
	{"a7 a7 a7 a7 a7 a7 a7 a7 a7", 500, 0, 1000},
	{"a7 a7 a7 a7 a7 a7 a7 a7 a7 a7", 500, 10, 0},
};

static struct poller p;

static void clear(void)
{
	while (p.n_pending > 0)
		json_decref(p.pending[--p.n_pending].json);
}

static void fill(const char *words)
{
	for (; *words; words += strcspn(words, " "), words += *words == ' ') {
		struct update *u = &p.pending[p.n_pending++];
		json_t *m =
			lb_json_pack("{s:{s:i}}", "chat", "id", words[1] - '0');

		if (*words != '-')
			json_object_set_new(m, "media_group_id",
					    json_stringn(words, 1));
		u->id = (int64_t)p.n_pending;
		u->json = lb_json_pack("{s:o}", "message", m);
		u->arrived = words[2] == '!' ? 900 : 0;
	}
}

static void check(const struct row *r)
{
	int64_t until = 0;
	bool good;
	size_t cut;

	clear();
	fill(r->updates);
	cut = album_cut(&p, r->now, &until);
	good = cut == r->cut && (cut == p.n_pending || until == r->until);
	tap_ok(good, r->updates);
	if (!good)
		printf("# %zu until %lld\n", cut, (long long)until);
}

/* Where nothing more is asked for nothing is waited for. */
static void no_waiting(void)
{
	int64_t until;

	clear();
	fill("a7 -8");
	p.stopping = true;
	tap_ok(album_cut(&p, 0, &until) == 2, "the end waits for no part");
	p.stopping = false;
	p.album_ms = 0;
	tap_ok(album_cut(&p, 0, &until) == 2, "parts are messages");
	p.album_ms = 1000;
	clear();
	for (int i = 0; i < PENDING_MAX; i++)
		fill("a7");
	p.pending[PENDING_MAX - 1].arrived = 900;
	tap_ok(album_cut(&p, 0, &until) == PENDING_MAX,
	       "there is no room for more");
}

static void add(struct lb_buf *album, const char *line)
{
	lb_autobuf struct lb_buf part = {0};

	lb_buf_puts(&part, line);
	album_add(album, &part);
}

static void together(void)
{
	lb_autobuf struct lb_buf album = {0};

	add(&album, "{\"kind\":\"message\",\"id\":\"1\",\"n\":1e2,"
		    "\"mentioned_me\":false,\"chain\":[{\"type\":\"Quote\"},"
		    "{\"type\":\"Image\",\"ref\":\"a\"}]}\n");
	add(&album, "");
	add(&album, "{\"kind\":\"message\",\"id\":\"2\",\"mentioned_me\":true,"
		    "\"mentions\":[\"9\"],\"chain\":[{\"type\":\"Source\"},"
		    "{\"type\":\"Quote\"},{\"type\":\"Plain\",\"text\":\"x\"},"
		    "{\"type\":\"Image\",\"ref\":\"b\"}]}\n");
	tap_same("{\"kind\":\"message\",\"id\":\"1\",\"n\":1e2,"
		 "\"mentioned_me\":true,\"mentions\":[\"9\"],\"chain\":["
		 "{\"type\":\"Quote\"},{\"type\":\"Image\",\"ref\":\"a\"},"
		 "{\"type\":\"Plain\",\"text\":\"x\"},"
		 "{\"type\":\"Image\",\"ref\":\"b\"}]}\n",
		 lb_buf_str(&album), "the first part with what others add");
}

int main(void)
{
	p.album_ms = 1000;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check(&rows[i]);
	no_waiting();
	together();
	clear();
	return tap_end();
}
