#include "skill/github.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "skill/pack.h"

enum { SHA = 40, MAX_REFS = 16 << 20, MAX_TRIED = 200 };

const char *const lb_github_hosts[] = {"github.com", ".github.com",
				       ".githubusercontent.com", NULL};

static bool is_hex(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!strchr("0123456789abcdef", text[i]) || !text[i])
			return false;
	return len > 0;
}

/* The next of git's lines: its bytes, four digits say how many. */
static bool next_line(const char **at, size_t *left, const char **line,
		      size_t *len)
{
	char digits[5] = {0};
	unsigned long n;

	if (*left < 4)
		return false;
	memcpy(digits, *at, 4);
	if (strspn(digits, "0123456789abcdefABCDEF") != 4)
		return false;
	n = strtoul(digits, NULL, 16);
	n = n < 4 ? 4 : n; /* a mark between */
	if (n > *left)
		return false;
	*line = *at + 4;
	*len = n - 4;
	*at += n;
	*left -= n;
	return true;
}

/* Is a line of that ref? *peeled: of what an annotated tag points at. */
static bool is_ref(const char *line, size_t len, const char *ref, bool *peeled)
{
	size_t n = strlen(ref);

	if (len < SHA + 1 + n || !is_hex(line, SHA) || line[SHA] != ' ' ||
	    memcmp(line + SHA + 1, ref, n) != 0)
		return false;
	line += SHA + 1 + n;
	len -= SHA + 1 + n;
	*peeled = len >= 3 && memcmp(line, "^{}", 3) == 0;
	return *peeled || len == 0 || *line == '\0' || *line == '\n';
}

static bool find_whole(const char *refs, size_t left, const char *ref,
		       char commit[41])
{
	const char *line;
	size_t len;
	bool found = false, peeled;

	while (next_line(&refs, &left, &line, &len)) {
		if (!is_ref(line, len, ref, &peeled))
			continue;
		memcpy(commit, line, SHA);
		commit[SHA] = '\0';
		found = true;
		if (peeled)
			break;
	}
	return found;
}

bool lb_github_find(const char *refs, size_t len, const char *ref,
		    char commit[41])
{
	static const char *const before[] = {"refs/heads/", "refs/tags/", "",
					     NULL};

	if (!ref)
		return find_whole(refs, len, "HEAD", commit);
	for (int i = 0; before[i]; i++) {
		lb_autofree char *whole = lb_printf("%s%s", before[i], ref);

		if ((*before[i] || strncmp(ref, "refs/", 5) == 0 ||
		     strcmp(ref, "HEAD") == 0) &&
		    find_whole(refs, len, whole, commit))
			return true;
	}
	return false;
}

/* A commit is no ref: it is known by its digits, of which some may be left
 * out. */
static bool is_commit(const char *ref)
{
	size_t len = strlen(ref);

	return len >= 7 && len <= SHA && is_hex(ref, len);
}

static int get_refs(const struct lb_github *g, struct lb_reach *reach,
		    struct lb_error *err)
{
	lb_autofree char *url =
		lb_printf("%s/%s/%s.git/info/refs?service=git-upload-pack",
			  reach->github, g->owner, g->repo);
	struct lb_download d = {.url = url,
				.max = MAX_REFS,
				.hosts = lb_github_hosts};

	if (lb_download_kept(&d, reach, &reach->refs, err) == 0)
		return 0;
	if (d.status == 401 || d.status == 403 || d.status == 404)
		return lb_fail(err, LB_UNAVAILABLE,
			       "there is no public repository '%s/%s'; a "
			       "private one needs git: clone it, and install "
			       "the folder",
			       g->owner, g->repo);
	return -1;
}

/* A text of git's that is no list of refs is an answer of somebody else. */
static bool is_list(const struct lb_buf *refs)
{
	return refs->data && refs->len > 4 + SHA &&
	       (memmem(refs->data, refs->len, " HEAD", 5) != NULL ||
		memmem(refs->data, refs->len, " refs/", 6) != NULL);
}

/* `rest` is a ref and a folder: the longest ref there is wins. */
static int split_rest(struct lb_github *g, const struct lb_buf *refs,
		      char commit[41], struct lb_error *err)
{
	lb_autobuf struct lb_buf tried = {0};
	lb_autofree char *ref = lb_strdup(g->rest);
	char *slash = ref + strlen(ref);

	while (slash) {
		*slash = '\0';
		if (lb_github_find(lb_buf_str(refs), refs->len, ref, commit) ||
		    (!strchr(ref, '/') && is_commit(ref))) {
			if (!*commit)
				snprintf(commit, 41, "%s", ref);
			g->folder = lb_strdup(g->rest + (slash - ref));
			g->ref = lb_steal(&ref);
			return 0;
		}
		if (tried.len < MAX_TRIED)
			lb_buf_printf(&tried, "%s'%.60s'",
				      tried.len ? ", " : "", ref);
		slash = strrchr(ref, '/');
	}
	return lb_fail(err, LB_NOINPUT,
		       "'%s/%s' has no branch or tag of these: %s", g->owner,
		       g->repo, lb_buf_str(&tried));
}

/* The folder behind a ref, as github-parse.c has it. */
static void trim_folder(struct lb_github *g)
{
	char *folder = g->folder, *start = folder;
	size_t len;

	if (!folder)
		return;
	while (*start == '/')
		start++;
	len = strlen(start);
	if (len >= 8 && strcasecmp(start + len - 8, "SKILL.md") == 0 &&
	    (len == 8 || start[len - 9] == '/'))
		len -= len > 8 ? 9 : 8;
	while (len > 0 && start[len - 1] == '/')
		len--;
	g->folder = len > 0 ? lb_strndup(start, len) : NULL;
	free(folder);
}

int lb_github_resolve(struct lb_github *g, struct lb_reach *reach,
		      struct lb_error *err)
{
	const struct lb_buf *refs = &reach->refs.bytes;
	char commit[41] = {0};

	if (g->commit)
		return 0;
	if (!g->rest && g->ref && strlen(g->ref) == SHA && is_commit(g->ref)) {
		g->commit = lb_strdup(g->ref);
		return 0;
	}
	if (get_refs(g, reach, err) < 0)
		return -1;
	if (!is_list(refs))
		return lb_fail(err, LB_PROTOCOL,
			       "'%s' did not answer as git does",
			       reach->github);
	if (g->rest) {
		if (split_rest(g, refs, commit, err) < 0)
			return -1;
		trim_folder(g);
	} else if (!lb_github_find(lb_buf_str(refs), refs->len, g->ref,
				   commit)) {
		if (!g->ref || !is_commit(g->ref))
			return lb_fail(err, LB_NOINPUT,
				       "'%s/%s' has no branch or tag '%.100s'",
				       g->owner, g->repo,
				       g->ref ? g->ref : "HEAD");
		snprintf(commit, sizeof(commit), "%s", g->ref);
	}
	g->commit = lb_strdup(commit);
	return 0;
}

int lb_github_download(const struct lb_github *g, struct lb_reach *reach,
		       struct lb_error *err)
{
	lb_autofree char *url =
		lb_printf("%s/%s/%s/archive/%s.zip", reach->github, g->owner,
			  g->repo, g->commit);
	struct lb_download d = {.url = url,
				.max = LB_PACK_ARCHIVE,
				.hosts = lb_github_hosts};

	return lb_download_kept(&d, reach, &reach->zip, err);
}
