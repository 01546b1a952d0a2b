/* accept - is this a message at all, and whose? */
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "pipeline/stages.h"
#include "record/chain.h"

/* Bytes of an id or of the name of a bot or chat; lb-agent stores them. */
enum { MAX_NAME = 1024 };

static int short_enough(const char *key, const char *text, struct lb_error *err)
{
	return strlen(text) <= MAX_NAME
		       ? 0
		       : lb_fail(err, LB_DATA, "field '%s' is too long", key);
}

static int need(const struct lb_message *m, const char *key,
		const char **borrow, struct lb_error *err)
{
	if (lb_json_need_str(m->record->json, key, borrow, err) < 0)
		return -1;
	if (!**borrow)
		return lb_fail(err, LB_DATA, "field '%s' is empty", key);
	return short_enough(key, *borrow, err);
}

static const char *maybe(const struct lb_message *m, const char *key)
{
	const char *text = lb_json_str(m->record->json, key);

	return text ? text : "";
}

enum lb_verdict lb_stage_accept(struct lb_message *m, struct lb_error *err)
{
	const json_t *o = m->record->json;

	if (need(m, "id", &m->id, err) < 0 ||
	    need(m, "bot", &m->bot, err) < 0 ||
	    need(m, "launcher_type", &m->launcher_type, err) < 0 ||
	    need(m, "launcher_id", &m->launcher_id, err) < 0)
		return LB_FAILED;
	if (strcmp(m->launcher_type, "person") != 0 &&
	    strcmp(m->launcher_type, "group") != 0) {
		lb_fail(err, LB_DATA,
			"'launcher_type' is neither person nor group");
		return LB_FAILED;
	}
	m->sender_id = maybe(m, "sender_id");
	m->sender_name = maybe(m, "sender_name");
	m->group_name = maybe(m, "group_name");
	if (short_enough("sender_id", m->sender_id, err) < 0)
		return LB_FAILED;
	if (!lb_json_int(o, "time", &m->time))
		m->time = lb_clock_now();
	m->now = m->pipeline->record_time ? m->time : lb_clock_now();
	m->chain = json_object_get(o, "chain");
	if (lb_chain_check(m->chain, err) < 0)
		return LB_FAILED;
	lb_buf_puts(&m->session, m->bot);
	lb_buf_putc(&m->session, '/');
	lb_buf_puts(&m->session, m->launcher_type);
	lb_buf_putc(&m->session, '_');
	lb_buf_puts(&m->session, m->launcher_id);
	return LB_PASS;
}
