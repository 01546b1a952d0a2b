/*
 * langbot/items.h - one file a kind of thing, and what they share.
 */
#ifndef LB_LANGBOT_ITEMS_H
#define LB_LANGBOT_ITEMS_H

#include "base/buf.h"
#include "langbot/langbot.h"

/* Fill settings and tables. source.c */
int lb_langbot_read(struct lb_langbot *in, struct lb_error *err);

/* In this order: each needs the names of those before it. */
void lb_langbot_providers(struct lb_langbot *in);
void lb_langbot_mcp(struct lb_langbot *in);
void lb_langbot_pipelines(struct lb_langbot *in);
void lb_langbot_bots(struct lb_langbot *in);
void lb_langbot_admins(struct lb_langbot *in);
void lb_langbot_webhooks(struct lb_langbot *in);
void lb_langbot_settings(struct lb_langbot *in);
void lb_langbot_skills(struct lb_langbot *in);
void lb_langbot_others(struct lb_langbot *in);
void lb_langbot_box(struct lb_langbot *in);

/* What happens to an item, gathered while it is looked at. */
struct lb_item_report {
	const char *what;
	char *name;        /* as LangBot has it, for people */
	char *as;          /* "pipelines.Sales"; NULL when it is not taken */
	struct lb_buf why; /* what was narrowed, or why it was not taken */
	bool refused;      /* it is not taken */
};

/* Begin one; `row` may be NULL, and so may its name. */
void lb_item_begin(struct lb_item_report *item, const char *what,
		   const json_t *row);

/* One more thing to say of it. */
void lb_item_note(struct lb_item_report *item, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The same, and it is not taken. */
void lb_item_refuse(struct lb_item_report *item, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Into the report: taken, narrowed (there are notes) or not taken; then the
 * row, or with `row` NULL nothing, is kept under `what`.
 */
void lb_item_end(struct lb_langbot *in, struct lb_item_report *item,
		 const json_t *row);

/* Which sandbox a pipeline's commands run in, from its config into ours. box.c
 */
void lb_langbot_template(struct lb_item_report *item, const json_t *config,
			 json_t *out);

/* What of MCP a pipeline has, by its config and what it says of extensions, into
 * ours. mcp.c */
void lb_langbot_mcp_of(const struct lb_langbot *in, struct lb_item_report *item,
		       const json_t *config, const json_t *said, json_t *out);

/* Keep a value aside, under "whats". */
void lb_langbot_keep(struct lb_langbot *in, const char *what,
		     const json_t *value);

/*
 * A name of ours for an item: its own with what names may not hold replaced,
 * and a number behind it where there is one such already. Caller frees.
 */
char *lb_langbot_name(const struct lb_langbot *in, const char *section,
		      const char *wanted);

/* The rows of a table, never NULL. */
const json_t *lb_langbot_table(const struct lb_langbot *in, const char *name);

/* What our name is of the item with that id; NULL when it was not taken. */
const char *lb_langbot_ours(const struct lb_langbot *in, const char *section,
			    const json_t *uuid);
void lb_langbot_is_ours(struct lb_langbot *in, const char *section,
			const json_t *row, const char *name);

/* A column as text, whatever it holds; NULL for null. Caller frees. */
char *lb_row_text(const json_t *row, const char *column);

/* A column of JSON; NULL when it is null, or (*broken) is none. New. */
json_t *lb_row_json(const json_t *row, const char *column, bool *broken);

/* A column that says yes or no. */
bool lb_row_bool(const json_t *row, const char *column, bool otherwise);

/*
 * Texts, as they may stand in our file: control characters are left out.
 * Numbers become text. New; NULL for anything else.
 */
json_t *lb_langbot_text(const json_t *value);

/* A list of such texts; *lost counts what is none. New. */
json_t *lb_langbot_texts(const json_t *value, size_t *lost);

/*
 * A secret. NULL when it would be read here as a command, a file or a
 * variable: "cmd:...", "file:...", "env:...". New.
 */
json_t *lb_langbot_secret(const json_t *value);

/* Set a key that is there once, unless the existing configuration does. */
bool lb_langbot_set(struct lb_langbot *in, struct lb_item_report *item,
		    const char *path, json_t *take);

#endif
