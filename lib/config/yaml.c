#include "config/yaml.h"

#include <string.h>
#include <yaml.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/utf8.h"

/* One reading: libyaml counts characters, we want bytes. */
struct reader {
	yaml_parser_t parser;
	const char *text, *name;
	size_t len, nodes, depth;
	size_t chars, bytes; /* a place in the text, both ways */
	struct lb_error *err;
};

static size_t byte_at(struct reader *r, size_t index)
{
	for (; r->chars > index; r->chars--)
		while (r->bytes > 0 && (r->text[--r->bytes] & 0xc0) == 0x80)
			;
	for (; r->chars < index && r->bytes < r->len; r->chars++) {
		size_t n = lb_utf8_char(r->text + r->bytes, r->len - r->bytes);

		r->bytes += n ? n : 1;
	}
	return r->bytes;
}

static int fail_at(struct reader *r, size_t line, const char *why)
{
	return lb_fail(r->err, LB_DATA, "%s:%zu: %s", r->name, line, why);
}

static int next_event(struct reader *r, yaml_event_t *event)
{
	const yaml_parser_t *p = &r->parser;
	const char *why;

	if (yaml_parser_parse(&r->parser, event))
		return 0;
	why = p->problem ? p->problem : "not YAML";
	if (p->error == YAML_READER_ERROR)
		return lb_fail(r->err, LB_DATA, "%s: %s at byte %zu", r->name,
			       why, p->problem_offset);
	return fail_at(r, p->problem_mark.line + 1, why);
}

void lb_yaml_close(struct lb_yaml *node)
{
	if (!node)
		return;
	for (size_t i = 0; i < node->n; i++)
		lb_yaml_close(node->items[i]);
	free(node->items);
	free(node->text);
	free(node->key);
	free(node);
}

static void close_node(struct lb_yaml **node)
{
	lb_yaml_close(*node);
}

#define autonode __attribute__((cleanup(close_node)))

struct lb_yaml *lb_yaml_member(const struct lb_yaml *map, const char *key,
			       size_t len)
{
	for (size_t i = 0; map->kind == LB_YAML_MAP && i < map->n; i++)
		if (strlen(map->items[i]->key) == len &&
		    memcmp(map->items[i]->key, key, len) == 0)
			return map->items[i];
	return NULL;
}

static void add_item(struct lb_yaml *node, struct lb_yaml *take)
{
	if ((node->n & (node->n - 1)) == 0)
		node->items =
			lb_grow(node->items, (node->n ? 2 * node->n : 1) *
						     sizeof(*node->items));
	node->items[node->n++] = take;
}

static struct lb_yaml *read_node(struct reader *r, yaml_event_t *event);

/* Take the text of a scalar event that must be valid and hold no NUL. */
static int take_text(struct reader *r, const yaml_event_t *event, char **text)
{
	const char *value = (const char *)event->data.scalar.value;
	size_t len = event->data.scalar.length;

	if (memchr(value, '\0', len))
		return fail_at(r, event->start_mark.line + 1,
			       "a text holds a NUL");
	if (!lb_utf8_valid(value, len))
		return fail_at(r, event->start_mark.line + 1,
			       "a text is not UTF-8");
	*text = lb_strndup(value, len);
	return 0;
}

static int read_member(struct reader *r, struct lb_yaml *map, json_t *seen,
		       const yaml_event_t *key)
{
	lb_autofree char *text = NULL;
	size_t line = key->start_mark.line + 1, start, end;
	struct lb_yaml *value;
	yaml_event_t event;

	if (key->type != YAML_SCALAR_EVENT)
		return fail_at(r, line, "a key is not a text");
	if (key->data.scalar.anchor || key->data.scalar.tag)
		return fail_at(r, line, "anchors and tags are not taken");
	if (take_text(r, key, &text) < 0)
		return -1;
	if (json_object_get(seen, text))
		return lb_fail(r->err, LB_DATA,
			       "%s:%zu: key '%s' is there twice", r->name, line,
			       text);
	json_object_set_new(seen, text, json_null());
	start = byte_at(r, key->start_mark.index);
	end = byte_at(r, key->end_mark.index);
	if (next_event(r, &event) < 0)
		return -1;
	value = read_node(r, &event);
	yaml_event_delete(&event);
	if (!value)
		return -1;
	value->key = lb_steal(&text);
	value->key_start = start;
	value->key_end = end;
	value->line = line;
	add_item(map, value);
	return 0;
}

/* libyaml ends a block collection where the next thing begins. */
static void close_span(struct reader *r, struct lb_yaml *node,
		       const yaml_event_t *event)
{
	node->end = byte_at(r, event->end_mark.index);
	if (!node->flow && node->n > 0)
		node->end = node->items[node->n - 1]->end;
}

static int read_items(struct reader *r, struct lb_yaml *node)
{
	json_auto_t *seen = json_object();
	yaml_event_t event;
	bool more = true;
	int done = 0;

	while (more && done == 0) {
		struct lb_yaml *item;

		if (next_event(r, &event) < 0)
			return -1;
		if (event.type == YAML_MAPPING_END_EVENT ||
		    event.type == YAML_SEQUENCE_END_EVENT) {
			close_span(r, node, &event);
			more = false;
		} else if (node->kind == LB_YAML_MAP) {
			done = read_member(r, node, seen, &event);
		} else if ((item = read_node(r, &event))) {
			add_item(node, item);
		} else {
			done = -1;
		}
		yaml_event_delete(&event);
	}
	return done;
}

static int read_collection(struct reader *r, struct lb_yaml *node, bool flow)
{
	int done;

	node->flow = flow;
	if (r->depth == LB_YAML_DEPTH)
		return fail_at(r, node->line, "nested too deep");
	r->depth++;
	done = read_items(r, node);
	r->depth--;
	return done;
}

static int read_scalar(struct reader *r, struct lb_yaml *node,
		       const yaml_event_t *event)
{
	json_t *value;

	node->end = byte_at(r, event->end_mark.index);
	node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	if (take_text(r, event, &node->text) < 0)
		return -1;
	value = lb_yaml_value(node);
	if (!value)
		return fail_at(r, node->line,
			       "a number is out of range; quote it to make it "
			       "a text");
	json_decref(value);
	return 0;
}

static bool is_marked(const yaml_event_t *e)
{
	if (e->type == YAML_SCALAR_EVENT)
		return e->data.scalar.anchor || e->data.scalar.tag;
	if (e->type == YAML_MAPPING_START_EVENT)
		return e->data.mapping_start.anchor ||
		       e->data.mapping_start.tag;
	if (e->type == YAML_SEQUENCE_START_EVENT)
		return e->data.sequence_start.anchor ||
		       e->data.sequence_start.tag;
	return true; /* an alias */
}

/* The value that begins with event; the event stays the caller's. */
static struct lb_yaml *read_node(struct reader *r, yaml_event_t *event)
{
	autonode struct lb_yaml *node = lb_alloc(sizeof(*node));
	int done;

	node->line = event->start_mark.line + 1;
	node->start = byte_at(r, event->start_mark.index);
	if (++r->nodes > LB_YAML_NODES) {
		fail_at(r, node->line, "too many values");
		return NULL;
	}
	if (is_marked(event)) {
		fail_at(r, node->line,
			"anchors, aliases and tags are not taken");
		return NULL;
	}
	if (event->type == YAML_SCALAR_EVENT) {
		done = read_scalar(r, node, event);
	} else if (event->type == YAML_MAPPING_START_EVENT) {
		node->kind = LB_YAML_MAP;
		done = read_collection(r, node,
				       event->data.mapping_start.style ==
					       YAML_FLOW_MAPPING_STYLE);
	} else {
		node->kind = LB_YAML_LIST;
		done = read_collection(r, node,
				       event->data.sequence_start.style ==
					       YAML_FLOW_SEQUENCE_STYLE);
	}
	return done < 0 ? NULL : lb_steal(&node);
}

static struct lb_yaml *empty_map(size_t at)
{
	struct lb_yaml *node = lb_alloc(sizeof(*node));

	node->kind = LB_YAML_MAP;
	node->line = 1;
	node->start = node->end = at;
	return node;
}

/* Events up to the first of a document, the document, and nothing more. */
static struct lb_yaml *read_stream(struct reader *r)
{
	autonode struct lb_yaml *root = NULL;
	yaml_event_t event;
	bool more = true;

	while (more) {
		size_t line;
		bool second;

		if (next_event(r, &event) < 0)
			return NULL;
		line = event.start_mark.line + 1;
		second = root && event.type == YAML_DOCUMENT_START_EVENT;
		more = event.type != YAML_STREAM_END_EVENT;
		if (more && event.type != YAML_STREAM_START_EVENT &&
		    event.type != YAML_DOCUMENT_START_EVENT &&
		    event.type != YAML_DOCUMENT_END_EVENT) {
			root = read_node(r, &event);
			more = root != NULL;
			if (!root)
				line = 0;
		}
		yaml_event_delete(&event);
		if (second)
			fail_at(r, line, "more than one document");
		if (second || line == 0)
			return NULL;
	}
	return root ? lb_steal(&root) : empty_map(r->len);
}

struct lb_yaml *lb_yaml_open(const char *text, size_t len, const char *name,
			     struct lb_error *err)
{
	struct reader r = {.text = text, .len = len, .name = name, .err = err};
	struct lb_yaml *root = NULL;

	if (len > LB_YAML_MAX) {
		lb_fail(err, LB_DATA, "%s: longer than %d bytes", name,
			LB_YAML_MAX);
		return NULL;
	}
	if (!yaml_parser_initialize(&r.parser)) {
		lb_fail(err, LB_OS, "%s: no memory for it", name);
		return NULL;
	}
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text,
				     len);
	root = read_stream(&r);
	yaml_parser_delete(&r.parser);
	return root;
}

json_t *lb_yaml_parse(const char *text, size_t len, const char *name,
		      struct lb_error *err)
{
	autonode struct lb_yaml *root = lb_yaml_open(text, len, name, err);

	return root ? lb_yaml_value(root) : NULL;
}

json_t *lb_yaml_load(const char *path, size_t max, struct lb_error *err)
{
	lb_autofree char *text = NULL;
	size_t len;

	if (lb_path_read(path, max, &text, &len, err) < 0)
		return NULL;
	return lb_yaml_parse(text, len, path, err);
}
