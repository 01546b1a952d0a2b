/* serve-door.c - who may come in. */
#include <string.h>
#include <strings.h>

#include "mcp/serve-http-in.h"
#include "net/part.h"

/* As long for any text, so that nobody finds out letter by letter. */
static bool is_secret(const char *secret, const char *said)
{
	size_t len = strlen(secret), n = strlen(said);
	unsigned char differ = len != n;

	for (size_t i = 0; i < n; i++)
		differ |= (unsigned char)(said[i] ^ secret[len ? i % len : 0]);
	return differ == 0;
}

static bool has_token(const struct lb_serve_http_settings *s,
		      const struct lb_httpd_request *r)
{
	const char *said = lb_httpd_header(r, "authorization");

	if (!s->token)
		return true;
	if (!said || strncasecmp(said, "Bearer ", 7) != 0)
		return false;
	return is_secret(s->token, said + 7 + strspn(said + 7, " "));
}

static bool is_listed(const char *const *list, const char *text)
{
	for (; list && *list; list++)
		if (strcasecmp(*list, text) == 0)
			return true;
	return false;
}

static bool is_loopback(const struct lb_host *host)
{
	return strcmp(host->name, "localhost") == 0 ||
	       (host->is_address && (strncmp(host->name, "127.", 4) == 0 ||
				     strcmp(host->name, "::1") == 0));
}

/*
 * A page of elsewhere can have its own name lead here, but it cannot have an
 * address do so, nor a name that we know.
 */
static bool is_ours(const struct lb_serve_http_settings *s,
		    const struct lb_host *host)
{
	if (is_listed(s->hosts, host->name) || is_loopback(host))
		return true;
	return host->is_address && !s->is_loopback;
}

/* Programs say no Origin; pages do. */
static bool may_send(const struct lb_serve_http_settings *s, const char *origin)
{
	const char *rest = origin ? strstr(origin, "://") : NULL;
	struct lb_host host;
	struct lb_error err;

	if (!origin || is_listed(s->origins, origin))
		return true;
	if (!rest ||
	    (strncmp(origin, "http://", 7) != 0 &&
	     strncmp(origin, "https://", 8) != 0) ||
	    lb_host_read(&host, rest + 3, strlen(rest + 3), &err) < 0)
		return false;
	return s->is_loopback ? is_loopback(&host)
			      : is_listed(s->hosts, host.name);
}

static bool is_json(const char *type)
{
	static const char json[] = "application/json";
	size_t n = sizeof(json) - 1;

	return type && strncasecmp(type, json, n) == 0 &&
	       (type[n] == '\0' || type[n] == ';' || type[n] == ' ');
}

static bool is_method(const struct lb_httpd_request *r, const char *name)
{
	return strcmp(r->method, name) == 0;
}

/* What is asked for at all. */
static void check_request(struct lb_httpd_conn *conn,
			  const struct lb_httpd_request *r)
{
	if (strcmp(r->path, LB_SERVE_PATH) != 0)
		lb_serve_http_refuse(conn, 404, LB_RPC_INVALID,
				     "there is nothing here but " LB_SERVE_PATH,
				     NULL);
	else if (!is_method(r, "POST") && !is_method(r, "GET") &&
		 !is_method(r, "DELETE"))
		lb_serve_http_refuse(conn, 405, LB_RPC_INVALID,
				     "that method is not known here",
				     "Allow: POST, GET, DELETE\r\n");
	else if (is_method(r, "POST") &&
		 !is_json(lb_httpd_header(r, "content-type")))
		lb_serve_http_refuse(conn, 415, LB_RPC_INVALID,
				     "Content-Type is not application/json",
				     NULL);
	else if (is_method(r, "POST") &&
		 !lb_serve_accepts(r, "application/json") &&
		 !lb_serve_accepts(r, "text/event-stream"))
		lb_serve_http_refuse(conn, 406, LB_RPC_INVALID,
				     "Accept has neither application/json nor "
				     "text/event-stream",
				     NULL);
}

void lb_serve_door(void *arg, struct lb_httpd_conn *conn,
		   const struct lb_httpd_request *r)
{
	const struct lb_serve_http *http = arg;
	const struct lb_serve_http_settings *s = &http->settings;

	if (!is_ours(s, &r->host))
		lb_serve_http_refuse(conn, 403, LB_RPC_INVALID,
				     "Host is none of this server's names",
				     NULL);
	else if (!may_send(s, lb_httpd_header(r, "origin")))
		lb_serve_http_refuse(conn, 403, LB_RPC_INVALID,
				     "pages of that Origin may not ask", NULL);
	else if (!has_token(s, r))
		lb_serve_http_refuse(conn, 401, LB_RPC_INVALID,
				     "the bearer token is missing or wrong",
				     "WWW-Authenticate: Bearer\r\n");
	else
		check_request(conn, r);
}

/* "text/html;q=1", of what may be "text/html", or the whole of "text". */
static bool fits(struct lb_part one, const char *type)
{
	struct lb_part kind, rest;

	if (lb_part_cut(one, ';', &kind, &rest))
		one = kind;
	one = lb_part_trim(one);
	if (lb_part_is(one, type) || lb_part_is(one, "*/*"))
		return true;
	return lb_part_cut(one, '/', &kind, &rest) && lb_part_is(rest, "*") &&
	       strncasecmp(kind.at, type, kind.len) == 0 &&
	       type[kind.len] == '/';
}

bool lb_serve_accepts(const struct lb_httpd_request *r, const char *type)
{
	const char *accept = lb_httpd_header(r, "accept");
	struct lb_part rest, one;

	if (!accept)
		return true;
	rest = (struct lb_part){accept, strlen(accept)};
	while (lb_part_cut(rest, ',', &one, &rest))
		if (fits(one, type))
			return true;
	return fits(rest, type);
}
