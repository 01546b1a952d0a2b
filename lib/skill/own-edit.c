/* own-edit.c - a SKILL.md with something else in it, and all the rest kept. */
#include <string.h>

#include "base/mem.h"
#include "config/edit.h"
#include "skill/matter.h"
#include "skill/own.h"

/* The frontmatter, with quotes where they were missing. */
static int matter_of(const char *text, size_t len, struct lb_matter *m,
		     struct lb_buf *yaml, struct lb_error *err)
{
	struct lb_skill_findings found = {0};
	lb_autobuf struct lb_buf mended = {0};
	struct lb_yaml *root = NULL;
	struct lb_error ignored;
	int r = 0;

	if (lb_matter_split(text, len, m, &found))
		root = lb_matter_read(text, m, &found);
	if (!root)
		r = lb_fail(err, LB_DATA, "SKILL.md:%zu: %s", found.at[0].line,
			    found.at[0].text);
	lb_skill_findings_release(&found);
	lb_yaml_close(root);
	if (r < 0)
		return -1;
	root = lb_yaml_open(text + m->start, m->end - m->start, "SKILL.md",
			    &ignored);
	if (root || !lb_matter_mend(text + m->start, m->end - m->start, &mended,
				    &found))
		lb_buf_put(yaml, text + m->start, m->end - m->start);
	else
		lb_buf_put(yaml, lb_buf_str(&mended), mended.len);
	lb_skill_findings_release(&found);
	lb_yaml_close(root);
	return 0;
}

int lb_own_set(const char *text, size_t len, const char *path,
	       const json_t *value, struct lb_buf *out, struct lb_error *err)
{
	lb_autobuf struct lb_buf yaml = {0}, now = {0};
	struct lb_matter m;
	int r;

	if (matter_of(text, len, &m, &yaml, err) < 0)
		return -1;
	r = value ? lb_edit_set(lb_buf_str(&yaml), yaml.len, path, value, &now,
				err)
		  : lb_edit_unset(lb_buf_str(&yaml), yaml.len, path, &now, err);
	if (r < 0) {
		err->code = LB_DATA;
		return lb_error_wrap(err, "SKILL.md");
	}
	lb_buf_put(out, text, m.start);
	lb_buf_put(out, lb_buf_str(&now), now.len);
	if (now.len > 0 && now.data[now.len - 1] != '\n')
		lb_buf_putc(out, '\n');
	lb_buf_put(out, text + m.end, len - m.end);
	return 0;
}

int lb_own_body(const char *text, size_t len, const char *body, size_t body_len,
		struct lb_buf *out, struct lb_error *err)
{
	struct lb_skill_findings found = {0};
	struct lb_matter m;
	int r = 0;

	if (!lb_matter_split(text, len, &m, &found))
		r = lb_fail(err, LB_DATA, "SKILL.md:%zu: %s", found.at[0].line,
			    found.at[0].text);
	lb_skill_findings_release(&found);
	if (r < 0)
		return -1;
	lb_buf_put(out, text, m.body);
	if (m.body > 0 && text[m.body - 1] != '\n')
		lb_buf_putc(out, '\n');
	lb_buf_put(out, body, body_len);
	return 0;
}
