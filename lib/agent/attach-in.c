/* attach-in.c - the files of a message, from its chain. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/attach.h"
#include "agent/turn.h"
#include "base/base64.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "net/fetch.h"
#include "platform/media.h"

enum { HEAD = 16, MAX_SEEN = 200, MAX_TYPE = 200 };

struct reading {
	struct turn *turn;
	size_t seen;
	bool coming; /* one that may be waited for is not there yet */
};

static const char *filled(const json_t *part, const char *key)
{
	const char *text = lb_json_str(part, key);

	return text && *text ? text : NULL;
}

static bool is_file(const char *type)
{
	return type &&
	       (strcmp(type, "Image") == 0 || strcmp(type, "Voice") == 0 ||
		strcmp(type, "File") == 0);
}

/* The bytes of "data:image/png;base64,..." or of the digits alone. */
static const char *decode(struct lb_attach_file *f, const char *text)
{
	if (strncasecmp(text, "data:", 5) == 0) {
		const char *comma = strchr(text, ',');

		if (!comma || comma - text > MAX_TYPE)
			return "it is damaged";
		text = comma + 1;
	}
	if (strlen(text) / 4 * 3 > LB_ATTACH_ITEM + HEAD)
		return "it has more than 10 MiB";
	if (!lb_base64_decode(&f->data, text, strlen(text)))
		return "it is damaged";
	return NULL;
}

static const char *open_path(struct reading *r, struct lb_attach_file *f,
			     const char *path)
{
	const struct agent *a = agent_of_session(r->turn->session);
	struct lb_error err;
	struct stat st;

	f->fd = lb_media_open(a->options->state, path, &err);
	if (f->fd < 0) {
		/* lb-ingest gets it once its record is safe. */
		if (err.code == LB_NOINPUT &&
		    lb_clock_mono() < r->turn->attach.until)
			r->coming = true;
		return "it is not here, or not any more";
	}
	if (fstat(f->fd, &st) == 0 && st.st_size > LB_ATTACH_ITEM)
		return "it has more than 10 MiB";
	return NULL;
}

/* Why it is not on this machine. */
static const char *absent(const json_t *part)
{
	int64_t size = 0;

	if (lb_json_int(part, "size", &size) && size > LB_ATTACH_ITEM)
		return "it has more than 10 MiB";
	return filled(part, "url") ? "it is elsewhere, at a URL"
				   : "it was not downloaded";
}

/* How it begins. */
static size_t head_of(const struct lb_attach_file *f, char head[HEAD])
{
	ssize_t n = 0;

	if (f->fd >= 0)
		n = pread(f->fd, head, HEAD, 0);
	else if (f->data.len > 0)
		n = (ssize_t)(f->data.len < HEAD ? f->data.len : HEAD);
	if (f->fd < 0 && n > 0)
		memcpy(head, f->data.data, (size_t)n);
	return n > 0 ? (size_t)n : 0;
}

/* "image_1.png" for what has no name. */
static char *usual_name(const struct lb_attach_kind *kind, const char *type,
			size_t number)
{
	static const char *const extensions[][2] = {
		{"image/png", "png"},  {"image/jpeg", "jpg"},
		{"image/gif", "gif"},  {"image/webp", "webp"},
		{"audio/wav", "wav"},  {"audio/ogg", "ogg"},
		{"audio/mpeg", "mp3"}, {"audio/amr", "amr"},
		{"audio/mp4", "m4a"},  {"audio/silk", "silk"},
		{"video/mp4", "mp4"},  {"application/pdf", "pdf"},
	};
	const char *extension = "bin";
	const char *word = strcmp(type, "Image") == 0   ? "image"
			   : strcmp(type, "Voice") == 0 ? "voice"
							: "file";

	for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++)
		if (kind->mime && strcmp(kind->mime, extensions[i][0]) == 0)
			extension = extensions[i][1];
	return lb_printf("%s_%zu.%s", word, number, extension);
}

/* What the message calls it, else the last name of its URL; NULL: nothing. */
static char *own_name(const json_t *part)
{
	const char *name = filled(part, "name"), *url = filled(part, "url");
	const char *path = url ? strstr(url, "://") : NULL;
	const char *slash = NULL;

	if (name)
		return lb_strdup(name);
	path = path ? strchr(path + 3, '/') : NULL;
	for (const char *at = path; at && *at && !strchr("?#", *at); at++)
		slash = *at == '/' ? at : slash;
	return slash ? lb_strndup(slash + 1, strcspn(slash + 1, "?#")) : NULL;
}

void attach_describe(struct turn *t, size_t i)
{
	struct lb_attach_file *f = &t->attach.files[i];
	struct came *c = &t->attach.came[i];
	const char *path = filled(c->part, "path");
	lb_autofree char *own = own_name(c->part), *usual = NULL;
	lb_autobuf struct lb_buf name = {0};
	struct lb_attach_kind kind;
	char head[HEAD];
	size_t len = head_of(f, head);

	kind = lb_attach_kind(head, len, own ? own : path ? path : ".ogg");
	usual = usual_name(&kind, lb_json_str(c->part, "type"), c->number);
	lb_attach_name(&name, own, usual);
	free(f->name);
	f->name = lb_buf_take(&name);
	c->word = kind.word;
}

const char *attach_url(const struct turn *t, size_t i)
{
	const json_t *part = t->attach.came[i].part;

	return i < LB_ATTACH_IN_FILES && !filled(part, "path") &&
			       !filled(part, "base64")
		       ? filled(part, "url")
		       : NULL;
}

void attach_free_files(struct turn *t)
{
	struct attach *a = &t->attach;

	for (size_t i = 0; i < a->n; i++) {
		if (a->came[i].fetch)
			lb_fetch_cancel(a->came[i].fetch);
		lb_attach_file_release(&a->files[i]);
	}
	free(lb_steal(&a->files));
	free(lb_steal(&a->came));
	a->n = a->fetching = 0;
	a->fetched = 0;
}

static void add(struct reading *r, const json_t *part)
{
	struct attach *a = &r->turn->attach;
	const char *path = filled(part, "path"), *text = filled(part, "base64");
	struct lb_attach_file *f;

	if (r->seen >= MAX_SEEN)
		return;
	r->seen++;
	a->files = lb_grow(a->files, (a->n + 1) * sizeof(*a->files));
	a->came = lb_grow(a->came, (a->n + 1) * sizeof(*a->came));
	a->came[a->n] =
		(struct came){.turn = r->turn, .part = part, .number = r->seen};
	f = &a->files[a->n];
	*f = (struct lb_attach_file){.fd = -1};
	if (a->n >= LB_ATTACH_IN_FILES)
		f->why = "there are too many files";
	else
		f->why = text   ? decode(f, text)
			 : path ? open_path(r, f, path)
				: absent(part);
	attach_describe(r->turn, a->n++);
}

/* Those of what is quoted are meant as well, if it is shown to the model. */
static bool shows_quotes(const struct turn *t)
{
	const struct agent *a = agent_of_session(t->session);

	return lb_json_bool(lb_json_path(lb_config_pipeline(a->options->config,
							    t->pipeline),
					 "trigger.misc"),
			    "combine-quote-message", true);
}

bool attach_read(struct turn *t)
{
	struct reading r = {.turn = t};
	const json_t *part, *inner;
	bool quotes = shows_quotes(t);
	size_t i, k;

	json_array_foreach(json_object_get(t->query->json, "chain"), i, part)
	{
		const char *type = lb_json_str(part, "type");

		if (is_file(type))
			add(&r, part);
		if (!type || strcmp(type, "Quote") != 0 || !quotes)
			continue;
		json_array_foreach(json_object_get(part, "origin"), k, inner)
		{
			type = lb_json_str(inner, "type");
			if (is_file(type))
				add(&r, inner);
		}
	}
	return !r.coming;
}
