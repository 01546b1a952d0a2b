#include "skill/matter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_fence(const char *line, size_t len)
{
	while (len > 0 && is_blank(line[len - 1]))
		len--;
	while (len > 0 && is_blank(*line)) {
		line++;
		len--;
	}
	return len == 3 && memcmp(line, "---", 3) == 0;
}

/* Bytes of the line at text, its newline included. */
static size_t line_at(const char *text, size_t len)
{
	const char *end = memchr(text, '\n', len);

	return end ? (size_t)(end - text) + 1 : len;
}

static const char *encoding_why(const char *text, size_t len)
{
	if (len >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 ||
			 memcmp(text, "\xfe\xff", 2) == 0))
		return "is UTF-16; save it as UTF-8";
	if (len == 0)
		return "is empty; begin it with '---', a name, a description "
		       "and '---'";
	return "has no frontmatter; begin it with '---', a name, a description "
	       "and '---'";
}

bool lb_matter_split(const char *text, size_t len, struct lb_matter *m,
		     struct lb_skill_findings *found)
{
	size_t at = len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	size_t n = line_at(text + at, len - at);
	size_t line = 1;

	*m = (struct lb_matter){.open = at, .start = at + n};
	if (len - at < 3 || memcmp(text + at, "---", 3) != 0 ||
	    !is_fence(text + at, n)) {
		lb_skill_find(found, LB_SKILL_UNFIT, 1, "frontmatter", "%s",
			      encoding_why(text, len));
		return false;
	}
	for (at += n; at < len; at += n, line++) {
		n = line_at(text + at, len - at);
		if (!is_fence(text + at, n))
			continue;
		m->end = at;
		m->body = at + n;
		m->body_line = line + 2;
		while (m->body < len &&
		       (text[m->body] == '\n' || text[m->body] == '\r'))
			m->body_line += text[m->body++] == '\n';
		return true;
	}
	lb_skill_find(found, LB_SKILL_UNFIT, 1, "frontmatter",
		      "has a frontmatter that is not closed; add a line '---' "
		      "behind it");
	return false;
}

/* "frontmatter:7: why" as a finding in line 7. */
static void blame(struct lb_skill_findings *found, const struct lb_error *err)
{
	const char *text = err->text + strcspn(err->text, ":");
	char *end;
	unsigned long line = *text ? strtoul(text + 1, &end, 10) : 0;

	if (line > 0 && end[0] == ':')
		text = end + 2;
	else
		text = *text ? text + 2 : err->text;
	lb_skill_find(found, LB_SKILL_UNFIT, line ? line : 1, "frontmatter",
		      "the frontmatter is no YAML that is taken: %.300s", text);
}

static struct lb_yaml *mend(const char *text, const struct lb_matter *m,
			    const struct lb_error *first,
			    struct lb_skill_findings *found)
{
	lb_autobuf struct lb_buf mended = {0};
	struct lb_skill_findings notes = {0};
	struct lb_error err;
	struct lb_yaml *root = NULL;

	if (lb_matter_mend(text + m->open, m->end - m->open, &mended, &notes))
		root = lb_yaml_open(lb_buf_str(&mended), mended.len,
				    "frontmatter", &err);
	if (!root)
		blame(found, first);
	for (size_t i = 0; root && i < notes.n; i++)
		lb_skill_find(found, notes.at[i].grade, notes.at[i].line,
			      notes.at[i].rule, "%s", notes.at[i].text);
	lb_skill_findings_release(&notes);
	return root;
}

struct lb_yaml *lb_matter_read(const char *text, const struct lb_matter *m,
			       struct lb_skill_findings *found)
{
	struct lb_error err;
	struct lb_yaml *root;

	if (m->end - m->open > LB_MATTER_MAX) {
		lb_skill_find(found, LB_SKILL_UNFIT, 1, "frontmatter",
			      "the frontmatter is longer than %d bytes",
			      LB_MATTER_MAX);
		return NULL;
	}
	/* With its fence, which begins a document of YAML, too. */
	root = lb_yaml_open(text + m->open, m->end - m->open, "frontmatter",
			    &err);
	if (!root)
		root = mend(text, m, &err, found);
	if (root && root->kind == LB_YAML_SCALAR && root->plain && !*root->text)
		root->kind = LB_YAML_MAP; /* nothing between the fences */
	if (root && root->kind != LB_YAML_MAP) {
		lb_skill_find(found, LB_SKILL_UNFIT, root->line, "frontmatter",
			      "the frontmatter is no list of 'key: value'");
		lb_yaml_close(root);
		root = NULL;
	}
	return root;
}
