#include "config/template.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/near.h"

enum { MAX_TEMPLATE = 256 };

static const char *const variables[] =
	{"bot",         "pipeline",  "session",         "launcher_type",
	 "launcher_id", "sender_id", "conversation_id", "query_id",
	 "global",      NULL};

/* What an encoded value consists of, '%' too. */
static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "abcdefghijklmnopqrstuvwxyz0123456789.-%";

bool lb_template_next(const char **at, struct lb_template_part *part)
{
	const char *p = *at, *end;

	part->variable = *p == '{';
	part->text = p + part->variable;
	part->len = strcspn(part->text, "{}");
	end = part->text + part->len;
	if (part->variable ? *end != '}' : part->len == 0)
		return false;
	*at = end + part->variable;
	return true;
}

bool lb_template_has(const char *template, const char *variable)
{
	struct lb_template_part part;

	while (lb_template_next(&template, &part))
		if (part.variable && strlen(variable) == part.len &&
		    memcmp(part.text, variable, part.len) == 0)
			return true;
	return false;
}

static int check_variable(const struct lb_template_part *part,
			  struct lb_error *err)
{
	lb_autofree char *name = lb_strndup(part->text, part->len);
	lb_autobuf struct lb_buf all = {0};
	struct lb_slip slip = {.typed = name};

	for (size_t i = 0; variables[i]; i++) {
		if (strcmp(variables[i], name) == 0)
			return 0;
		lb_slip_try(&slip, variables[i]);
		lb_buf_printf(&all, " {%s}", variables[i]);
	}
	if (slip.meant)
		return lb_fail(err, LB_CONFIG,
			       "{%.40s} is no variable (did you mean {%s}?)",
			       name, slip.meant);
	return lb_fail(err, LB_CONFIG, "{%.40s} is no variable; there are%s",
		       name, lb_buf_str(&all));
}

/* '~' begins what the name of a session ends in when it is too long. */
static int check_text(const struct lb_template_part *part, struct lb_error *err)
{
	for (size_t i = 0; i < part->len; i++) {
		unsigned char c = (unsigned char)part->text[i];

		if (c <= ' ' || c >= 0x7f || c == '~' || c == '%')
			return lb_fail(err, LB_CONFIG,
				       "only letters, digits and signs but "
				       "'~', '%%' and blanks may stand beside "
				       "the variables");
	}
	return 0;
}

static bool parts_values(const struct lb_template_part *part)
{
	for (size_t i = 0; i < part->len; i++)
		if (!strchr(plain, part->text[i]))
			return true;
	return false;
}

int lb_template_check(const char *template, struct lb_error *err)
{
	const char *at = template;
	struct lb_template_part part;
	bool open = false; /* a variable came, and nothing that ends it */

	if (!*template)
		return lb_fail(err, LB_CONFIG, "it is empty");
	if (strlen(template) > MAX_TEMPLATE)
		return lb_fail(err, LB_CONFIG, "it is longer than %d bytes",
			       MAX_TEMPLATE);
	while (lb_template_next(&at, &part)) {
		if (!part.variable && check_text(&part, err) < 0)
			return -1;
		if (!part.variable) {
			open = open && !parts_values(&part);
			continue;
		}
		if (check_variable(&part, err) < 0)
			return -1;
		if (open)
			return lb_fail(err, LB_CONFIG,
				       "'_' or '/' must stand in front of "
				       "{%.*s}: else two values could not be "
				       "told apart",
				       (int)part.len, part.text);
		open = true;
	}
	if (*at)
		return lb_fail(err, LB_CONFIG,
			       "a brace that belongs to no variable");
	return 0;
}
