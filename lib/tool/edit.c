/* edit - a text that is once in a file becomes another. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "fs/beneath.h"
#include "tool/args.h"
#include "tool/replace.h"
#include "tool/tool.h"

/* Of a file before and after; of places that an error names. */
enum { MAX_FILE = 1024 * 1024, MAX_NAMED = 5 };

const char lb_tool_edit_schema[] =
	"{\"type\":\"object\",\"properties\":{"
	"\"path\":{\"type\":\"string\",\"description\":\"the file, such as "
	"/workspace/main.c; at most 1 MiB\"},"
	"\"old_string\":{\"type\":\"string\",\"description\":\"what is there "
	"exactly once, with its blanks and line breaks\"},"
	"\"new_string\":{\"type\":\"string\",\"description\":\"what is to be "
	"there instead\"}},"
	"\"required\":[\"path\",\"old_string\",\"new_string\"],"
	"\"additionalProperties\":false}";

struct text {
	const char *at;
	size_t len;
};

/* How often it is there, also where it overlaps itself; the lines of the
 * first ones go to `named`. */
static size_t count(const struct lb_buf *file, struct text old,
		    struct lb_buf *named, size_t *first)
{
	const char *at = lb_buf_str(file), *end = at + file->len, *from = at;
	size_t n = 0, line = 1;

	while ((at = memmem(at, (size_t)(end - at), old.at, old.len))) {
		if (n++ == 0)
			*first = (size_t)(at - file->data);
		if (n <= MAX_NAMED) {
			for (; from < at; from++)
				line += *from == '\n';
			lb_buf_printf(named, "%s%zu", n > 1 ? ", " : "", line);
		}
		at++;
	}
	return n;
}

/* With CR LF for each line feed that has none yet. */
static void with_crlf(struct lb_buf *out, struct text t)
{
	for (size_t i = 0; i < t.len; i++) {
		if (t.at[i] == '\n' && (i == 0 || t.at[i - 1] != '\r'))
			lb_buf_putc(out, '\r');
		lb_buf_putc(out, t.at[i]);
	}
}

static int read_whole(const struct lb_spot *spot, struct lb_buf *file,
		      struct lb_error *err)
{
	const struct lb_beneath at = {spot->root, spot->path, spot->shown};
	lb_autoclose int fd =
		lb_beneath_open(&at, O_RDONLY, LB_BENEATH_FILE, err);
	ssize_t n = 1;

	if (fd < 0)
		return -1;
	while (n != 0 && file->len <= MAX_FILE) {
		lb_buf_reserve(file, MAX_FILE + 1 - file->len);
		n = read(fd, file->data + file->len, MAX_FILE + 1 - file->len);
		if (n < 0 && errno != EINTR)
			return lb_fail_sys(err, LB_IO, "cannot read '%.200s'",
					   spot->shown);
		file->len += n > 0 ? (size_t)n : 0;
	}
	file->data[file->len] = '\0';
	if (file->len > MAX_FILE)
		return lb_fail(err, LB_DENIED,
			       "'%.200s' is larger than 1 MiB; change it with "
			       "exec (sed, python)",
			       spot->shown);
	return 0;
}

static json_t *change(const struct lb_place *place, const struct lb_spot *spot,
		      const struct lb_buf *file, size_t at, struct text old,
		      struct text new)
{
	lb_autobuf struct lb_buf changed = {0};
	struct lb_error err;

	if (file->len - old.len + new.len > MAX_FILE)
		return lb_tool_refuse("nothing was changed: '%s' would be "
				      "larger than 1 MiB",
				      spot->shown);
	lb_buf_put(&changed, file->data, at);
	lb_buf_put(&changed, new.at, new.len);
	lb_buf_put(&changed, file->data + at + old.len,
		   file->len - at - old.len);
	if (lb_tool_replace(place, spot, lb_buf_str(&changed), changed.len,
			    &err) < 0)
		return lb_tool_no(&err);
	return lb_json_pack("{s:b, s:o}", "ok", 1, "path",
			    lb_json_text(spot->shown, strlen(spot->shown)));
}

/* read shows line feeds where a file has CR LF: both are tried. */
static json_t *edit(const struct lb_place *place, const struct lb_spot *spot,
		    const struct lb_buf *file, struct text old, struct text new)
{
	lb_autobuf struct lb_buf old_crlf = {0}, new_crlf = {0}, lines = {0};
	size_t at = 0, n = count(file, old, &lines, &at);

	if (n == 0 && memmem(file->data, file->len, "\r\n", 2)) {
		with_crlf(&old_crlf, old);
		with_crlf(&new_crlf, new);
		old = (struct text){old_crlf.data, old_crlf.len};
		new = (struct text){lb_buf_str(&new_crlf), new_crlf.len};
		n = count(file, old, &lines, &at);
	}
	if (n == 0)
		return lb_tool_refuse("nothing was changed: old_string was not "
				      "found in '%s'; read it, and copy the "
				      "text with its blanks and line breaks",
				      spot->shown);
	if (n > 1)
		return lb_tool_refuse("nothing was changed: old_string matches "
				      "%zu locations in '%s' (line %s%s); give "
				      "more of the text around the one that "
				      "is meant",
				      n, spot->shown, lb_buf_str(&lines),
				      n > MAX_NAMED ? " ..." : "");
	return change(place, spot, file, at, old, new);
}

json_t *lb_tool_edit(const struct lb_place *place, const json_t *arguments)
{
	lb_autobuf struct lb_buf file = {0};
	lb_autospot struct lb_spot spot = {0};
	struct lb_error err;
	struct text old, new;

	old.at = lb_args_text(arguments, "old_string", &old.len);
	new.at = lb_args_text(arguments, "new_string", &new.len);
	if (old.len == 0)
		return lb_tool_refuse("nothing was changed: old_string is "
				      "empty; give the text that is to be "
				      "replaced, or use write");
	if (old.len == new.len && memcmp(old.at, new.at, old.len) == 0)
		return lb_tool_refuse("nothing was changed: old_string and "
				      "new_string are the same");
	if (lb_args_spot(place, arguments, NULL, &spot, &err) < 0)
		return lb_tool_no(&err);
	if (spot.root < 0)
		return lb_tool_refuse("'%s' is a folder", spot.shown);
	if (read_whole(&spot, &file, &err) < 0)
		return lb_tool_no(&err);
	return edit(place, &spot, &file, old, new);
}
