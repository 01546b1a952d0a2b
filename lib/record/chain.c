#include "record/chain.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/json.h"

int lb_chain_check(const json_t *chain, struct lb_error *err)
{
	const json_t *part;
	size_t i;

	if (!json_is_array(chain))
		return lb_fail(err, LB_DATA, "'chain' is not an array");
	json_array_foreach(chain, i, part) if (
		!lb_json_str(part,
			     "type")) return lb_fail(err, LB_DATA,
						     "component %zu of 'chain' "
						     "has no type",
						     i);
	return 0;
}

static void put_value(struct lb_buf *out, const json_t *value)
{
	if (json_is_string(value))
		lb_buf_put(out, json_string_value(value),
			   json_string_length(value));
	else if (json_is_integer(value))
		lb_buf_json(out, value);
	else if (json_is_real(value) && fabs(json_real_value(value)) < 1e15)
		/* beside a number beyond 64 bits all are read as reals */
		lb_buf_printf(out, "%.15g", json_real_value(value));
}

static void put_at(struct lb_buf *out, const json_t *part)
{
	const char *display = lb_json_str(part, "display");

	lb_buf_putc(out, '@');
	if (display && *display)
		lb_buf_puts(out, display);
	else
		put_value(out, json_object_get(part, "target"));
}

/* How a component reads: a label, then the value of a member. */
static const struct {
	const char *type, *label, *member, *or_else;
} texts[] = {
	{"Plain", "", "text"},
	{"Source", ""},
	{"Quote", ""},
	{"AtAll", "@All"},
	{"Image", "[Image]"},
	{"Voice", "[Voice]"},
	{"File", "[File]", "name", "file_name"},
	{"Forward", "[Chat history]"},
	{"Unknown", "Unknown Message: ", "text"},
	{"WeChatMiniPrograms", "[Mini program]", "title", "display_name"},
	{"WeChatForwardMiniPrograms", "", "xml_data"},
	{"WeChatEmoji", "[Emoji]"},
	{"WeChatLink", "[Link]", "link_title", "link_url"},
	{"WeChatForwardLink", "", "xml_data"},
	{"WeChatForwardImage", "", "xml_data"},
	{"WeChatForwardFile", "", "xml_data"},
	{"WeChatAppMsg", "", "app_msg"},
	{"WeChatForwardQuote", "", "app_msg"},
	{"WeChatFile", "[File]", "file_name", "name"},
};

static bool is_empty(const json_t *value)
{
	return !value || json_is_null(value) ||
	       (json_is_string(value) && json_string_length(value) == 0);
}

/* A face, the dots of a die, or what a hand shows. */
static void put_face(struct lb_buf *out, const json_t *part)
{
	static const char *const hands[] = {"paper", "scissors", "rock"};
	const char *kind = lb_json_str(part, "face_type");
	int64_t id = 0;

	lb_json_int(part, "face_id", &id);
	if (kind && strcmp(kind, "dice") == 0)
		lb_buf_printf(out, "[Dice]%lld", (long long)id);
	else if (kind && strcmp(kind, "rps") == 0)
		lb_buf_printf(out, "[Rock paper scissors]%s",
			      id >= 1 && id <= 3 ? hands[id - 1] : "");
	else {
		lb_buf_puts(out, "[Face]");
		put_value(out, json_object_get(part, "face_name"));
	}
}

static void put_part(struct lb_buf *out, const json_t *part)
{
	const char *type = lb_json_str(part, "type");
	const json_t *value;

	if (!type)
		return;
	if (strcmp(type, "At") == 0) {
		put_at(out, part);
		return;
	}
	if (strcmp(type, "Face") == 0) {
		put_face(out, part);
		return;
	}
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (strcmp(texts[i].type, type) != 0)
			continue;
		lb_buf_puts(out, texts[i].label);
		if (!texts[i].member)
			return;
		value = json_object_get(part, texts[i].member);
		if (is_empty(value) && texts[i].or_else)
			value = json_object_get(part, texts[i].or_else);
		put_value(out, value);
		return;
	}
	lb_buf_printf(out, "[%s]", type);
}

void lb_chain_text(const json_t *chain, struct lb_buf *out)
{
	const json_t *part;
	size_t i;

	json_array_foreach(chain, i, part) put_part(out, part);
}

static bool is_word(const char *text)
{
	unsigned char c = (unsigned char)*text;

	/* Signs of CJK, U+3001 and the like, end a phrase. */
	return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') ||
	       (c >= 0x80 && strncmp(text, "\xe3\x80", 2) != 0 &&
		strncmp(text, "\xef\xbc", 2) != 0);
}

const char *lb_chain_gap(enum lb_chain_name name, const char *text)
{
	size_t digits = strspn(text, "0123456789");

	if (name == LB_NAME_NONE || !*text || strchr(" \t\r\n", *text))
		return "";
	if (name == LB_NAME_FIRST &&
	    (strchr("#>-*+`~|", *text) ||
	     (digits > 0 && strncmp(text + digits, ". ", 2) == 0)))
		return "\n";
	return is_word(text) ? " " : "";
}

enum lb_chain_name lb_chain_name(const char *type, const struct lb_buf *before)
{
	if (strcmp(type, "At") != 0 && strcmp(type, "AtAll") != 0)
		return LB_NAME_NONE;
	return before->len == 0 ? LB_NAME_FIRST : LB_NAME_WITHIN;
}

enum { MAX_DEPTH = 4 }; /* messages that are forwarded within each other */

static void show(const json_t *chain, struct lb_buf *out, int depth);

static void show_forward(const json_t *part, struct lb_buf *out, int depth)
{
	const json_t *node;
	size_t i;

	json_array_foreach(json_object_get(part, "node_list"), i, node)
	{
		const char *name = lb_json_str(node, "sender_name");

		if (i > 0)
			lb_buf_putc(out, '\n');
		if (name && *name) {
			lb_buf_puts(out, name);
			lb_buf_puts(out, ": ");
		}
		show(json_object_get(node, "message_chain"), out, depth + 1);
	}
}

static void show(const json_t *chain, struct lb_buf *out, int depth)
{
	const json_t *part;
	enum lb_chain_name name = LB_NAME_NONE;
	size_t i;

	json_array_foreach(chain, i, part)
	{
		const char *type = lb_json_str(part, "type");
		const char *text = lb_json_str(part, "text");
		const char *path = lb_json_str(part, "path");

		if (!type)
			continue;
		lb_buf_puts(out, lb_chain_gap(name, text ? text : ""));
		name = lb_chain_name(type, out);
		if (strcmp(type, "Forward") == 0 && depth < MAX_DEPTH)
			show_forward(part, out, depth);
		else
			put_part(out, part);
		if (path && *path)
			lb_buf_printf(out, " %s", path);
	}
}

void lb_chain_shown(const json_t *chain, struct lb_buf *out)
{
	show(chain, out, 0);
}

void lb_chain_plain(const json_t *chain, struct lb_buf *out)
{
	const json_t *part;
	size_t i;

	json_array_foreach(chain, i, part)
	{
		const char *type = lb_json_str(part, "type");

		if (type && strcmp(type, "Plain") == 0)
			put_value(out, json_object_get(part, "text"));
	}
}

void lb_chain_put_text(struct lb_buf *b, const char *text, size_t len)
{
	lb_buf_puts(b, "{\"type\":\"Plain\",\"text\":");
	lb_buf_json_str(b, text, len);
	lb_buf_putc(b, '}');
}

void lb_chain_put_plain(struct lb_buf *b, const char *text, size_t len)
{
	lb_buf_putc(b, '[');
	lb_chain_put_text(b, text, len);
	lb_buf_putc(b, ']');
}
