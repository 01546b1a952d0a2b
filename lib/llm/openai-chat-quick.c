/*
 * Frames of chat completions that say no more than a piece of text, which
 * nearly all do: read without making a JSON value of them. Whatever is not
 * just so is left to the parser, malformed frames among it.
 */
#include <string.h>

#include "llm/openai-chat.h"

/* A place in a frame, which a NUL ends. */
struct scan {
	const char *at;
	const char *text; /* of the content; NULL: none was seen */
	size_t len;
	bool escaped;
	bool chosen; /* the choices were seen */
};

typedef bool member_fn(struct scan *s, const char *key, size_t len);

static void skip_blanks(struct scan *s)
{
	while (*s->at == ' ' || *s->at == '\n' || *s->at == '\r' ||
	       *s->at == '\t')
		s->at++;
}

/* Take this character, and the blanks before it. */
static bool take(struct scan *s, char c)
{
	skip_blanks(s);
	if (*s->at != c)
		return false;
	s->at++;
	return true;
}

static bool take_word(struct scan *s, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(s->at, word, n) != 0)
		return false;
	s->at += n;
	return true;
}

/* Characters that a string holds as they are; the others are 0. */
static const unsigned char plain[256] = {
	[' '] = 1,
	['!'] = 1,
	['#' ... '['] = 1,
	[']' ... 255] = 1,
};

/*
 * A string, without its quotes. Of escapes those of two characters are known;
 * `\u` is a matter for the parser, but where it is text that is passed over.
 */
static bool take_string(struct scan *s, const char **text, size_t *len,
			bool *escaped)
{
	*escaped = false;
	if (!take(s, '"'))
		return false;
	*text = s->at;
	for (;;) {
		while (plain[(unsigned char)*s->at])
			s->at++;
		if (*s->at != '\\')
			break;
		if (!s->at[1] || !strchr("\"\\/bfnrt", s->at[1]))
			return false;
		*escaped = true;
		s->at += 2;
	}
	*len = (size_t)(s->at - *text);
	return *s->at == '"' && s->at++;
}

/* A whole number that has not too many digits to be one. */
static bool take_number(struct scan *s)
{
	const char *digits = s->at += *s->at == '-';
	size_t n = strspn(s->at, "0123456789");

	s->at += n;
	return n > 0 && n < 16 && (n == 1 || *digits != '0') &&
	       !strchr(".eE", *s->at ? *s->at : 'x');
}

static bool take_null(struct scan *s)
{
	skip_blanks(s);
	return take_word(s, "null");
}

/* A value that holds no others. */
static bool take_scalar(struct scan *s)
{
	const char *text;
	bool escaped;
	size_t len;

	skip_blanks(s);
	if (*s->at == '"')
		return take_string(s, &text, &len, &escaped);
	if (*s->at == '-' || (*s->at >= '0' && *s->at <= '9'))
		return take_number(s);
	return take_word(s, "null") || take_word(s, "false") ||
	       take_word(s, "true");
}

static bool take_object(struct scan *s, member_fn *member)
{
	const char *key;
	bool escaped;
	size_t len;

	if (!take(s, '{'))
		return false;
	if (take(s, '}'))
		return true;
	do {
		if (!take_string(s, &key, &len, &escaped) || escaped ||
		    !take(s, ':') || !member(s, key, len))
			return false;
	} while (take(s, ','));
	return take(s, '}');
}

static bool is(const char *key, size_t len, const char *name)
{
	return strlen(name) == len && memcmp(key, name, len) == 0;
}

/* Is it one of those that say something when they are not null? */
static bool speaks(const char *key, size_t len, const char *const *names)
{
	for (; *names; names++)
		if (is(key, len, *names))
			return true;
	return false;
}

static bool in_delta(struct scan *s, const char *key, size_t len)
{
	static const char *const speaking[] = {"reasoning_content", "reasoning",
					       "reasoning_details",
					       "tool_calls", NULL};

	if (is(key, len, "content")) {
		skip_blanks(s);
		if (*s->at != '"')
			return !s->text && take_null(s);
		return !s->text &&
		       take_string(s, &s->text, &s->len, &s->escaped);
	}
	return speaks(key, len, speaking) ? take_null(s) : take_scalar(s);
}

static bool in_choice(struct scan *s, const char *key, size_t len)
{
	static const char *const speaking[] = {"finish_reason", "error",
					       "message", NULL};

	if (is(key, len, "delta"))
		return !s->text && take_object(s, in_delta);
	return speaks(key, len, speaking) ? take_null(s) : take_scalar(s);
}

static bool in_chunk(struct scan *s, const char *key, size_t len)
{
	static const char *const speaking[] = {"error", "usage", NULL};

	if (is(key, len, "choices")) {
		if (s->chosen)
			return false;
		s->chosen = true;
		return take(s, '[') && take_object(s, in_choice) &&
		       take(s, ']');
	}
	return speaks(key, len, speaking) ? take_null(s) : take_scalar(s);
}

/* Undo the escapes of two characters. */
static void undo(struct lb_buf *out, const char *text, size_t len)
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
	const char *end = text + len, *stop, *known;

	lb_buf_reset(out);
	for (; text < end; text = stop + 2) {
		stop = memchr(text, '\\', (size_t)(end - text));
		lb_buf_put(out, text, (size_t)((stop ? stop : end) - text));
		if (!stop)
			return;
		known = strchr(from, stop[1]);
		lb_buf_putc(out, known ? to[known - from] : stop[1]);
	}
}

bool lb_openai_chat_quick(struct lb_reader *r, const char *text)
{
	struct lb_openai_chat_state *state;
	struct scan s = {.at = text};

	if (!take_object(&s, in_chunk))
		return false;
	skip_blanks(&s);
	if (*s.at || !s.chosen)
		return false;
	if (!s.escaped) {
		lb_reader_text(r, s.text, s.len);
		return true;
	}
	state = lb_reader_state(r);
	undo(&state->text, s.text, s.len);
	lb_reader_text(r, state->text.data, state->text.len);
	return true;
}
