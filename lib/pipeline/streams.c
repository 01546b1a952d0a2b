#include "pipeline/streams.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"

static void unlink_it(struct lb_streams *all, struct lb_stream *s)
{
	if (s->prev)
		s->prev->next = s->next;
	else
		all->first = s->next;
	if (s->next)
		s->next->prev = s->prev;
	else
		all->last = s->prev;
	s->prev = s->next = NULL;
}

/* It is the last that was heard of. */
static void link_it(struct lb_streams *all, struct lb_stream *s)
{
	s->prev = all->last;
	if (all->last)
		all->last->next = s;
	else
		all->first = s;
	all->last = s;
}

static void stream_free(struct lb_stream *s)
{
	lb_said_release(&s->said);
	lb_buf_release(&s->text);
	free(s->key);
	free(s);
}

void lb_stream_close(struct lb_streams *all, struct lb_stream *s)
{
	unlink_it(all, s);
	lb_map_remove(&all->map, s->key);
	all->bytes -= s->text.len;
	stream_free(s);
}

void lb_streams_release(struct lb_streams *all)
{
	while (all->first)
		lb_stream_close(all, all->first);
	lb_map_release(&all->map, NULL);
}

void lb_stream_key(struct lb_buf *key, const struct lb_record *r)
{
	const char *session = lb_json_str(r->json, "session");
	const char *id = lb_json_str(r->json, "id");

	lb_buf_puts(key, session ? session : "");
	lb_buf_putc(key, '\n');
	lb_buf_puts(key, id ? id : "");
}

struct lb_stream *lb_stream_find(struct lb_streams *all, const char *key)
{
	return lb_map_find(&all->map, key);
}

static uint64_t hash_on(uint64_t h, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)text[i]) * 0x100000001b3ULL;
	return h;
}

/* FNV-1a: it finds mistakes of other programs, and nobody's malice. */
static const uint64_t hash_start = 0xcbf29ce484222325ULL;

/* Make room for one more. */
static void forget_old(struct lb_streams *all, int64_t now)
{
	while (all->first && (all->map.n >= LB_STREAMS_MAX ||
			      now - all->first->heard > LB_STREAMS_SILENCE_MS))
		lb_stream_close(all, all->first);
}

struct lb_stream *lb_stream_open(struct lb_streams *all, const char *key,
				 const struct lb_output *output, int64_t now_ms)
{
	struct lb_stream *s = lb_stream_find(all, key);

	if (s) /* it is said once more, from the start */
		lb_stream_close(all, s);
	forget_old(all, now_ms);
	s = lb_alloc(sizeof(*s));
	s->key = lb_strdup(key);
	s->hash = hash_start;
	s->heard = now_ms;
	lb_said_open(&s->said, output);
	lb_map_add(&all->map, key, s);
	link_it(all, s);
	return s;
}

/* One blank line is enough, behind what was put in. */
static void say(struct lb_stream *s, const char *text, size_t len)
{
	size_t skip = 0;

	if (s->apart && len >= 2 && memcmp(text, "\n\n", 2) == 0)
		skip = 2;
	s->apart = s->apart && len == 0;
	lb_said_feed(&s->said, text + skip, len - skip, &s->text);
}

bool lb_stream_feed(struct lb_streams *all, struct lb_stream *s,
		    const char *text, size_t len, size_t *from, int64_t now_ms)
{
	s->heard = now_ms;
	unlink_it(all, s);
	link_it(all, s);
	while (all->bytes + len > LB_STREAMS_BYTES && all->first != s)
		lb_stream_close(all, all->first);
	if (all->bytes + len > LB_STREAMS_BYTES) {
		lb_stream_close(all, s);
		return false;
	}
	*from = s->text.len;
	s->came += len;
	s->hash = hash_on(s->hash, text, len);
	say(s, text, len);
	all->bytes += s->text.len - *from;
	return true;
}

void lb_stream_add(struct lb_streams *all, struct lb_stream *s,
		   const char *text, size_t len)
{
	lb_buf_put(&s->text, text, len);
	all->bytes += len;
	s->apart = len >= 2 && memcmp(text + len - 2, "\n\n", 2) == 0;
}

bool lb_stream_end(struct lb_streams *all, struct lb_stream *s,
		   const char *text, size_t len)
{
	size_t had = s->text.len;

	if (len < s->came || hash_on(hash_start, text, s->came) != s->hash)
		return false;
	say(s, text + s->came, len - s->came);
	lb_said_end(&s->said, &s->text);
	all->bytes += s->text.len - had;
	return true;
}
