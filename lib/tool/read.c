/* read - a file by lines, or by bytes. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "fs/beneath.h"
#include "tool/args.h"
#include "tool/folder.h"
#include "tool/shown.h"
#include "tool/tool.h"

enum {
	DEFAULT_LINES = 2000,
	MAX_LINES = 10000,
	PIECE = 256 * 1024,
	WINDOW = 2 * LB_TOOL_BYTES + 2, /* lines may all be CR LF */
};

const char lb_tool_read_schema[] =
	"{\"type\":\"object\",\"properties\":{"
	"\"path\":{\"type\":\"string\",\"description\":\"a file or folder, "
	"such "
	"as /workspace/notes.txt. A folder is listed: names of folders end "
	"with "
	"'/', those of links with '@'\"},"
	"\"offset\":{\"type\":\"integer\",\"minimum\":1,\"default\":1,"
	"\"description\":\"the first line to read; go on with next_offset\"},"
	"\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":10000,"
	"\"default\":2000,\"description\":\"how many lines\"},"
	"\"max_bytes\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":51200,"
	"\"default\":51200,\"description\":\"how many bytes\"},"
	"\"encoding\":{\"type\":\"string\",\"enum\":[\"text\",\"base64\"],"
	"\"default\":\"text\"},"
	"\"byte_offset\":{\"type\":\"integer\",\"minimum\":0,\"default\":0,"
	"\"description\":\"read from this byte on instead of by lines; go on "
	"with next_byte_offset\"}},"
	"\"required\":[\"path\"],\"additionalProperties\":false}";

struct reading {
	int fd;
	const char *shown;
	int64_t size;
	int64_t offset, limit, max_bytes, byte_offset;
	int64_t deadline;
	char *window; /* WINDOW bytes */
	size_t len;   /* in it */
	bool is_end;  /* and the file ends there */
};

/* Up to `max` bytes from a place on; less only at the end of the file. */
static ssize_t read_at(int fd, char *to, size_t max, int64_t from)
{
	size_t n = 0;

	while (n < max) {
		ssize_t got = pread(fd, to + n, max - n, from + (off_t)n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		n += (size_t)got;
	}
	return (ssize_t)n;
}

static json_t *refuse_io(const struct reading *r)
{
	return lb_tool_refuse("cannot read '%s': %s", r->shown,
			      strerror(errno));
}

static bool fill(struct reading *r, int64_t from)
{
	ssize_t n = read_at(r->fd, r->window, WINDOW, from);

	r->len = n > 0 ? (size_t)n : 0;
	r->is_end = r->len < WINDOW;
	return n >= 0;
}

/*
 * Behind how many line feeds, from byte *at on? *at is moved behind the last of
 * them, at most `want`; -1: it takes too long, or errno.
 */
static int64_t skip_lines(const struct reading *r, int64_t want, int64_t *at)
{
	lb_autofree char *piece = lb_alloc_raw(PIECE);
	int64_t seen = 0, from = *at;
	ssize_t n;

	while (seen < want && (n = read_at(r->fd, piece, PIECE, from)) != 0) {
		const char *p = piece, *end = piece + n;

		if (n < 0 || lb_clock_mono() > r->deadline)
			return -1;
		while (seen < want &&
		       (p = memchr(p, '\n', (size_t)(end - p)))) {
			seen++;
			p++;
			*at = from + (p - piece);
		}
		from += n;
	}
	return seen;
}

/* ---- by lines ---- */

struct lines {
	struct lb_buf text;
	int64_t n;
	size_t used; /* bytes of the window */
	const char *stopped_by;
};

/* The next line of the window, if there is room for it. */
static bool take_line(const struct reading *r, struct lines *l)
{
	const char *at = r->window + l->used;
	size_t left = r->len - l->used;
	const char *end = memchr(at, '\n', left);
	size_t len = end ? (size_t)(end - at) : left;
	size_t before = l->text.len, max = (size_t)r->max_bytes, used;

	if (l->n == r->limit) {
		l->stopped_by = "lines";
		return false;
	}
	if (l->n > 0)
		lb_buf_putc(&l->text, '\n');
	used = len;
	if (used > 0 && at[used - 1] == '\r' && end)
		used--;
	if ((!end && !r->is_end) || l->text.len > max ||
	    lb_show(&l->text, at, used, max - l->text.len, true) < used) {
		l->text.len = before;
		l->stopped_by = "bytes";
		return false;
	}
	l->n++;
	l->used += len + (end ? 1 : 0);
	return true;
}

/* A line that is longer than a result: its beginning, and two ways on. */
static json_t *first_part(struct reading *r, int64_t start)
{
	lb_autobuf struct lb_buf text = {0};
	size_t used = lb_show(&text, r->window, r->len, (size_t)r->max_bytes,
			      r->is_end);
	int64_t next = start + (int64_t)used, at = next;
	json_t *result = json_object(), *line = json_null();
	json_t *number = json_integer(r->offset);

	if (skip_lines(r, 1, &at) == 1 && at < r->size)
		line = json_integer(r->offset + 1);
	json_object_set_new(result, "ok", json_true());
	lb_json_set_str(result, "content", lb_buf_str(&text), text.len);
	json_object_set_new(result, "truncated", json_true());
	json_object_set_new(result, "truncated_by", json_string("bytes"));
	json_object_set(result, "start_line", number);
	json_object_set_new(result, "end_line", number);
	json_object_set_new(result, "next_offset", line);
	json_object_set_new(result, "next_byte_offset", json_integer(next));
	json_object_set_new(
		result, "note",
		json_string("this is the beginning of one line that is longer "
			    "than max_bytes: go on within it by byte_offset = "
			    "next_byte_offset, or behind it, if there is "
			    "anything, by offset = next_offset"));
	return result;
}

static json_t *whole_lines(const struct reading *r, const struct lines *l)
{
	json_t *result = json_object();
	bool more = l->stopped_by != NULL;

	json_object_set_new(result, "ok", json_true());
	lb_json_set_str(result, "content", lb_buf_str(&l->text), l->text.len);
	json_object_set_new(result, "truncated", json_boolean(more));
	json_object_set_new(result, "truncated_by",
			    lb_tool_word(l->stopped_by));
	json_object_set_new(result, "start_line", json_integer(r->offset));
	json_object_set_new(result, "end_line",
			    json_integer(r->offset + l->n - 1));
	json_object_set_new(result, "next_offset",
			    more ? json_integer(r->offset + l->n)
				 : json_null());
	return result;
}

static json_t *read_lines(struct reading *r)
{
	lb_autobuf struct lb_buf freed = {0};
	struct lines l = {0};
	int64_t start = 0;
	int64_t seen = skip_lines(r, r->offset - 1, &start);
	json_t *result;

	if (seen < 0)
		return lb_tool_refuse("line %lld of '%s' is too far into it to "
				      "be found; read by byte_offset",
				      (long long)r->offset, r->shown);
	if (!fill(r, start))
		return refuse_io(r);
	if (r->offset > 1 && (seen < r->offset - 1 || r->len == 0)) {
		bool open_end = seen < r->offset - 1 && r->size > start;

		return lb_tool_refuse("'%s' ends before line %lld: it has %lld "
				      "lines",
				      r->shown, (long long)r->offset,
				      (long long)(seen + open_end));
	}
	while (l.used < r->len && take_line(r, &l))
		;
	freed = l.text;
	if (l.n == 0 && l.stopped_by)
		result = first_part(r, start);
	else
		result = whole_lines(r, &l);
	json_object_set_new(result, "max_lines", json_integer(r->limit));
	json_object_set_new(result, "max_bytes", json_integer(r->max_bytes));
	return result;
}

/* ---- by bytes ---- */

static json_t *read_bytes(struct reading *r, bool as_text)
{
	lb_autobuf struct lb_buf text = {0};
	json_t *result;
	size_t used;
	int64_t next;

	if (r->byte_offset > r->size)
		return lb_tool_refuse("'%s' ends before byte %lld: it has "
				      "%lld",
				      r->shown, (long long)r->byte_offset,
				      (long long)r->size);
	if (!fill(r, r->byte_offset))
		return refuse_io(r);
	used = r->len > (size_t)r->max_bytes ? (size_t)r->max_bytes : r->len;
	if (as_text)
		used = lb_show(&text, r->window, r->len, (size_t)r->max_bytes,
			       r->is_end);
	else
		lb_base64_encode(&text, r->window, used);
	next = r->byte_offset + (int64_t)used;
	result = json_object();
	json_object_set_new(result, "ok", json_true());
	lb_json_set_str(result, "content", lb_buf_str(&text), text.len);
	json_object_set_new(result, "encoding",
			    json_string(as_text ? "text" : "base64"));
	json_object_set_new(result, "byte_offset",
			    json_integer(r->byte_offset));
	json_object_set_new(result, "length", json_integer((int64_t)used));
	json_object_set_new(result, "size_bytes", json_integer(r->size));
	json_object_set_new(result, "has_more", json_boolean(next < r->size));
	json_object_set_new(result, "next_byte_offset",
			    next < r->size ? json_integer(next) : json_null());
	json_object_set_new(result, "max_bytes", json_integer(r->max_bytes));
	return result;
}

static json_t *read_file(const struct lb_spot *spot, int fd,
			 const struct stat *st, const json_t *arguments)
{
	const char *encoding = lb_args_text(arguments, "encoding", NULL);
	lb_autofree char *window = lb_alloc_raw(WINDOW);
	struct reading r = {
		.fd = fd,
		.shown = spot->shown,
		.size = st->st_size,
		.offset = lb_args_number(arguments, "offset", 1, 1, INT64_MAX),
		.limit = lb_args_number(arguments, "limit", DEFAULT_LINES, 1,
					MAX_LINES),
		.max_bytes = lb_args_number(arguments, "max_bytes",
					    LB_TOOL_BYTES, 1, LB_TOOL_BYTES),
		.byte_offset = lb_args_number(arguments, "byte_offset", 0, 0,
					      INT64_MAX),
		.deadline = lb_clock_mono() + LB_TOOL_SEARCH_MS,
		.window = window,
	};

	if (encoding && strcmp(encoding, "base64") == 0)
		return read_bytes(&r, false);
	return r.byte_offset > 0 ? read_bytes(&r, true) : read_lines(&r);
}

json_t *lb_tool_read(const struct lb_place *place, const json_t *arguments)
{
	lb_autospot struct lb_spot spot = {0};
	struct lb_beneath at;
	lb_autoclose int fd = -1;
	struct lb_error err;
	struct stat st;

	if (lb_args_spot(place, arguments, NULL, &spot, &err) < 0)
		return lb_tool_no(&err);
	if (spot.root < 0)
		return lb_tool_list_skills(place);
	at = (struct lb_beneath){spot.root, spot.path, spot.shown};
	fd = lb_beneath_open(&at, O_RDONLY, LB_BENEATH_EITHER, &err);
	if (fd < 0)
		return lb_tool_no(&err);
	if (fstat(fd, &st) < 0)
		return lb_tool_refuse("cannot read '%s': %s", spot.shown,
				      strerror(errno));
	if (S_ISDIR(st.st_mode))
		return lb_tool_list(place, &spot, fd);
	return read_file(&spot, fd, &st, arguments);
}
