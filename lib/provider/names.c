#include "provider/names.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "provider/parameters.h"

/* Bounds of what a provider lists. */
enum {
	MAX_TOOLS = 512,
	MAX_OWN = 256,              /* bytes of a name */
	MAX_DESCRIPTION = 8 * 1024, /* bytes; the rest is cut */
	MAX_PROMPT = 128 * 1024,    /* the same */
	MAX_PARAMETERS = 64 * 1024, /* bytes of a schema */
	MAX_DEPTH = 64,             /* of it */
	MAX_TOLD = 2000,
	DIGEST = 9, /* '_' and eight digits */
};

static bool is_clean(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '-';
}

bool lb_tool_name_is_clean(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < len; i++)
		if (!is_clean(name[i]))
			return false;
	return len > 0 && len <= LB_TOOL_NAME_MAX;
}

/* FNV-1a: names that differ only where they were cut stay apart. */
static uint32_t digest_of(const char *text, size_t len)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)text[i]) * 16777619u;
	return h;
}

/* `apart`: it ends in a digest, however long it is. */
static void put_name(struct lb_buf *out, const char *provider, const char *name,
		     bool apart)
{
	lb_autobuf struct lb_buf whole = {0};
	uint32_t digest;
	size_t len;

	if (provider)
		lb_buf_printf(&whole, "%s__", provider);
	lb_buf_puts(&whole, name);
	digest = digest_of(whole.data, whole.len);
	for (size_t i = 0; i < whole.len; i++)
		if (!is_clean(whole.data[i]))
			whole.data[i] = '_';
	if (whole.len <= LB_TOOL_NAME_MAX && !apart) {
		lb_buf_put(out, whole.data, whole.len);
		return;
	}
	len = LB_TOOL_NAME_MAX - DIGEST;
	lb_buf_put(out, whole.data, whole.len < len ? whole.len : len);
	lb_buf_printf(out, "_%08x", (unsigned)digest);
}

void lb_tool_name(struct lb_buf *out, const char *provider, const char *name)
{
	put_name(out, provider, name, false);
}

/* Why it is no tool, or NULL. */
static const char *fault_of(const json_t *tool)
{
	const char *name = lb_json_str(tool, "name");
	const json_t *parameters = json_object_get(tool, "parameters");
	const json_t *type = json_object_get(parameters, "type");

	if (!name || !*name)
		return "it has no name";
	if (strlen(name) > MAX_OWN)
		return "its name is too long";
	if (parameters && !json_is_null(parameters) &&
	    !json_is_object(parameters))
		return "its parameters are no object";
	if (lb_json_is_deep(parameters, MAX_DEPTH))
		return "its parameters are nested too deep";
	/* no model API takes it, nor a request that has it */
	if (type &&
	    strcmp(json_string_value(type) ? json_string_value(type) : "",
		   "object") != 0)
		return "its parameters are not of type object";
	if (json_dumpb(parameters, NULL, 0, JSON_COMPACT) > MAX_PARAMETERS)
		return "its parameters are too long";
	return NULL;
}

/* A text of it, cut; new. */
static json_t *text_of(const json_t *tool, const char *key, size_t max)
{
	const json_t *value = json_object_get(tool, key);
	const char *text = json_string_value(value);
	size_t len = json_string_length(value);

	if (!text)
		return lb_json_text("", 0);
	return lb_json_text(text,
			    len > max ? lb_utf8_cut(text, len, max) : len);
}

static json_t *read_tool(const json_t *tool, const char *provider)
{
	const char *own = lb_json_str(tool, "name");
	lb_autobuf struct lb_buf name = {0};
	json_t *spec, *entry;

	lb_tool_name(&name, provider, own);
	spec = lb_json_pack("{s:s, s:{s:s, s:o, s:o}}", "type", "function",
			    "function", "name", lb_buf_str(&name),
			    "description",
			    text_of(tool, "description", MAX_DESCRIPTION),
			    "parameters",
			    lb_tool_parameters(
				    json_object_get(tool, "parameters")));
	entry = lb_json_pack("{s:s, s:s, s:o}", "own", own, "name",
			     lb_buf_str(&name), "spec", spec);
	if (json_is_string(json_object_get(tool, "prompt")))
		json_object_set_new(entry, "prompt",
				    text_of(tool, "prompt", MAX_PROMPT));
	return entry;
}

static void tell(struct lb_buf *told, const json_t *tool, const char *fault)
{
	const char *name = lb_json_str(tool, "name");

	if (told->len < MAX_TOLD)
		lb_buf_printf(told, "%stool '%.60s' is left out: %s",
			      told->len ? "; " : "", name ? name : "", fault);
}

/* One whose name had to be changed for it to be clean gets a digest. */
static void set_apart(json_t *entry, const char *provider)
{
	const char *own = lb_json_str(entry, "own");
	json_t *function =
		json_object_get(json_object_get(entry, "spec"), "function");
	lb_autofree char *whole = lb_printf("%s%s%s", provider ? provider : "",
					    provider ? "__" : "", own);
	lb_autobuf struct lb_buf name = {0};

	if (strcmp(whole, lb_json_str(entry, "name")) == 0)
		return;
	put_name(&name, provider, own, true);
	lb_json_set_str(entry, "name", name.data, name.len);
	lb_json_set_str(function, "name", name.data, name.len);
}

/* "a.b" and "a_b" are two tools, and so are two names of three ideographs. */
static void keep_apart(json_t *entries, const char *provider)
{
	struct lb_map names = {0}, shared = {0};
	json_t *entry;
	size_t i;

	json_array_foreach(entries, i, entry)
	{
		const char *name = lb_json_str(entry, "name");

		if (!lb_map_find(&names, name))
			lb_map_add(&names, name, entry);
		else if (!lb_map_find(&shared, name))
			lb_map_add(&shared, name, entry);
	}
	json_array_foreach(entries, i, entry)
	{
		if (lb_map_find(&shared, lb_json_str(entry, "name")))
			set_apart(entry, provider);
	}
	lb_map_release(&names, NULL);
	lb_map_release(&shared, NULL);
}

json_t *lb_tools_read(const json_t *tools, const char *provider,
		      struct lb_buf *told)
{
	json_t *out = json_array();
	const json_t *tool;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)tools, i, tool)
	{
		const char *fault =
			i >= MAX_TOOLS ? "there are too many" : fault_of(tool);

		if (fault)
			tell(told, tool, fault);
		else
			json_array_append_new(out, read_tool(tool, provider));
	}
	keep_apart(out, provider);
	return out;
}
