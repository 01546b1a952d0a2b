/* attach-fetch.c - files of a message that are elsewhere, at a URL. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/attach.h"
#include "agent/turn.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "net/fetch.h"

enum { FETCH_MS = 30 * 1000 };

static struct agent *agent_of(const struct turn *t)
{
	return agent_of_session(t->session);
}

static struct lb_attach_file *file_of(const struct came *c)
{
	struct attach *a = &c->turn->attach;

	return &a->files[c - a->came];
}

/* A file without a name: nobody finds it, and it goes by itself. */
static int open_file(const struct agent *a)
{
	lb_autofree char *media = lb_printf("%s/media", a->options->state);
	struct lb_error err;

	if (lb_path_make(media, &err) < 0)
		return -1;
	return open(media, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

static int on_data(void *arg, const char *data, size_t len)
{
	struct came *c = arg;
	struct lb_attach_file *f = file_of(c);
	int64_t *all = &c->turn->attach.fetched;

	if (*all + (int64_t)len > LB_ATTACH_IN_ALL) {
		c->too_much = true; /* the others may have what it had */
		*all -= c->bytes;
		c->bytes = 0;
		return -1;
	}
	*all += (int64_t)len;
	c->bytes += (int64_t)len;
	while (len > 0) {
		ssize_t n = write(f->fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Why it did not come, for the model; the log has more. */
static const char *why_of(const struct came *c, const struct lb_fetch_end *end)
{
	if (c->too_much)
		return "with it, the files of the message have more than 20 "
		       "MiB";
	switch (end->code) {
	case LB_DENIED:
		return "its address may not be fetched";
	case LB_UNAVAILABLE:
		return "its server does not give it";
	case LB_DATA:
		return "it has more than 10 MiB";
	default:
		return "it could not be fetched";
	}
}

static void on_end(void *arg, const struct lb_fetch_end *end)
{
	struct came *c = arg;
	struct turn *t = c->turn;
	struct lb_attach_file *f = file_of(c);
	const struct lb_subject of = lb_record_subject(t->query);

	c->fetch = NULL;
	f->why = end->code == LB_OK ? NULL : why_of(c, end);
	if (f->why) {
		lb_log(LB_INFO, &of,
		       "a file of the message stays where it is: "
		       "%s",
		       end->why);
		t->attach.fetched -= c->bytes;
		close(f->fd);
		f->fd = -1;
	} else {
		lseek(f->fd, 0, SEEK_SET);
		attach_describe(t, (size_t)(c - t->attach.came));
	}
	if (--t->attach.fetching == 0)
		t->attach.then(t);
}

static const struct lb_fetch_events events = {on_data, on_end};

/* Networks that may be fetched from although they are not public. */
static const char **allowed(const struct agent *a)
{
	const json_t *list =
		lb_config_get(a->options->config, "net.fetch-allow");
	size_t i, n = 0;
	const char **texts =
		lb_alloc((json_array_size(list) + 1) * sizeof(*texts));
	json_t *one;

	json_array_foreach((json_t *)(uintptr_t)list, i, one)
	{
		if (json_is_string(one))
			texts[n++] = json_string_value(one);
	}
	return texts;
}

static bool start(struct came *c, const char *url)
{
	struct agent *a = agent_of(c->turn);
	struct lb_config *config = a->options->config;
	const char *proxy = lb_config_str(config, "net.fetch-proxy");
	const struct lb_subject of = lb_record_subject(c->turn->query);
	struct lb_attach_file *f = file_of(c);
	struct lb_error err;

	f->fd = open_file(a);
	if (f->fd < 0) {
		f->why = "there is no room for it";
		return false;
	}
	if (!a->http) {
		a->http = lb_http_open(a->loop);
		a->allowed = allowed(a);
	}
	c->fetch =
		lb_fetch_start(a->http,
			       &(struct lb_fetch_request){
				       .url = url,
				       .max = LB_ATTACH_ITEM,
				       .total_ms = FETCH_MS,
				       .proxy = proxy && *proxy ? proxy : NULL,
				       .allow = a->allowed,
			       },
			       &events, c, &err);
	if (c->fetch)
		return true;
	lb_log(LB_INFO, &of, "a file of the message stays where it is: %s",
	       err.text);
	f->why = "its address may not be fetched";
	close(f->fd);
	f->fd = -1;
	return false;
}

bool attach_fetch(struct turn *t, attach_fn *then)
{
	t->attach.then = then;
	for (size_t i = 0; i < t->attach.n; i++) {
		const char *url = attach_url(t, i);

		if (url && start(&t->attach.came[i], url))
			t->attach.fetching++;
	}
	return t->attach.fetching > 0;
}
