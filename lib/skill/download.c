#include "skill/download.h"

#include <stdlib.h>
#include <string.h>

#include "base/loop.h"
#include "base/mem.h"
#include "net/fetch.h"

enum { TOTAL_MS = 5 * 60 * 1000, MAX_HOSTS = 100 };

static const char **texts_of(const json_t *list)
{
	size_t n = json_array_size(list), i, to = 0;
	const char **texts = lb_alloc((n + 1) * sizeof(*texts));
	json_t *one;

	json_array_foreach((json_t *)(uintptr_t)list, i, one) texts[to++] =
		json_string_value(one);
	return texts;
}

static int check_url(const struct lb_config *config, const char *key,
		     struct lb_error *err)
{
	const char *url = lb_config_str(config, key);

	if (lb_config_is_url(url) && url[strlen(url) - 1] != '/')
		return 0;
	lb_fail(err, LB_CONFIG, "'%.100s' is no URL without a slash at its end",
		url);
	return lb_config_blame(config, key, err);
}

int lb_reach_open(struct lb_reach *r, const struct lb_config *config,
		  struct lb_error *err)
{
	const char *proxy = lb_config_str(config, "net.fetch-proxy");
	const char *market = lb_config_str(config, "space.url");

	*r = (struct lb_reach){
		.github = lb_config_str(config, "skills.github"),
		.market = market && *market ? market : NULL,
		.proxy = proxy && *proxy ? proxy : NULL,
		.allow = texts_of(lb_config_get(config, "net.fetch-allow")),
		.hosts = texts_of(lb_config_get(config, "skills.hosts")),
	};
	if (r->market && check_url(config, "space.url", err) < 0)
		return -1;
	return check_url(config, "skills.github", err);
}

void lb_reach_close(struct lb_reach *r)
{
	free(r->refs.url);
	free(r->zip.url);
	lb_buf_release(&r->refs.bytes);
	lb_buf_release(&r->zip.bytes);
	free(r->allow);
	free(r->hosts);
	*r = (struct lb_reach){0};
}

struct coming {
	struct lb_buf *out;
	struct lb_download *d;
	struct lb_error *err;
	const struct lb_reach *reach;
	const char *host;
	size_t before; /* bytes of `out` that are another's */
	bool over, failed;
};

static int on_data(void *arg, const char *data, size_t len)
{
	struct coming *c = arg;

	lb_buf_put(c->out, data, len); /* fetch bounds it */
	if (c->reach->progress)
		c->reach->progress(c->host, (int64_t)(c->out->len - c->before));
	return 0;
}

static void on_end(void *arg, const struct lb_fetch_end *end)
{
	struct coming *c = arg;

	c->over = true;
	c->failed = end->code != LB_OK;
	c->d->status = end->status;
	if (c->failed)
		lb_fail(c->err, end->code, "%s", end->why);
}

static const struct lb_fetch_events events = {on_data, on_end};

/* "example.org" of "https://example.org:443/x". */
static char *host_of(const char *url)
{
	const char *at = strstr(url, "://");

	at = at ? at + 3 : url;
	if (*at == '[')
		return lb_strndup(at, strcspn(at, "]") + 1);
	return lb_strndup(at, strcspn(at, ":/?#"));
}

static void add(const char **all, size_t *n, const char *const *more)
{
	for (; more && *more && *n < MAX_HOSTS; more++)
		all[(*n)++] = *more;
}

int lb_download(struct lb_download *d, const struct lb_reach *reach,
		struct lb_buf *out, struct lb_error *err)
{
	lb_autofree char *own = host_of(d->url);
	struct coming c = {.out = out,
			   .d = d,
			   .err = err,
			   .reach = reach,
			   .host = own,
			   .before = out->len};
	const char *hosts[MAX_HOSTS + 1] = {own};
	struct lb_loop *loop = lb_loop_open();
	struct lb_http *http = lb_http_open(loop);
	size_t n = 1;
	int r = -1;

	add(hosts, &n, d->hosts);
	add(hosts, &n, reach->hosts);
	if (lb_fetch_start(http,
			   &(struct lb_fetch_request){
				   .url = d->url,
				   .max = d->max,
				   .total_ms = TOTAL_MS,
				   .proxy = reach->proxy,
				   .allow = reach->allow,
				   .hosts = hosts,
				   .https = true,
				   .plain = reach->hosts,
			   },
			   &events, &c, err)) {
		while (!c.over)
			lb_loop_turn(loop, -1);
		if (reach->progress)
			reach->progress(own, -1);
		r = c.failed ? -1 : 0;
	}
	lb_http_close(http);
	lb_loop_close(loop);
	return r < 0 ? lb_error_wrap(err, "%.150s", d->url) : 0;
}

int lb_download_kept(struct lb_download *d, const struct lb_reach *reach,
		     struct lb_kept *kept, struct lb_error *err)
{
	if (kept->url && strcmp(kept->url, d->url) == 0)
		return 0;
	free(kept->url);
	kept->url = NULL;
	lb_buf_reset(&kept->bytes);
	if (lb_download(d, reach, &kept->bytes, err) < 0)
		return -1;
	kept->url = lb_strdup(d->url);
	return 0;
}
