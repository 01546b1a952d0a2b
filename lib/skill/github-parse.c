/* github-parse.c - which repository a text names. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "skill/github.h"

enum { MAX_NAME = 100 };

void lb_github_release(struct lb_github *g)
{
	free(g->owner);
	free(g->repo);
	free(g->ref);
	free(g->rest);
	free(g->folder);
	free(g->commit);
	*g = (struct lb_github){0};
}

static bool is_name(const char *text, size_t len)
{
	if (len == 0 || len > MAX_NAME || *text == '.' || *text == '-')
		return false;
	for (size_t i = 0; i < len; i++)
		if (!strchr("-_.", text[i]) &&
		    !((text[i] | 0x20) >= 'a' && (text[i] | 0x20) <= 'z') &&
		    !(text[i] >= '0' && text[i] <= '9'))
			return false;
	return true;
}

/* "owner/repo" at the start of a text: the rest, or NULL. */
static const char *take_names(struct lb_github *g, const char *text,
			      const char *ends)
{
	size_t owner = strcspn(text, "/"), repo;
	const char *at = text + owner + 1;

	if (!text[owner] || !is_name(text, owner))
		return NULL;
	repo = strcspn(at, ends);
	if (repo > 4 && strncmp(at + repo - 4, ".git", 4) == 0 &&
	    is_name(at, repo - 4)) {
		g->repo = lb_strndup(at, repo - 4);
	} else if (is_name(at, repo)) {
		g->repo = lb_strndup(at, repo);
	} else {
		return NULL;
	}
	g->owner = lb_strndup(text, owner);
	return at + repo;
}

/* Without slashes at its ends, and without the SKILL.md that it may name. */
static char *folder_of(const char *text)
{
	size_t len;
	char *folder;

	while (*text == '/')
		text++;
	len = strlen(text);
	while (len > 0 && text[len - 1] == '/')
		len--;
	folder = lb_strndup(text, len);
	if (len >= 8 && strcasecmp(folder + len - 8, "SKILL.md") == 0 &&
	    (len == 8 || folder[len - 9] == '/'))
		folder[len > 8 ? len - 9 : 0] = '\0';
	if (*folder && strcmp(folder, ".") != 0)
		return folder;
	free(folder);
	return NULL;
}

/* owner/repo[@ref][:folder] */
static bool parse_short(struct lb_github *g, const char *text)
{
	const char *at = take_names(g, text, "@:/");
	size_t n;

	if (!at || *at == '/')
		return false;
	if (*at == '@') {
		n = strcspn(++at, ":");
		if (n == 0)
			return false;
		g->ref = lb_strndup(at, n);
		at += n;
	}
	if (*at == ':')
		g->folder = folder_of(at + 1);
	return true;
}

static int hex(char c)
{
	return c >= '0' && c <= '9'                     ? c - '0'
	       : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
							: -1;
}

/* A path of a URL: without query and fragment, %20 and the like undone. */
static char *path_of(const char *text)
{
	size_t len = strcspn(text, "?#"), to = 0;
	char *path = lb_alloc(len + 1);

	for (size_t i = 0; i < len; i++) {
		int high = i + 2 < len + 0 && text[i] == '%' ? hex(text[i + 1])
							     : -1;
		int low = high >= 0 ? hex(text[i + 2]) : -1;

		if (low >= 0 && (high || low)) {
			path[to++] = (char)(high * 16 + low);
			i += 2;
		} else {
			path[to++] = text[i];
		}
	}
	while (to > 0 && path[to - 1] == '/')
		to--;
	path[to] = '\0';
	return path;
}

static char *without_end(const char *text)
{
	static const char *const ends[] = {".zip", ".tar.gz", NULL};
	size_t len = strlen(text);

	for (int i = 0; ends[i]; i++) {
		size_t n = strlen(ends[i]);

		if (len > n && strcmp(text + len - n, ends[i]) == 0)
			return lb_strndup(text, len - n);
	}
	return lb_strdup(text);
}

struct form {
	const char *word; /* behind owner/repo */
	enum { REST, REF, ARCHIVE } what;
};

static const struct form forms[] = {
	{"/tree/", REST},          {"/blob/", REST},
	{"/raw/", REST},           {"/commit/", REF},
	{"/releases/tag/", REF},   {"/archive/", ARCHIVE},
	{"/zip/", ARCHIVE},        {"/tar.gz/", ARCHIVE},
	{"/legacy.zip/", ARCHIVE}, {"/zipball/", ARCHIVE},
	{"/tarball/", ARCHIVE},    {NULL, REST},
};

static bool parse_path(struct lb_github *g, const char *path, bool is_raw)
{
	const char *at = take_names(g, path, "/");
	const struct form *f = forms;

	if (!at)
		return false;
	if (is_raw && *at == '/')
		g->rest = lb_strdup(at + 1);
	if (is_raw || !*at)
		return *at != '\0' || !is_raw;
	while (f->word && strncmp(at, f->word, strlen(f->word)) != 0)
		f++;
	if (!f->word || !at[strlen(f->word)])
		return false;
	at += strlen(f->word);
	if (f->what == REST)
		g->rest = lb_strdup(at);
	else
		g->ref = f->what == REF ? lb_strdup(at) : without_end(at);
	return true;
}

static bool parse(struct lb_github *g, const char *text)
{
	static const struct {
		const char *begin;
		bool is_raw;
	} urls[] = {
		{"https://github.com/", false},
		{"https://www.github.com/", false},
		{"http://github.com/", false},
		{"github.com/", false},
		{"https://raw.githubusercontent.com/", true},
		{"https://codeload.github.com/", false},
		{"https://api.github.com/repos/", false},
	};

	for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
		size_t n = strlen(urls[i].begin);
		lb_autofree char *path = NULL;

		if (strncasecmp(text, urls[i].begin, n) != 0)
			continue;
		path = path_of(text + n);
		return parse_path(g, path, urls[i].is_raw);
	}
	if (strncmp(text, "github:", 7) == 0)
		text += 7;
	return !strstr(text, "://") && parse_short(g, text);
}

bool lb_github_parse(struct lb_github *g, const char *text)
{
	if (parse(g, text))
		return true;
	lb_github_release(g);
	return false;
}
