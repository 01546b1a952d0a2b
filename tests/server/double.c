#include "double.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/json.h"
#include "base/mem.h"

bool wrong(struct fault *f, const char *param, const char *fmt, ...)
{
	va_list args;

	*f = (struct fault){400, "invalid_request_error", param, ""};
	va_start(args, fmt);
	vsnprintf(f->message, sizeof(f->message), fmt, args);
	va_end(args);
	return false;
}

bool is_one_of(const char *s, const char *const *list)
{
	for (; s && *list; list++)
		if (strcmp(s, *list) == 0)
			return true;
	return false;
}

bool is_object_text(const char *text)
{
	json_auto_t *value = json_loads(text, 0, NULL);

	return json_is_object(value);
}

bool in_range(const json_t *body, const char *key, double low, double high,
	      struct fault *f)
{
	const json_t *v = json_object_get(body, key);

	if (!v || json_is_null(v))
		return true;
	if (!json_is_number(v) || json_number_value(v) < low ||
	    json_number_value(v) > high)
		return wrong(f, key, "%s: out of range or not a number", key);
	return true;
}

bool knows_all(const json_t *o, const char *const *names, struct fault *f)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)o, key, value)
	{
		/* names the member as the caller's message wants it */
		if (!is_one_of(key, names))
			return wrong(f, key, "%s", key);
	}
	return true;
}

bool name_ok(const char *name, size_t most)
{
	return name && *name && strlen(name) <= most &&
	       !name[strspn(name, "abcdefghijklmnopqrstuvwxyz"
				  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789_-")];
}

bool image_ok(const char *data, const char *type)
{
	static const struct {
		const char *type, *magic;
		size_t len;
	} types[] = {
		{"image/png", "\x89PNG\r\n\x1a\n", 8},
		{"image/jpeg", "\xff\xd8\xff", 3},
		{"image/gif", "GIF8", 4},
		{"image/webp", "RIFF", 4},
	};
	lb_autobuf struct lb_buf bytes = {0};

	if (!data || data[strcspn(data, " \r\n")] ||
	    !lb_base64_decode(&bytes, data, strlen(data)))
		return false;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (bytes.len >= types[i].len &&
		    memcmp(bytes.data, types[i].magic, types[i].len) == 0)
			return !type || strcmp(type, types[i].type) == 0;
	return false;
}

bool bearer_ok(const struct twin *how, const struct request *r, struct fault *f)
{
	const char *given = lb_json_str(r->headers, "authorization");

	if (given && strncmp(given, "Bearer ", 7) == 0 && given[7] &&
	    (!how->key || strcmp(given + 7, how->key) == 0))
		return true;
	wrong(f, NULL, "%s",
	      given ? "incorrect API key provided"
		    : "you did not provide an API key");
	f->status = 401;
	f->code = "invalid_api_key";
	return false;
}

void send_json(struct turn *t, json_t *take, enum framing framing, int ms)
{
	lb_autobuf struct lb_buf out = {0};

	if (framing == FRAME_NAMED)
		lb_buf_printf(&out, "event: %s\n", lb_json_str(take, "type"));
	if (framing >= FRAME_EVENT)
		lb_buf_puts(&out, "data: ");
	lb_buf_json(&out, take);
	if (framing >= FRAME_EVENT)
		lb_buf_puts(&out, "\n\n");
	else if (framing == FRAME_LINE)
		lb_buf_putc(&out, '\n');
	plan_add(t->plan, STEP_SEND, out.data, out.len, ms);
	json_decref(take);
}

void each_word(const char *text, void (*fn)(void *arg, const char *s, size_t n),
	       void *arg)
{
	for (size_t n; *text; text += n) {
		n = strspn(text, " ");
		n += strcspn(text + n, " ");
		fn(arg, text, n);
	}
}

/* The answer with the user's last words in it. */
static char *answer_text(const struct twin *how, const char *last)
{
	struct lb_buf out = {0};
	const char *at;

	for (const char *p = how->answer; *p; p = at + 6) {
		at = strstr(p, "{last}");
		lb_buf_put(&out, p, at ? (size_t)(at - p) : strlen(p));
		if (!at)
			break;
		lb_buf_puts(&out, last);
	}
	return lb_buf_take(&out);
}

static bool request_ok(const struct twin *how, const struct request *r,
		       const json_t *body, struct fault *f)
{
	const char *type = lb_json_str(r->headers, "content-type");

	if (how->service->key_ok && !how->service->key_ok(how, r, f))
		return false;
	if (!type || !strstr(type, "application/json"))
		return wrong(f, NULL, "the content type is not JSON");
	if (!json_is_object(body))
		return wrong(f, NULL, "could not parse the JSON body");
	return how->service->ok(r, body, f);
}

static void give(struct turn *t, const struct request *r)
{
	const struct service *s = t->how->service;
	json_auto_t *none = json_array();
	bool tools = false;
	const char *last = s->last(t->body, &tools);
	lb_autofree char *text = answer_text(t->how, last ? last : "");
	bool call = !tools && json_array_size(t->how->calls) > 0;

	t->plan->status = 200;
	t->text = call || !text ? "" : text;
	t->calls = call ? t->how->calls : none;
	if (s->wants_stream(r, t->body)) {
		lb_buf_printf(&t->plan->headers, "Content-Type: %s\r\n",
			      s->stream_type);
		t->plan->chunked = true;
		s->stream(t);
	} else {
		lb_buf_puts(&t->plan->headers,
			    "Content-Type: application/json\r\n");
		s->whole(t);
	}
}

void twin_answer(const struct twin *how, const struct request *r,
		 struct reply *out)
{
	json_auto_t *body =
		json_loadb(r->body, r->body_len, JSON_ALLOW_NUL, NULL);
	struct fault f = {0};
	struct plan plan;
	struct turn t = {.how = how,
			 .body = body,
			 .path = r->path,
			 .plan = &plan};

	plan_init(&plan);
	if (request_ok(how, r, body, &f)) {
		give(&t, r);
	} else {
		plan.status = f.status;
		lb_buf_puts(&plan.headers,
			    "Content-Type: application/json\r\n");
		send_json(&t, how->service->refuse(&f), FRAME_VALUE, 0);
	}
	plan_build(&plan, out);
	plan_release(&plan);
}

const struct service *service_find(const char *name)
{
	static const struct service *const all[] = {
		&openai_service,        &responses_service,
		&anthropic_service,     &gemini_service,
		&ollama_service,        &embeddings_service,
		&ollama_embed_service,  &gemini_embed_service,
		&cohere_embed_service,  &cohere_rerank_service,
		&voyage_rerank_service,
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(all[i]->name, name) == 0)
			return all[i];
	return NULL;
}
