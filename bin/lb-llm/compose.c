/* compose.c - the messages of one question. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "chat.h"

static bool stdin_is_attachment(const struct lb_list *attachments)
{
	for (size_t i = 0; i < attachments->n; i++)
		if (strcmp(attachments->at[i], "-") == 0)
			return true;
	return false;
}

/* What standard input holds, without the line ends behind it. */
static int read_stdin(struct lb_buf *out, struct lb_error *err)
{
	enum { MAX_INPUT = 16 << 20 };
	char part[65536];
	ssize_t got;

	while ((got = read(STDIN_FILENO, part, sizeof(part))) > 0) {
		if (out->len + (size_t)got > MAX_INPUT)
			return lb_fail(err, LB_DATA,
				       "standard input is too long");
		lb_buf_put(out, part, (size_t)got);
	}
	if (got < 0 && errno != EBADF) /* closed: nothing to add */
		return lb_fail_sys(err, LB_IO, "cannot read standard input");
	while (out->len > 0 && strchr("\r\n", out->data[out->len - 1]))
		out->len--;
	return 0;
}

/* The question: the operands, then what was piped in. */
static int put_text(const struct question *q, struct lb_buf *question,
		    struct lb_error *err)
{
	lb_autobuf struct lb_buf piped = {0};

	for (int i = 0; i < q->argc; i++)
		lb_buf_printf(question, "%s%s", i ? " " : "", q->argv[i]);
	if (!isatty(STDIN_FILENO) && !stdin_is_attachment(&q->attachments) &&
	    read_stdin(&piped, err) < 0)
		return -1;
	if (question->len > 0 && piped.len > 0)
		lb_buf_puts(question, "\n\n");
	lb_buf_put(question, lb_buf_str(&piped), piped.len);
	if (question->len == 0 && q->attachments.n == 0)
		lb_usage("ask something: lb-llm chat \"what is a pipe?\"");
	return 0;
}

static json_t *user_message(const struct lb_buf *question,
			    const struct lb_list *attachments,
			    struct lb_error *err)
{
	json_auto_t *parts = json_array();

	if (question->len > 0)
		json_array_append_new(
			parts,
			lb_json_pack("{s:s, s:o}", "type", "text", "text",
				     lb_json_text(question->data,
						  question->len)));
	for (size_t i = 0; i < attachments->n; i++) {
		json_t *part = attach(attachments->at[i], err);

		if (!part)
			return NULL;
		json_array_append_new(parts, part);
	}
	return lb_json_pack("{s:s, s:O}", "role", "user", "content", parts);
}

static void add_system(json_t *messages, const char *text)
{
	json_array_append_new(messages,
			      lb_json_pack("{s:s, s:o}", "role", "system",
					   "content",
					   lb_json_text(text, strlen(text))));
}

/* The instruction that goes with a schema. */
static char *schema_prompt(const json_t *schema)
{
	lb_autofree char *text = json_dumps(schema, JSON_COMPACT);

	return lb_printf("Answer with one JSON value only, without any other "
			 "text, that keeps to this JSON Schema: %s",
			 text);
}

json_t *compose(const struct question *q, const json_t *schema,
		struct lb_error *err)
{
	lb_autobuf struct lb_buf text = {0};
	json_auto_t *messages = json_array();
	json_t *user;

	if (put_text(q, &text, err) < 0)
		return NULL;
	if (q->system)
		add_system(messages, q->system);
	if (schema) {
		lb_autofree char *prompt = schema_prompt(schema);

		add_system(messages, prompt);
	}
	user = user_message(&text, &q->attachments, err);
	if (!user)
		return NULL;
	json_array_append_new(messages, user);
	return json_incref(messages);
}
