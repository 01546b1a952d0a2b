/* lb-queue work - which record in hand is meant. */
#include <string.h>

#include "base/json.h"
#include "work.h"

uint32_t id_hash(const char *id)
{
	uint32_t h = 2166136261U; /* FNV-1a */

	for (; *id; id++)
		h = (h ^ (unsigned char)*id) * 16777619U;
	return h;
}

struct meant meant_by(const struct lb_record *r)
{
	const char *kind = lb_json_str(r->json, "kind");
	struct meant m = {.id = lb_json_str(r->json, "id"),
			  .session = lb_json_str(r->json, "session"),
			  .receipt = strcmp(kind, "receipt") == 0,
			  .part = 1};

	m.hash = m.id ? id_hash(m.id) : 0;
	lb_json_int(r->json, "part", &m.part);
	return m;
}

bool is_meant(const struct item *item, const struct meant *m)
{
	if (item->hash != m->hash || item->over || !item->ends || !m->id ||
	    !item->id || strcmp(item->id, m->id) != 0)
		return false;
	if (m->session && item->session &&
	    strcmp(m->session, item->session) != 0)
		return false;
	return !m->receipt || item->part == 0 || item->part == m->part;
}
