/* lb-mcp - what its verbs share. */
#ifndef LB_MCP_VERBS_H
#define LB_MCP_VERBS_H

#include <jansson.h>

#include "base/error.h"
#include "base/loop.h"
#include "base/prog.h"
#include "base/table.h"
#include "config/config.h"
#include "mcp/client.h"

extern const struct lb_opt add_options[], call_options[], change_options[],
	doctor_options[], install_options[], list_options[], logs_options[],
	prompt_options[], prompts_options[], provide_options[], read_options[],
	resources_options[], rm_options[], serve_options[], test_options[],
	tools_options[];

int add_verb(int argc, char **argv);
int call_verb(int argc, char **argv);
int disable_verb(int argc, char **argv);
int doctor_verb(int argc, char **argv);
int enable_verb(int argc, char **argv);
int install_verb(int argc, char **argv);
int list_verb(int argc, char **argv);
int logs_verb(int argc, char **argv);
int prompt_verb(int argc, char **argv);
int prompts_verb(int argc, char **argv);
int provide_verb(int argc, char **argv);
int read_verb(int argc, char **argv);
int resources_verb(int argc, char **argv);
int rm_verb(int argc, char **argv);
int serve_verb(int argc, char **argv);
int test_verb(int argc, char **argv);
int tools_verb(int argc, char **argv);

/* Which server, and how it is reached: options of every verb that asks one. */
struct reach {
	const char *config, *from, *stdio, *url, *network, *era;
	struct lb_list env, headers;
	int64_t timeout_ms;
	bool host, elicit, strict, json;
};

extern struct reach reach;

#define REACH_OPTIONS                                                          \
	{'c', "config", "FILE", "read this configuration",                     \
	 .text = &reach.config},                                               \
		{0, "elicit", NULL, "answer its questions by their defaults",  \
		 .flag = &reach.elicit},                                       \
		{0, "env", "NAME[=TEXT]",                                      \
		 "with --stdio: a variable that it gets", .list = &reach.env}, \
		{0, "era", "legacy|modern",                                    \
		 "it is of that era of the protocol; do not find out",         \
		 .text = &reach.era},                                          \
		{'f', "from", "FILE", "take servers from an mcpServers file",  \
		 .text = &reach.from},                                         \
		{0, "header", "NAME:TEXT",                                     \
		 "with --url: a header; TEXT may be env:NAME or file:PATH",    \
		 .list = &reach.headers},                                      \
		{0, "host", NULL, "run it on this machine, in no sandbox",     \
		 .flag = &reach.host},                                         \
		{0, "json", NULL, "write lines of JSON", .flag = &reach.json}, \
		{0, "network", "on|off|HOST,...",                              \
		 "may it reach others (--stdio and --from; default: off)",     \
		 .text = &reach.network},                                      \
		{0, "stdio", "COMMAND", "the server is this command",          \
		 .text = &reach.stdio},                                        \
		{0, "strict", NULL, "what is no message is the end",           \
		 .flag = &reach.strict},                                       \
		{'t', "timeout", "TIME", "how long an answer may take",        \
		 .duration = &reach.timeout_ms},                               \
	{                                                                      \
		0, "url", "URL", "the server is there", .text = &reach.url     \
	}

/* Is it named by --stdio or --url, and not by an operand? */
bool reach_is_nameless(void);

/* The configuration and the servers there are: of it, or of --from. */
struct office {
	struct lb_config *config;
	char *state;
	json_t *file;          /* of --from, or NULL */
	const json_t *servers; /* {name: entity}, borrowed */
};

/* "on", "off", or hosts, as box.network has them; new. */
json_t *network_of(const char *text);
/* What of an entity of others the configuration knows; new. */
json_t *entity_cleaned(const json_t *entity);

/* Close it whatever happened. */
int office_open(struct office *o, const char *config, const char *from,
		struct lb_error *err);
void office_close(struct office *o);
/* One of --from, without what is not its to say, which is told; new. */
json_t *office_foreign(const struct office *o, const char *name,
		       struct lb_error *err);
/* May it be written into the configuration? LB_DENIED: a text of it, other than
 * those that are said otherwise, would be looked up there. */
int foreign_check(const json_t *entity, const struct lb_list *env,
		  const struct lb_list *headers, struct lb_error *err);
/* The entity of that name, or of --stdio and --url (name NULL).
 * LB_UNAVAILABLE: there is none; LB_DENIED: a program, and mcp.stdio.enabled says no. */
int office_server(struct office *o, const char *name,
		  struct lb_mcp_server *server, struct lb_error *err);

/* A server that is being asked. */
struct line {
	struct office office;
	struct lb_loop *loop;
	struct lb_guard *guard;
	struct lb_http *http;
	struct lb_mcp_server server;
	struct lb_mcp_launch launch;
	struct lb_mcp_client *client;
	const char *name;        /* for people */
	struct lb_log_file *log; /* or NULL */
	bool nameless;           /* nothing is kept of what it says and is */
	bool did;                /* a tool was called */
	bool ready, gone, noisy, shown; /* shown: progress is on the terminal */
	int64_t began;
	enum lb_mcp_phase phase;
	struct lb_error why;
};

/* Open it, and wait until it is ready: 0, or what to exit with, which was told
 * then. `name` NULL: --stdio or --url. Close it whatever happened. */
int line_open(struct line *line, const char *name);
/* The same, telling nothing: 0, or -1 and line->why, line->phase. */
int line_try(struct line *line, const char *name);
void line_close(struct line *line);
/* Tell why it did not work, once; what to exit with. */
int line_tell(const struct line *line);

/* Of --era, else of the entity; -1: it is none. */
int line_era(enum lb_mcp_era *era, const json_t *entity);
/* As long as that is false, and it lives. */
void line_wait(struct line *line, const bool *until_true);
/* Take away what was shown of its progress. */
void line_clear(struct line *line);
/* A failure, as --json wants it; `code` is that of JSON-RPC, or 0. */
void line_complain(const struct line *line, const struct lb_error *why,
		   int64_t code, enum lb_mcp_phase phase);

/* hint.c: where a program of that name is; new. NULL: nowhere. */
char *program_path(const char *command);
/* What a program that is in a sandbox, and ended like this, may have missed there;
 * new. NULL: nobody knows. */
char *program_hint(const struct lb_mcp_server *server, enum lb_mcp_phase phase,
		   const struct lb_error *why);
/* Say that, once it is told why it failed. */
void line_hint(const struct line *line);

/* ask.c: what came of a question. */
struct reply {
	json_t *result; /* NULL: it failed */
	char *text;     /* the result's own bytes, or NULL */
	int64_t code;   /* of JSON-RPC; 0: none */
	struct lb_error error;
};

#define autoreply __attribute__((cleanup(reply_release)))

void reply_release(struct reply *reply);
/* Ask, and wait. -1: it failed; reply->error says why. */
int line_ask(struct line *line, const struct lb_mcp_ask *ask,
	     struct reply *reply);
int line_list(struct line *line, const char *what, struct reply *reply);
/* Tell why it failed; what to exit with. */
int line_refused(const struct line *line, const struct reply *reply);
/* How long one question may take. */
int64_t line_ms(const struct line *line, int64_t usual);

/* Arguments of a command line: a JSON object, "-", or words NAME=TEXT and
 * NAME:=JSON, typed by `schema` (or NULL). New; NULL: LB_USAGE, LB_DATA. */
json_t *words_read(int argc, char **argv, const json_t *schema,
		   struct lb_error *err);
/* Do the words need a schema to be understood? */
bool words_are_typed(int argc, char **argv);

/* What a verb prints: a line of JSON, a result as it came, bytes, or a text for
 * people. */
void put_json(const json_t *value);
void put_reply(const struct reply *reply);
void put_bytes(const char *bytes, size_t len);
void put_text(const char *text, size_t len);

/* A verb that lists something: "tools" and the like. */
int list_of(int argc, char **argv, const char *what,
	    const char *const *columns);
/* Is the table of a verb one for people? */
bool list_for_people(void);

#endif
