#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "net/curl.h"
#include "net/http-call.h"

/* What may be asked once alone should not meet a connection about to close. */
enum { BUFFER = 16 << 10, DNS_CACHE_S = 120, FRESH_S = 30 };

static int on_lookup(void *state, void *reserved, void *arg)
{
	struct lb_http_call *call = arg;

	(void)state;
	(void)reserved;
	if (call->gate->is_name)
		call->http->lookups++;
	return 0;
}

/* A kept connection proved dead, and libcurl would ask again on another. */
static bool is_over(const struct lb_http_call *call)
{
	return call->once && call->phase >= LB_HTTP_ASKED;
}

/* libcurl's own sockets would be inherited by children. */
static curl_socket_t on_open_socket(void *arg, curlsocktype purpose,
				    struct curl_sockaddr *to)
{
	struct lb_http_call *call = arg;
	struct sockaddr_storage address = {0};

	(void)purpose;
	lb_http_gate_resolved(call);
	if (to->addrlen > sizeof(address) || is_over(call))
		return CURL_SOCKET_BAD;
	memcpy(&address, &to->addr, to->addrlen);
	if (call->guard &&
	    !call->guard(call->guard_arg, (struct sockaddr *)&address)) {
		call->refused = true;
		return CURL_SOCKET_BAD;
	}
	return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

/* A connection stands, a new one or one that was kept. */
static int on_connected(void *arg, char *ip, char *local_ip, int port,
			int local_port)
{
	const struct lb_http_call *call = arg;

	(void)ip;
	(void)local_ip;
	(void)port;
	(void)local_port;
	if (is_over(call))
		return CURL_PREREQFUNC_ABORT;
	lb_http_asked(arg);
	return CURL_PREREQFUNC_OK;
}

/* Is every encoding in a Content-Encoding header one that we undo? */
static bool can_decode(const char *value)
{
	static const char *const known[] = {"identity", "gzip", "x-gzip",
					    "deflate"};
	size_t n;

	for (; *value; value += n) {
		bool ok = false;

		value += strspn(value, " \t,");
		n = strcspn(value, " \t,");
		for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
			ok |= strlen(known[i]) == n &&
			      strncasecmp(value, known[i], n) == 0;
		if (n > 0 && !ok)
			return false;
	}
	return true;
}

/* False, and call->end says why, for an encoding that cannot be undone. */
static bool check_encoding(struct lb_http_call *call)
{
	struct curl_header *h;
	int status = call->end.status;

	if (status == 204 || status == 304)
		return true;
	for (size_t i = 0; curl_easy_header(call->easy, "Content-Encoding", i,
					    CURLH_HEADER, -1, &h) == CURLHE_OK;
	     i++) {
		if (can_decode(h->value))
			continue;
		call->end.cause = LB_HTTP_ENCODING;
		snprintf(call->why, sizeof(call->why),
			 "'%s' answered in the encoding '%.40s', which was "
			 "not asked for",
			 call->gate->place, h->value);
		return false;
	}
	return true;
}

/* The line after the headers; false ends the call. */
static bool head_done(struct lb_http_call *call)
{
	long status = 0;

	curl_easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status < 200 && status != 101)
		return true; /* an interim answer */
	call->head_done = true;
	call->end.status = (int)status;
	if (!check_encoding(call))
		return false;
	if (call->events->on_head)
		call->events->on_head(call->arg, call, (int)status);
	return !lb_http_is_cancelled(call);
}

static size_t on_header(char *line, size_t one, size_t len, void *arg)
{
	struct lb_http_call *call = arg;
	bool blank = line[0] == '\r' || line[0] == '\n';

	(void)one;
	if (lb_http_is_cancelled(call))
		return 0;
	lb_http_touch(call);
	call->head_bytes += len;
	if (call->head_bytes > LB_HTTP_MAX_HEAD) {
		call->end.cause = LB_HTTP_LIMIT;
		return 0;
	}
	if (blank && !call->head_done && !head_done(call))
		return 0;
	return len;
}

static size_t on_body(char *data, size_t one, size_t len, void *arg)
{
	struct lb_http_call *call = arg;

	(void)one;
	if (lb_http_is_cancelled(call))
		return 0;
	lb_http_touch(call);
	if (len > call->max_body - call->end.bytes) {
		call->end.cause = LB_HTTP_LIMIT;
		return 0;
	}
	call->end.bytes += len;
	if (call->events->on_data(call->arg, data, len) < 0) {
		call->end.cause = LB_HTTP_STOPPED;
		return 0;
	}
	return lb_http_is_cancelled(call) ? 0 : len;
}

static bool has_header(const struct curl_slist *list, const char *name)
{
	size_t n = strlen(name);

	for (; list; list = list->next)
		if (strncasecmp(list->data, name, n) == 0 &&
		    strchr(":;", list->data[n]))
			return true;
	return false;
}

static void add_header(struct lb_http_call *call, const char *line)
{
	call->headers = curl_slist_append(call->headers, line);
}

static int add_headers(struct lb_http_call *call, const char *const *lines,
		       bool has_body, struct lb_error *err)
{
	for (; lines && *lines; lines++) {
		const char *colon = strchr(*lines, ':');

		if (!colon || colon == *lines || strpbrk(*lines, "\r\n"))
			return lb_fail(err, LB_USAGE, "not a header");
		if (colon[1 + strspn(colon + 1, " \t")] != '\0') {
			add_header(call, *lines);
		} else { /* "Name:" would mean: do not send it */
			lb_autofree char *blank = lb_strdup(*lines);

			blank[colon - *lines] = ';';
			blank[colon - *lines + 1] = '\0';
			add_header(call, blank);
		}
	}
	if (!has_header(call->headers, "Accept-Encoding"))
		add_header(call, "Accept-Encoding: identity");
	if (has_body && !has_header(call->headers, "Content-Type"))
		add_header(call, "Content-Type:");
	if (!has_header(call->headers, "Expect"))
		add_header(call, "Expect:"); /* no wait for a 100 */
	return 0;
}

static bool is_token(const char *s)
{
	return *s && s[strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				 "abcdefghijklmnopqrstuvwxyz-")] == '\0';
}

static int set_method(struct lb_http_call *call, const char *method,
		      const char *body, size_t len, struct lb_error *err)
{
	CURL *e = call->easy;
	bool bare;

	if (!method)
		method = body ? "POST" : "GET";
	if (!is_token(method))
		return lb_fail(err, LB_USAGE, "not an HTTP method");
	bare = !body &&
	       (strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0 ||
		strcmp(method, "DELETE") == 0 ||
		strcmp(method, "OPTIONS") == 0);
	if (strcmp(method, "HEAD") == 0) {
		curl_easy_setopt(e, CURLOPT_NOBODY, 1L);
	} else if (!bare) {
		call->body = lb_alloc_raw(len + 1);
		if (len > 0)
			memcpy(call->body, body, len);
		curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE,
				 (curl_off_t)len);
		curl_easy_setopt(e, CURLOPT_POSTFIELDS, call->body);
	}
	if (strcmp(method, bare ? "GET" : "POST") != 0)
		curl_easy_setopt(e, CURLOPT_CUSTOMREQUEST, method);
	return 0;
}

static void set_callbacks(struct lb_http_call *call)
{
	CURL *e = call->easy;

	curl_easy_setopt(e, CURLOPT_PRIVATE, call);
	curl_easy_setopt(e, CURLOPT_ERRORBUFFER, call->curl_why);
	curl_easy_setopt(e, CURLOPT_RESOLVER_START_FUNCTION, on_lookup);
	curl_easy_setopt(e, CURLOPT_RESOLVER_START_DATA, call);
	curl_easy_setopt(e, CURLOPT_OPENSOCKETFUNCTION, on_open_socket);
	curl_easy_setopt(e, CURLOPT_OPENSOCKETDATA, call);
	curl_easy_setopt(e, CURLOPT_PREREQFUNCTION, on_connected);
	curl_easy_setopt(e, CURLOPT_PREREQDATA, call);
	curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(e, CURLOPT_HEADERDATA, call);
	curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(e, CURLOPT_WRITEDATA, call);
}

/* A kept connection was not asked about, and a proxy would ask nobody. */
static void set_guard(struct lb_http_call *call,
		      const struct lb_http_request *request)
{
	CURL *e = call->easy;

	if (!request->guard)
		return;
	call->guard = request->proxy ? NULL : request->guard;
	call->guard_arg = request->guard_arg;
	curl_easy_setopt(e, CURLOPT_FRESH_CONNECT, 1L);
	curl_easy_setopt(e, CURLOPT_FORBID_REUSE, 1L);
	curl_easy_setopt(e, CURLOPT_PROXY,
			 request->proxy ? request->proxy : "");
	curl_easy_setopt(e, CURLOPT_NOPROXY, "");
}

int lb_http_easy_prepare(struct lb_http_call *call,
			 const struct lb_http_request *request,
			 struct lb_error *err)
{
	CURL *e = call->easy;

	if (set_method(call, request->method, request->body, request->body_len,
		       err) < 0 ||
	    add_headers(call, request->headers, call->body != NULL, err) < 0)
		return -1;
	if (call->pieces.n > 0)
		lb_http_upload_prepare(call);
	if (request->once)
		curl_easy_setopt(e, CURLOPT_MAXAGE_CONN, (long)FRESH_S);
	set_callbacks(call);
	set_guard(call, request);
	curl_easy_setopt(e, CURLOPT_URL, request->url);
	curl_easy_setopt(e, CURLOPT_HTTPHEADER, call->headers);
	curl_easy_setopt(e, CURLOPT_USERAGENT, "lb/" LB_VERSION);
	curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(e, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	/* Decodes, while our own Accept-Encoding header goes out. */
	curl_easy_setopt(e, CURLOPT_ACCEPT_ENCODING, "gzip, deflate");
	if (request->ca_file)
		curl_easy_setopt(e, CURLOPT_CAINFO, request->ca_file);
	curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(e, CURLOPT_TCP_KEEPALIVE, 1L);
	/* Else ending a call waits for its look-up. */
	curl_easy_setopt(e, CURLOPT_QUICK_EXIT, 1L);
	curl_easy_setopt(e, CURLOPT_DNS_CACHE_TIMEOUT, (long)DNS_CACHE_S);
	curl_easy_setopt(e, CURLOPT_BUFFERSIZE, (long)BUFFER);
	curl_easy_setopt(e, CURLOPT_UPLOAD_BUFFERSIZE, (long)BUFFER);
	return 0;
}

enum lb_http_cause lb_http_easy_cause(const struct lb_http_call *call,
				      CURLcode code)
{
	if (call->end.cause != LB_HTTP_DONE)
		return call->end.cause; /* a callback of ours said so */
	switch (code) {
	case CURLE_OK: /* also when the connection ended within the head */
		return call->head_done ? LB_HTTP_DONE : LB_HTTP_NETWORK;
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY:
	case CURLE_COULDNT_CONNECT:
		if (is_over(call))
			return LB_HTTP_NETWORK;
		return call->refused ? LB_HTTP_DENIED : LB_HTTP_CONNECT;
	case CURLE_OPERATION_TIMEDOUT: /* the connect time-out, no other */
		return LB_HTTP_CONNECT;
	case CURLE_BAD_CONTENT_ENCODING:
	case CURLE_WRITE_ERROR: /* not by us: bytes after gzip's end */
		return LB_HTTP_ENCODING;
	default:
		return LB_HTTP_NETWORK;
	}
}

const char *lb_http_header(struct lb_http_call *call, const char *name)
{
	struct curl_header *h;

	/* A reused handle still knows the headers of the answer before. */
	if (!call->head_done ||
	    curl_easy_header(call->easy, name, 0, CURLH_HEADER, -1, &h) !=
		    CURLHE_OK)
		return NULL;
	return h->value;
}
