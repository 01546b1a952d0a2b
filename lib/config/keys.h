/*
 * config/keys.h - the table of every configuration key.
 *
 * Loading, defaults, the environment, `lb-config check`, `describe`, `init`
 * and the list in lb-config(5) all come from it. A path is dotted; '*' stands
 * for one name of the user's ("bots.*.adapter").
 */
#ifndef LB_CONFIG_KEYS_H
#define LB_CONFIG_KEYS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

enum lb_key_type {
	LB_KEY_STRING,
	LB_KEY_BOOL,
	LB_KEY_INT,      /* min to max */
	LB_KEY_NUMBER,   /* min to max */
	LB_KEY_DURATION, /* "30s"; a bare number is seconds; "none" */
	LB_KEY_SIZE,     /* "64k"; a bare number is bytes */
	LB_KEY_ENUM,     /* one of values */
	LB_KEY_LIST,     /* of strings */
	LB_KEY_TABLE,    /* of mappings from names to texts */
	LB_KEY_SECRET,   /* text, env:NAME, file:PATH or cmd:COMMAND */
	LB_KEY_SECRETS,  /* a list of them; one alone will do */
	LB_KEY_OBJECT,
	LB_KEY_PRIVILEGE, /* everyone (1), admins (2), or a list of people */
	LB_KEY_MODEL,     /* {primary}; a string is the primary */
	LB_KEY_MESSAGES,  /* of {role, content}; a string is system's */
	LB_KEY_NETWORK,   /* "off", "on" or {allow}; hosts are the latter */
};

struct lb_key {
	const char *path;
	enum lb_key_type type;
	const char *initial; /* the default as JSON; NULL for none */
	int64_t min, max;
	const char *values;  /* of an enum, blanks between */
	const char *foreign; /* values LangBot has and this version not */
	const char *doc;     /* one line, lower case, no full stop */
	bool blank;          /* of a list: an empty text in it has a meaning */
};

/* The keys in order; the last has no path. */
extern const struct lb_key lb_keys[];

/* "integer, 1 to 10000": what a value of this key looks like. */
void lb_key_says(const struct lb_key *key, struct lb_buf *out);

/* The key at a path ("bots.support.adapter"); NULL when it is none. */
const struct lb_key *lb_key_find(const char *path);

/* Is the path the beginning of a key's? "" and "bots.support" are. */
bool lb_key_is_branch(const char *path);

/* Is the path the beginning, and not the whole, of this pattern? */
bool lb_key_begins(const char *pattern, const char *path);

/* Does a path match a pattern with '*', to its end or (prefix) its dots? */
bool lb_key_matches(const char *pattern, const char *path, bool prefix);

/* The nearest known path, or NULL when none is near. Caller frees. */
char *lb_key_near(const char *path);

/* Is `word` one of these words, blanks between? NULL has none. */
bool lb_key_has_word(const char *words, const char *word);

/*
 * What a bot, pipeline or provider may be called: 1 to 64 bytes without
 * blanks at its ends, control characters, '.', '/' or ':'. LB_CONFIG.
 */
int lb_key_name_check(const char *name, struct lb_error *err);

/*
 * Keys of LangBot's configuration, and of later versions, that this one has
 * not. LB_KEY_OFF: the value changes nothing here and may be left out.
 */
enum lb_key_absence { LB_KEY_UNKNOWN, LB_KEY_OFF, LB_KEY_ABSENT };
enum lb_key_absence lb_key_absence(const char *path, const json_t *value);
/* LB_CONFIG: it is not in this version. One that is in another place is named:
 * what is below a branch that we have not all of may be a slip. */
int lb_key_refuse_absent(const char *path, struct lb_error *err);
/* What to say of one that is absent. */
const char *lb_key_absence_why(const char *path);

#endif
