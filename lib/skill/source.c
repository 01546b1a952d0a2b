#include "skill/source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "skill/market.h"

/* A text that lives as long as what was got. */
static const char *keep(struct lb_got *got, char *take)
{
	got->texts[got->n_texts++] = take;
	return take;
}

void lb_got_release(struct lb_got *got)
{
	lb_pack_release(&got->pack);
	for (size_t i = 0; i < got->n_texts; i++)
		free(got->texts[i]);
	*got = (struct lb_got){0};
}

/* "demo" of "/tmp/demo.tar.gz". */
static char *stem_of(const char *path)
{
	static const char *const ends[] = {".zip", ".skill", ".tar",
					   ".tgz", ".tbz2",  ".gz",
					   ".bz2", ".zst",   NULL};
	const char *slash = strrchr(path, '/');
	char *stem = lb_strdup(slash ? slash + 1 : path);
	bool cut = true;

	while (cut) {
		cut = false;
		for (int i = 0; ends[i] && !cut; i++) {
			size_t len = strlen(stem), n = strlen(ends[i]);

			cut = len > n && strcmp(stem + len - n, ends[i]) == 0;
			if (cut)
				stem[len - n] = '\0';
		}
	}
	return stem;
}

int lb_source_bytes(struct lb_got *got, const char *name, const char *bytes,
		    size_t len, struct lb_error *err)
{
	got->from.name = keep(got, stem_of(name));
	if (lb_pack_archive(&got->pack, bytes, len, false, err) < 0)
		return lb_error_wrap(err, "%.200s", name);
	return 0;
}

static int get_folder(struct lb_got *got, const char *path,
		      struct lb_error *err)
{
	lb_autoclose int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const char *slash = strrchr(path, '/');

	if (fd < 0)
		return lb_fail_sys(err, LB_NOINPUT, "cannot open '%s'", path);
	got->origin.by_folder = true;
	got->from.name = slash && slash[1] ? slash + 1 : path;
	got->from.is_folder = true;
	if (lb_pack_folder(&got->pack, fd, err) < 0)
		return lb_error_wrap(err, "%.200s", path);
	return 0;
}

static int get_file(struct lb_got *got, const char *path, struct lb_error *err)
{
	lb_autofree char *bytes = NULL;
	size_t len;

	if (lb_path_read(path, LB_PACK_ARCHIVE, &bytes, &len, err) < 0)
		return -1;
	return lb_source_bytes(got, path, bytes, len, err);
}

/* The SKILL.md of a folder stands for the folder. */
static void up_from_file(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash && slash != path &&
	    (strcmp(slash + 1, "SKILL.md") == 0 ||
	     strcmp(slash + 1, "skill.md") == 0))
		*slash = '\0';
}

static int get_local(struct lb_got *got, const struct lb_source *s,
		     struct lb_error *err)
{
	char *path = realpath(s->text, NULL);
	struct stat st;

	if (!path)
		return lb_fail_sys(err, LB_NOINPUT, "cannot open '%.200s'",
				   s->text);
	up_from_file(path);
	got->origin.source = keep(got, path);
	if (stat(path, &st) < 0)
		return lb_fail_sys(err, LB_NOINPUT, "cannot open '%.200s'",
				   s->text);
	if (S_ISDIR(st.st_mode))
		return get_folder(got, path, err);
	return get_file(got, path, err);
}

/* The last part of a URL's path. */
static char *leaf_of(const char *url)
{
	lb_autofree char *path = lb_strndup(url, strcspn(url, "?#"));
	char *slash = strrchr(path, '/');

	return lb_strdup(slash ? slash + 1 : path);
}

/* A SKILL.md alone. */
static int get_text(struct lb_got *got, const char *url, struct lb_buf *bytes,
		    struct lb_error *err)
{
	lb_autofree char *path = lb_strndup(url, strcspn(url, "?#"));
	struct lb_pack_file f = {.len = bytes->len};

	*strrchr(path, '/') = '\0';
	got->from.name = keep(got, leaf_of(path));
	f.path = lb_strdup("SKILL.md");
	f.data = lb_buf_take(bytes);
	if (lb_pack_add(&got->pack, &f, err) < 0)
		return -1;
	return lb_pack_end(&got->pack, err);
}

static int get_url(struct lb_got *got, const struct lb_source *s,
		   const struct lb_reach *reach, struct lb_error *err)
{
	lb_autobuf struct lb_buf bytes = {0};
	lb_autofree char *leaf = leaf_of(s->text);
	bool is_github = strstr(s->text, "://github.com/") != NULL;
	struct lb_download d = {
		.url = s->text,
		.max = LB_PACK_ARCHIVE,
		.hosts = is_github ? lb_github_hosts : NULL,
	};

	got->origin.source = keep(got, lb_strdup(s->text));
	if (lb_download(&d, reach, &bytes, err) < 0)
		return -1;
	if (strcasecmp(leaf, "SKILL.md") == 0)
		return get_text(got, s->text, &bytes, err);
	return lb_source_bytes(got, leaf, lb_buf_str(&bytes), bytes.len, err);
}

/* Names of owners and repositories are the same in any case. */
static char *github_source(const struct lb_github *g)
{
	char *text = lb_printf("github:%s/%s", g->owner, g->repo);

	for (char *c = text; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c - 'A' + 'a');
	return text;
}

int lb_source_resolve(struct lb_source *s, struct lb_reach *reach,
		      struct lb_error *err)
{
	return s->kind == LB_SOURCE_GITHUB
		       ? lb_github_resolve(&s->github, reach, err)
		       : 0;
}

static int get_github(struct lb_got *got, struct lb_source *s,
		      struct lb_reach *reach, struct lb_error *err)
{
	struct lb_github *g = &s->github;
	const struct lb_buf *zip = &reach->zip.bytes;

	if (lb_github_resolve(g, reach, err) < 0 ||
	    lb_github_download(g, reach, err) < 0)
		return -1;
	got->origin.source = keep(got, github_source(g));
	got->origin.ref = g->ref ? keep(got, lb_strdup(g->ref)) : NULL;
	got->origin.commit = keep(got, lb_strdup(g->commit));
	got->from.name = keep(got, lb_strdup(g->repo));
	got->from.rename_top = true;
	got->from.within = g->folder ? keep(got, lb_strdup(g->folder)) : NULL;
	if (lb_pack_archive(&got->pack, lb_buf_str(zip), zip->len, true, err) <
	    0)
		return lb_error_wrap(err, "%s", got->origin.source);
	return 0;
}

static int get_market(struct lb_got *got, const struct lb_source *s,
		      const struct lb_reach *reach, struct lb_error *err)
{
	lb_autobuf struct lb_buf zip = {0};
	const char *name = strchr(s->text, ':') + 1;

	got->origin.source = keep(got, lb_strdup(s->text));
	if (lb_market_get(name, reach, &zip, err) < 0)
		return -1;
	return lb_source_bytes(got, strchr(name, '/') + 1, lb_buf_str(&zip),
			       zip.len, err);
}

int lb_source_get(struct lb_got *got, struct lb_source *s,
		  struct lb_reach *reach, struct lb_error *err)
{
	switch (s->kind) {
	case LB_SOURCE_URL:
		return get_url(got, s, reach, err);
	case LB_SOURCE_GITHUB:
		return get_github(got, s, reach, err);
	case LB_SOURCE_MARKET:
		return get_market(got, s, reach, err);
	case LB_SOURCE_LOCAL:
		break;
	}
	return get_local(got, s, err);
}
