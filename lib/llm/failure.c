#include "llm/failure.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/utf8.h"
#include "record/record.h"

void lb_failure_refusal(const char *body, size_t len, int status,
			struct lb_failure *f)
{
	lb_autobuf struct lb_buf mended = {0};
	json_auto_t *value = lb_record_load(body, len, &mended);

	lb_classify_body(value, status, f);
	if (status < 300 || status > 399)
		return;
	f->code = LB_CODE_BAD_REQUEST;
	f->status = status;
	snprintf(f->message, sizeof(f->message),
		 "a redirect; set base-url to where it leads");
}

void lb_failure_network(const struct lb_http_end *end, struct lb_failure *f)
{
	static const enum lb_code codes[] = {
		[LB_HTTP_DONE] = LB_CODE_NETWORK,
		[LB_HTTP_CONNECT] = LB_CODE_NETWORK,
		[LB_HTTP_FIRST_BYTE] = LB_CODE_TIMEOUT,
		[LB_HTTP_IDLE] = LB_CODE_TIMEOUT,
		[LB_HTTP_ENDLESS] = LB_CODE_TIMEOUT,
		[LB_HTTP_NETWORK] = LB_CODE_NETWORK,
		[LB_HTTP_LIMIT] = LB_CODE_LIMIT,
		[LB_HTTP_ENCODING] = LB_CODE_MALFORMED,
		[LB_HTTP_STOPPED] = LB_CODE_MALFORMED,
		[LB_HTTP_DENIED] = LB_CODE_DENIED,
	};

	*f = (struct lb_failure){.code = codes[end->cause]};
	if (end->cause == LB_HTTP_NETWORK && end->bytes > 0)
		f->code = LB_CODE_TRUNCATED;
	snprintf(f->message, sizeof(f->message), "%s", end->why);
}

/* What a terminal would obey is not a word; nor are two lines one reason. */
static void put_words(struct lb_buf *text, const char *words)
{
	size_t from = text->len;

	lb_text_visible(text, words, strlen(words));
	for (size_t i = from; i < text->len; i++)
		if (text->data[i] == '\n' || text->data[i] == '\t')
			text->data[i] = ' ';
}

void lb_failure_words(struct lb_buf *text, const struct lb_model *model,
		      enum lb_code code, int status, const char *message)
{
	lb_buf_printf(text, "%s: ", model->label);
	if (status)
		lb_buf_printf(text, "HTTP %d: ", status);
	put_words(text, message);
	if (code == LB_CODE_AUTH && model->key_hint)
		lb_buf_printf(text, " (check %s)", model->key_hint);
	lb_hide_secrets(text);
}
