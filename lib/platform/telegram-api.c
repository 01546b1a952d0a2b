#include "platform/telegram-api.h"

#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "config/config.h"
#include "record/record.h"

#define CLOUD "https://api.telegram.org"

enum {
	CONNECT_MS = 10 * 1000,
	ANSWER_MS = 30 * 1000,
	FILE_MS = 5 * 60 * 1000,
	MAX_ANSWER = 1 << 20,
	MAX_WORDS = 300,
};

struct lb_telegram_api {
	struct lb_http *http;
	const char *bot;
	char *base, *token;
	struct lb_telegram_ask *asks;
};

struct lb_telegram_ask {
	struct lb_telegram_api *api;
	struct lb_telegram_ask *prev, *next;
	struct lb_http_call *call;
	char *what; /* the method, for people */
	bool safe;
	struct lb_buf body;
	int (*on_data)(void *arg, const char *data, size_t len);
	lb_telegram_fn *fn;
	void *arg;
};

/* It becomes part of a path. */
static bool is_token(const char *s)
{
	size_t n = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			     "abcdefghijklmnopqrstuvwxyz0123456789:_-");

	return n > 0 && n <= 256 && !s[n];
}

static bool is_plain_http(const char *base)
{
	const char *host = base + strlen("http://");

	return strncmp(base, "http://", strlen("http://")) == 0 &&
	       strncmp(host, "127.", 4) != 0 &&
	       strncmp(host, "[::1]", 5) != 0 &&
	       strncmp(host, "localhost", 9) != 0;
}

static char *base_of(const json_t *conf)
{
	const char *base = lb_json_str(conf, "base-url");
	char *copy = lb_strdup(base && *base ? base : CLOUD);
	size_t len = strlen(copy);

	while (len > 0 && copy[len - 1] == '/')
		copy[--len] = '\0';
	return copy;
}

struct lb_telegram_api *lb_telegram_api_open(struct lb_http *http,
					     const char *bot,
					     const json_t *conf,
					     struct lb_error *err)
{
	const char *secret = lb_json_str(conf, "token");
	lb_autofree char *token = NULL;
	lb_autofree char *base = base_of(conf);
	struct lb_telegram_api *api;

	if (!secret || !*secret) {
		lb_fail(err, LB_CONFIG, "bot '%s' has no token", bot);
		return NULL;
	}
	token = lb_config_secret(secret, err);
	if (!token) {
		lb_error_wrap(err, "the token of bot '%s'", bot);
		return NULL;
	}
	if (!is_token(token)) {
		lb_fail(err, LB_CONFIG,
			"the token of bot '%s' is none: letters, digits, ':', "
			"'_' and '-'",
			bot);
		return NULL;
	}
	if (!lb_config_is_url(base)) {
		lb_fail(err, LB_CONFIG, "the base-url of bot '%s' is none",
			bot);
		return NULL;
	}
	if (is_plain_http(base))
		lb_warn("the token of bot '%s' goes over plain http", bot);
	api = lb_alloc(sizeof(*api));
	api->http = http;
	api->bot = bot;
	api->base = lb_steal(&base);
	api->token = lb_steal(&token);
	return api;
}

static void release(struct lb_telegram_ask *ask)
{
	if (ask->prev)
		ask->prev->next = ask->next;
	else
		ask->api->asks = ask->next;
	if (ask->next)
		ask->next->prev = ask->prev;
	lb_buf_release(&ask->body);
	free(ask->what);
	free(ask);
}

void lb_telegram_cancel(struct lb_telegram_ask *ask)
{
	if (!ask)
		return;
	lb_http_cancel(ask->call);
	release(ask);
}

void lb_telegram_api_close(struct lb_telegram_api *api)
{
	if (!api)
		return;
	while (api->asks)
		lb_telegram_cancel(api->asks);
	free(api->base);
	free(api->token);
	free(api);
}

static int on_data(void *arg, const char *data, size_t len)
{
	struct lb_telegram_ask *ask = arg;

	if (ask->on_data)
		return ask->on_data(ask->arg, data, len);
	lb_buf_put(&ask->body, data, len); /* max_body bounds it */
	return 0;
}

/* "sendMessage: 403: Forbidden: bot was kicked": one line, without secrets. */
static void say(const struct lb_telegram_ask *ask, const struct lb_answer *a,
		struct lb_buf *out)
{
	const char *words = *a->said ? a->said : a->why;
	size_t len = strlen(words);

	lb_buf_printf(out, "%s: ", ask->what);
	if (a->status)
		lb_buf_printf(out, "%d: ", a->status);
	if (!*words)
		words = "no reason given", len = strlen(words);
	if (len > MAX_WORDS) {
		len = MAX_WORDS;
		len -= lb_utf8_partial(words, len);
	}
	lb_text_visible(out, words, len);
	for (size_t i = 0; i < out->len; i++)
		if (out->data[i] == '\n' || out->data[i] == '\t')
			out->data[i] = ' ';
	lb_hide_secrets(out);
}

/* What the envelope of a refusal adds to its status. */
static void read_refusal(const json_t *envelope, struct lb_answer *a)
{
	const json_t *more = json_object_get(envelope, "parameters");
	const char *said = lb_json_str(envelope, "description");
	int64_t n;

	if (said)
		a->said = said;
	if (lb_json_int(more, "retry_after", &n) && n >= 0 && n < 86400)
		a->wait_ms = n * 1000;
	if (lb_json_int(more, "migrate_to_chat_id", &n))
		a->migrate_to = n;
	if (a->outcome != LB_TRY_REFUSED)
		return;
	if (a->status == 404 && strcmp(a->said, "Not Found") == 0)
		a->code = LB_CODE_AUTH; /* no bot of that token */
	else if (a->status == 400 && strstr(a->said, "not found"))
		a->code = LB_CODE_NOT_FOUND;
	else if (a->status == 400 && strstr(a->said, "too long"))
		a->code = LB_CODE_LIMIT;
}

/* HTTP said 2xx: then the envelope must, too. */
static void read_envelope(const struct lb_telegram_ask *ask,
			  const json_t *envelope, struct lb_answer *a)
{
	struct lb_http_end end = {.cause = LB_HTTP_DONE, .retry_after_ms = -1};
	int64_t code = 0;

	if (json_is_true(json_object_get(envelope, "ok"))) {
		a->result = json_object_get(envelope, "result");
		return;
	}
	if (json_is_false(json_object_get(envelope, "ok")) &&
	    lb_json_int(envelope, "error_code", &code) && code >= 400 &&
	    code < 600) {
		end.status = (int)code;
		end.why = "";
		lb_attempt_judge(&end, ask->safe, a);
		read_refusal(envelope, a);
		return;
	}
	a->outcome = ask->safe ? LB_TRY_AGAIN : LB_TRY_UNKNOWN;
	a->code = LB_CODE_MALFORMED;
	a->why = "the answer is not one of the Bot API";
}

static void on_end(void *arg, const struct lb_http_end *end)
{
	struct lb_telegram_ask *ask = arg;
	lb_autobuf struct lb_buf why = {0}, mended = {0};
	json_auto_t *envelope = NULL;
	struct lb_answer a;

	lb_attempt_judge(end, ask->safe, &a);
	if (!ask->on_data)
		envelope = lb_record_load(lb_buf_str(&ask->body), ask->body.len,
					  &mended);
	if (a.outcome == LB_TRY_OK && !ask->on_data)
		read_envelope(ask, envelope, &a);
	else if (a.outcome != LB_TRY_OK && envelope)
		read_refusal(envelope, &a);
	if (a.outcome != LB_TRY_OK) {
		say(ask, &a, &why);
		a.why = lb_buf_str(&why);
	}
	ask->fn(ask->arg, &a);
	release(ask);
}

static const struct lb_http_events events = {.on_data = on_data,
					     .on_end = on_end};

static struct lb_telegram_ask *begin(struct lb_telegram_api *api,
				     const char *what,
				     const struct lb_http_request *r,
				     struct lb_telegram_ask *take,
				     struct lb_error *err)
{
	take->api = api;
	take->what = lb_strdup(what);
	take->next = api->asks;
	if (api->asks)
		api->asks->prev = take;
	api->asks = take;
	take->call = lb_http_start(api->http, r, &events, take, err);
	if (take->call)
		return take;
	release(take);
	lb_error_wrap(err, "bot '%s': %s", api->bot, what);
	return NULL;
}

/* The parameters as fields: texts as they are, all else as JSON. */
static void put_fields(struct lb_multipart *m,
		       const struct lb_telegram_request *r)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)r->params, name, value)
	{
		lb_autobuf struct lb_buf text = {0};

		if (json_is_string(value)) {
			lb_multipart_field(m, name, json_string_value(value),
					   json_string_length(value));
			continue;
		}
		lb_buf_json(&text, value);
		lb_multipart_field(m, name, lb_buf_str(&text), text.len);
	}
	for (size_t i = 0; i < r->n_files; i++)
		lb_multipart_file(m, &r->files[i]);
}

struct lb_telegram_ask *lb_telegram_ask(struct lb_telegram_api *api,
					const struct lb_telegram_request *r,
					lb_telegram_fn *fn, void *arg,
					struct lb_error *err)
{
	struct lb_telegram_ask *ask = lb_alloc(sizeof(*ask));
	lb_autofree char *url =
		lb_printf("%s/bot%s/%s", api->base, api->token, r->method);
	lb_autobuf struct lb_buf body = {0};
	struct lb_multipart m;
	int64_t answer_ms = ANSWER_MS + r->patience_ms;
	struct lb_http_request request = {
		.method = "POST",
		.url = url,
		.once = !r->safe,
		.connect_ms = CONNECT_MS,
		.first_byte_ms = answer_ms,
		.idle_ms = ANSWER_MS,
		.total_ms = r->n_files ? FILE_MS : CONNECT_MS + answer_ms,
		.max_body = r->max_body ? r->max_body : MAX_ANSWER,
	};
	const char *const headers[] =
		{r->n_files ? m.type : "Content-Type: application/json", NULL};

	ask->safe = r->safe;
	ask->fn = fn;
	ask->arg = arg;
	request.headers = headers;
	lb_multipart_init(&m);
	if (r->n_files > 0) {
		put_fields(&m, r);
		request.pieces = lb_multipart_end(&m);
		request.first_byte_ms = FILE_MS; /* it reads all of it first */
	} else {
		lb_buf_puts(&body, r->params ? "" : "{}");
		if (r->params)
			lb_buf_json(&body, r->params);
		request.body = lb_buf_str(&body);
		request.body_len = body.len;
	}
	ask = begin(api, r->method, &request, ask, err);
	lb_multipart_release(&m);
	return ask;
}

/* What a file is called may hold anything but what ends a path. */
static void put_path(struct lb_buf *url, const char *path)
{
	for (; *path; path++)
		if (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			   "abcdefghijklmnopqrstuvwxyz0123456789._-/",
			   *path))
			lb_buf_putc(url, *path);
		else
			lb_buf_printf(url, "%%%02X", (unsigned char)*path);
}

struct lb_telegram_ask *lb_telegram_fetch(
	struct lb_telegram_api *api, const char *file_path, size_t max,
	int (*data)(void *arg, const char *data, size_t len),
	lb_telegram_fn *fn, void *arg, struct lb_error *err)
{
	struct lb_telegram_ask *ask;
	lb_autobuf struct lb_buf url = {0};

	if (strstr(file_path, "..")) {
		lb_fail(err, LB_DATA, "the path of a file leads elsewhere");
		return NULL;
	}
	lb_buf_printf(&url, "%s/file/bot%s/", api->base, api->token);
	put_path(&url, file_path);
	ask = lb_alloc(sizeof(*ask));
	ask->safe = true;
	ask->on_data = data;
	ask->fn = fn;
	ask->arg = arg;
	return begin(api, "download",
		     &(struct lb_http_request){
			     .url = lb_buf_str(&url),
			     .connect_ms = CONNECT_MS,
			     .first_byte_ms = ANSWER_MS,
			     .idle_ms = ANSWER_MS,
			     .total_ms = FILE_MS,
			     .max_body = max,
		     },
		     ask, err);
}
