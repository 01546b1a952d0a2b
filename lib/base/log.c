#include "base/log.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/utf8.h"

enum { MIN_SECRET = 4, MAX_SUBJECT = 256 };

static const char *const level_names[] = {"error", "warning", "info", "debug"};

static struct {
	const char *name;
	enum lb_level level;
	bool json;
	char **secrets;
	size_t n_secrets;
} self = {.name = "lb", .level = LB_WARNING};

void lb_log_start(const char *name)
{
	const char *level = getenv("LB_LOG"), *format = getenv("LB_LOG_FORMAT");

	self.name = name;
	self.json = format && strcmp(format, "json") == 0;
	for (int i = LB_ERROR; level && i <= LB_DEBUG; i++)
		if (strcmp(level, level_names[i]) == 0) {
			self.level = (enum lb_level)i;
			level = NULL;
		}
	if (level && *level)
		lb_warn("LB_LOG: '%s' is not error, warning, info or debug",
			level);
	if (format && *format && !self.json && strcmp(format, "text") != 0)
		lb_warn("LB_LOG_FORMAT: '%s' is neither json nor text", format);
}

void lb_log_level(enum lb_level level)
{
	self.level = level;
}

bool lb_log_shows(enum lb_level level)
{
	return level <= self.level;
}

void lb_log_secret(const char *text)
{
	if (strlen(text) < MIN_SECRET)
		return;
	for (size_t i = 0; i < self.n_secrets; i++)
		if (strcmp(self.secrets[i], text) == 0)
			return;
	self.secrets = lb_grow(self.secrets,
			       (self.n_secrets + 1) * sizeof(*self.secrets));
	self.secrets[self.n_secrets++] = lb_strdup(text);
}

/*
 * Texts are cut to fit, so the first half of a secret counts as one: what is
 * hidden is as much of it as stands there.
 */
static void hide(struct lb_buf *line, const char *secret, size_t head)
{
	size_t len = strlen(secret);
	char *at = line->data, *end;

	if (line->len == 0)
		return;
	end = at + line->len;
	while ((at = memmem(at, (size_t)(end - at), secret, head))) {
		char *rest = at + head;

		while (rest < end && rest - at < (ptrdiff_t)len &&
		       *rest == secret[rest - at])
			rest++;
		memset(at, '*', 3);
		at += 3;
		memmove(at, rest, (size_t)(end - rest) + 1);
		end -= rest - at;
	}
	line->len = (size_t)(end - line->data);
}

void lb_hide_secrets(struct lb_buf *b)
{
	/* Whole ones first: another may begin as one does. */
	for (size_t i = 0; i < self.n_secrets; i++)
		hide(b, self.secrets[i], strlen(self.secrets[i]));
	for (size_t i = 0; i < self.n_secrets; i++) {
		size_t half = strlen(self.secrets[i]) / 2;

		hide(b, self.secrets[i], half < MIN_SECRET ? MIN_SECRET : half);
	}
}

/* U+0080 to U+009F: a terminal may obey them as it does ESC. */
static void no_c1(struct lb_buf *text)
{
	char *p = text->data, *to = p;

	for (; p && *p; p++)
		if (p[0] == '\xc2' && (unsigned char)p[1] < 0xa0) {
			*to++ = '?';
			p++;
		} else {
			*to++ = *p;
		}
	if (to)
		*to = '\0';
	text->len = to ? (size_t)(to - text->data) : 0;
}

/* Of a record, so perhaps from a stranger: any length, any character. */
static void member(struct lb_buf *out, const char *key, const char *value)
{
	lb_autobuf struct lb_buf text = {0};

	if (!value)
		return;
	lb_buf_put(&text, value,
		   lb_utf8_cut(value, strlen(value), MAX_SUBJECT));
	no_c1(&text);
	lb_buf_printf(out, ",\"%s\":", key);
	lb_buf_json_str(out, lb_buf_str(&text), text.len);
}

static void put_json(struct lb_buf *out, enum lb_level level,
		     const struct lb_subject *of, const struct lb_buf *text)
{
	char ts[LB_CLOCK_TEXT];

	lb_clock_text(lb_clock_now(), ts);
	lb_buf_printf(out, "{\"ts\":\"%s\",\"prog\":\"%s\",\"pid\":%d", ts,
		      self.name, (int)getpid());
	member(out, "level", level_names[level]);
	member(out, "text", lb_buf_str(text));
	if (of) {
		member(out, "of", of->id);
		member(out, "bot", of->bot);
		member(out, "session", of->session);
	}
	lb_buf_puts(out, "}\n");
}

static void put_text(struct lb_buf *out, enum lb_level level,
		     const struct lb_subject *of, const struct lb_buf *text)
{
	lb_buf_printf(out, "%s: ", self.name);
	if (self.level > LB_WARNING)
		lb_buf_printf(out, "%s: ", level_names[level]);
	if (of && of->id && self.level > LB_WARNING)
		lb_buf_printf(out, "%.*s: ",
			      (int)lb_utf8_cut(of->id, strlen(of->id),
					       MAX_SUBJECT),
			      of->id);
	lb_buf_puts(out, lb_buf_str(text));
	no_c1(out);
	for (char *p = out->data; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?'; /* text may come from a peer */
	lb_buf_putc(out, '\n');
}

static void __attribute__((format(printf, 3, 0)))
say(enum lb_level level, const struct lb_subject *of, const char *fmt,
    va_list args)
{
	char raw[LB_ERROR_TEXT * 2];
	lb_autobuf struct lb_buf text = {0}, out = {0};

	vsnprintf(raw, sizeof(raw), fmt, args);
	lb_utf8_clean(&text, raw, strlen(raw));
	no_c1(&text);
	lb_hide_secrets(&text);
	(self.json ? put_json : put_text)(&out, level, of, &text);
	/* One write: lines of several programs must not mix. */
	if (write(STDERR_FILENO, out.data, out.len) < 0)
		return; /* nobody is left to tell */
}

void lb_log(enum lb_level level, const struct lb_subject *of, const char *fmt,
	    ...)
{
	va_list args;

	if (!lb_log_shows(level))
		return;
	va_start(args, fmt);
	say(level, of, fmt, args);
	va_end(args);
}

void lb_tell(const struct lb_subject *of, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(LB_INFO, of, fmt, args);
	va_end(args);
}

void lb_complain(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(LB_ERROR, NULL, fmt, args);
	va_end(args);
}

void lb_warn(const char *fmt, ...)
{
	va_list args;

	if (!lb_log_shows(LB_WARNING))
		return;
	va_start(args, fmt);
	say(LB_WARNING, NULL, fmt, args);
	va_end(args);
}
