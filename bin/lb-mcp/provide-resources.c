/* provide-resources.c - resources of servers as two tools. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "mcp/content.h"
#include "provide.h"

#define LIST "mcp_list_resources"
#define READ "mcp_read_resource"

enum {
	CACHE_MS = 30 * 1000,
	CACHED = 32,
	MAX_BYTES = 64 << 10, /* that a model is shown of one */
};

/* A question of ours to a server. */
struct question {
	struct providing *p;
	struct lb_job *job;
	struct lb_mcp_pool_call *asked;
	char *key; /* of the cache; NULL: a list */
};

bool resources_may(struct providing *p, const json_t *context)
{
	const char *pipeline = lb_json_str(context, "pipeline");
	const json_t *said =
		json_object_get(pipeline ? lb_config_pipeline(p->office.config,
							      pipeline)
					 : NULL,
				"extensions_preferences");

	return lb_json_bool(said, "mcp_resource_agent_read_enabled", true);
}

void resources_offer(json_t *tools)
{
	json_array_append_new(
		tools, lb_json_pack("{s:s, s:s, s:{s:s, s:{s:{s:s}}, s:[s]}}",
				    "name", LIST, "description",
				    "List the resources of an MCP server: what "
				    "it has to "
				    "be read, each with its uri.",
				    "parameters", "type", "object",
				    "properties", "server_name", "type",
				    "string", "required", "server_name"));
	json_array_append_new(
		tools,
		lb_json_pack("{s:s, s:s, s:{s:s, s:{s:{s:s}, s:{s:s}}, s:[s, "
			     "s]}}",
			     "name", READ, "description",
			     "Read a resource of an MCP server by its uri.",
			     "parameters", "type", "object", "properties",
			     "server_name", "type", "string", "uri", "type",
			     "string", "required", "server_name", "uri"));
}

static void free_question(struct question *q)
{
	free(q->key);
	free(q);
}

static void answer_text(struct lb_job *job, const char *text, size_t len)
{
	size_t n = lb_utf8_cut(text, len, MAX_BYTES);
	lb_autobuf struct lb_buf out = {0};

	lb_buf_put(&out, text, n);
	if (n < len)
		lb_buf_printf(&out, "\n[cut: %zu of %zu bytes]", n, len);
	lb_job_text(job, lb_buf_str(&out), out.len);
}

/* ---- the cache ---- */

static const json_t *recall(struct providing *p, const char *key)
{
	json_t *entry = json_object_get(p->cache, key);
	int64_t at = 0;

	if (!entry)
		return NULL;
	lb_json_int(entry, "at", &at);
	if (lb_clock_mono() - at < CACHE_MS)
		return json_object_get(entry, "text");
	json_object_del(p->cache, key);
	return NULL;
}

static void remember(struct providing *p, const char *key, const char *text,
		     size_t len)
{
	if (json_object_size(p->cache) >= CACHED)
		json_object_clear(p->cache);
	if (len <= MAX_BYTES)
		json_object_set_new(p->cache, key,
				    lb_json_pack("{s:I, s:o}", "at",
						 (json_int_t)lb_clock_mono(),
						 "text",
						 lb_json_text(text, len)));
}

/* ---- answers ---- */

static void put_rows(struct lb_buf *out, const json_t *list, const char *key)
{
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)list, i, one)
	{
		const char *about = lb_json_str(one, "description");
		const char *name = lb_json_str(one, "name");

		lb_buf_printf(out, "%s%s%s%s%s\n",
			      lb_json_str(one, key) ? lb_json_str(one, key)
						    : "?",
			      name ? " - " : "", name ? name : "",
			      about ? ": " : "", about ? about : "");
	}
}

static void on_answer(void *arg, const struct lb_peer_answer *answer)
{
	struct question *q = arg;
	lb_autobuf struct lb_buf text = {0};

	if (!answer->result) {
		lb_job_fail(q->job, answer->failure ? "tool" : "unavailable",
			    "%s",
			    answer->failure ? answer->failure->message
					    : answer->error->text);
	} else if (q->key) {
		lb_mcp_content_text(&text, answer->result, LB_MCP_TEXT_MAX);
		remember(q->p, q->key, lb_buf_str(&text), text.len);
		answer_text(q->job, lb_buf_str(&text), text.len);
	} else {
		put_rows(&text, json_object_get(answer->result, "resources"),
			 "uri");
		if (text.len == 0)
			lb_buf_puts(&text, "It has none.");
		answer_text(q->job, lb_buf_str(&text), text.len);
	}
	free_question(q);
}

static void ask(struct providing *p, struct lb_job *job,
		struct lb_mcp_member *m, const char *uri)
{
	struct question *q = lb_alloc(sizeof(*q));
	int64_t left = job->deadline - lb_clock_mono();

	*q = (struct question){.p = p, .job = job};
	if (uri)
		q->key = lb_printf("%s\n%s", lb_mcp_member_name(m), uri);
	job->state = q;
	q->asked =
		lb_mcp_member_ask(m,
				  &(struct lb_mcp_pool_ask){
					  .method = uri ? "resources/read"
							: "resources/list",
					  .take_params =
						  uri ? lb_json_pack("{s:s}",
								     "uri", uri)
						      : NULL,
					  .timeout_ms = left > 1 ? left : 1,
					  .fn = on_answer,
					  .arg = q,
				  });
}

static bool is_ours(const char *name)
{
	return strcmp(name, LIST) == 0 || strcmp(name, READ) == 0;
}

bool resources_call(struct providing *p, struct lb_job *job)
{
	const char *server = lb_json_str(job->arguments, "server_name");
	const char *uri = lb_json_str(job->arguments, "uri");
	struct lb_mcp_member *m = lb_mcp_pool_find(p->pool, server);
	bool reads = strcmp(job->name, READ) == 0;
	lb_autofree char *key = NULL;
	const json_t *known;

	if (!is_ours(job->name))
		return false;
	if (!resources_may(p, job->context) ||
	    (m && !provide_may(p, job->context, server))) {
		lb_job_fail(job, "denied", "resources may not be read here");
		return true;
	}
	if (!m || (reads && !uri)) {
		lb_job_fail(job, "usage", "%s",
			    m ? "'uri' is missing, or no text"
			      : "'server_name' names no server there is");
		return true;
	}
	key = reads ? lb_printf("%s\n%s", server, uri) : NULL;
	known = key ? recall(p, key) : NULL;
	if (known)
		answer_text(job, json_string_value(known),
			    json_string_length(known));
	else
		ask(p, job, m, reads ? uri : NULL);
	return true;
}

bool resources_cancel(struct lb_job *job)
{
	struct question *q = job->state;

	if (!is_ours(job->name))
		return false;
	lb_mcp_pool_cancel(q->asked);
	lb_job_fail(job, "cancelled", "the call was cancelled");
	free_question(q);
	return true;
}
