/* jsonrpc.c - messages of JSON-RPC, read and written. */
#include "mcp/jsonrpc.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "record/load.h"
#include "record/scan.h"

/* Noise is common; mending every line of a log costs more than messages do. */
static bool may_be_json(const char *text, size_t len)
{
	const char *at = lb_scan_blanks(text, text + len);

	return at < text + len && strchr("{[\"-0123456789tfn", *at);
}

json_t *lb_rpc_parse(const char *text, size_t len, struct lb_error *err)
{
	lb_autobuf struct lb_buf mended = {0};
	json_error_t why;
	json_t *value;

	if (!may_be_json(text, len)) {
		lb_fail(err, LB_DATA, "it is no JSON");
		return NULL;
	}
	value = lb_load(&text, &len, &mended, &why);
	if (!value)
		lb_fail(err, LB_DATA, "it is no JSON: %s", why.text);
	else if (!json_is_object(value) && !json_is_array(value))
		lb_fail(err, LB_PROTOCOL, "it is JSON, but no object");
	else
		return value;
	json_decref(value);
	return NULL;
}

static bool is_id(const json_t *id)
{
	double real = json_is_real(id) ? json_real_value(id) : 0.5;

	return json_is_string(id) || json_is_integer(id) ||
	       (real > -9007199254740992.0 && real < 9007199254740992.0 &&
		real == floor(real));
}

static int refuse(struct lb_error *err, const char *why)
{
	return lb_fail(err, LB_PROTOCOL, "it is no JSON-RPC message: %s", why);
}

static int read_call(struct lb_rpc_message *m, const json_t *id,
		     struct lb_error *err)
{
	m->params = json_object_get(m->whole, "params");
	if (json_is_null(m->params))
		m->params = NULL;
	if (m->params && !json_is_object(m->params) &&
	    !json_is_array(m->params))
		return refuse(err, "'params' is no object");
	if (id && !m->id)
		return refuse(err, "'id' is neither a text nor a whole number");
	m->kind = id ? LB_RPC_REQUEST : LB_RPC_NOTIFICATION;
	return 0;
}

static int read_failure(struct lb_rpc_message *m, const json_t *error,
			struct lb_error *err)
{
	if (!json_is_object(error))
		return refuse(err, "'error' is no object");
	m->kind = LB_RPC_FAILURE;
	m->message = lb_json_str(error, "message");
	if (!m->message)
		m->message = "";
	m->data = json_object_get(error, "data");
	/* Some leave the code out, or write it as a text. */
	if (!lb_json_int(error, "code", &m->code))
		m->code = LB_RPC_INTERNAL;
	return 0;
}

int lb_rpc_read(struct lb_rpc_message *m, json_t *take, struct lb_error *err)
{
	const json_t *id = json_object_get(take, "id");
	const json_t *error = json_object_get(take, "error");
	const json_t *method = json_object_get(take, "method");
	const char *version = lb_json_str(take, "jsonrpc");

	*m = (struct lb_rpc_message){.whole = take};
	if (is_id(id))
		m->id = id;
	if (!json_is_object(take))
		return refuse(err, "it is no object");
	if (!version || strcmp(version, "2.0") != 0)
		return refuse(err, "'jsonrpc' is not \"2.0\"");
	if (method) {
		m->method = json_string_value(method);
		if (!m->method)
			return refuse(err, "'method' is no text");
		return read_call(m, id, err);
	}
	/* An answer with both has a null in one of them. */
	if (error && !json_is_null(error))
		return read_failure(m, error, err);
	m->result = json_object_get(take, "result");
	if (!m->result)
		return refuse(err, "it has no method, result or error");
	if (!m->id)
		return refuse(err, "an answer without an id");
	m->kind = LB_RPC_RESULT;
	return 0;
}

void lb_rpc_release(struct lb_rpc_message *m)
{
	json_decref(m->whole);
	*m = (struct lb_rpc_message){.whole = NULL};
}

static void put_id(struct lb_buf *out, const json_t *id)
{
	lb_buf_puts(out, "{\"jsonrpc\":\"2.0\",\"id\":");
	if (id)
		lb_buf_json(out, id);
	else
		lb_buf_puts(out, "null");
}

static void put_method(struct lb_buf *out, const char *method,
		       const json_t *params)
{
	lb_buf_puts(out, ",\"method\":");
	lb_buf_json_str(out, method, strlen(method));
	if (params) {
		lb_buf_puts(out, ",\"params\":");
		lb_buf_json(out, params);
	}
	lb_buf_putc(out, '}');
}

void lb_rpc_put_request(struct lb_buf *out, const json_t *id,
			const char *method, const json_t *params)
{
	put_id(out, id);
	put_method(out, method, params);
}

void lb_rpc_put_notification(struct lb_buf *out, const char *method,
			     const json_t *params)
{
	lb_buf_puts(out, "{\"jsonrpc\":\"2.0\"");
	put_method(out, method, params);
}

void lb_rpc_put_result(struct lb_buf *out, const json_t *id,
		       const json_t *result)
{
	put_id(out, id);
	lb_buf_puts(out, ",\"result\":");
	lb_buf_json(out, result);
	lb_buf_putc(out, '}');
}

void lb_rpc_put_result_text(struct lb_buf *out, const json_t *id,
			    const char *result, size_t len)
{
	put_id(out, id);
	lb_buf_puts(out, ",\"result\":");
	lb_buf_put(out, result, len);
	lb_buf_putc(out, '}');
}

void lb_rpc_put_failure(struct lb_buf *out, const json_t *id, int64_t code,
			const char *message, const json_t *data)
{
	lb_autobuf struct lb_buf text = {0};

	lb_utf8_clean(&text, message,
		      lb_utf8_cut(message, strlen(message), LB_RPC_MESSAGE));
	put_id(out, id);
	lb_buf_printf(out, ",\"error\":{\"code\":%lld,\"message\":",
		      (long long)code);
	lb_buf_json_str(out, lb_buf_str(&text), text.len);
	if (data) {
		lb_buf_puts(out, ",\"data\":");
		lb_buf_json(out, data);
	}
	lb_buf_puts(out, "}}");
}

char *lb_rpc_id_key(const json_t *id)
{
	lb_autobuf struct lb_buf key = {0};

	if (json_is_real(id))
		lb_buf_printf(&key, "%lld", (long long)json_real_value(id));
	else
		lb_buf_json(&key, id);
	return lb_buf_take(&key);
}
