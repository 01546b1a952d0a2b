/*
 * fuzz-yaml - any bytes: reading ends, leaks nothing and keeps its places
 * inside the text; an edit that succeeds can be read back.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "config/edit.h"
#include "config/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_places(const struct lb_yaml *node, size_t len)
{
	if (node->start > node->end || node->end > len ||
	    node->key_start > node->key_end || node->key_end > len)
		abort();
	for (size_t i = 0; i < node->n; i++)
		check_places(node->items[i], len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct lb_buf out = {0};
	struct lb_error err;
	struct lb_yaml *root = lb_yaml_open(text, size, "fuzz", &err);
	json_t *value;

	if (!root)
		return 0;
	check_places(root, size);
	value = lb_yaml_value(root);
	if (!value)
		abort();
	json_decref(value);
	lb_yaml_close(root);
	value = json_string("new");
	lb_edit_set(text, size, "llm.model", value, &out, &err);
	lb_edit_set(text, size, "a", value, &out, &err);
	lb_edit_unset(text, size, "a", &out, &err);
	lb_edit_unset(text, size, "a.b", &out, &err);
	json_decref(value);
	lb_buf_release(&out);
	return 0;
}
