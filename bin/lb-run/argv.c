/* lb-run - command lines, for exec and for people. */
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "run.h"

void words_put(struct words *w, const char *word)
{
	w->at = lb_grow(w->at, (w->n + 2) * sizeof(*w->at));
	w->at[w->n++] = lb_strdup(word);
	w->at[w->n] = NULL;
}

void words_release(struct words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->at[i]);
	free(w->at);
	*w = (struct words){0};
}

void words_program(struct words *w, const char *name)
{
	lb_autofree char *folder = lb_path_program();
	lb_autofree char *path = lb_printf("%s/%s", folder, name);

	words_put(w, access(path, X_OK) == 0 ? path : name);
}

void words_config(struct words *w, const char *config_file)
{
	if (!config_file)
		return;
	words_put(w, "--config");
	words_put(w, config_file);
}

static bool is_plain(const char *word)
{
	return *word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyz"
					   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					   "0123456789-_./:=,@+")];
}

static void quote(const char *word, struct lb_buf *out)
{
	if (is_plain(word)) {
		lb_buf_puts(out, word);
		return;
	}
	lb_buf_putc(out, '\'');
	for (; *word; word++)
		if (*word == '\'')
			lb_buf_puts(out, "'\\''");
		else
			lb_buf_putc(out, *word);
	lb_buf_putc(out, '\'');
}

void words_print_one(const char *name, const char *text, struct lb_buf *out)
{
	lb_buf_printf(out, "%s=", name);
	quote(text, out);
}

void words_print(const struct words *w, struct lb_buf *out)
{
	for (size_t i = 0; i < w->n; i++) {
		bool program = i == 0 || strcmp(w->at[i - 1], "--") == 0;
		const char *slash = program ? strrchr(w->at[i], '/') : NULL;

		if (i > 0)
			lb_buf_putc(out, ' ');
		quote(slash ? slash + 1 : w->at[i], out);
	}
}
