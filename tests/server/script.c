#include "script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"

enum { MAX_BODY = 256 << 20 };

struct reader {
	const char *path;
	int line;
	struct exchange *now, **last;
	struct exchange *first;
	int count;
	struct plan plan;
	size_t bytes; /* of the plan */
};

static void refuse(const struct reader *in, const char *why)
{
	fprintf(stderr, "lb-test-server: %s: line %d: %s\n", in->path, in->line,
		why);
	exit(65);
}

static char *dup_escaped(const char *text, size_t *len)
{
	char *out = lb_alloc(strlen(text) + 1), *to = out;

	for (; *text; text++) {
		char hex[3] = {0};

		if (*text != '\\' || !text[1]) {
			*to++ = *text;
			continue;
		}
		switch (*++text) {
		case 'n':
			*to++ = '\n';
			break;
		case 'r':
			*to++ = '\r';
			break;
		case 't':
			*to++ = '\t';
			break;
		case '0':
			*to++ = '\0';
			break;
		case 'x':
			if (text[1] && text[2]) {
				memcpy(hex, text + 1, 2);
				text += 2;
			}
			*to++ = (char)strtol(hex, NULL, 16);
			break;
		default:
			*to++ = *text;
		}
	}
	*len = (size_t)(to - out);
	return out;
}

static void add(struct reader *in, enum step_kind kind, const char *data,
		size_t len, int pause_ms)
{
	in->bytes += len;
	if (in->bytes > MAX_BODY)
		refuse(in, "more than 256 MiB");
	plan_add(&in->plan, kind, data, len, pause_ms);
}

static void finish_exchange(struct reader *in)
{
	if (!in->now)
		return;
	if (!in->now->twin && !in->plan.status && !in->plan.steps)
		refuse(in, "the exchange before has no answer");
	if (!in->now->twin)
		plan_build(&in->plan, &in->now->reply);
	plan_release(&in->plan);
	in->bytes = 0;
}

static char *word(char **rest)
{
	char *w = *rest + strspn(*rest, " \t");
	size_t n = strcspn(w, " \t");

	*rest = w + n + (w[n] != '\0');
	w[n] = '\0';
	return w;
}

static int number(const struct reader *in, const char *text)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (end == text || *end || n < 0 || n > 100000000)
		refuse(in, "not a number");
	return (int)n;
}

static void new_exchange(struct reader *in, char *rest)
{
	struct exchange *x = lb_alloc(sizeof(*x));

	finish_exchange(in);
	x->method = lb_strdup(word(&rest));
	x->path = lb_strdup(word(&rest));
	x->uses = 1;
	x->line = in->line;
	x->number = ++in->count;
	if (!x->path[0])
		refuse(in, "wanted: on METHOD PATH");
	in->now = x;
	*in->last = x;
	in->last = &x->next;
}

static void condition(struct reader *in, enum check check, char *rest)
{
	struct condition *c = lb_alloc(sizeof(*c));
	size_t len;
	char *colon;

	c->check = check;
	if (check == IF_HEADER || check == IF_NO_HEADER) {
		colon = strchr(rest, ':');
		if (colon)
			*colon++ = '\0';
		c->name = lb_strdup(rest);
		for (char *p = c->name; *p; p++)
			*p |= *p >= 'A' && *p <= 'Z' ? 0x20 : 0;
		if (colon)
			c->text = lb_strdup(colon + strspn(colon, " "));
	} else if (check == IF_JSON) { /* JSON has escapes of its own */
		c->name = lb_strdup(word(&rest));
		c->text = lb_strdup(rest);
	} else {
		c->text = dup_escaped(rest, &len);
	}
	c->next = in->now->conditions;
	in->now->conditions = c;
}

static void send_text(struct reader *in, enum step_kind kind, const char *text)
{
	size_t len;
	lb_autofree char *data = dup_escaped(text, &len);

	add(in, kind, data, len, 0);
}

static void send_event(struct reader *in, const char *text)
{
	lb_autofree char *event = lb_printf("data: %s\\n\\n", text);

	send_text(in, STEP_SEND, event);
}

/* Copy text with {n} replaced. */
static void number_in(struct lb_buf *out, const char *text, size_t len, int n)
{
	const char *at;

	while ((at = memmem(text, len, "{n}", 3))) {
		lb_buf_put(out, text, (size_t)(at - text));
		lb_buf_printf(out, "%d", n);
		len -= (size_t)(at + 3 - text);
		text = at + 3;
	}
	lb_buf_put(out, text, len);
}

static void send_repeated(struct reader *in, char *rest)
{
	int n = number(in, word(&rest)), ms = number(in, word(&rest));
	size_t len;
	lb_autofree char *data = dup_escaped(rest, &len);

	for (int i = 1; i <= n; i++) {
		lb_autobuf struct lb_buf text = {0};

		number_in(&text, data, len, i);
		add(in, STEP_SEND, text.data, text.len, ms);
	}
}

static void send_file(struct reader *in, const char *name)
{
	const char *slash = strrchr(in->path, '/');
	lb_autofree char *path = NULL, *data = NULL;
	struct lb_error err;
	size_t len;

	if (*name == '/' || !slash)
		path = lb_strdup(name);
	else
		path = lb_printf("%.*s/%s", (int)(slash - in->path), in->path,
				 name);
	if (lb_path_read(path, MAX_BODY, &data, &len, &err) < 0)
		refuse(in, err.text);
	add(in, STEP_SEND, data, len, 0);
}

static void header(struct reader *in, const char *text)
{
	if (strncasecmp(text, "content-length:", 15) == 0)
		in->plan.has_length = true;
	lb_buf_printf(&in->plan.headers, "%s\r\n", text);
}

static void twin(struct reader *in, const struct service *service, char *rest)
{
	struct twin *t = lb_alloc(sizeof(*t));

	if (strcmp(word(&rest), "strict") != 0)
		refuse(in, "wanted: SERVICE strict [KEY]");
	t->service = service;
	t->key = *rest ? lb_strdup(word(&rest)) : NULL;
	t->answer = lb_strdup("Hello! How can I help?");
	in->now->twin = t;
}

/* NAME JSON */
static void call(struct reader *in, struct twin *t, char *rest)
{
	char *name = word(&rest);
	json_t *arguments = json_loads(*rest ? rest : "{}", 0, NULL);

	if (!json_is_object(arguments))
		refuse(in, "wanted: call NAME [JSON-OBJECT]");
	if (!t->calls)
		t->calls = json_array();
	json_array_append_new(t->calls, lb_json_pack("{s:s, s:o}", "name", name,
						     "arguments", arguments));
}

static bool twin_line(struct reader *in, const char *verb, char *rest)
{
	struct twin *t = in->now->twin;
	size_t len;

	if (service_find(verb)) {
		twin(in, service_find(verb), rest);
	} else if (strcmp(verb, "answer") == 0 && t) {
		free(t->answer);
		t->answer = dup_escaped(rest, &len);
	} else if (strcmp(verb, "call") == 0 && t) {
		call(in, t, rest);
	} else if (strcmp(verb, "pace") == 0 && t) {
		t->pace_ms = number(in, word(&rest));
	} else {
		return false;
	}
	return true;
}

static bool condition_line(struct reader *in, const char *verb, char *rest)
{
	static const char *const names[] = {
		[IF_HEADER] = "if-header",
		[IF_NO_HEADER] = "if-no-header",
		[IF_BODY] = "if-body",
		[IF_JSON] = "if-json",
	};

	if (strcmp(verb, "uses") == 0) {
		in->now->uses =
			strcmp(rest, "any") == 0 ? -1 : number(in, rest);
		return true;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(verb, names[i]) == 0) {
			condition(in, (enum check)i, rest);
			return true;
		}
	return false;
}

static bool framing_line(struct reader *in, const char *verb, char *rest)
{
	struct plan *plan = &in->plan;

	if (strcmp(verb, "reply") == 0) {
		plan->status = number(in, word(&rest));
	} else if (strcmp(verb, "header") == 0) {
		header(in, rest);
	} else if (strcmp(verb, "chunked") == 0) {
		plan->chunked = true;
	} else if (strcmp(verb, "until-close") == 0) {
		plan->until_close = true;
	} else if (strcmp(verb, "encode") == 0) {
		plan->encode = lb_strdup(word(&rest));
	} else if (strcmp(verb, "by") == 0) {
		plan->piece = (size_t)number(in, word(&rest));
		plan->piece_ms = *rest ? number(in, word(&rest)) : 1;
	} else {
		return false;
	}
	return true;
}

static bool step_line(struct reader *in, const char *verb, char *rest)
{
	if (strcmp(verb, "send") == 0)
		send_text(in, STEP_SEND, rest);
	else if (strcmp(verb, "raw") == 0)
		send_text(in, STEP_RAW, rest);
	else if (strcmp(verb, "event") == 0)
		send_event(in, rest);
	else if (strcmp(verb, "file") == 0)
		send_file(in, rest);
	else if (strcmp(verb, "repeat") == 0)
		send_repeated(in, rest);
	else if (strcmp(verb, "pause") == 0)
		add(in, STEP_PAUSE, NULL, 0, number(in, word(&rest)));
	else if (strcmp(verb, "close") == 0)
		add(in, STEP_CLOSE, NULL, 0, 0);
	else if (strcmp(verb, "reset") == 0)
		add(in, STEP_RESET, NULL, 0, 0);
	else if (strcmp(verb, "hang") == 0)
		add(in, STEP_HANG, NULL, 0, 0);
	else
		return false;
	return true;
}

static void read_line(struct reader *in, char *line)
{
	char *rest = line, *verb = word(&rest);

	if (*verb == '\0' || *verb == '#')
		return;
	if (strcmp(verb, "on") == 0)
		new_exchange(in, rest);
	else if (!in->now)
		refuse(in, "the first line is: on METHOD PATH");
	else if (!condition_line(in, verb, rest) &&
		 !framing_line(in, verb, rest) && !step_line(in, verb, rest) &&
		 !twin_line(in, verb, rest))
		refuse(in, "no such line");
}

struct exchange *script_read(const char *path)
{
	struct reader in = {.path = path};
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
	lb_autofree char *line = NULL;
	size_t size = 0;
	ssize_t n;

	if (!file)
		refuse(&in, "cannot open it");
	in.last = &in.first;
	plan_init(&in.plan);
	while ((n = getline(&line, &size, file)) > 0) {
		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		in.line++;
		read_line(&in, line);
	}
	finish_exchange(&in);
	if (file != stdin)
		fclose(file);
	return in.first;
}
