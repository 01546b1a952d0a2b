/*
 * skill/matter.h - the frontmatter of SKILL.md, apart from its body.
 *
 * The file begins (behind a byte-order mark) with a line that is "---" but for
 * blanks at its end; the next line that trims to "---" closes it. Lines end in
 * LF or CR LF. What is between is YAML, read by config/yaml.h within its
 * limits; the body is the rest without the newlines it begins with.
 */
#ifndef LB_SKILL_MATTER_H
#define LB_SKILL_MATTER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "config/yaml.h"
#include "skill/finding.h"

enum {
	LB_MATTER_MAX = 64 << 10, /* bytes of frontmatter */
};

/* Offsets into the text. */
struct lb_matter {
	size_t open;       /* of the first fence */
	size_t start, end; /* between the fences */
	size_t body;
	size_t body_line; /* from 1 */
};

/* False, with a finding, when there is none or it is not closed. */
bool lb_matter_split(const char *text, size_t len, struct lb_matter *m,
		     struct lb_skill_findings *found);

/*
 * The mapping, its lines those of the file, or NULL with a finding that is
 * LB_SKILL_UNFIT. Where it is no YAML for want of quotes, it is read as if they
 * were there, and each place is a finding (LB_SKILL_OFF).
 */
struct lb_yaml *lb_matter_read(const char *text, const struct lb_matter *m,
			       struct lb_skill_findings *found);

/*
 * For lb_matter_read(): the frontmatter from its first fence on with quotes
 * around texts that YAML takes for something else. Lines stay where they are.
 * False: nothing to mend.
 */
bool lb_matter_mend(const char *text, size_t len, struct lb_buf *out,
		    struct lb_skill_findings *found);

#endif
