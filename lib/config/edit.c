#include "config/edit.h"

#include <stdint.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "config/render.h"
#include "config/yaml.h"

/* A text, what it says, and how its writer writes. */
struct page {
	const char *text, *eol;
	size_t len, step; /* columns a level is further in */
	struct lb_yaml *root;
};

/* How far into the tree a path leads, and what is left of it. */
struct spot {
	const struct lb_yaml *node, *parent; /* parent NULL for the root */
	const char *rest;
};

static size_t line_start(const struct page *p, size_t at)
{
	while (at > 0 && p->text[at - 1] != '\n')
		at--;
	return at;
}

/* Where the next line begins; `at` itself when it begins one. */
static size_t next_line(const struct page *p, size_t at)
{
	while (at < p->len && (at == 0 || p->text[at - 1] != '\n'))
		at++;
	return at;
}

static size_t column(const struct page *p, const struct lb_yaml *member)
{
	size_t from = line_start(p, member->key_start);

	if (from == 0 && p->len > 3 && memcmp(p->text, "\xef\xbb\xbf", 3) == 0)
		from = 3; /* a byte order mark takes no column */
	return member->key_start - from;
}

static size_t find_step(const struct page *p)
{
	for (size_t i = 0; i < p->root->n; i++) {
		const struct lb_yaml *top = p->root->items[i];

		if (p->root->kind == LB_YAML_MAP && top->kind == LB_YAML_MAP &&
		    !top->flow && top->n > 0 &&
		    column(p, top->items[0]) > column(p, top))
			return column(p, top->items[0]) - column(p, top);
	}
	return 2;
}

static int open_page(struct page *p, const char *text, size_t len,
		     struct lb_error *err)
{
	const char *nl = len > 0 ? memchr(text, '\n', len) : NULL;

	*p = (struct page){.text = text, .len = len};
	p->root = lb_yaml_open(text, len, "line", err);
	if (!p->root)
		return -1;
	p->eol = nl && nl > text && nl[-1] == '\r' ? "\r\n" : "\n";
	p->step = find_step(p);
	return 0;
}

static void close_page(struct page *p)
{
	lb_yaml_close(p->root);
}

#define autopage __attribute__((cleanup(close_page)))

static struct spot find(const struct page *p, const char *path)
{
	struct spot s = {p->root, NULL, path};
	const struct lb_yaml *next;

	while (*s.rest) {
		size_t n = strcspn(s.rest, ".");

		next = lb_yaml_member(s.node, s.rest, n);
		if (!next)
			break;
		s.parent = s.node;
		s.node = next;
		s.rest += n + (s.rest[n] == '.');
	}
	return s;
}

/* What the page says, a page of nothing being {}. */
static json_t *meaning(const struct page *p)
{
	json_t *value = lb_yaml_value(p->root);

	if (json_is_object(value))
		return value;
	if (!json_is_null(value)) {
		json_decref(value);
		return NULL;
	}
	return json_object();
}

/* Does the new text say `want`, and nothing else? */
static int verify(const struct lb_buf *out, const json_t *want,
		  struct lb_error *err)
{
	struct lb_error why;
	autopage struct page p = {0};
	json_auto_t *got = NULL;

	if (open_page(&p, lb_buf_str(out), out->len, &why) == 0)
		got = meaning(&p);
	if (got && json_equal(got, want))
		return 0;
	return lb_fail(err, LB_CONFIG,
		       "the file is written in a way that cannot be changed "
		       "safely; edit it by hand");
}

static bool is_nothing(const struct lb_yaml *node)
{
	json_auto_t *value = NULL;

	if (node->kind == LB_YAML_MAP)
		return node->n == 0;
	if (node->kind == LB_YAML_LIST || !node->plain)
		return false;
	value = lb_yaml_value(node);
	return json_is_null(value);
}

/* The byte after the ':' of a member; 0 when it is not where we look. */
static size_t after_colon(const struct page *p, const struct lb_yaml *member)
{
	size_t at = member->key_end;

	while (at < p->len && (p->text[at] == ' ' || p->text[at] == '\t'))
		at++;
	return at < p->len && p->text[at] == ':' ? at + 1 : 0;
}

/* Copy `from` to `to` of the text. */
static void keep(struct lb_buf *out, const struct page *p, size_t from,
		 size_t to)
{
	if (to > from)
		lb_buf_put(out, p->text + from, to - from);
}

/* The member "rest: value" on lines of its own, put in at `at`. */
static void put_lines(struct lb_buf *out, const struct page *p, size_t at,
		      size_t indent, const json_t *members)
{
	const char *key;
	json_t *value;

	if (out->len > 0 && out->data[out->len - 1] != '\n')
		lb_buf_puts(out, p->eol);
	json_object_foreach((json_t *)(uintptr_t)members, key, value)
	{
		lb_render_member(out, key, value, indent, p->step, p->eol);
	}
	keep(out, p, at, p->len);
}

/* Members for something that has none yet: "key:", "key: {}", no text. */
static void fill(struct lb_buf *out, const struct page *p, const struct spot *s,
		 const json_t *members)
{
	size_t start = s->node->start, end = s->node->end, next;

	if (s->parent && s->parent->flow) {
		keep(out, p, 0, start);
		lb_buf_puts(out, start == end ? " " : "");
		lb_render_flow(out, members);
		keep(out, p, end, p->len);
		return;
	}
	next = s->parent ? next_line(p, end) : p->len;
	while (end > start && start > 0 && p->text[start - 1] == ' ')
		start--;
	keep(out, p, 0, start);
	keep(out, p, end, next);
	put_lines(out, p, next, s->parent ? column(p, s->node) + p->step : 0,
		  members);
}

static int insert(struct lb_buf *out, const struct page *p,
		  const struct spot *s, const json_t *members,
		  struct lb_error *err)
{
	const struct lb_yaml *last;
	lb_autobuf struct lb_buf flow = {0};
	size_t at;

	if (is_nothing(s->node)) {
		fill(out, p, s, members);
		return 0;
	}
	if (s->node->kind != LB_YAML_MAP)
		return lb_fail(err, LB_CONFIG, "line %zu is not a mapping",
			       s->node->line);
	last = s->node->items[s->node->n - 1];
	if (!s->node->flow) {
		at = next_line(p, last->end);
		keep(out, p, 0, at);
		put_lines(out, p, at, column(p, s->node->items[0]), members);
		return 0;
	}
	lb_render_flow(&flow, members); /* {key: value} */
	keep(out, p, 0, last->end);
	lb_buf_puts(out, ", ");
	lb_buf_put(out, flow.data + 1, flow.len - 2);
	keep(out, p, last->end, p->len);
	return 0;
}

static int replace(struct lb_buf *out, const struct page *p,
		   const struct lb_yaml *node, const json_t *value,
		   struct lb_error *err)
{
	size_t start = node->start, end = node->end, colon;

	if (node->kind != LB_YAML_SCALAR && !node->flow) {
		colon = after_colon(p, node);
		start = line_start(p, start);
		if (!colon || start < colon)
			return lb_fail(err, LB_CONFIG,
				       "line %zu cannot be changed safely; "
				       "edit it by hand",
				       node->line);
		keep(out, p, 0, colon);
		lb_buf_putc(out, ' ');
		lb_render_flow(out, value);
		keep(out, p, colon, start);
		keep(out, p, next_line(p, end), p->len);
		return 0;
	}
	/* a block scalar takes the ends of its lines with it */
	while (end > start && strchr(" \t\r\n", p->text[end - 1]))
		end--;
	keep(out, p, 0, start);
	lb_buf_puts(out, start == end ? " " : "");
	lb_render_flow(out, value);
	keep(out, p, end, p->len);
	return 0;
}

int lb_edit_set(const char *text, size_t len, const char *path,
		const json_t *value, struct lb_buf *out, struct lb_error *err)
{
	autopage struct page p = {0};
	json_auto_t *want = NULL, *members = json_object();
	struct spot s;
	int done;

	if (open_page(&p, text, len, err) < 0)
		return -1;
	want = meaning(&p);
	if (!want)
		return lb_fail(err, LB_CONFIG, "the file is not a mapping");
	lb_json_put(want, path, json_deep_copy(value));
	s = find(&p, path);
	lb_buf_reset(out);
	if (*s.rest) {
		lb_json_put(members, s.rest, json_deep_copy(value));
		done = insert(out, &p, &s, members, err);
	} else {
		done = replace(out, &p, s.node, value, err);
	}
	return done < 0 ? -1 : verify(out, want, err);
}

/* A member of {a: 1, b: 2} goes with one of its commas. */
static void cut_flow(struct lb_buf *out, const struct page *p,
		     const struct spot *s)
{
	const struct lb_yaml *const *items =
		(const struct lb_yaml *const *)s->parent->items;
	size_t n = s->parent->n, i = 0;
	size_t from = s->node->key_start, to = s->node->end;

	while (items[i] != s->node)
		i++;
	if (i + 1 < n)
		to = items[i + 1]->key_start;
	else if (i > 0)
		from = items[i - 1]->end;
	keep(out, p, 0, from);
	keep(out, p, to, p->len);
}

static void cut_lines(struct lb_buf *out, const struct page *p,
		      const struct spot *s)
{
	size_t from = line_start(p, s->node->key_start);
	size_t to = next_line(p, s->node->end), colon = 0;

	if (s->parent->n == 1 && s->parent != p->root)
		colon = after_colon(p, s->parent);
	keep(out, p, 0, colon);
	lb_buf_puts(out, colon ? " {}" : "");
	keep(out, p, colon, from);
	keep(out, p, to, p->len);
}

/* Take the member at a path out of the value. */
static void forget(json_t *value, const char *path)
{
	lb_autofree char *up = lb_strdup(path);
	char *dot = strrchr(up, '.');

	if (dot) {
		*dot = '\0';
		json_object_del(lb_json_path(value, up), dot + 1);
	} else {
		json_object_del(value, path);
	}
}

int lb_edit_unset(const char *text, size_t len, const char *path,
		  struct lb_buf *out, struct lb_error *err)
{
	autopage struct page p = {0};
	json_auto_t *want = NULL;
	struct spot s;

	if (open_page(&p, text, len, err) < 0)
		return -1;
	want = meaning(&p);
	if (!want)
		return lb_fail(err, LB_CONFIG, "the file is not a mapping");
	s = find(&p, path);
	lb_buf_reset(out);
	if (*s.rest || !s.parent) {
		keep(out, &p, 0, p.len);
		return 0;
	}
	forget(want, path);
	if (s.parent->flow)
		cut_flow(out, &p, &s);
	else
		cut_lines(out, &p, &s);
	return verify(out, want, err) < 0 ? -1 : 1;
}
