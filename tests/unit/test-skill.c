/*
 * test-skill - what a SKILL.md says, what a skill is called, which repository a
 * text names, which paths an archive may have, what differs between two lists.
 * TAP.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "skill/github.h"
#include "skill/name.h"
#include "skill/pack.h"
#include "skill/skill.h"
#include "skill/sum.h"
#include "tap.h"

#define MD(matter) "---\n" matter "\n---\nbody\n"
#define D "description: d\n"

/* "description | tools | rules found", or "!" and the rules of an unfit one. */
static const struct {
	const char *text, *want;
} files[] = {
	{MD("name: x\ndescription: d"), "d|null|"},
	{MD("name: x\ndescription: 'd'"), "d|null|"},
	{MD("name: x\ndescription: a: b"), "a: b|null|colon"},
	{MD("name: x\ndescription: a:"), "a:|null|colon"},
	{MD("name: x\ndescription: http://a.b/c"), "http://a.b/c|null|"},
	{MD("name: x\ndescription: a\n  b: c\n  d"), "a b: c d|null|colon"},
	{MD("name: x\n" D "metadata:\n  a: b: c"), "d|null|colon"},
	{MD("name: x\ndescription: [beta] a"), "[beta] a|null|colon"},
	{MD("name: x\ndescription: `a` b"), "`a` b|null|colon"},
	{MD("name: x\ndescription: 5"), "5|null|"},
	{MD("name: x\ndescription: yes"), "yes|null|"},
	{MD("name: x\ndescription: >-\n  a\n  b"), "a b|null|"},
	{MD("name: x\ndescription: |\n  a\n  b"), "a\nb|null|"},
	{MD("name: x\n" D "allowed-tools: a b(c d), e"),
	 "d|[\"a\",\"b(c d)\",\"e\"]|"},
	{MD("name: x\n" D "allowed-tools: [a, b]"), "d|[\"a\",\"b\"]|"},
	{MD("name: x\n" D "allowed-tools:"), "d|[]|"},
	{MD("name: x\n" D "allowed-tools: a: b"), "d|[\"a:\",\"b\"]|colon"},
	{MD("name: x\n" D "allowed-tools: {a: b}"), "!allowed-tools"},
	{MD("name: x\n" D "allowed-tools: [[a]]"), "!allowed-tools"},
	{MD("name: x"), "!description"},
	{MD("name: x\ndescription: ''"), "!description"},
	{MD("name: x\ndescription: {a: b}"), "!description"},
	{MD("- a\n- b"), "!frontmatter"},
	{MD("just a text"), "!frontmatter"},
	{MD("a: b\na: c\n" D), "!frontmatter"},
	{MD("a: &b c\n" D), "!frontmatter"},
	{MD("a: !!str c\n" D), "!frontmatter"},
	{MD("a: \"\n" D), "!frontmatter"},
	{MD("\ta: b\n" D), "!frontmatter"},
	{MD(D), "d|null|name"},
	{MD("name:\n" D), "d|null|name"},
	{MD("name: [x]\n" D), "d|null|name"},
	{MD("name: y\n" D), "d|null|folder"},
	{MD("name: X\n" D), "d|null|name"},
	{MD("name: x\nmodel: m\n" D), "d|null|field"},
	{"", "!frontmatter"},
	{"---", "!frontmatter"},
	{"---\n", "!frontmatter"},
	{"---\n---\n", "!name,description"},
	{"----\nname: x\n" D "---\n", "!frontmatter"},
	{" ---\nname: x\n" D "---\n", "!frontmatter"},
	{"\n---\nname: x\n" D "---\n", "!frontmatter"},
	{"---  \nname: x\n" D "  ---\t\nb", "d|null|"},
	{"---\r\nname: x\r\ndescription: d\r\n---\r\n", "d|null|"},
	{"\xef\xbb\xbf---\nname: x\n" D "---", "d|null|"},
	{"---\nname: x\ndescription: \xff\n---\n", "!frontmatter"},
	{"---\nname: x\n" D "---\n\xff", "d|null|utf-8"},
};

static void put_found(struct lb_buf *b, const struct lb_skill_findings *f)
{
	for (size_t i = 0; i < f->n; i++)
		lb_buf_printf(b, "%s%s", i ? "," : "", f->at[i].rule);
}

static void check_files(void)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		lb_autobuf struct lb_buf b = {0};
		struct lb_skill s;

		lb_skill_read(&s, files[i].text, strlen(files[i].text), "x");
		if (s.fit) {
			lb_buf_printf(&b, "%s|", s.description);
			if (s.tools)
				lb_buf_json(&b, s.tools);
			else
				lb_buf_puts(&b, "null");
			lb_buf_puts(&b, "|");
		} else {
			lb_buf_puts(&b, "!");
		}
		put_found(&b, &s.found);
		tap_same(files[i].want, lb_buf_str(&b),
			 files[i].text[0] == '-' ? "a frontmatter"
						 : "another beginning");
		lb_skill_release(&s);
	}
}

static const struct {
	const char *text, *name;
	bool good;
} names[] = {
	{"a", "a", true},
	{"pdf-tools", "pdf-tools", true},
	{"1", "1", true},
	{"PDF Tools", "pdf-tools", false},
	{"a--b", "a-b", false},
	{"-a-", "a", false},
	{"a_b.c", "a-b-c", false},
	{"gr\u00f6\u00dfe", "grosse", false},
	{"\u00c0 la", "a-la", false},
};

static void check_names(void)
{
	char longer[70];
	lb_autofree char *cut = NULL, *han = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *text = names[i].text;
		lb_autofree char *name = lb_skill_name_of(text);

		tap_same(names[i].name, name, text);
		tap_ok(!lb_skill_name_why(text, strlen(text)) == names[i].good,
		       "and whether it is by the rule");
	}
	memset(longer, 'x', sizeof(longer));
	tap_ok(!lb_skill_name_why(longer, 64), "64 letters are by the rule");
	tap_ok(lb_skill_name_why(longer, 65) != NULL, "65 are not");
	longer[65] = '\0';
	cut = lb_skill_name_of(longer);
	tap_ok(strlen(cut) == 64, "and are cut");
	han = lb_skill_name_of("\u6280\u80fd");
	tap_ok(strncmp(han, "skill-", 6) == 0 && strlen(han) == 14,
	       "where no letter is left there is a number");
}

static const struct {
	const char *text, *want; /* owner/repo ref rest folder; NULL: none */
} repos[] = {
	{"o/r", "o/r - - -"},
	{"o/r.git", "o/r - - -"},
	{"o/r@v1", "o/r v1 - -"},
	{"o/r@a/b:c/d/", "o/r a/b - c/d"},
	{"o/r:c/SKILL.md", "o/r - - c"},
	{"o/r:SKILL.md", "o/r - - -"},
	{"github:o/r", "o/r - - -"},
	{"https://github.com/o/r", "o/r - - -"},
	{"https://github.com/o/r/", "o/r - - -"},
	{"https://github.com/o/r.git", "o/r - - -"},
	{"HTTPS://GitHub.com/o/r?tab=x#y", "o/r - - -"},
	{"https://github.com/o/r/tree/a/b%20c", "o/r - a/b c -"},
	{"https://github.com/o/r/blob/m/SKILL.md", "o/r - m/SKILL.md -"},
	{"https://github.com/o/r/commit/abc", "o/r abc - -"},
	{"https://github.com/o/r/releases/tag/a/1", "o/r a/1 - -"},
	{"https://github.com/o/r/archive/refs/heads/m.zip",
	 "o/r refs/heads/m - -"},
	{"https://codeload.github.com/o/r/tar.gz/m", "o/r m - -"},
	{"https://api.github.com/repos/o/r/zipball/m", "o/r m - -"},
	{"https://raw.githubusercontent.com/o/r/m/a/SKILL.md",
	 "o/r - m/a/SKILL.md -"},
	{"https://raw.githubusercontent.com/o/r", NULL},
	{"https://github.com/o", NULL},
	{"https://github.com/o/r/issues/1", NULL},
	{"https://github.com/o/r/releases/download/v1/a.zip", NULL},
	{"https://github.com/o/r/tree/", NULL},
	{"https://github.com/../r", NULL},
	{"https://github.com/o/..", NULL},
	{"https://github.com.example.org/o/r", NULL},
	{"https://example.org/o/r", NULL},
	{"o/r@", NULL},
	{"o/r/s", NULL},
	{"o", NULL},
	{"-o/r", NULL},
	{"o /r", NULL},
	{"ssh://o/r", NULL},
};

static void check_repos(void)
{
	for (size_t i = 0; i < sizeof(repos) / sizeof(repos[0]); i++) {
		struct lb_github g = {0};
		lb_autobuf struct lb_buf b = {0};
		const char *want = repos[i].want;

		if (lb_github_parse(&g, repos[i].text))
			lb_buf_printf(&b, "%s/%s %s %s %s", g.owner, g.repo,
				      g.ref ? g.ref : "-",
				      g.rest ? g.rest : "-",
				      g.folder ? g.folder : "-");
		lb_github_release(&g);
		tap_same(want ? want : "", lb_buf_str(&b), repos[i].text);
	}
}

static void check_refs(void)
{
#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	static const char refs[] = "001e# service=git-upload-pack\n0000"
				   "0037" A " HEAD\0caps\n"
				   "003a" A " refs/heads/m\n"
				   "003a" A " refs/tags/v1\n"
				   "003d" B " refs/tags/v1^{}\n"
				   "0000";
	size_t len = sizeof(refs) - 1;
	char commit[41] = "";

	tap_ok(lb_github_find(refs, len, NULL, commit) &&
		       strcmp(commit, A) == 0,
	       "the usual branch");
	tap_ok(lb_github_find(refs, len, "v1", commit) &&
		       strcmp(commit, B) == 0,
	       "what an annotated tag points at");
	tap_ok(lb_github_find(refs, len, "refs/heads/m", commit),
	       "a whole ref");
	tap_ok(!lb_github_find(refs, len, "v", commit), "no part of a name");
	tap_ok(!lb_github_find(refs, len, "heads/m", commit), "nor its end");
	for (size_t n = 0; n < len; n++)
		lb_github_find(refs, n, "none", commit);
	tap_ok(true, "and none is read beyond where it is cut");
}

static const struct {
	const char *name, *path; /* NULL: refused */
} paths[] = {
	{"a/b", "a/b"},   {"./a//b/.", "a/b"},
	{"a\\b", "a/b"},  {"..a/b..", "..a/b.."},
	{".", ""},        {"a/", "a"},
	{"", NULL},       {"/a", NULL},
	{"\\a", NULL},    {"..", NULL},
	{"a/../b", NULL}, {"a\\..\\..\\b", NULL},
	{"C:a", NULL},    {"c:/a", NULL},
	{"a\nb", NULL},   {"a\x7f", NULL},
	{"\xff", NULL},   {"a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q", NULL},
};

static void check_paths(void)
{
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct lb_error err;
		lb_autofree char *path =
			lb_pack_path(paths[i].name, strlen(paths[i].name),
				     &err);

		tap_same(paths[i].path ? paths[i].path : "refused",
			 path ? path : "refused",
			 strpbrk(paths[i].name, "\n\x7f\xff") ? "odd bytes"
							      : paths[i].name);
	}
}

#define ONE "1111111111111111111111111111111111111111111111111111111111111111"
#define TWO "2222222222222222222222222222222222222222222222222222222222222222"

static void check_changes(void)
{
	static const char before[] =
		"- " ONE "  a\n- " ONE "  b\n- " ONE "  c\n- " ONE "  d\n";
	static const char after[] =
		"- " ONE "  a\n- " TWO "  b\nx " ONE "  c\n- " ONE "  e\n";
	json_auto_t *changes = lb_skill_changes(before, after);
	json_auto_t *none = lb_skill_changes(after, after);
	json_auto_t *all = lb_skill_changes("", before);
	lb_autobuf struct lb_buf b = {0};

	lb_buf_json(&b, changes);
	tap_same("[{\"path\":\"b\",\"change\":\"changed\"},"
		 "{\"path\":\"c\",\"change\":\"mode\"},"
		 "{\"path\":\"d\",\"change\":\"removed\"},"
		 "{\"path\":\"e\",\"change\":\"added\"}]",
		 lb_buf_str(&b), "what differs");
	tap_ok(json_array_size(none) == 0, "nothing differs from itself");
	tap_ok(json_array_size(all) == 4, "all differs from nothing");
}

int main(void)
{
	check_files();
	check_names();
	check_repos();
	check_refs();
	check_paths();
	check_changes();
	return tap_end();
}
