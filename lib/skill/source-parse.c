/* source-parse.c - what kind of a source a text names. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "skill/market.h"
#include "skill/own.h"
#include "skill/source.h"

void lb_source_release(struct lb_source *s)
{
	free(s->text);
	free(s->folder);
	lb_github_release(&s->github);
	*s = (struct lb_source){0};
}

/* What only git can get, and a key. */
static bool needs_git(const char *text)
{
	return strncmp(text, "git@", 4) == 0 ||
	       strncmp(text, "ssh://", 6) == 0 ||
	       strncmp(text, "git://", 6) == 0 || strncmp(text, "git+", 4) == 0;
}

static bool begins(const char *text, const char *with)
{
	return strncasecmp(text, with, strlen(with)) == 0;
}

int lb_source_parse(struct lb_source *s, const char *text, struct lb_error *err)
{
	*s = (struct lb_source){.kind = LB_SOURCE_LOCAL,
				.text = lb_strdup(text)};
	if (*text == '/' || *text == '.' || access(text, F_OK) == 0)
		return 0;
	if (needs_git(text))
		return lb_fail(err, LB_USAGE,
			       "'%.150s' needs git: clone it, and install the "
			       "folder",
			       text);
	if (begins(text, "market:") && lb_market_is_name(text + 7)) {
		s->kind = LB_SOURCE_MARKET;
		return 0;
	}
	if (lb_github_parse(&s->github, text)) {
		s->kind = LB_SOURCE_GITHUB;
		return 0;
	}
	if (begins(text, "https://") || begins(text, "http://")) {
		s->kind = LB_SOURCE_URL;
		return 0;
	}
	if (strstr(text, "://") || begins(text, "github:") ||
	    begins(text, "market:"))
		return lb_fail(err, LB_USAGE, "'%.150s' is no source of skills",
			       text);
	return 0;
}

static bool is_commit(const char *text)
{
	size_t len = strlen(text);

	return len >= 7 && len <= 40 && strspn(text, "0123456789abcdef") == len;
}

int lb_source_known(struct lb_source *s, const json_t *from, bool exactly,
		    struct lb_error *err)
{
	const char *source = lb_json_str(from, "source");
	const char *folder = lb_json_str(from, "folder");
	const char *commit = lb_json_str(from, "commit");
	const char *ref = lb_json_str(from, "ref");
	const char *path = lb_json_str(from, "path");

	*s = (struct lb_source){0};
	if ((!source || strcmp(source, LB_SKILL_LOCAL) == 0 ||
	     strcmp(source, "-") == 0) &&
	    exactly && path && *path == '/')
		return lb_source_parse(s, path, err);
	if (!source || (*source != '/' && !strstr(source, ":")))
		return lb_fail(err, LB_DATA, "nobody knows where it is from");
	if (lb_source_parse(s, source, err) < 0)
		return -1;
	s->folder = folder ? lb_strdup(folder) : NULL;
	if (s->kind != LB_SOURCE_GITHUB)
		return 0;
	if (exactly && commit && !is_commit(commit))
		return lb_fail(err, LB_DATA, "'%.60s' is no commit", commit);
	s->github.commit = exactly && commit ? lb_strdup(commit) : NULL;
	s->github.ref = ref ? lb_strdup(ref) : NULL;
	s->github.folder = folder ? lb_strdup(folder) : NULL;
	return 0;
}
