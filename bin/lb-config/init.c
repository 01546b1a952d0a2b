/* lb-config init - a file in which every key is explained and none is set. */
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "config/keys.h"
#include "fs/atomic.h"
#include "verbs.h"

static const char head[] =
	"## The configuration of the lb programs; lb-config(5) explains it.\n"
	"## Every line is a comment, so this file changes nothing yet. To set\n"
	"## a key, take the first '#' away from its line and from the lines "
	"of\n"
	"## the mappings it is in, and write your value.\n";

/* The name that stands for '*' in the file. */
static const char *example(const char *path)
{
	if (strncmp(path, "bots.", 5) == 0)
		return "support";
	if (strncmp(path, "notices.", 8) == 0)
		return "en_US";
	if (strcmp(path, "command.hooks.*") == 0)
		return "weather";
	if (strcmp(path, "command.privilege.*") == 0)
		return "stop";
	if (strncmp(path, "webhooks.", 9) == 0)
		return "crm";
	return strncmp(path, "providers.", 10) == 0 ? "local" : "default";
}

/* The last name of a path, or what stands for it. */
static const char *leaf(const char *path, const char *at)
{
	if (*at != '*')
		return at;
	return strcmp(path, "notices.*.*") == 0 ? "rate-limited"
						: example(path);
}

/* A default, or what is needed to make the mapping mean something. */
static const char *example_value(const struct lb_key *key)
{
	if (strcmp(key->path, "providers.*.base-url") == 0)
		return "http://127.0.0.1:8080/v1";
	if (strcmp(key->path, "webhooks.*.url") == 0)
		return "https://crm.example.com/hooks/chat";
	return key->initial;
}

/* How many segments at the beginning a and b share. */
static size_t shared(const char *a, const char *b)
{
	size_t n = 0;

	for (size_t i = 0; a[i] && a[i] == b[i]; i++)
		if (a[i] == '.')
			n++;
	return n;
}

/* A key's lines: the mappings it is in, what it means, its default. */
static void put_key(struct lb_buf *out, const struct lb_key *key,
		    const char *before)
{
	size_t same = shared(key->path, before), depth = 0, n;
	const char *at = key->path, *value = example_value(key);

	for (; at[n = strcspn(at, ".")]; at += n + 1, depth++) {
		if (depth < same)
			continue;
		lb_buf_puts(out, depth == 0 ? "\n#" : "#");
		lb_buf_printf(out, "%*s%.*s:\n", (int)depth * 2, "",
			      *at == '*' ? (int)strlen(example(key->path))
					 : (int)n,
			      *at == '*' ? example(key->path) : at);
	}
	lb_buf_printf(out, "#%*s# %s;\n#%*s# ", (int)depth * 2, "", key->doc,
		      (int)depth * 2, "");
	lb_key_says(key, out);
	lb_buf_printf(out, "\n#%*s%s:%s%s\n", (int)depth * 2, "",
		      leaf(key->path, at), value ? " " : "",
		      value ? value : "");
}

int verb_init(int argc, char **argv)
{
	lb_autofree char *found = NULL, *file = NULL, *folder = NULL;
	lb_autobuf struct lb_buf out = {0};
	const char *before = "", *slash;
	struct lb_error err;

	(void)argc;
	(void)argv;
	found = lb_config_find(&file);
	if (!file) {
		lb_fail(&err, LB_CONFIG,
			"none of LB_CONFIG, XDG_CONFIG_HOME and HOME is set");
		return lb_report(&err);
	}
	lb_buf_puts(&out, head);
	for (const struct lb_key *k = lb_keys; k->path; k++) {
		put_key(&out, k, before);
		before = k->path;
	}
	slash = strrchr(file, '/');
	folder = slash && slash > file
			 ? lb_strndup(file, (size_t)(slash - file))
			 : lb_strdup("/");
	if ((slash && lb_path_make(folder, &err) < 0) ||
	    lb_atomic_create(file, lb_buf_str(&out), out.len, &err) < 0)
		return lb_report(&err);
	printf("%s\n", file);
	return LB_OK;
}
