#include "config/keys.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/near.h"
#include "base/utf8.h"

enum { MAX_NAME = 64 };

/* Bytes up to the next dot. */
static size_t segment(const char *path)
{
	return strcspn(path, ".");
}

/*
 * One segment of each: past it and its dot; false: they are not the same. Byte
 * by byte, as each key of a file is held against all there are.
 */
static bool step(const char **pattern, const char **path)
{
	const char *p = *pattern, *at = *path;

	if (*p == '*' && (!p[1] || p[1] == '.')) {
		p++;
		at += segment(at);
		if (at == *path)
			return false;
	} else {
		while (*p && *p != '.' && *p == *at) {
			p++;
			at++;
		}
	}
	if ((*p && *p != '.') || (*at && *at != '.'))
		return false;
	*pattern = p + (*p == '.');
	*path = at + (*at == '.');
	return true;
}

bool lb_key_matches(const char *pattern, const char *path, bool prefix)
{
	while (*pattern && *path)
		if (!step(&pattern, &path))
			return false;
	return !*pattern && (prefix || !*path);
}

const struct lb_key *lb_key_find(const char *path)
{
	for (const struct lb_key *k = lb_keys; k->path; k++)
		if (lb_key_matches(k->path, path, false))
			return k;
	return NULL;
}

bool lb_key_begins(const char *pattern, const char *path)
{
	while (*path && *pattern)
		if (!step(&pattern, &path))
			return false;
	return !*path && *pattern;
}

bool lb_key_is_branch(const char *path)
{
	for (const struct lb_key *k = lb_keys; k->path; k++)
		if (lb_key_begins(k->path, path))
			return true;
	return false;
}

/* Is the first word of the path this section, or a slip for it? */
static bool same_section(const char *pattern, const char *path)
{
	lb_autofree char *a = lb_strndup(pattern, segment(pattern));
	lb_autofree char *b = lb_strndup(path, segment(path));

	return strcasecmp(a, b) == 0 || lb_near(a, b) <= 2;
}

/* Is the path the end of this key: does only what it is in lack? */
static bool is_tail(const char *key, const char *path)
{
	size_t a = strlen(key), b = strlen(path);

	return a > b && key[a - b - 1] == '.' && strcmp(key + a - b, path) == 0;
}

/* The path's segment that stands where the pattern has its '*'; NULL: none. */
static const char *name_at(const char *pattern, const char *star,
			   const char *path)
{
	while (path && pattern < star) {
		path = strchr(path, '.');
		path = path ? path + 1 : NULL;
		pattern += segment(pattern) + 1;
	}
	return path;
}

/*
 * The pattern with the path's own name for its '*'; of a path that is in no
 * such section that is no name, and the pipeline there always is one.
 */
static char *fill_in(const char *pattern, const char *path)
{
	const char *star = strchr(pattern, '*');
	const char *name = star ? name_at(pattern, star, path) : NULL;

	if (star && !same_section(pattern, path) &&
	    strncmp(pattern, "pipelines.", 10) == 0)
		return lb_printf("pipelines.default%s", star + 1);
	if (!name || !same_section(pattern, path))
		return lb_strdup(pattern);
	return lb_printf("%.*s%.*s%s", (int)(star - pattern), pattern,
			 (int)segment(name), name, star + 1);
}

char *lb_key_near(const char *path)
{
	lb_autofree char *small = lb_strdup(path);
	const char *last = strrchr(small, '.');
	char *best = NULL;
	size_t least = strlen(path) / 4 + 2;

	/* Keys have no capitals, so those are no difference to a slip. */
	for (char *c = small; *c; c++)
		*c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
	last = last ? last + 1 : small;
	for (const struct lb_key *k = lb_keys; k->path; k++) {
		lb_autofree char *full = fill_in(k->path, small);
		const char *end = strrchr(full, '.');
		size_t far = lb_near(small, full);

		if (k->path[strlen(k->path) - 1] == '*')
			continue; /* any name would be near */

		end = end ? end + 1 : full;
		/* the right word in the wrong place is near too */
		if (strcmp(end, last) == 0 && far > 1)
			far = is_tail(full, small) ? 0 : 1;
		if (far < least) {
			least = far;
			free(best);
			best = fill_in(k->path, path);
		}
	}
	return best;
}

bool lb_key_has_word(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (size_t n; words && *words; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		if (n == len && memcmp(words, word, n) == 0)
			return true;
	}
	return false;
}

int lb_key_name_check(const char *name, struct lb_error *err)
{
	size_t len = strlen(name);
	bool bad = len == 0 || len > MAX_NAME || !lb_utf8_valid(name, len) ||
		   *name == ' ' || name[len - 1] == ' ';

	for (size_t i = 0; i < len && !bad; i++)
		bad = (unsigned char)name[i] < 0x20 || name[i] == 0x7f ||
		      strchr("./:", name[i]);
	if (bad)
		return lb_fail(err, LB_CONFIG,
			       "'%.64s' is not a name: 1 to %d bytes without "
			       "'.', '/', ':'",
			       name, MAX_NAME);
	return 0;
}

void lb_key_says(const struct lb_key *key, struct lb_buf *out)
{
	static const char *const plain[] = {
		[LB_KEY_STRING] = "text",
		[LB_KEY_BOOL] = "true or false",
		[LB_KEY_DURATION] = "a duration such as 500ms, 30s or 5m, "
				    "or none",
		[LB_KEY_SIZE] = "a size such as 64k or 16M",
		[LB_KEY_LIST] = "a list of texts",
		[LB_KEY_TABLE] = "a list of mappings",
		[LB_KEY_SECRET] = "a secret: env:NAME, file:PATH, cmd:COMMAND "
				  "or the text itself",
		[LB_KEY_SECRETS] = "a list of secrets: env:NAME, file:PATH, "
				   "cmd:COMMAND or the text itself",
		[LB_KEY_OBJECT] = "a mapping",
		[LB_KEY_PRIVILEGE] =
			"everyone (or 1), admins (or 2), or a list of people, "
			"each as BOT:person_ID, who may beside the admins",
		[LB_KEY_MODEL] = "a model, or a mapping whose primary is one",
		[LB_KEY_MESSAGES] = "a text, the system message, or a list of "
				    "mappings of role and content",
		[LB_KEY_NETWORK] = "off, on, or a mapping whose allow is a "
				   "list of hosts such as example.org, "
				   "*.example.org or example.org:8443",
	};
	const char *v = key->values;

	if (key->type == LB_KEY_INT || key->type == LB_KEY_NUMBER) {
		lb_buf_printf(out, "a %snumber from %lld to %lld",
			      key->type == LB_KEY_INT ? "whole " : "",
			      (long long)key->min, (long long)key->max);
	} else if (key->type == LB_KEY_ENUM) {
		for (size_t n; *v; v += n + (v[n] == ' ')) {
			n = strcspn(v, " ");
			if (v != key->values)
				lb_buf_puts(out, v[n] ? ", " : " or ");
			lb_buf_put(out, v, n);
		}
	} else {
		lb_buf_puts(out, plain[key->type]);
	}
}
