#include "net/httpd-request.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "net/part.h"

enum { LONGEST_METHOD = 32, LONGEST_NUMBER = 15 };

struct wrong {
	int *status;
	struct lb_error *err;
};

static int refuse(const struct wrong *w, int status, const char *why)
{
	*w->status = status;
	lb_fail(w->err, LB_DATA, "%s", why);
	return -1;
}

static char *copy(struct lb_part s)
{
	return lb_strndup(s.at, s.len);
}

static int read_first(struct lb_httpd_request *r, struct lb_part line,
		      const struct wrong *w)
{
	struct lb_part method, target, version, path, query = {"", 0};

	if (!lb_part_cut(line, ' ', &method, &line) ||
	    !lb_part_cut(line, ' ', &target, &version) ||
	    !lb_part_is_token(method) || method.len > LONGEST_METHOD ||
	    !lb_part_is_visible(target))
		return refuse(w, 400, "that is no request");
	if (version.len != 8 || (memcmp(version.at, "HTTP/1.1", 8) != 0 &&
				 memcmp(version.at, "HTTP/1.0", 8) != 0))
		return refuse(w, 505, "only HTTP/1.1 and HTTP/1.0 are spoken");
	if (*target.at != '/')
		return refuse(w, 400, "the request names no path");
	if (memchr(target.at, '#', target.len))
		return refuse(w, 400, "there is a '#' in the path");
	path = target;
	lb_part_cut(target, '?', &path, &query);
	r->method = copy(method);
	r->path = copy(path);
	r->query = copy(query);
	r->is_old = version.at[7] == '0';
	return 0;
}

static struct lb_httpd_header *find(struct lb_httpd_request *r,
				    const char *name)
{
	for (size_t i = 0; i < r->n_headers; i++)
		if (strcmp(r->headers[i].name, name) == 0)
			return &r->headers[i];
	return NULL;
}

const char *lb_httpd_header(const struct lb_httpd_request *r, const char *name)
{
	for (size_t i = 0; i < r->n_headers; i++)
		if (strcmp(r->headers[i].name, name) == 0)
			return r->headers[i].value;
	return NULL;
}

/* What may be there once alone, or two servers read two requests. */
static bool is_single(const char *name)
{
	return strcmp(name, "host") == 0 ||
	       strcmp(name, "content-length") == 0 ||
	       strcmp(name, "transfer-encoding") == 0;
}

static int add_header(struct lb_httpd_request *r, struct lb_part name,
		      struct lb_part value, const struct wrong *w)
{
	lb_autofree char *key = copy(name), *text = copy(value);
	struct lb_httpd_header *there;
	char *both;

	for (char *c = key; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c - 'A' + 'a');
	there = find(r, key);
	if (there && is_single(key))
		return refuse(w, 400, "a header is there twice");
	if (there) {
		both = lb_printf("%s, %s", there->value, text);
		free(there->value);
		there->value = both;
		return 0;
	}
	if (r->n_headers == LB_HTTPD_HEADERS)
		return refuse(w, 431, "there are too many headers");
	r->headers[r->n_headers++] =
		(struct lb_httpd_header){lb_steal(&key), lb_steal(&text)};
	return 0;
}

static int read_header(struct lb_httpd_request *r, struct lb_part line,
		       const struct wrong *w)
{
	struct lb_part name, value;

	if (!lb_part_cut(line, ':', &name, &value) || !lb_part_is_token(name) ||
	    !lb_part_is_value(value))
		return refuse(w, 400, "a header is malformed");
	return add_header(r, name, lb_part_trim(value), w);
}

static int take_host(struct lb_httpd_request *r, const struct wrong *w)
{
	const char *text = lb_httpd_header(r, "host");
	struct lb_error err;

	r->host = (struct lb_host){.port = -1};
	if (!text)
		return r->is_old ? 0 : refuse(w, 400, "there is no Host");
	if (lb_host_read(&r->host, text, strlen(text), &err) < 0)
		return refuse(w, 400, "Host is none");
	return 0;
}

static int take_length(struct lb_httpd_request *r, const struct wrong *w)
{
	const char *length = lb_httpd_header(r, "content-length");
	const char *coding = lb_httpd_header(r, "transfer-encoding");

	if (length && coding)
		return refuse(w, 400, "the body has two lengths");
	if (coding && r->is_old)
		return refuse(w, 400, "HTTP/1.0 has no Transfer-Encoding");
	if (coding && strcasecmp(coding, "chunked") != 0)
		return refuse(w, 501, "that Transfer-Encoding is not known");
	r->chunked = coding != NULL;
	if (!length)
		return 0;
	if (!*length || strspn(length, "0123456789") != strlen(length) ||
	    strlen(length) > LONGEST_NUMBER)
		return refuse(w, 400, "Content-Length is none");
	r->length = strtoull(length, NULL, 10);
	return 0;
}

/* Is it among the words of a list with commas? */
static bool lists(const char *text, const char *word)
{
	struct lb_part rest, one;

	if (!text)
		return false;
	rest = (struct lb_part){text, strlen(text)};
	while (lb_part_cut(rest, ',', &one, &rest))
		if (lb_part_is(lb_part_trim(one), word))
			return true;
	return lb_part_is(lb_part_trim(rest), word);
}

static int take_rest(struct lb_httpd_request *r, const struct wrong *w)
{
	const char *expect = lb_httpd_header(r, "expect");

	r->stays =
		!r->is_old && !lists(lb_httpd_header(r, "connection"), "close");
	if (expect && !r->is_old && !lists(expect, "100-continue"))
		return refuse(w, 417, "that Expect is not known");
	r->waits = expect && !r->is_old;
	return 0;
}

int lb_httpd_request_read(const char *text, size_t len,
			  struct lb_httpd_request *r, size_t *used, int *status,
			  struct lb_error *err)
{
	const struct wrong w = {status, err};
	const char *end = memmem(text, len, "\r\n\r\n", 4);
	struct lb_part rest, line;

	*r = (struct lb_httpd_request){.method = NULL};
	if (!end && len < LB_HTTPD_HEAD)
		return 0;
	if (!end || end + 4 - text > LB_HTTPD_HEAD)
		return refuse(&w, 431, "the head of the request is too long");
	*used = (size_t)(end + 4 - text);
	rest = (struct lb_part){text, *used - 2};
	if (!lb_part_line(&rest, &line))
		return refuse(&w, 400, "a line does not end in CR LF");
	if (read_first(r, line, &w) < 0)
		return -1;
	while (rest.len > 0) {
		if (!lb_part_line(&rest, &line))
			return refuse(&w, 400, "a line does not end in CR LF");
		if (read_header(r, line, &w) < 0)
			return -1;
	}
	if (take_host(r, &w) < 0 || take_length(r, &w) < 0 ||
	    take_rest(r, &w) < 0)
		return -1;
	return 1;
}

void lb_httpd_request_release(struct lb_httpd_request *r)
{
	free(r->method);
	free(r->path);
	free(r->query);
	for (size_t i = 0; i < r->n_headers; i++) {
		free(r->headers[i].name);
		free(r->headers[i].value);
	}
	*r = (struct lb_httpd_request){.method = NULL};
}
