#include "net/fetch.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/mem.h"
#include "net/address.h"
#include "net/curl.h"

enum {
	MAX_URL = 8 << 10,
	CONNECT_MS = 10 * 1000,
	ANSWER_MS = 30 * 1000,
	MAX_TYPE = 256,
};

struct lb_fetch {
	struct lb_http *http;
	struct lb_fetch_request request;
	const struct lb_fetch_events *events;
	void *arg;
	struct lb_http_call *call;
	int64_t deadline; /* mono ms */
	char *url, *next; /* where we are; where a redirect leads */
	int redirects, status;
	char type[MAX_TYPE];
};

static void release(struct lb_fetch *f)
{
	free(f->url);
	free(f->next);
	free(f);
}

/* A host that is written as an address: is it one? */
static bool literal(const char *host, struct sockaddr_storage *to)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)to;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)to;
	char bare[INET6_ADDRSTRLEN];
	size_t len = strlen(host);

	memset(to, 0, sizeof(*to));
	if (inet_pton(AF_INET, host, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		return true;
	}
	if (len < 3 || host[0] != '[' || len - 2 >= sizeof(bare))
		return false;
	memcpy(bare, host + 1, len - 2);
	bare[len - 2] = '\0';
	v6->sin6_family = AF_INET6;
	return inet_pton(AF_INET6, bare, &v6->sin6_addr) == 1;
}

static bool may_connect(const void *arg, const struct sockaddr *to)
{
	const char *const *allow = arg;

	for (; allow && *allow; allow++)
		if (lb_address_in(to, *allow))
			return true;
	return lb_address_is_public(to);
}

/* A part of a URL; NULL when it has none. Freed by curl_free(). */
static char *part_of(CURLU *url, CURLUPart which)
{
	char *part = NULL;

	return curl_url_get(url, which, &part, 0) == CURLUE_OK ? part : NULL;
}

static bool is_ascii(const char *s)
{
	while (*s && (unsigned char)*s < 0x80)
		s++;
	return *s == '\0';
}

/* Is it one of these, or below one that begins with a dot? */
static bool is_host(const char *host, const char *const *hosts)
{
	size_t len = strlen(host);

	for (; hosts && *hosts; hosts++) {
		size_t n = strlen(*hosts);

		if (strcasecmp(host, *hosts) == 0 ||
		    (**hosts == '.' && len > n &&
		     strcasecmp(host + len - n, *hosts) == 0))
			return true;
	}
	return false;
}

/* What the request wants of a host; NULL when it may be asked. */
static const char *host_why(const struct lb_fetch_request *r,
			    const char *scheme, const char *host)
{
	if (r->hosts && !is_host(host, r->hosts))
		return "is no host that may be asked for this";
	if (r->https && strcmp(scheme, "https") != 0 &&
	    !is_host(host, r->plain))
		return "is to be asked by https";
	return NULL;
}

static int check_parts(CURLU *url, const struct lb_fetch_request *request,
		       struct lb_error *err)
{
	const char *why = NULL;
	char *scheme = part_of(url, CURLUPART_SCHEME);
	char *host = NULL;
	char *user = part_of(url, CURLUPART_USER);
	char *password = part_of(url, CURLUPART_PASSWORD);
	struct sockaddr_storage to;
	int r = 0;

	/* A host in other letters, as the DNS has it. */
	if (curl_url_get(url, CURLUPART_HOST, &host, CURLU_PUNYCODE) ==
	    CURLUE_OK)
		curl_url_set(url, CURLUPART_HOST, host, 0);
	if (!scheme || !host || !is_ascii(host) ||
	    (strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0))
		r = lb_fail(err, LB_DENIED, "not an http or https address");
	else if (user || password)
		r = lb_fail(err, LB_DENIED, "an address with a password in it");
	else if ((why = host_why(request, scheme, host)))
		r = lb_fail(err, LB_DENIED, "'%.150s' %s", host, why);
	else if (literal(host, &to) &&
		 !may_connect(request->allow, (struct sockaddr *)&to))
		r = lb_fail(err, LB_DENIED,
			    "'%.150s' is not on the public internet", host);
	curl_free(scheme);
	curl_free(host);
	curl_free(user);
	curl_free(password);
	return r;
}

/* `text`, seen from `base` (or NULL), as a whole URL; NULL: LB_DENIED. */
static char *resolve(const char *base, const char *text,
		     const struct lb_fetch_request *request,
		     struct lb_error *err)
{
	CURLU *url = curl_url();
	char *whole = NULL, *copy = NULL;

	if (strlen(text) > MAX_URL ||
	    (base && curl_url_set(url, CURLUPART_URL, base, 0) != CURLUE_OK) ||
	    curl_url_set(url, CURLUPART_URL, text, 0) != CURLUE_OK)
		lb_fail(err, LB_DENIED, "not an http or https address");
	else if (check_parts(url, request, err) == 0)
		whole = part_of(url, CURLUPART_URL);
	if (whole)
		copy = lb_strdup(whole);
	curl_free(whole);
	curl_url_cleanup(url);
	return copy;
}

int lb_fetch_check(const char *url, struct lb_error *err)
{
	const struct lb_fetch_request any = {0};
	lb_autofree char *whole = NULL;

	if (lb_curl_load(err) < 0)
		return -1;
	whole = resolve(NULL, url, &any, err);
	return whole ? 0 : -1;
}

static bool is_redirect(int status)
{
	return status == 301 || status == 302 || status == 303 ||
	       status == 307 || status == 308;
}

static void on_head(void *arg, struct lb_http_call *call, int status)
{
	struct lb_fetch *f = arg;
	const char *to = lb_http_header(call, "Location");
	const char *type = lb_http_header(call, "Content-Type");

	f->status = status;
	snprintf(f->type, sizeof(f->type), "%s", type ? type : "");
	if (is_redirect(status) && to)
		f->next = lb_strdup(to);
}

/* What comes with a redirect or a refusal is not what was asked for. */
static int on_data(void *arg, const char *data, size_t len)
{
	struct lb_fetch *f = arg;

	if (f->status < 200 || f->status > 299)
		return -1;
	return f->events->on_data(f->arg, data, len);
}

static int go(struct lb_fetch *f, struct lb_error *err);

static void finish(struct lb_fetch *f, enum lb_exit code, size_t bytes,
		   const char *why)
{
	const struct lb_fetch_end end = {
		.code = code,
		.status = f->status,
		.type = f->type,
		.bytes = bytes,
		.why = why,
	};

	f->call = NULL;
	f->events->on_end(f->arg, &end);
	release(f);
}

static void follow(struct lb_fetch *f)
{
	lb_autofree char *to = lb_steal(&f->next);
	struct lb_error err = {0};
	char *whole;

	if (++f->redirects > LB_FETCH_REDIRECTS) {
		finish(f, LB_UNAVAILABLE, 0, "too many redirects");
		return;
	}
	whole = resolve(f->url, to, &f->request, &err);
	if (whole) {
		free(f->url);
		f->url = whole;
		if (go(f, &err) == 0)
			return;
	}
	lb_error_wrap(&err, "a redirect");
	finish(f, err.code, 0, err.text);
}

/* What a status other than 2xx means, however its body ended. */
static enum lb_exit code_of(const struct lb_fetch *f,
			    const struct lb_http_end *end)
{
	if (f->status == 408 || f->status == 429 || f->status >= 500)
		return LB_AGAIN;
	if (f->status >= 300)
		return LB_UNAVAILABLE;
	if (end->cause == LB_HTTP_DENIED)
		return LB_DENIED;
	if (end->cause == LB_HTTP_LIMIT)
		return LB_DATA;
	return end->cause == LB_HTTP_DONE ? LB_OK : LB_AGAIN;
}

static void on_end(void *arg, const struct lb_http_end *end)
{
	struct lb_fetch *f = arg;
	char why[80];

	f->call = NULL;
	if (f->next) {
		follow(f);
		return;
	}
	snprintf(why, sizeof(why), "HTTP %d", f->status);
	if (f->status >= 300)
		finish(f, code_of(f, end), 0, why);
	else
		finish(f, code_of(f, end), end->bytes, end->why);
}

static const struct lb_http_events events = {on_head, on_data, on_end};

/* Ask for f->url. */
static int go(struct lb_fetch *f, struct lb_error *err)
{
	int64_t left = f->deadline - lb_clock_mono();

	f->status = 0;
	f->type[0] = '\0';
	if (left <= 0)
		return lb_fail(err, LB_AGAIN, "no time is left");
	f->call = lb_http_start(f->http,
				&(struct lb_http_request){
					.method = "GET",
					.url = f->url,
					.connect_ms = left < CONNECT_MS
							      ? left
							      : CONNECT_MS,
					.first_byte_ms = ANSWER_MS,
					.idle_ms = ANSWER_MS,
					.total_ms = left,
					.max_body = f->request.max,
					.ca_file = f->request.ca_file,
					.guard = may_connect,
					.guard_arg = f->request.allow,
					.proxy = f->request.proxy,
				},
				&events, f, err);
	return f->call ? 0 : -1;
}

struct lb_fetch *lb_fetch_start(struct lb_http *http,
				const struct lb_fetch_request *request,
				const struct lb_fetch_events *to, void *arg,
				struct lb_error *err)
{
	struct lb_fetch *f;
	char *url;

	for (const char *const *n = request->allow; n && *n; n++)
		if (lb_address_check(*n, err) < 0)
			return NULL;
	if (lb_curl_load(err) < 0)
		return NULL;
	url = resolve(NULL, request->url, request, err);
	if (!url)
		return NULL;
	f = lb_alloc(sizeof(*f));
	f->http = http;
	f->request = *request;
	f->request.url = NULL;
	if (f->request.max == 0)
		f->request.max = LB_FETCH_MAX;
	f->events = to;
	f->arg = arg;
	f->url = url;
	f->deadline = lb_clock_mono() +
		      (request->total_ms ? request->total_ms : LB_FETCH_MS);
	if (go(f, err) == 0)
		return f;
	release(f);
	return NULL;
}

void lb_fetch_cancel(struct lb_fetch *f)
{
	if (!f)
		return;
	if (f->call)
		lb_http_cancel(f->call);
	release(f);
}
