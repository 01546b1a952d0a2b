#include "pipeline/long-text.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/proc.h"
#include "base/utf8.h"
#include "config/notice.h"
#include "fs/atomic.h"
#include "record/chain.h"
#include "record/record.h"

enum { PREVIEW = 200 }; /* bytes */

/* A file of ours below media; its path goes to `path`. */
static int keep(const char *extension, const char *data, size_t len,
		struct lb_buf *path, struct lb_error *err)
{
	lb_autofree char *state = lb_config_state(err), *folder = NULL;
	char id[LB_ID_SIZE];

	if (!state)
		return -1;
	/* Its name is chance: no record can name the file of another. */
	lb_id_new(lb_clock_now(), id);
	folder = lb_printf("%s/media/%s", state, id + LB_ID_SIZE - 3);
	if (lb_path_make(folder, err) < 0)
		return -1;
	lb_buf_printf(path, "%s/%s.%s", folder, id, extension);
	return lb_atomic_create(lb_buf_str(path), data, len, err);
}

static void put_notice(struct lb_buf *b, const char *key,
		       struct lb_config *config, const char *notice)
{
	lb_put_str(b, key, lb_notice(config, notice));
}

/* One message in it; nobody's name is the bot's own. */
static void put_forward(struct lb_buf *b, struct lb_config *config,
			const char *text, size_t len)
{
	size_t shown = lb_utf8_cut(text, len, PREVIEW);

	lb_buf_puts(b, "{\"type\":\"Forward\",\"display\":{\"preview\":[");
	lb_buf_json_str(b, text, shown);
	lb_buf_putc(b, ']');
	put_notice(b, "title", config, "forward-title");
	put_notice(b, "brief", config, "forward-brief");
	put_notice(b, "source", config, "forward-source");
	put_notice(b, "summary", config, "forward-summary");
	lb_buf_puts(b, "},\"node_list\":[{\"sender_id\":\"\","
		       "\"sender_name\":\"\",\"message_id\":0,"
		       "\"message_chain\":");
	lb_chain_put_plain(b, text, len);
	lb_buf_puts(b, "}]}");
}

/* What a renderer gets to know of us: no keys, no tokens. */
static char **environment(void)
{
	static const char *const names[] = {"PATH",          "HOME",
					    "LANG",          "LC_ALL",
					    "LC_CTYPE",      "TMPDIR",
					    "XDG_CACHE_HOME"};
	enum { N = sizeof(names) / sizeof(*names) };
	char **env = lb_alloc((N + 1) * sizeof(*env));
	size_t n = 0;

	for (size_t i = 0; i < N; i++) {
		const char *value = lb_config_env(names[i]);

		if (value)
			env[n++] = lb_printf("%s=%s", names[i], value);
	}
	return env;
}

/* Its first chunk and its last: one that was cut off is refused where it is
 * sent, and then nothing of the answer is read. */
static bool is_png(const struct lb_buf *png)
{
	static const char first[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
	static const char last[] = "\0\0\0\0IEND\xae\x42\x60\x82";
	size_t n = sizeof(first) - 1, m = sizeof(last) - 1;

	return png->len >= n + m && memcmp(png->data, first, n) == 0 &&
	       memcmp(png->data + png->len - m, last, m) == 0;
}

static int render(const char *command, const char *text, size_t len,
		  struct lb_buf *png, struct lb_error *err)
{
	lb_autofree char *copy = lb_strdup(command);
	char **env = environment();
	char shell[] = "/bin/sh", flag[] = "-c";
	char *argv[] = {shell, flag, copy, NULL};
	int result = lb_proc_filter(
		&(struct lb_proc_job){
			.argv = argv,
			.env = env,
			.text = text,
			.len = len,
			.max = LB_LONG_IMAGE_BYTES,
			.timeout_ms = LB_LONG_RENDER_MS,
		},
		png, err);

	for (char **e = env; *e; e++)
		free(*e);
	free(env);
	if (result < 0)
		return lb_error_wrap(err, "the renderer");
	if (!is_png(png))
		return lb_fail(err, LB_DATA,
			       "the renderer wrote something that is no PNG");
	return 0;
}

static size_t lines_of(const char *text, size_t len)
{
	size_t n = 1;

	for (const char *p = text, *end = text + len;
	     (p = memchr(p, '\n', (size_t)(end - p))); p++)
		n++;
	return n;
}

/* Does anybody read that as one? */
static bool is_picture(const char *text, size_t len)
{
	return lb_utf8_count(text, len) <= LB_LONG_IMAGE_CHARS &&
	       lines_of(text, len) <= LB_LONG_IMAGE_LINES;
}

static int put_image(struct lb_buf *b, const struct lb_output *o,
		     const char *text, size_t len, struct lb_error *err)
{
	lb_autobuf struct lb_buf png = {0}, path = {0};

	if (!is_picture(text, len))
		return lb_fail(err, LB_DATA,
			       "the text is too long for a picture");
	if (render(o->renderer, text, len, &png, err) < 0 ||
	    keep("png", png.data, png.len, &path, err) < 0)
		return -1;
	lb_buf_puts(b, "{\"type\":\"Image\",\"mime\":\"image/png\"");
	lb_put_str(b, "path", lb_buf_str(&path));
	lb_put_int(b, "size", (int64_t)png.len);
	lb_buf_putc(b, '}');
	return 0;
}

static int put_file(struct lb_buf *b, struct lb_config *config,
		    const char *text, size_t len, struct lb_error *err)
{
	lb_autobuf struct lb_buf path = {0};

	if (keep("md", text, len, &path, err) < 0)
		return -1;
	lb_buf_puts(b, "{\"type\":\"File\",\"mime\":\"text/markdown\"");
	put_notice(b, "name", config, "long-text-file");
	lb_put_str(b, "path", lb_buf_str(&path));
	lb_put_int(b, "size", (int64_t)len);
	lb_buf_putc(b, '}');
	return 0;
}

enum lb_long_text lb_long_text(const struct lb_output *o,
			       const struct lb_wrap *wrap, const char *text,
			       size_t len, struct lb_buf *chain)
{
	struct lb_config *config = wrap->config;
	enum lb_long_text how = o->strategy;
	struct lb_error err;

	if (how == LB_LONG_IMAGE && is_picture(text, len) &&
	    !lb_aside(wrap->asides))
		return how; /* somebody else makes it */
	if (how == LB_LONG_IMAGE && put_image(chain, o, text, len, &err) < 0) {
		lb_warn("a long answer is forwarded instead: %s", err.text);
		how = LB_LONG_FORWARD;
	} else if (how == LB_LONG_FILE &&
		   put_file(chain, config, text, len, &err) < 0) {
		lb_warn("a long answer is cut instead: %s", err.text);
		how = LB_LONG_SPLIT;
	}
	if (how == LB_LONG_FORWARD)
		put_forward(chain, config, text, len);
	return how;
}
