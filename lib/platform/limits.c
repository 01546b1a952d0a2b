#include "platform/limits.h"

#include <string.h>

#include "base/clock.h"
#include "base/json.h"

#define KIB(n) ((int64_t)(n) << 10)
#define MIB(n) ((int64_t)(n) << 20)
#define GIB(n) ((int64_t)(n) << 30)

#define BYTES LB_UNIT_BYTES
#define CHARS LB_UNIT_CODE_POINTS
#define UTF16 LB_UNIT_UTF16

enum { HOUR = 3600000 };

/* clang-format off */
/* platform          text  caption unit   in        out       photo
 *                   chat   group   all  burst  edit  group-edit */
const struct lb_limits lb_limits[] = {
{"telegram",         4096, 1024,   UTF16, MIB(20),  MIB(50),  MIB(10),
                     1000,  3000,   34,   1,     1000, 3000},
{"aiocqhttp",        3000, 0,      CHARS, 0,        0,        0,
                     1000,  1000,   0,    1,     0,    0},
{"discord",          2000, 2000,   CHARS, MIB(25),  MIB(10),  MIB(10),
                     0,     0,      0,    5,     1000, 1000},
{"slack",            4000, 4000,   CHARS, GIB(1),   GIB(1),   GIB(1),
                     1000,  1000,   0,    1,     1000, 1000},
{"line",             5000, 0,      UTF16, MIB(200), 0,        MIB(10),
                     0,     0,      1,    5,     0,    0},
{"lark",             KIB(150), 0,  BYTES, MIB(100), MIB(30),  MIB(10),
                     200,   200,    20,   5,     300,  300},
{"dingtalk",         5000, 0,      CHARS, 0,        MIB(20),  MIB(20),
                     0,     3000,   0,    1,     500,  500},
{"wecom",            2048, 0,      BYTES, MIB(20),  MIB(20),  MIB(10),
                     2000,  2000,   0,    1,     0,    0},
{"wecombot",         20480, 0,     BYTES, MIB(100), MIB(20),  MIB(20),
                     0,     0,      0,    1,     500,  500},
{"wecomcs",          2048, 0,      BYTES, MIB(20),  MIB(20),  MIB(20),
                     0,     0,      0,    5,     0,    0},
{"officialaccount",  2048, 0,      BYTES, 0,        0,        0,
                     0,     0,      0,    1,     0,    0},
{"qqofficial",       2000, 0,      CHARS, 0,        MIB(20),  MIB(20),
                     200,   200,    200,  5,     1000, 0},
{"satori",           2000, 0,      CHARS, 0,        0,        0,
                     1000,  1000,   0,    1,     1000, 1000},
{"matrix",           32768, 0,     BYTES, 0,        0,        0,
                     1000,  1000,   0,    10,    3000, 3000},
{"irc",              512, 0,       BYTES, 0,        0,        0,
                     2000,  2000,   2000, 5,     0,    0},
{"http_bot",         MIB(1), 0,    BYTES, MIB(1),   MIB(1),   MIB(1),
                     0,     0,      0,    1,     1,    1},
{"web",              KIB(64), 0,   BYTES, KIB(64),  KIB(64),  KIB(64),
                     0,     0,      0,    1,     1,    1},
{"mail",             MIB(25), 0,   BYTES, MIB(25),  MIB(20),  MIB(20),
                     6000,  6000,   6000, 1,     0,    0},
{"kook",             4000, 0,      CHARS, MIB(10),  MIB(10),  MIB(10),
                     0,     0,      0,    5,     1000, 1000},
{"openclaw-weixin",  2000, 0,      CHARS, MIB(10),  MIB(10),  MIB(10),
                     1000,  1000,   0,    1,     0,    0},
{NULL},
};
/* clang-format on */

/* Other names of the same platforms. */
static const struct {
	const char *name, *platform;
} aliases[] = {
	{"LINE", "line"},     {"onebot", "aiocqhttp"},
	{"email", "mail"},    {"onebot11", "aiocqhttp"},
	{"qq", "qqofficial"}, {"http", "http_bot"},
	{"web_page", "web"},  {"ilink", "openclaw-weixin"},
};

const struct lb_limits *lb_limits_find(const char *platform)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (strcmp(aliases[i].name, platform) == 0)
			platform = aliases[i].platform;
	for (const struct lb_limits *l = lb_limits; l->platform; l++)
		if (strcmp(l->platform, platform) == 0)
			return l;
	return NULL;
}

enum kind { COUNT, SIZE, TIME, BURST, UNIT };

static const struct {
	const char *key;
	enum kind kind;
	size_t at; /* in struct lb_limits */
	int64_t min, max;
} keys[] = {
	{"text", COUNT, offsetof(struct lb_limits, text), 4, MIB(64)},
	{"caption", COUNT, offsetof(struct lb_limits, caption), 0, MIB(64)},
	{"unit", UNIT, offsetof(struct lb_limits, unit), 0, 2},
	{"burst", BURST, offsetof(struct lb_limits, burst), 1, 1000},
	{"media-in", SIZE, offsetof(struct lb_limits, media_in), 0, GIB(4)},
	{"media-out", SIZE, offsetof(struct lb_limits, media_out), 0, GIB(4)},
	{"photo-out", SIZE, offsetof(struct lb_limits, photo_out), 0, GIB(4)},
	{"chat-interval", TIME, offsetof(struct lb_limits, chat_ms), 0, HOUR},
	{"group-interval", TIME, offsetof(struct lb_limits, group_ms), 0, HOUR},
	{"all-interval", TIME, offsetof(struct lb_limits, all_ms), 0, HOUR},
	{"edit-interval", TIME, offsetof(struct lb_limits, edit_ms), 0, HOUR},
	{"group-edit-interval", TIME, offsetof(struct lb_limits, group_edit_ms),
	 0, HOUR},
};

static int read_unit(const char *text, int64_t *unit, struct lb_error *err)
{
	static const char *const names[] = {"bytes", "code-points", "utf16"};

	for (*unit = 0; *unit < 3; ++*unit)
		if (text && strcmp(names[*unit], text) == 0)
			return 0;
	return lb_fail(err, LB_CONFIG,
		       "'unit' is none of bytes, code-points and utf16");
}

/* The value of keys[i]; a bare number is bytes, or seconds. */
static int read_value(size_t i, const json_t *v, int64_t *n,
		      struct lb_error *err)
{
	const char *text = json_string_value(v);
	bool ok;

	if (keys[i].kind == UNIT)
		return read_unit(text, n, err);
	if (json_is_integer(v)) {
		*n = json_integer_value(v);
		ok = *n >= 0 && *n <= GIB(4);
		if (ok && keys[i].kind == TIME)
			*n *= 1000;
	} else if (keys[i].kind == TIME) {
		ok = text && lb_duration_parse(text, n, err) == 0;
	} else {
		ok = text && lb_size_parse(text, n, err) == 0;
	}
	if (!ok || *n < keys[i].min || *n > keys[i].max)
		return lb_fail(err, LB_CONFIG, "'%s' is not what it may be",
			       keys[i].key);
	return 0;
}

static void set(struct lb_limits *l, size_t i, int64_t n)
{
	void *at = (char *)l + keys[i].at;

	switch (keys[i].kind) {
	case COUNT:
		*(size_t *)at = (size_t)n;
		break;
	case BURST:
		*(int *)at = (int)n;
		break;
	case UNIT:
		*(enum lb_unit *)at = (enum lb_unit)n;
		break;
	case SIZE:
	case TIME:
		*(int64_t *)at = n;
		break;
	}
}

static int lay_over(struct lb_limits *l, const char *key, const json_t *value,
		    struct lb_error *err)
{
	int64_t n;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strcmp(keys[i].key, key) != 0)
			continue;
		if (read_value(i, value, &n, err) < 0)
			return -1;
		set(l, i, n);
		return 0;
	}
	return lb_fail(err, LB_CONFIG, "there is no limit '%.60s'", key);
}

int lb_limits_read(const char *platform, const json_t *over,
		   struct lb_limits *out, struct lb_error *err)
{
	const struct lb_limits *found = lb_limits_find(platform);
	const char *key;
	json_t *value;

	if (!found)
		return lb_fail(err, LB_BUG, "platform '%s' has no limits",
			       platform);
	*out = *found;
	if (over && !json_is_object(over))
		return lb_fail(err, LB_CONFIG, "'limits' is not an object");
	json_object_foreach((json_t *)(uintptr_t)over, key, value)
	{
		if (lay_over(out, key, value, err) < 0)
			return lb_error_wrap(err, "limits");
	}
	return 0;
}
