/*
 * config/yaml.h - a bounded reader of YAML files.
 *
 * What it takes is the part of YAML that is JSON with comments: mappings with
 * text keys, lists and scalars. Anchors, aliases, tags, several documents and
 * a key twice are refused. Plain scalars are typed by the core schema of YAML
 * 1.2 (null, true, false, whole numbers, numbers); quoted ones are text.
 *
 * The tree of nodes keeps the place of everything, for messages and for
 * config/edit.h; lb_yaml_value() makes a JSON value of it.
 */
#ifndef LB_CONFIG_YAML_H
#define LB_CONFIG_YAML_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum {
	LB_YAML_MAX = 1 << 20, /* bytes of a file */
	LB_YAML_DEPTH = 32,    /* collections within each other */
	LB_YAML_NODES = 20000,
};

enum lb_yaml_kind { LB_YAML_SCALAR, LB_YAML_LIST, LB_YAML_MAP };

/* A value, and in a mapping its key. Offsets are bytes of the text. */
struct lb_yaml {
	enum lb_yaml_kind kind;
	bool flow;         /* a collection written [a, b] or {a: b} */
	bool plain;        /* a scalar without quotes or '|' */
	char *text;        /* of a scalar */
	size_t start, end; /* of a block collection: of its members */
	size_t line;       /* of the key, else of the value; from 1 */

	char *key;                 /* NULL when not in a mapping */
	size_t key_start, key_end; /* its quotes included */

	struct lb_yaml **items; /* of a collection */
	size_t n;
};

/*
 * Read text; `name` is what messages call it: "name:line: why", LB_DATA. An
 * empty text is an empty mapping with `start` and `end` at its end.
 */
struct lb_yaml *lb_yaml_open(const char *text, size_t len, const char *name,
			     struct lb_error *err);
void lb_yaml_close(struct lb_yaml *node);

/* The member of a mapping, borrowed, or NULL. */
struct lb_yaml *lb_yaml_member(const struct lb_yaml *map, const char *key,
			       size_t len);

/* The node as JSON, a new reference; NULL for a number JSON cannot hold. */
json_t *lb_yaml_value(const struct lb_yaml *node);

/* The same, but plain scalars stay the text that was written. */
json_t *lb_yaml_text(const struct lb_yaml *node);

/* A scalar without quotes as the core schema types it; NULL as above. */
json_t *lb_yaml_plain(const char *text);

/* A whole text, or a file of at most `max` bytes, as JSON. */
json_t *lb_yaml_parse(const char *text, size_t len, const char *name,
		      struct lb_error *err);
json_t *lb_yaml_load(const char *path, size_t max, struct lb_error *err);

#endif
