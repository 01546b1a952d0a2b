/* providers.c - who is asked for answers, and the models they have. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "config/config.h"
#include "config/keys.h"
#include "langbot/items.h"
#include "langbot/requester.h"

static bool ends_in(const char *url, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len > n && strncmp(url + len - n, end, n) == 0;
}

/* Without slashes at its end; Ollama has two roots, and one is meant here. */
static char *endpoint(const struct lb_requester *r, const char *url)
{
	size_t len = strlen(url);

	while (len > 0 && url[len - 1] == '/')
		len--;
	if (strcmp(r->name, "ollama-chat") == 0 && ends_in(url, len, "/v1"))
		len -= 3;
	return lb_strndup(url, len);
}

/* One at its usual address is the preset, which may know a better one. */
static void put_preset(json_t *out, struct lb_item_report *item,
		       const struct lb_requester *r, const char *url)
{
	lb_json_set_str(out, "preset", r->preset, strlen(r->preset));
	if (strcmp(url, r->base_url) != 0)
		lb_item_note(item, "is asked at %s, not at %s", r->base_url,
			     url);
}

static void put_url(json_t *out, struct lb_item_report *item,
		    const struct lb_requester *r, const char *own)
{
	lb_autofree char *full = endpoint(r, own && *own ? own : r->usual_url);
	const char *host;

	if (!lb_config_is_url(full)) {
		lb_item_refuse(item, "it has no URL that can be asked");
		return;
	}
	host = strstr(full, "://") + 3;
	if (memchr(host, '@', strcspn(host, "/?#"))) {
		lb_item_refuse(item, "its URL holds a user's name");
		return;
	}
	if (strcmp(full, r->usual_url) == 0 || strcmp(full, r->base_url) == 0) {
		put_preset(out, item, r, full);
		return;
	}
	/* what is asked there, and none of the preset's keys: it has others */
	lb_json_set_str(out, "preset", r->preset, strlen(r->preset));
	lb_json_set_str(out, "base-url", full, strlen(full));
}

static void put_keys(json_t *out, struct lb_item_report *item,
		     const json_t *keys)
{
	json_t *list = json_array();
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)keys, i, one)
	{
		json_t *key = lb_langbot_secret(one);

		if (key && *json_string_value(key))
			json_array_append_new(list, lb_steal(&key));
		else if (json_string_length(one) > 0)
			lb_item_note(item,
				     "key %zu would not be read as a key "
				     "here",
				     i + 1);
		json_decref(key);
	}
	if (json_array_size(list) > 0)
		json_object_set_new(out, "api-keys", lb_steal(&list));
	json_decref(list);
}

static void refuse_unspoken(struct lb_item_report *item,
			    const struct lb_requester *r)
{
	const struct lb_key *key = lb_key_find("providers.x.protocol");

	if (!r->name)
		lb_item_refuse(item, "its requester is not known");
	else if (r->not_offered)
		lb_item_refuse(item, "it is %s", r->not_offered);
	else if (r->protocol &&
		 (!key || !lb_key_has_word(key->values, r->protocol)))
		lb_item_refuse(item, "%s is not in this version", r->protocol);
}

/* A provider from its parts; "uuid" of `row` is what models call it. */
static void take_provider(struct lb_langbot *in, const json_t *row,
			  const char *requester, const char *url,
			  const json_t *keys)
{
	struct lb_requester r = {0};
	json_auto_t *out = json_object();
	struct lb_item_report item;
	lb_autofree char *name = NULL;

	if (requester)
		lb_requester_find(in->presets, requester, &r);
	lb_item_begin(&item, "provider", row);
	refuse_unspoken(&item, &r);
	if (!item.refused)
		put_url(out, &item, &r, url);
	put_keys(out, &item, keys);
	if (!item.refused && strcmp(r.name, "space-chat-completions") == 0 &&
	    !json_object_get(out, "api-keys"))
		lb_item_refuse(&item, "LangBot's own models need a key that is "
				      "not here");
	name = lb_langbot_name(in, "providers", item.name);
	if (!item.refused) {
		item.as = lb_printf("providers.%s", name);
		lb_langbot_is_ours(in, "providers", row, name);
		lb_json_put(in->out, item.as, lb_steal(&out));
	}
	lb_item_end(in, &item, item.refused ? row : NULL);
}

static void take_providers(struct lb_langbot *in)
{
	const json_t *row;
	size_t i;

	json_array_foreach(lb_langbot_table(in, "model_providers"), i, row)
	{
		lb_autofree char *requester = lb_row_text(row, "requester");
		lb_autofree char *url = lb_row_text(row, "base_url");
		bool broken = false;
		json_auto_t *keys = lb_row_json(row, "api_keys", &broken);

		take_provider(in, row, requester, url, keys);
	}
}

/* Before there were providers, each model had its own. */
static json_t *own_provider(struct lb_langbot *in, const json_t *row)
{
	lb_autofree char *requester = lb_row_text(row, "requester");
	bool broken = false;
	json_auto_t *config = lb_row_json(row, "requester_config", &broken);
	json_auto_t *keys = lb_row_json(row, "api_keys", &broken);
	const char *url = lb_json_str(config, "base_url");
	lb_autobuf struct lb_buf seed = {0};

	if (!url)
		url = lb_json_str(config, "base-url");
	lb_buf_printf(&seed, "%s %s ", requester ? requester : "",
		      url ? url : "");
	if (keys)
		lb_buf_json(&seed, keys);
	/* models of the same keys at the same place share one */
	json_auto_t *made = json_object();

	lb_json_set_str(made, "uuid", seed.data, seed.len);
	if (requester) {
		size_t len = strcspn(requester, "-");

		lb_json_set_str(made, "name", requester, len);
		json_object_set_new(made, "requester",
				    lb_json_text(requester, strlen(requester)));
	}
	if (url)
		lb_json_set_str(made, "base_url", url, strlen(url));
	if (keys)
		json_object_set(made, "api_keys", keys);
	if (!lb_langbot_ours(in, "providers", json_object_get(made, "uuid")) &&
	    !json_object_get(json_object_get(in->names, "tried"), seed.data)) {
		json_t *tried = json_object_get(in->names, "tried");

		if (!tried) {
			tried = json_object();
			json_object_set_new(in->names, "tried", tried);
		}
		json_object_set_new(tried, seed.data, json_true());
		take_provider(in, made, requester, url, keys);
	}
	return json_incref(json_object_get(made, "uuid"));
}

static void take_model(struct lb_langbot *in, const json_t *row)
{
	json_auto_t *of = json_incref(json_object_get(row, "provider_uuid"));
	const char *provider;
	struct lb_item_report item;
	bool broken = false;
	json_auto_t *extra = lb_row_json(row, "extra_args", &broken);

	if (!json_object_get(row, "provider_uuid") &&
	    json_object_get(row, "requester"))
		of = own_provider(in, row);
	provider = lb_langbot_ours(in, "providers", of);
	lb_item_begin(&item, "model", row);
	if (!provider)
		lb_item_refuse(&item, "its provider is not taken");
	else if (!*item.name)
		lb_item_refuse(&item, "it has no name");
	if (json_object_size(extra) > 0)
		lb_item_note(&item, "extra_args are not taken: here they are "
				    "the provider's");
	if (!item.refused) {
		item.as = lb_printf("%s/%s", provider, item.name);
		lb_langbot_is_ours(in, "models", row, item.as);
	}
	lb_item_end(in, &item,
		    item.refused || json_object_size(extra) > 0 ? row : NULL);
}

void lb_langbot_providers(struct lb_langbot *in)
{
	const json_t *row;
	size_t i;

	take_providers(in);
	json_array_foreach(lb_langbot_table(in, "llm_models"), i, row)
	{
		take_model(in, row);
	}
}
