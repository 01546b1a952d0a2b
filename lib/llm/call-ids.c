#include "llm/call-ids.h"

#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "llm/protocol.h"

#define LETTERS                                                                \
	"abcdefghijklmnopqrstuvwxyz"                                           \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZ"                                           \
	"0123456789"

enum {
	MAX_PLAIN = 64,
	/* enough to make other ones of, however many there are */
	MIN_LENGTH = 6,
	MAX_LENGTH = 40,
	MIN_MOST = 21, /* of the ids that are made here */
};

/* What an id has to be. */
struct form {
	size_t exactly; /* letters and digits; 0: any number of anything */
	size_t most;    /* bytes; 0: any number */
	bool plain;     /* letters, digits, - and _ */
};

/* A member of the provider, at least `least`; 0: it has none. */
static size_t number(const struct lb_model *m, const char *key, int64_t least)
{
	int64_t n;

	if (!lb_json_int(m->about, key, &n) || n <= 0)
		return 0;
	return (size_t)(n > least ? n : least);
}

static struct form form_of(const struct lb_model *m)
{
	struct form f = {.exactly = number(m, "call-id-length", MIN_LENGTH),
			 .most = number(m, "call-id-max", MIN_MOST),
			 .plain = m->protocol->plain_ids};

	if (f.exactly > MAX_LENGTH)
		f.exactly = MAX_LENGTH;
	if (f.plain && (f.most == 0 || f.most > MAX_PLAIN))
		f.most = MAX_PLAIN;
	return f;
}

static bool fits(const struct form *f, const char *id)
{
	size_t len = strlen(id);

	if (f->exactly)
		return len == f->exactly && strspn(id, LETTERS) == len;
	if (f->plain && strspn(id, LETTERS "_-") != len)
		return false;
	return len > 0 && (f->most == 0 || len <= f->most);
}

/* An id of that form, made of another one and of how often it was there. */
static void make(const struct form *f, const char *id, unsigned again,
		 struct lb_buf *out)
{
	uint64_t hash = 14695981039346656037u ^ again;

	for (const char *p = id; *p; p++)
		hash = (hash ^ (unsigned char)*p) * 1099511628211u;
	lb_buf_reset(out);
	if (!f->exactly)
		lb_buf_printf(out, "call_%016llx", (unsigned long long)hash);
	for (size_t i = 0; i < f->exactly; i++) {
		/* the lower bits of such a product are poor */
		lb_buf_putc(out, LETTERS[(hash >> 32) % (sizeof(LETTERS) - 1)]);
		hash = (hash ^ i) * 1099511628211u;
	}
}

/* The id of one call as it goes; new. */
static json_t *fit(const struct form *f, const json_t *seen, const char *id)
{
	lb_autobuf struct lb_buf made = {0};

	if (fits(f, id) && !json_object_get(seen, id))
		return json_string(id);
	for (unsigned again = 0;; again++) {
		make(f, id, again, &made);
		if (!json_object_get(seen, made.data))
			return json_string(made.data);
	}
}

void lb_call_ids_fit(const struct lb_model *model, json_t *seen, json_t *calls,
		     json_t *results)
{
	struct form form = form_of(model);
	json_t *call;
	size_t i;

	json_array_foreach(calls, i, call)
	{
		const char *id = lb_json_str(call, "id");
		json_auto_t *now = fit(&form, seen, id);

		json_object_set_new(seen, json_string_value(now), json_true());
		json_object_set(json_array_get(results, i), "id", now);
		json_object_set(call, "id", now);
	}
}
