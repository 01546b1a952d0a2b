#include "llm/offline-tools.h"

#include <string.h>

#include "base/json.h"

/*
 * offline-tools - the model `offline:tools`: what the user says is a script of
 * what it does, a step a line, so that tools can be tried without a network.
 *
 *     say TEXT             it says this
 *     call NAME ARGUMENTS  it calls a tool; what follows is said and done
 *                          after the answer
 *     and NAME ARGUMENTS   it calls one more at the same time
 *     loop NAME ARGUMENTS  it makes this call, over and over
 *     finish REASON        the answer ends for this reason
 *
 * Arguments go out as they stand, JSON or not. In any of it {result} is what
 * the last tool answered and {results} what all did, a blank between. Where
 * the script ends without words, it says {results}.
 */

enum { MAX_CALLS = 128 };

static bool is_role(const json_t *m, const char *role)
{
	const char *is = lb_json_str(m, "role");

	return is && strcmp(is, role) == 0;
}

static void put_content(struct lb_buf *out, const json_t *content)
{
	const json_t *part;
	size_t i;

	if (json_is_string(content))
		lb_buf_puts(out, json_string_value(content));
	json_array_foreach((json_t *)(uintptr_t)content, i, part)
	{
		const char *text = lb_json_str(part, "text");
		const char *type = lb_json_str(part, "type");

		if (text)
			lb_buf_puts(out, text);
		else
			lb_buf_printf(out, "[%s]", type ? type : "?");
	}
}

/* What the conversation holds since the user spoke. */
struct past {
	struct lb_buf script, last, all;
	size_t rounds; /* answers of the model */
};

static void look_back(struct past *p, const json_t *messages)
{
	const json_t *m;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)messages, i, m)
	{
		const json_t *content = json_object_get(m, "content");

		if (is_role(m, "user")) {
			lb_buf_reset(&p->script);
			lb_buf_reset(&p->last);
			lb_buf_reset(&p->all);
			p->rounds = 0;
			put_content(&p->script, content);
		} else if (is_role(m, "assistant")) {
			p->rounds++;
		} else if (is_role(m, "tool")) {
			lb_buf_reset(&p->last);
			put_content(&p->last, content);
			if (p->all.len > 0)
				lb_buf_putc(&p->all, ' ');
			lb_buf_put(&p->all, lb_buf_str(&p->last), p->last.len);
		}
	}
}

/* Text with what the tools answered put in. */
static void fill(const struct past *p, const char *text, size_t len,
		 struct lb_buf *out)
{
	static const char one[] = "{result}", all[] = "{results}";

	while (len > 0) {
		size_t n = 1;

		if (len >= sizeof(one) - 1 &&
		    memcmp(text, one, sizeof(one) - 1) == 0) {
			lb_buf_put(out, lb_buf_str(&p->last), p->last.len);
			n = sizeof(one) - 1;
		} else if (len >= sizeof(all) - 1 &&
			   memcmp(text, all, sizeof(all) - 1) == 0) {
			lb_buf_put(out, lb_buf_str(&p->all), p->all.len);
			n = sizeof(all) - 1;
		} else {
			lb_buf_putc(out, *text);
		}
		text += n;
		len -= n;
	}
}

/* The word a line begins with; *line becomes what is behind it. */
static size_t first_word(const char **line, size_t *len, const char **word)
{
	const char *blank = memchr(*line, ' ', *len);
	size_t n = blank ? (size_t)(blank - *line) : *len;

	*word = *line;
	*line += n + (blank != NULL);
	*len -= n + (blank != NULL);
	return n;
}

static bool is_word(const char *word, size_t len, const char *is)
{
	return len == strlen(is) && memcmp(word, is, len) == 0;
}

static void add_call(const struct past *p, json_t *calls, const char *text,
		     size_t len)
{
	lb_autobuf struct lb_buf arguments = {0};
	const char *name;
	size_t n = first_word(&text, &len, &name);

	fill(p, text, len, &arguments);
	if (json_array_size(calls) < MAX_CALLS)
		json_array_append_new(
			calls, lb_json_pack("{s:o, s:o}", "name",
					    lb_json_text(name, n), "arguments",
					    lb_json_text(lb_buf_str(&arguments),
							 arguments.len)));
}

/* Where the script stands. */
struct scene {
	const struct past *past;
	struct lb_scripted *out;
	size_t round; /* of the line */
	bool called;  /* in that round */
	bool loops;
};

static void take_line(struct scene *s, const char *line, size_t len)
{
	const char *word;
	size_t n = first_word(&line, &len, &word);
	bool loop = is_word(word, n, "loop");
	bool call = loop || is_word(word, n, "call");
	bool more = is_word(word, n, "and");
	bool now;

	/* What follows calls waits for their answers. */
	if (s->called && !more && !is_word(word, n, "finish")) {
		s->round++;
		s->called = false;
	}
	s->loops = loop;
	now = s->round == s->past->rounds ||
	      (loop && s->round < s->past->rounds);
	s->called |= call || more;
	if (!now)
		return;
	if (call || more) {
		add_call(s->past, s->out->calls, line, len);
	} else if (is_word(word, n, "say")) {
		if (s->out->text.len > 0)
			lb_buf_putc(&s->out->text, '\n');
		fill(s->past, line, len, &s->out->text);
	} else if (is_word(word, n, "finish")) {
		lb_buf_reset(&s->out->finish);
		lb_buf_put(&s->out->finish, line, len);
	}
}

void lb_offline_script(struct lb_scripted *out, const json_t *messages)
{
	struct past p = {0};
	struct scene s = {.past = &p, .out = out};
	const char *at;

	out->calls = json_array();
	look_back(&p, messages);
	for (at = lb_buf_str(&p.script); *at && !s.loops;) {
		size_t len = strcspn(at, "\n");

		if (len > 0)
			take_line(&s, at, len);
		at += len + (at[len] == '\n');
	}
	if (out->text.len == 0 && json_array_size(out->calls) == 0)
		lb_buf_put(&out->text, lb_buf_str(&p.all), p.all.len);
	if (out->text.len == 0 && json_array_size(out->calls) == 0)
		lb_buf_puts(&out->text, "(nothing)");
	lb_buf_release(&p.script);
	lb_buf_release(&p.last);
	lb_buf_release(&p.all);
}

void lb_scripted_release(struct lb_scripted *s)
{
	lb_buf_release(&s->text);
	lb_buf_release(&s->finish);
	json_decref(s->calls);
	*s = (struct lb_scripted){0};
}
