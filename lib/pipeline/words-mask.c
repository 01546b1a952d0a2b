/* words-mask.c - finding the words of a list in a text, and hiding them. */
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "pipeline/words-list.h"

enum { BUDGET_MS = 50, BUDGET_BYTES = 64 * 1024, STRIDE = LB_WORDS_WINDOW / 2 };

/* Processor time of this process, ms: what others do here does not count. */
static int64_t spent(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* How long patterns may go on. The wall clock, which is cheap to read, can
 * only be ahead: it tells when to ask for the other. */
struct budget {
	int64_t wall, cpu, ms;
};

static struct budget budget_for(size_t len)
{
	return (struct budget){lb_clock_mono(), spent(),
			       BUDGET_MS * (int64_t)(1 + len / BUDGET_BYTES)};
}

static bool is_over(const struct budget *b)
{
	return lb_clock_mono() - b->wall > b->ms && spent() - b->cpu > b->ms;
}

/* Those in order that do not overlap; what overlaps becomes one. */
static void add_hit(struct lb_words_stream *s, size_t from, size_t to)
{
	struct lb_words_hit hit = {from, to, false};
	size_t at = s->n_hits, end;

	while (at > 0 && s->hits[at - 1].to > from)
		at--;
	for (end = at; end < s->n_hits && s->hits[end].from < to; end++) {
		const struct lb_words_hit *other = &s->hits[end];

		hit.from = other->from < hit.from ? other->from : hit.from;
		hit.to = other->to > hit.to ? other->to : hit.to;
		hit.said |= other->said;
	}
	if (end == at && s->n_hits == s->room) {
		s->room = s->room ? 2 * s->room : 16;
		s->hits = lb_grow(s->hits, s->room * sizeof(*s->hits));
	}
	memmove(s->hits + at + 1, s->hits + end,
		(s->n_hits - end) * sizeof(*s->hits));
	s->hits[at] = hit;
	s->n_hits += 1 + at - end;
	s->found = true;
}

static void find_words(const struct lb_words *w, struct lb_words_stream *s)
{
	for (; s->seen < s->text.len; s->seen++) {
		size_t len;

		s->state = lb_automaton_step(w->words, s->state,
					     s->text.data[s->seen]);
		len = lb_automaton_match(w->words, s->state);
		if (len > 0)
			add_hit(s, s->seen + 1 - len, s->seen + 1);
	}
}

/* One pattern in the bytes from the window to `end`. */
static bool find_pattern(struct lb_pattern *p, struct lb_words_stream *s,
			 size_t end, bool inner, const struct budget *budget)
{
	const char *text = s->text.data + s->context;
	size_t len = end - s->context;
	struct lb_regex_place place = {
		.at = s->window - s->context,
		.inner_start = s->inner,
		.inner_end = inner,
	};
	bool gave_up = false;

	while (place.at < len && !is_over(budget) &&
	       lb_regex_find(p->regex, text, len, &place, &gave_up)) {
		place.at = place.to;
		if (place.from == place.to) /* nothing, found anywhere */
			place.at +=
				lb_utf8_char(text + place.to, len - place.to);
		else
			add_hit(s, place.from + s->context,
				place.to + s->context);
		if (place.from == place.to && place.at == place.to)
			break;
	}
	return gave_up;
}

static void find_patterns(struct lb_words *w, struct lb_words_stream *s,
			  size_t end, bool inner, const struct budget *budget)
{
	if (end == s->window)
		return;
	for (size_t i = 0; i < w->patterns.n && !is_over(budget); i++) {
		struct lb_pattern *p = &w->patterns.at[i];

		if (find_pattern(p, s, end, inner, budget) && !p->warned) {
			p->warned = true;
			lb_warn("pipeline '%s': the pattern '%s' needs too "
				"much work on some text: that counts as no "
				"match",
				w->pipeline, p->text);
		}
	}
	if (is_over(budget) && !w->warned) {
		w->warned = true;
		lb_warn("pipeline '%s': the patterns of the content filter "
			"take too long on some text: the rest counts as no "
			"match",
			w->pipeline);
	}
}

/* Bytes of the first n characters of text, or 0 when there are fewer. */
static size_t characters(const char *text, size_t len, size_t n)
{
	size_t at = 0;

	while (at < len && n > 0) {
		size_t bytes = lb_utf8_char(text + at, len - at);

		at += bytes ? bytes : 1;
		n--;
	}
	return n > 0 ? 0 : at;
}

/* Look for patterns in all windows that are whole by now. */
static void find_in_windows(struct lb_words *w, struct lb_words_stream *s,
			    bool final)
{
	const struct budget budget = budget_for(s->text.len - s->window);

	while (s->window < s->text.len) {
		const char *from = s->text.data + s->window;
		size_t left = s->text.len - s->window;
		const char *line = memchr(from, '\n', left);
		size_t len = line ? (size_t)(line - from) : left;
		size_t all = characters(from, len, LB_WORDS_WINDOW);

		if (all > 0 && all < len) {
			find_patterns(w, s, s->window + all, true, &budget);
			s->inner |= s->context < s->window;
			s->context = s->window;
			s->window += characters(from, len, STRIDE);
			continue;
		}
		if (!line && !final)
			break;
		find_patterns(w, s, s->window + len, false, &budget);
		s->window += len + (line != NULL);
		s->context = s->window;
		s->inner = false;
	}
}

static void put_masked(const struct lb_words *w, const char *text, size_t len,
		       struct lb_buf *out)
{
	for (size_t n; len > 0; text += n, len -= n) {
		n = lb_utf8_char(text, len);
		n = n ? n : 1;
		lb_buf_puts(out, w->mask);
	}
}

/* Give out everything before `to`. */
static void give(const struct lb_words *w, struct lb_words_stream *s, size_t to,
		 struct lb_buf *out)
{
	size_t i;

	for (i = 0; i < s->n_hits && s->hits[i].from < to; i++) {
		struct lb_words_hit *hit = &s->hits[i];
		size_t end = hit->to < to ? hit->to : to;

		if (hit->from > s->given) {
			lb_buf_put(out, s->text.data + s->given,
				   hit->from - s->given);
			s->given = hit->from;
		}
		if (!*w->mask_word)
			put_masked(w, s->text.data + s->given, end - s->given,
				   out);
		else if (!hit->said)
			lb_buf_puts(out, w->mask_word);
		hit->said = true;
		s->given = end;
		if (hit->to > to)
			break;
	}
	s->n_hits -= i;
	if (i > 0) /* else there may be none, and no memory for them */
		memmove(s->hits, s->hits + i, s->n_hits * sizeof(*s->hits));
	if (s->given < to) {
		lb_buf_put(out, s->text.data + s->given, to - s->given);
		s->given = to;
	}
}

/* Forget what was given out and is no context of anything. */
static void forget(const struct lb_words *w, struct lb_words_stream *s)
{
	size_t n = s->given;

	if (w->patterns.n > 0 && s->context < n)
		n = s->context;
	lb_buf_shift(&s->text, n);
	s->given -= n;
	s->seen -= n < s->seen ? n : s->seen;
	s->window -= n < s->window ? n : s->window;
	s->context -= n < s->context ? n : s->context;
	for (size_t i = 0; i < s->n_hits; i++) {
		struct lb_words_hit *hit = &s->hits[i];

		hit->from -= n < hit->from ? n : hit->from;
		hit->to -= n;
	}
}

void lb_words_feed(struct lb_words *w, struct lb_words_stream *s,
		   const char *text, size_t len, struct lb_buf *out)
{
	size_t until;

	lb_buf_put(&s->text, text, len);
	until = s->text.len;
	if (w->words) {
		find_words(w, s);
		until -= lb_automaton_begun(w->words, s->state);
	}
	if (w->patterns.n > 0) {
		find_in_windows(w, s, false);
		until = s->window < until ? s->window : until;
	}
	if (until > s->given)
		give(w, s, until, out);
	forget(w, s);
}

void lb_words_end(struct lb_words *w, struct lb_words_stream *s,
		  struct lb_buf *out)
{
	if (w->patterns.n > 0)
		find_in_windows(w, s, true);
	give(w, s, s->text.len, out);
	lb_buf_reset(&s->text);
	s->given = s->seen = s->window = s->context = s->n_hits = 0;
	s->state = 0;
	s->inner = s->found = false;
}

void lb_words_stream_release(struct lb_words_stream *s)
{
	lb_buf_release(&s->text);
	free(s->hits);
	*s = (struct lb_words_stream){0};
}

bool lb_words_mask(struct lb_words *w, const char *text, size_t len,
		   struct lb_buf *out)
{
	bool found;

	lb_buf_put(&w->whole.text, text, len);
	if (w->words)
		find_words(w, &w->whole);
	if (w->patterns.n > 0)
		find_in_windows(w, &w->whole, true);
	found = w->whole.found;
	lb_words_end(w, &w->whole, out);
	return found;
}

bool lb_words_found(struct lb_words *w, const char *text, size_t len)
{
	if (w->words && lb_automaton_finds(w->words, text, len))
		return true;
	if (w->patterns.n == 0)
		return false;
	lb_buf_reset(&w->scratch);
	return lb_words_mask(w, text, len, &w->scratch);
}
