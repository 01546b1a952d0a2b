/*
 * platform/markup.h - the Markdown that models write, as a platform shows it.
 *
 *     markup.c          lines: paragraphs, headings, lists, quotes, code, tables
 *     markup-inline.c   what is within them
 *     markup-pairs.c    which marks of emphasis belong together
 *
 * One reader with a back end for each form. Bold, italic, strike, code, code
 * blocks with a language, links, block quotes, headings, lists and tables;
 * what a form cannot express (images, tables, headings) becomes readable text,
 * escaped for where it stands. Any bytes are Markdown: nothing is refused, and
 * the output of a form is always well-formed. What people see of the output
 * is never longer than the Markdown was, so text that was cut to a limit
 * keeps to it. The time it takes grows as the text does.
 */
#ifndef LB_PLATFORM_MARKUP_H
#define LB_PLATFORM_MARKUP_H

#include <stddef.h>

#include "base/buf.h"

enum lb_markup {
	LB_MARKUP_PLAIN,         /* what people read when nothing is shown */
	LB_MARKUP_TELEGRAM_HTML, /* b i s code pre a blockquote */
};

void lb_markup(const char *markdown, size_t len, enum lb_markup form,
	       struct lb_buf *out);

/* Text for inside such a form, an attribute too: &, <, > and " escaped. */
void lb_markup_escape(const char *text, size_t len, struct lb_buf *out);

#endif
