/*
 * fuzz-schema - a schema and a value, apart by a newline: checking ends and
 * says why in one line; what is no schema is refused.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "llm/schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	lb_autofree char *text = lb_strndup((const char *)data, size);
	char *end = strchr(text, '\n');
	json_auto_t *schema = NULL, *value = NULL;
	struct lb_error err;

	if (end)
		*end = '\0';
	if (*text != '{' && *text != 's')
		return 0; /* 's...' is the short form; no file is opened */
	if (*text == 's' && strchr(text, '/'))
		return 0;
	schema = lb_schema_open(text, &err);
	if (!schema) {
		if (memchr(err.text, '\0', sizeof(err.text)) == err.text)
			abort(); /* no reason was given */
		return 0;
	}
	value = json_loads(end ? end + 1 : "{}",
			   JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
	if (value && lb_schema_check(schema, value, &err) < 0 && !*err.text)
		abort();
	return 0;
}
