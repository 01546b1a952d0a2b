/*
 * fuzz-record - any bytes as a stream, any limit: the reader must stop; what
 * is a record must come out of every splice as one, with its members.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/chain.h"
#include "record/line.h"
#include "record/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was written must be one record; returns it, to be released. */
static json_t *reread(const struct lb_buf *b, const char *kind)
{
	struct lb_record r = {0};
	struct lb_error err;
	json_t *json;

	if (b->len < 2 || memchr(b->data, '\n', b->len) != b->data + b->len - 1)
		abort(); /* one line, whole */
	if (lb_record_parse(&r, b->data, b->len - 1, &err) < 0)
		abort();
	if (r.repaired.len != 0 && r.text == r.repaired.data)
		abort(); /* it was to be sound already */
	json = json_incref(r.json);
	lb_record_release(&r);
	if (strcmp(json_string_value(json_object_get(json, "kind")), kind) != 0)
		abort();
	return json;
}

static void check_splice(const struct lb_record *r)
{
	static const char *const without[] = {"id", NULL};
	lb_autobuf struct lb_buf b = {0};
	json_auto_t *json = NULL;
	const char *key;
	json_t *value;

	lb_splice(&b, r, "query", without);
	lb_put_str(&b, "id", "7");
	lb_put_end(&b);
	json = reread(&b, "query");
	json_object_foreach(r->json, key, value)
	{
		if (strcmp(key, "id") == 0 || strcmp(key, "kind") == 0)
			continue;
		if (!json_object_get(json, key))
			abort();
	}
	if (strcmp(json_string_value(json_object_get(json, "id")), "7") != 0)
		abort();
}

static void check_error(const struct lb_record *r)
{
	const struct lb_problem p = {"s", LB_CODE_IO, "w", true, 1};
	lb_autobuf struct lb_buf b = {0}, text = {0};
	json_auto_t *json = NULL;

	lb_put_error(&b, r, &p);
	json = reread(&b, "error");
	if (b.len > 160 * 1024 || !json_object_get(json, "record"))
		abort();
	lb_chain_text(json_object_get(r->json, "chain"), &text);
}

static void check_bad_line(const struct lb_line *line)
{
	lb_autobuf struct lb_buf b = {0};
	json_auto_t *json = NULL;

	lb_put_bad_line(&b, "s", "w", line->text, line->len, line->number);
	json = reread(&b, "error");
	if (json_string_length(json_object_get(json, "line")) > 4096)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC), got;
	size_t max = size > 0 ? (size_t)data[0] * 16 : LB_LINE_MAX;
	struct lb_lines *in = lb_lines_open(fd, max ? max : LB_LINE_MAX);
	struct lb_record r = {0};
	struct lb_error err;
	struct lb_line line;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size ||
	    lseek(fd, 0, SEEK_SET) != 0)
		return -1;
	while ((got = lb_lines_next(in, &line, &err)) != 0)
		if (got > 0 &&
		    lb_record_parse(&r, line.text, line.len, &err) == 0) {
			check_splice(&r);
			check_error(&r);
		} else {
			check_bad_line(&line);
		}
	lb_record_release(&r);
	lb_lines_close(in);
	close(fd);
	return 0;
}
