#include "pipeline/said.h"

void lb_said_open(struct lb_said *s, const struct lb_output *output)
{
	*s = (struct lb_said){.output = output, .think = {.orphans = true}};
	s->think.trim = output->remove_think;
}

void lb_said_release(struct lb_said *s)
{
	lb_words_stream_release(&s->words);
}

/* Where a text goes that is no thought. */
struct spoken {
	struct lb_said *said;
	struct lb_buf *out;
};

static void speak(struct lb_said *s, const char *text, size_t len,
		  struct lb_buf *out)
{
	if (len == 0)
		return;
	if (s->output->words)
		lb_words_feed(s->output->words, &s->words, text, len, out);
	else
		lb_buf_put(out, text, len);
}

static void on_piece(void *arg, bool reasoning, const char *text, size_t len)
{
	struct spoken *sp = arg;

	if (!reasoning)
		speak(sp->said, text, len, sp->out);
}

void lb_said_feed(struct lb_said *s, const char *text, size_t len,
		  struct lb_buf *out)
{
	struct spoken sp = {s, out};

	if (s->output->remove_think)
		lb_think_feed(&s->think, text, len, on_piece, &sp);
	else
		speak(s, text, len, out);
}

void lb_said_end(struct lb_said *s, struct lb_buf *out)
{
	struct spoken sp = {s, out};

	if (s->output->remove_think)
		lb_think_finish(&s->think, on_piece, &sp);
	if (s->output->words)
		lb_words_end(s->output->words, &s->words, out);
}

/* Of a whole text: what came before a closing tag alone was a thought. */
static void on_whole(void *arg, bool reasoning, const char *text, size_t len)
{
	if (reasoning && len == 0)
		lb_buf_reset(arg);
	else if (!reasoning)
		lb_buf_put(arg, text, len);
}

void lb_said_whole(const struct lb_output *output, const char *text, size_t len,
		   struct lb_buf *out)
{
	lb_autobuf struct lb_buf spoken = {0};
	struct lb_think think = {.orphans = true, .trim = true};

	if (output->remove_think) {
		lb_think_feed(&think, text, len, on_whole, &spoken);
		lb_think_finish(&think, on_whole, &spoken);
		text = lb_buf_str(&spoken);
		len = spoken.len;
	}
	if (output->words)
		lb_words_mask(output->words, text, len, out);
	else
		lb_buf_put(out, text, len);
}
