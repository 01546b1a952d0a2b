#include "config/notice.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "config/load.h"
#include "config/yaml.h"

enum { MAX_FILE = 256 * 1024, MAX_VALUES = 8 };

static const char fallback[] = "en_US";

/* Put the texts of a file over those; false when there is no such file. */
static bool read_texts(json_t *texts, const char *path)
{
	struct lb_error err;
	json_auto_t *more = NULL;

	if (access(path, F_OK) < 0)
		return false;
	more = lb_yaml_load(path, MAX_FILE, &err);
	if (!more)
		lb_warn("%s", err.text);
	else if (!json_is_object(more))
		lb_warn("'%s' is not a mapping of texts", path);
	else
		json_object_update(texts, more);
	return true;
}

/* The texts of a language, {} when there are none; read once. */
static const json_t *texts_of(struct lb_config *config, const char *language)
{
	json_t *texts = json_object_get(config->texts, language);
	lb_autofree char *name = NULL, *ours = NULL, *beside = NULL;
	bool any = false;

	if (texts)
		return texts;
	texts = json_object();
	name = lb_printf("lang/%s.yaml", language);
	ours = lb_config_share(name);
	beside = lb_config_beside(config, name);
	/* the name is the operator's, and stays in the folder */
	if (!strchr(language, '/')) {
		any = read_texts(texts, ours);
		if (config->file)
			any |= read_texts(texts, beside);
	}
	if (!any &&
	    !json_object_get(lb_config_section(config, "notices"), language))
		lb_warn("there are no texts in '%s', so they are in English",
			language);
	json_object_set_new(config->texts, language, texts);
	return texts;
}

/* What the operator wrote, else what came with the program. */
static const char *find(struct lb_config *config, const char *language,
			const char *key)
{
	const json_t *own =
		json_object_get(json_object_get(lb_config_section(config,
								  "notices"),
						language),
				key);

	if (json_is_string(own))
		return json_string_value(own);
	return lb_json_str(texts_of(config, language), key);
}

const char *lb_notice(struct lb_config *config, const char *key)
{
	const char *language = lb_config_str(config, "system.language");
	const char *text = find(config, language ? language : fallback, key);

	if (!text)
		text = find(config, fallback, key);
	return text ? text : key;
}

struct value {
	const char *name, *text;
};

static const char *value_of(const struct value *values, const char *name,
			    size_t len)
{
	for (; values->name; values++)
		if (strlen(values->name) == len &&
		    strncmp(values->name, name, len) == 0)
			return values->text;
	return NULL;
}

void lb_notice_put(struct lb_buf *out, struct lb_config *config,
		   const char *key, ...)
{
	struct value values[MAX_VALUES + 1] = {{NULL, NULL}};
	const char *p = lb_notice(config, key), *name;
	va_list args;
	int n = 0;

	va_start(args, key);
	while (n < MAX_VALUES && (name = va_arg(args, const char *))) {
		values[n].name = name;
		values[n++].text = va_arg(args, const char *);
	}
	va_end(args);
	while (*p) {
		size_t plain = strcspn(p, "{");
		size_t len = p[plain] ? strcspn(p + plain + 1, "{}") : 0;
		const char *text =
			p[plain] && p[plain + 1 + len] == '}'
				? value_of(values, p + plain + 1, len)
				: NULL;

		lb_buf_put(out, p, plain);
		p += plain;
		if (text) {
			lb_buf_puts(out, text);
			p += len + 2;
		} else if (*p) {
			lb_buf_putc(out, *p++);
		}
	}
}
