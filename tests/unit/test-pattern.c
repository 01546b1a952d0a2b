/* test-pattern - which paths a pattern of glob matches. TAP. */
#include "base/mem.h"
#include "tap.h"
#include "tool/pattern.h"

static const struct {
	const char *pattern, *path;
	bool match;
} rows[] = {
	/* without a slash: the last name, at any depth */
	{"*.c", "a.c", true},
	{"*.c", "x/y/a.c", true},
	{"*.c", "a.c/x", false},
	{"*.c", "a.cc", false},
	{"a", "a", true},
	{"a", "x/a", true},
	{"a", "x/ab", false},
	{"*", "x/.hidden", true},
	{"./*.c", "x/a.c", false},
	{"./*.c", "a.c", true},
	/* with one: the whole path */
	{"src/*.c", "src/a.c", true},
	{"src/*.c", "src/x/a.c", false},
	{"src/*.c", "x/src/a.c", false},
	{"/a.c", "a.c", true},
	{"/a.c", "x/a.c", false},
	{"*/a", "x/a", true},
	{"*/a", "x/y/a", false},
	/* characters, not bytes of them */
	{"*???",
	 "\xe7\x8e\x8b"
	 "a",
	 false},
	{"*??",
	 "\xe7\x8e\x8b"
	 "a",
	 true},
	{"*?a",
	 "\x80\x80"
	 "a",
	 true},
	/* any number of folders */
	{"**/a.c", "a.c", true},
	{"**/a.c", "x/y/a.c", true},
	{"src/**/a.ts", "src/a.ts", true},
	{"src/**/a.ts", "src/x/a.ts", true},
	{"src/**/a.ts", "src/x/y/z/a.ts", true},
	{"src/**/a.ts", "x/src/y/a.ts", false},
	{"src/**/*.ts", "src/x/y/b.ts", true},
	{"a/**", "a/b", true},
	{"a/**", "a/b/c/d", true},
	{"a/**", "a", false},
	{"a/**", "b/a/c", false},
	{"**", "x/y", true},
	{"**/", "x", true}, /* a folder, in this table */
	{"**/**/a", "x/a", true},
	{"**/x/**", "x/a", true},
	{"**/x/**", "b/x/y/a", true},
	{"**/x/**", "b/x", false},
	{"a/**/b/**/c", "a/b/c", true},
	{"a/**/b/**/c", "a/1/b/2/3/c", true},
	{"a/**/b/**/c", "a/b/b/b", false},
	{"a/**/b/c", "a/b/x/b/c", true},
	{"a**b", "axxb", true},
	{"x/a**b", "x/a/b", false},
	/* characters */
	{"?", "a", true},
	{"?", "\xc3\xa9", true},
	{"?", "", false},
	{"??", "a", false},
	{"x/a?b", "x/a/b", false},
	{"[abc]", "b", true},
	{"[!abc]", "b", false},
	{"[^abc]", "d", true},
	{"[a-c]x", "bx", true},
	{"[a-c]x", "dx", false},
	{"[]x]", "]", true},
	{"[]x]", "x", true},
	{"[a-]", "-", true},
	{"[\xc3\xa0-\xc3\xaf]", "\xc3\xa9", true},
	{"[\xc3\xa0-\xc3\xaf]", "z", false},
	{"x/[!a]b", "x//b", false},
	{"\\*", "*", true},
	{"\\*", "a", false},
	{"[\\]]", "]", true},
	{"a\\", "a\\", true},
	/* stars take as much as they must */
	{"*a*b", "xaxbxb", true},
	{"a*b*c", "abcbc", true},
	{"*aaa", "aaaaaa", true},
	{"a*", "a", true},
	{"**a", "ba", true},
	/* braces */
	{"*.{c,h}", "x/a.h", true},
	{"*.{c,h}", "a.o", false},
	{"{src,lib}/**/*.c", "lib/x/a.c", true},
	{"{src,lib}/**/*.c", "bin/a.c", false},
	{"{a,b{c,d}}", "bd", true},
	{"{a,b{c,d}}", "b", false},
	{"a{,b}", "a", true},
	{"a{,b}", "ab", true},
	{"\\{a\\}", "{a}", true},
	{"{a,x/b}", "y/a", true},
	{"{a,x/b}", "y/x/b", false},
	/* bytes that are no character */
	{"*\xff", "a\xff", true},
	{"a?", "a\xff", true},
};

static const char *const bad[] = {
	"",
	"/",
	"[a",
	"x/[a",
	"{a",
	"a{b",
	"{a,{b}",
	"{,}{,}{,}{,}{,}{,}{,}",
	"{}{}{}{}{}{}{}{}{}",
};

/* Folders that need not be looked into, and those that do. */
static const struct {
	const char *pattern, *folder;
	bool reaches;
} ways[] = {
	{"*.c", "x/y", true},          {"src/*.c", "src", true},
	{"src/*.c", "lib", false},     {"src/*.c", "src/x", false},
	{"src/**/*.c", "src/x", true}, {"src/a/*.c", "src/b", false},
	{"**/x", "y", true},           {"{a,b}/c", "b", true},
	{"a/**", "a/b/c", true},       {"*/b/c", "x/b", true},
};

static void check(size_t i)
{
	struct lb_error err = {.text = ""};
	struct lb_path_pattern *p = lb_path_pattern_open(rows[i].pattern, &err);
	lb_autofree char *what =
		lb_printf("%s %s %s", rows[i].pattern,
			  rows[i].match ? "matches" : "does not match",
			  rows[i].path);

	tap_ok(p && lb_path_pattern_match(p, rows[i].path, strlen(rows[i].path),
					  true) == rows[i].match,
	       what);
	lb_path_pattern_close(p);
}

/* A pattern that would take for ever if stars were tried in all ways. */
static void check_time(void)
{
	struct lb_error err;
	struct lb_path_pattern *p = lb_path_pattern_open(
		"**/*a*a*a*a*a*a*a*a*a*a*a*a*a*b/**/**/x/**/x/**/x/**/y", &err);
	char path[4096] = "";

	for (size_t i = 0; i + 2 < sizeof(path); i += 2)
		memcpy(path + i, i % 64 == 0 ? "/x" : "aa", 2);
	tap_ok(!lb_path_pattern_match(p, path + 1, strlen(path + 1), false),
	       "many stars over a long path");
	lb_path_pattern_close(p);
}

int main(void)
{
	struct lb_error err;
	char longer[LB_PATTERN_MAX + 2];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check(i);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct lb_path_pattern *p = lb_path_pattern_open(bad[i], &err);

		tap_ok(!p && err.code == LB_USAGE, bad[i]);
		lb_path_pattern_close(p);
	}
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct lb_path_pattern *p =
			lb_path_pattern_open(ways[i].pattern, &err);

		tap_ok(lb_path_pattern_reaches(p, ways[i].folder,
					       strlen(ways[i].folder)) ==
			       ways[i].reaches,
		       ways[i].folder);
		lb_path_pattern_close(p);
	}
	struct lb_path_pattern *folders = lb_path_pattern_open("a/", &err);

	tap_ok(lb_path_pattern_match(folders, "x/a", 3, true) &&
		       !lb_path_pattern_match(folders, "x/a", 3, false),
	       "a slash at the end: folders alone");
	lb_path_pattern_close(folders);
	memset(longer, 'a', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	tap_ok(!lb_path_pattern_open(longer, &err), "one that is too long");
	check_time();
	return tap_end();
}
