/* lb-mcp serve --http */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "mcp/serve-http.h"
#include "net/listen.h"
#include "serving.h"

enum {
	END_MS = 2000,   /* in which what is under way ends */
	MIN_SECRET = 16, /* bytes of a token that nobody guesses */
};

/* Those of an option, NULL-ended. Caller frees the list alone. */
static const char **texts_of(const struct lb_list *list)
{
	const char **all = lb_alloc((list->n + 1) * sizeof(*all));

	if (list->n > 0)
		memcpy(all, list->at, list->n * sizeof(*all));
	return all;
}

/* The token, if there is to be one. LB_USAGE: that is not said. */
static int read_token(const struct web *w, const struct lb_listen *at,
		      char **secret, struct lb_error *err)
{
	if (!w->token == !w->no_token)
		return lb_fail(err, LB_USAGE,
			       "--http needs --token=env:NAME or file:PATH, "
			       "or --no-token: whoever is at this machine may "
			       "ask then");
	if (w->no_token)
		return at->is_loopback
			       ? 0
			       : lb_fail(err, LB_USAGE,
					 "without a token nobody but this "
					 "machine is served");
	if (strncmp(w->token, "env:", 4) != 0 &&
	    strncmp(w->token, "file:", 5) != 0 &&
	    strncmp(w->token, "cmd:", 4) != 0)
		return lb_fail(err, LB_USAGE,
			       "--token is env:NAME, file:PATH or "
			       "cmd:COMMAND: a command line is no place for a "
			       "secret");
	*secret = lb_config_secret(w->token, err);
	if (!*secret)
		return -1;
	if (strlen(*secret) < MIN_SECRET)
		return lb_fail(err, LB_CONFIG,
			       "the token of '%.100s' has less than %d bytes",
			       w->token, (int)MIN_SECRET);
	return 0;
}

int web_serve(struct serving *s, const struct web *w, struct lb_error *err)
{
	lb_autofree const char **names = texts_of(&w->hosts);
	lb_autofree const char **pages = texts_of(&w->origins);
	lb_autofree char *secret = NULL, *shown = NULL;
	struct lb_serve_http_settings how = {
		.hosts = names,
		.origins = pages,
		.body = (size_t)lb_config_max_line(),
		.sessions = (int)w->sessions,
		.connections = (int)w->connections,
		.idle_ms = w->idle_ms,
	};
	struct lb_serve_http *http;
	struct lb_listen at;
	int fd;

	if (lb_listen_read(&at, w->at, err) < 0 ||
	    read_token(w, &at, &secret, err) < 0)
		return -1;
	fd = lb_listen_open(&at, err);
	if (fd < 0)
		return -1;
	how.token = secret;
	how.is_loopback = at.is_loopback;
	lb_loop_many_descriptors();
	http = lb_serve_http_open(s->serve, fd, &how);
	shown = lb_listen_text(&at);
	lb_tell(NULL, "listening at http://%s" LB_SERVE_PATH, shown);
	while (!s->stop)
		lb_loop_turn(s->loop, -1);
	lb_serve_stop(s->serve, END_MS);
	lb_serve_http_close(http);
	return 0;
}
