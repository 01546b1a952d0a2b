#include "pipeline/command.h"
#include "pipeline/stages.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "config/notice.h"
#include "pipeline/rights.h"
#include "record/chain.h"

/* What a hook gets at most. */
enum { MAX_WORDS = 256, MAX_TEXT = 32 * 1024, MAX_NAME = 64 };

const struct lb_command lb_commands_table[] = {
	{"help", 1, LB_FOR_ALL, lb_command_help},
	{"new", 0, LB_FOR_ALL, NULL},
	{"reset", 0, LB_FOR_ALL, NULL},
	{"list", 1, LB_FOR_ALL, NULL},
	{"switch", 1, LB_FOR_ALL, NULL},
	{"last", 0, LB_FOR_ALL, NULL},
	{"next", 0, LB_FOR_ALL, NULL},
	{"del", 1, LB_FOR_ALL, NULL},
	{"undo", 0, LB_FOR_ALL, NULL},
	{"prompt", 0, LB_FOR_ALL, NULL},
	{"model", 1, LB_ARGS_FOR_ADMINS, NULL},
	{"usage", 0, LB_FOR_ALL, NULL},
	{"tools", 0, LB_FOR_ALL, NULL},
	{"skills", 0, LB_FOR_ALL, NULL},
	{"version", 0, LB_FOR_ALL, lb_command_version},
	{"stop", 0, LB_FOR_ADMINS, lb_command_stop},
	{"start", 0, LB_FOR_ADMINS, lb_command_start},
	{"reload", 0, LB_FOR_ADMINS, lb_command_reload},
	{NULL, 0, LB_FOR_ALL, NULL},
};

static const struct lb_command *find(const char *name)
{
	for (const struct lb_command *c = lb_commands_table; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

int lb_command_blame(const struct lb_commands *c, const char *section,
		     const char *name, struct lb_error *err)
{
	lb_autofree char *path = lb_printf("command.%s.%s", section, name);

	return lb_config_blame(c->config, path, err);
}

static int check_names(const struct lb_commands *c, struct lb_error *err)
{
	const char *name;
	const json_t *any;

	json_object_foreach((json_t *)(uintptr_t)c->privileges, name, any)
	{
		if (find(name) || json_object_get(c->hooks, name))
			continue;
		lb_fail(err, LB_CONFIG, "there is no such command");
		return lb_command_blame(c, "privilege", name, err);
	}
	json_object_foreach((json_t *)(uintptr_t)c->hooks, name, any)
	{
		if (!find(name))
			continue;
		lb_fail(err, LB_CONFIG, "that command is built in");
		return lb_command_blame(c, "hooks", name, err);
	}
	return 0;
}

struct lb_commands *lb_commands_open(const struct lb_pipeline *p,
				     struct lb_error *err)
{
	struct lb_commands *c = lb_alloc(sizeof(*c));
	struct lb_config *config = p->config;

	c->config = config;
	c->config_file = p->config_file;
	c->state = p->state;
	c->enabled = json_is_true(lb_config_get(config, "command.enable"));
	c->prefixes = lb_config_get(config, "command.prefix");
	c->privileges = lb_config_get(config, "command.privilege");
	c->hooks = lb_config_get(config, "command.hooks");
	if (check_names(c, err) == 0 && lb_command_hooks_check(c, err) == 0)
		return c;
	lb_commands_close(c);
	return NULL;
}

void lb_commands_close(struct lb_commands *c)
{
	if (!c)
		return;
	lb_store_close(c->store);
	free(c->seen.bot);
	free(c);
}

/* Bytes of a blank at s: ASCII's, no-break space, the one as wide as a
 * Chinese character. 0: it is none. */
static size_t blank(const char *s)
{
	static const char *const wide[] = {"\xc2\xa0", "\xe3\x80\x80"};

	if (*s && strchr(" \t\r\n\v\f", *s))
		return 1;
	for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++)
		if (strncmp(s, wide[i], strlen(wide[i])) == 0)
			return strlen(wide[i]);
	return 0;
}

static const char *skip_blanks(const char *s)
{
	for (size_t n; (n = blank(s)) > 0;)
		s += n;
	return s;
}

static const char *word_end(const char *s)
{
	while (*s && blank(s) == 0)
		s++;
	return s;
}

/* The first words of the message, without its quotes and mentions. */
static const char *first_text(const json_t *chain)
{
	const json_t *part;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)chain, i, part)
	{
		const char *text = strcmp(lb_json_str(part, "type"), "Plain")
					   ? NULL
					   : lb_json_str(part, "text");

		if (text && *skip_blanks(text))
			return skip_blanks(text);
	}
	return "";
}

/* The longest prefix the text begins with; NULL: none. */
static const char *prefix_of(const struct lb_commands *c, const char *text)
{
	const char *best = NULL;
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)c->prefixes, i, one)
	{
		const char *prefix = json_string_value(one);

		if (strncmp(text, prefix, strlen(prefix)) == 0 &&
		    (!best || strlen(prefix) > strlen(best)))
			best = prefix;
	}
	return best;
}

/*
 * The name of the command that a word is: in any case, as telephones begin a
 * line with a capital, and without "@bot" behind it. Borrowed; NULL: none.
 */
static const char *name_of(const struct lb_commands *c, const char *word,
			   size_t len)
{
	const struct lb_command *own;
	char name[MAX_NAME];
	const char *hook;
	const json_t *any;
	size_t n = 0;

	for (; n < len && word[n] != '@'; n++) {
		if (n + 1 == sizeof(name))
			return NULL;
		name[n] = (char)(word[n] >= 'A' && word[n] <= 'Z'
					 ? word[n] - 'A' + 'a'
					 : word[n]);
	}
	name[n] = '\0';
	own = find(name);
	if (own)
		return own->name;
	json_object_foreach((json_t *)(uintptr_t)c->hooks, hook, any)
	{
		if (strcmp(hook, name) == 0)
			return hook;
	}
	return NULL;
}

/* The words behind the name; more than `max` of them: false. */
static bool take_words(json_t *args, const char *text, int max)
{
	for (text = skip_blanks(text); *text; text = skip_blanks(text)) {
		const char *end = word_end(text);

		if (max-- == 0)
			return false;
		json_array_append_new(args,
				      lb_json_text(text, (size_t)(end - text)));
		text = end;
	}
	return true;
}

/* Is the message a command? Then call->args is the caller's to release. */
static bool is_call(struct lb_message *m, struct lb_call *call)
{
	const struct lb_commands *c = m->pipeline->commands;
	const char *text, *word, *end;
	lb_autobuf struct lb_buf all = {0};
	const struct lb_command *own;

	*call = (struct lb_call){.m = m};
	if (!c || !c->enabled)
		return false;
	text = first_text(m->chain);
	call->prefix = prefix_of(c, text);
	if (!call->prefix)
		return false;
	lb_chain_plain(m->chain, &all);
	if (all.len > MAX_TEXT)
		return false;
	word = skip_blanks(lb_buf_str(&all)) + strlen(call->prefix);
	end = word_end(word);
	call->name = name_of(c, word, (size_t)(end - word));
	if (!call->name)
		return false;
	own = find(call->name);
	call->args = json_array();
	if (take_words(call->args, end, own ? own->max : MAX_WORDS))
		return true;
	json_decref(call->args);
	return false;
}

bool lb_command_is_allowed(const struct lb_message *m, const char *name,
			   bool with_args)
{
	const struct lb_commands *c = m->pipeline->commands;
	const json_t *rule = json_object_get(c->privileges, name);
	const char *word = json_string_value(rule);
	const char *platform = lb_json_str(m->record->json, "platform");
	const struct lb_command *own = find(name);

	if (json_is_array(rule))
		return lb_is_one_of(c->config, rule, m->bot, platform,
				    m->sender_id);
	if (word && strcmp(word, "everyone") == 0)
		return true;
	if (!word && (!own || own->who == LB_FOR_ALL ||
		      (own->who == LB_ARGS_FOR_ADMINS && !with_args)))
		return true;
	return lb_is_admin(c->config, m->bot, platform, m->sender_id);
}

static enum lb_verdict run(struct lb_call *call, struct lb_error *err)
{
	struct lb_message *m = call->m;
	const struct lb_command *own = find(call->name);
	int r;

	if (own && !own->answer) {
		json_auto_t *command =
			lb_json_pack("{s:s, s:O}", "name", call->name, "args",
				     call->args);

		lb_buf_json(&m->command, command);
		return LB_PASS;
	}
	r = own ? own->answer(call, err) : lb_command_hook(call, err);
	if (r < 0)
		return LB_FAILED;
	lb_buf_put(&m->answer, lb_buf_str(&call->out), call->out.len);
	return LB_ANSWER;
}

enum lb_verdict lb_stage_command(struct lb_message *m, struct lb_error *err)
{
	struct lb_call call;
	enum lb_verdict verdict;

	if (!is_call(m, &call))
		return LB_PASS;
	lb_buf_reset(&m->reason);
	lb_buf_printf(&m->reason, "command '%s'", call.name);
	if (lb_command_is_allowed(m, call.name,
				  json_array_size(call.args) > 0)) {
		verdict = run(&call, err);
	} else {
		lb_buf_puts(&m->reason, ", which the sender may not use");
		lb_notice_put(&m->answer, m->pipeline->config, "command-denied",
			      "prefix", call.prefix, "name", call.name, NULL);
		verdict = LB_ANSWER;
	}
	json_decref(call.args);
	lb_buf_release(&call.out);
	return verdict;
}

bool lb_message_starts_bot(struct lb_message *m)
{
	struct lb_call call;
	bool starts;

	if (!is_call(m, &call))
		return false;
	json_decref(call.args);
	starts = strcmp(call.name, "start") == 0;
	return starts && lb_command_is_allowed(m, call.name, false);
}

bool lb_message_is_command(struct lb_message *m)
{
	struct lb_call call;

	if (!is_call(m, &call))
		return false;
	json_decref(call.args);
	return true;
}
