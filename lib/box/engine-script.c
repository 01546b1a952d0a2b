/* engine-script.c - what a sandbox of an engine begins with. */
#include <string.h>

#include "base/mem.h"
#include "box/engine.h"

/* A command may be longer than an argument: the kernel takes 128 KiB. */
enum { MAX_ARGUMENT = 100 * 1024 };

/* As one word of a shell. */
static void quote(struct lb_buf *b, const char *text)
{
	lb_buf_puts(b, " '");
	for (; *text; text++) {
		if (*text == '\'')
			lb_buf_puts(b, "'\\''");
		else
			lb_buf_putc(b, *text);
	}
	lb_buf_putc(b, '\'');
}

void lb_engine_quote_all(struct lb_buf *b, const char *const *texts)
{
	for (; texts && *texts; texts++)
		quote(b, *texts);
}

/* Every program of the image finds its others where the image says. */
static void put_environment(const struct lb_box_exec *x, struct lb_buf *b)
{
	lb_autofree char *home = NULL;

	lb_buf_puts(b, "env -i \"PATH=${PATH:-/usr/local/bin:/usr/bin:/bin}\"");
	home = lb_printf("HOME=%s", x->home);
	quote(b, home);
	lb_engine_quote_all(b, lb_box_environ);
	lb_engine_quote_all(b, lb_box_environ_terminal(x->terminal));
	lb_engine_quote_all(b, (const char *const *)x->spec->env);
}

static void put_command(const struct lb_box_spec *spec, struct lb_buf *b)
{
	if (spec->argv) {
		lb_engine_quote_all(b, (const char *const *)spec->argv);
	} else if (strlen(spec->cmd) > MAX_ARGUMENT) {
		lb_buf_puts(b, " sh " LB_ENGINE_AT "/command");
	} else {
		lb_buf_puts(b, " sh -c");
		quote(b, spec->cmd);
	}
}

/*
 * The shell stays, so that a command is not the first process of its sandbox,
 * to which signals mean nothing; where the engine has an init of its own that
 * costs nothing.
 */
void lb_engine_script(const struct lb_box_exec *x, bool is_blind,
		      struct lb_buf *b)
{
	if (!is_blind)
		lb_buf_puts(b, "echo > " LB_ENGINE_AT "/ready\n"
			       "read -r lb_go < " LB_ENGINE_AT "/gate\n"
			       "[ \"$lb_go\" = go ] || exit 125\n");
	lb_buf_puts(b, "cd --");
	quote(b, x->spec->workdir);
	lb_buf_puts(b, " 2> /dev/null || { mkdir -p --");
	quote(b, x->spec->workdir);
	lb_buf_puts(b, " && cd --");
	quote(b, x->spec->workdir);
	lb_buf_puts(b, "; } || exit 125\n");
	put_environment(x, b);
	put_command(x->spec, b);
	lb_buf_puts(b, "\nexit $?\n");
}
