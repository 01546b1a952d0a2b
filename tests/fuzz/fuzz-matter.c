/*
 * fuzz-matter - any bytes as a SKILL.md: reading ends, leaks nothing; what is
 * fit has a description, what is not has nothing that it says of tools; what is
 * mended and read has all the members that a line of it names, and an edit that
 * succeeds can be read back.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "skill/index.h"
#include "skill/name.h"
#include "skill/own.h"
#include "skill/skill.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool good)
{
	if (!good)
		abort();
}

static void check_index(const struct lb_skill *s)
{
	lb_autobuf struct lb_buf line = {0};

	lb_index_clean(&line, s->description, strlen(s->description));
	must(!memchr(lb_buf_str(&line), '\n', line.len) &&
	     !memchr(lb_buf_str(&line), '<', line.len) &&
	     lb_utf8_valid(lb_buf_str(&line), line.len));
}

static void check_name(const struct lb_skill *s)
{
	lb_autofree char *name = s->name ? lb_skill_name_of(s->name) : NULL;

	must(!name || !lb_skill_name_why(name, strlen(name)));
}

static void check_edit(const char *text, size_t len)
{
	lb_autobuf struct lb_buf now = {0};
	json_auto_t *value = json_string("new: text");
	struct lb_skill again;
	struct lb_error err;

	if (lb_own_set(text, len, "description", value, &now, &err) < 0)
		return;
	lb_skill_read(&again, lb_buf_str(&now), now.len, NULL);
	must(!again.fit || strcmp(again.description, "new: text") == 0);
	lb_skill_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	lb_autofree char *text = NULL;
	struct lb_skill s;

	text = lb_alloc_raw(size + 1);
	memcpy(text, data, size);
	lb_skill_read(&s, text, size, "folder");
	if (s.fit) {
		must(*s.description && s.matter);
		must(!s.tools || json_is_array(s.tools));
		must(s.body >= text && s.body + s.body_len == text + size);
		check_index(&s);
		check_edit(text, size);
	} else {
		must(!*s.description && json_array_size(s.tools) == 0 &&
		     s.tools && s.found.n > 0);
	}
	check_name(&s);
	lb_skill_release(&s);
	return 0;
}
