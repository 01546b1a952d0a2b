#include "skill/sum.h"

#include <string.h>

#include "base/json.h"
#include "fs/digest.h"

enum { HEX = 64, BEFORE_PATH = 2 + HEX + 2 };

static void put_digest(struct lb_buf *b, const void *at, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	const struct lb_piece piece = {at, len};
	unsigned char sum[LB_DIGEST_SIZE];

	lb_digest(&piece, 1, sum);
	for (int i = 0; i < LB_DIGEST_SIZE; i++) {
		lb_buf_putc(b, digits[sum[i] >> 4]);
		lb_buf_putc(b, digits[sum[i] & 15]);
	}
}

void lb_skill_list(const struct lb_pack *p, struct lb_buf *list)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct lb_pack_file *f = &p->files[i];

		lb_buf_puts(list, f->exec ? "x " : "- ");
		put_digest(list, f->data ? f->data : "", f->len);
		lb_buf_printf(list, "  %s\n", f->path);
	}
}

void lb_skill_sum(const struct lb_buf *list, char sum[LB_SKILL_SUM])
{
	lb_autobuf struct lb_buf b = {0};

	lb_buf_puts(&b, "sha256:");
	put_digest(&b, lb_buf_str(list), list->len);
	memcpy(sum, b.data, b.len + 1);
}

/* A line of a list; its path is empty behind the last one. */
struct row {
	const char *line, *path;
	size_t path_len, len;
};

static struct row row_at(const char *text)
{
	struct row r = {text, "", 0, strcspn(text, "\n")};

	if (r.len > BEFORE_PATH) {
		r.path = text + BEFORE_PATH;
		r.path_len = r.len - BEFORE_PATH;
	}
	return r;
}

static const char *next(const struct row *r)
{
	return r->line + r->len + (r->line[r->len] == '\n');
}

static int compare(const struct row *a, const struct row *b)
{
	size_t n = a->path_len < b->path_len ? a->path_len : b->path_len;
	int r = memcmp(a->path, b->path, n);

	/* Behind the last is behind all. */
	if (a->path_len == 0 || b->path_len == 0)
		return (a->path_len == 0) - (b->path_len == 0);
	return r ? r
		 : (a->path_len > b->path_len) - (a->path_len < b->path_len);
}

static void add(json_t *all, const struct row *r, const char *change)
{
	json_t *one = lb_json_pack("{}");

	lb_json_set_str(one, "path", r->path, r->path_len);
	json_object_set_new(one, "change", json_string(change));
	json_array_append_new(all, one);
}

json_t *lb_skill_changes(const char *before, const char *after)
{
	json_t *all = json_array();
	struct row a = row_at(before), b = row_at(after);

	while (a.path_len > 0 || b.path_len > 0) {
		int order = compare(&a, &b);

		if (order < 0)
			add(all, &a, "removed");
		else if (order > 0)
			add(all, &b, "added");
		else if (memcmp(a.line + 2, b.line + 2, HEX) != 0)
			add(all, &b, "changed");
		else if (*a.line != *b.line)
			add(all, &b, "mode");
		if (order <= 0)
			a = row_at(next(&a));
		if (order >= 0)
			b = row_at(next(&b));
	}
	return all;
}

int lb_shelved_sum(const struct lb_shelved *one, struct lb_buf *list,
		   char sum[LB_SKILL_SUM], struct lb_error *err)
{
	struct lb_pack pack = {0};
	int r = lb_shelved_pack(one, &pack, err);

	lb_skill_list(&pack, list);
	lb_pack_release(&pack);
	lb_skill_sum(list, sum);
	return r;
}
