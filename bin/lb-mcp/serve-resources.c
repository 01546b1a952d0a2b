/* lb-mcp serve: the files of skills, as resources. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "fs/beneath.h"
#include "fs/walk.h"
#include "skill/pack.h"
#include "skilled.h"

#define SCHEME "skill://"

enum {
	MOST_FILES = 512,    /* of a skill that are listed */
	MOST_LISTED = 10000, /* of all */
	MOST_READ = 4 << 20, /* bytes of a file */
};

static const char *mime_of(const char *path)
{
	static const char *const types[][2] = {
		{".md", "text/markdown"},      {".txt", "text/plain"},
		{".json", "application/json"}, {".yaml", "application/yaml"},
		{".yml", "application/yaml"},  {".py", "text/x-python"},
		{".sh", "application/x-sh"},   {".js", "text/javascript"},
		{".html", "text/html"},        {".css", "text/css"},
		{".csv", "text/csv"},          {".xml", "application/xml"},
		{".png", "image/png"},         {".jpg", "image/jpeg"},
		{".jpeg", "image/jpeg"},       {".gif", "image/gif"},
		{".svg", "image/svg+xml"},     {".webp", "image/webp"},
		{".pdf", "application/pdf"},
	};
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < sizeof(types) / sizeof(types[0]); i++)
		if (strcasecmp(dot, types[i][0]) == 0)
			return types[i][1];
	return NULL;
}

/* A path as a part of a URI. */
static void put_path(struct lb_buf *out, const char *path, size_t len)
{
	static const char plain[] = "-._~!$&'()*+,;=:@/";

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)path[i];

		if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
		    (c >= 'A' && c <= 'Z') || (c && strchr(plain, c)))
			lb_buf_putc(out, (char)c);
		else
			lb_buf_printf(out, "%%%02X", c);
	}
}

void put_clean(json_t *o, const char *key, const char *text)
{
	lb_autobuf struct lb_buf clean = {0};

	lb_index_clean(&clean, text, strlen(text));
	lb_json_set_str(o, key, lb_buf_str(&clean), clean.len);
}

static json_t *file_of(const struct lb_shelved *one,
		       const struct lb_walk_entry *e)
{
	lb_autobuf struct lb_buf uri = {0};
	json_t *o = json_object();
	const char *mime = mime_of(e->path);
	struct stat st;

	lb_buf_printf(&uri, SCHEME "%s/", one->name);
	put_path(&uri, e->path, e->path_len);
	lb_json_set_str(o, "uri", uri.data, uri.len);
	if (strcmp(e->path, "SKILL.md") == 0) {
		json_object_set_new(o, "name", json_string(one->name));
		put_clean(o, "description", one->skill.description);
	} else {
		lb_autofree char *name = lb_printf("%s/%s", one->name, e->path);

		put_clean(o, "name", name);
	}
	if (mime)
		json_object_set_new(o, "mimeType", json_string(mime));
	if (fstatat(e->folder, e->name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		json_object_set_new(o, "size", json_integer(st.st_size));
	return o;
}

static void add_files(json_t *all, const struct lb_shelved *one)
{
	const struct lb_walk_options options = {
		.max_entries = LB_PACK_ENTRIES,
		.max_depth = LB_PACK_DEPTH,
		.sort = true,
		.paths = true,
	};
	struct lb_error err;
	lb_autoclose int fd = lb_shelved_open(one, &err);
	struct lb_walk *walk = fd < 0 ? NULL : lb_walk_open(fd, &options, &err);
	struct lb_walk_entry e;
	size_t n = 0;

	if (!walk) {
		lb_warn("%s", err.text);
		return;
	}
	while (lb_walk_next(walk, &e) > 0 && n < MOST_FILES &&
	       json_array_size(all) < MOST_LISTED) {
		if (e.type == DT_DIR)
			lb_walk_enter(walk);
		if (e.type != DT_REG || !lb_utf8_valid(e.path, e.path_len))
			continue;
		json_array_append_new(all, file_of(one, &e));
		n++;
	}
	lb_walk_close(walk);
}

json_t *resources_list(const struct room *room)
{
	json_t *all = json_array();

	for (size_t i = 0; i < room->visible.n; i++)
		add_files(all, room->visible.at[i]);
	return lb_json_pack("{s:o}", "resources", all);
}

json_t *resources_templates(void)
{
	return lb_json_pack("{s:[{s:s, s:s, s:s}]}", "resourceTemplates",
			    "uriTemplate", SCHEME "{skill}/{+path}", "name",
			    "skill", "description",
			    "A file of a skill; SKILL.md has what it is for");
}

static int hex(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* "%41" is "A". False: it stands for nothing. */
static bool read_path(struct lb_buf *out, const char *text)
{
	for (; *text; text++) {
		if (*text != '%') {
			lb_buf_putc(out, *text);
			continue;
		}
		if (hex(text[1]) < 0 || hex(text[2]) < 0 ||
		    (text[1] == '0' && text[2] == '0'))
			return false;
		lb_buf_putc(out, (char)(hex(text[1]) * 16 + hex(text[2])));
		text += 2;
	}
	return out->len > 0;
}

static int read_all(int fd, struct lb_buf *out, struct lb_error *err)
{
	ssize_t n;

	do {
		lb_buf_reserve(out, 64 << 10);
		n = read(fd, out->data + out->len, 64 << 10);
		if (n < 0 && errno != EINTR)
			return lb_fail_sys(err, LB_IO, "cannot be read");
		out->len += n > 0 ? (size_t)n : 0;
		if (out->len > MOST_READ)
			return lb_fail(err, LB_DATA, "is larger than %d MiB",
				       (int)(MOST_READ >> 20));
	} while (n != 0);
	return 0;
}

/* "skill://NAME/PATH" */
static int open_uri(const struct room *room, const char *uri,
		    struct lb_buf *path, struct lb_error *err)
{
	const char *rest = uri + sizeof(SCHEME) - 1;
	const char *slash = strncmp(uri, SCHEME, sizeof(SCHEME) - 1) == 0
				    ? strchr(rest, '/')
				    : NULL;
	lb_autofree char *name =
		slash ? lb_strndup(rest, (size_t)(slash - rest)) : NULL;
	const struct lb_shelved *one =
		name ? lb_visible_get(&room->visible, name) : NULL;
	lb_autoclose int root = -1;

	if (!one || !read_path(path, slash + 1))
		return lb_fail(err, LB_NOINPUT, "there is no such resource");
	root = lb_shelved_open(one, err);
	if (root < 0)
		return -1;
	return lb_beneath_open(&(struct lb_beneath){root, path->data, NULL},
			       O_RDONLY, LB_BENEATH_FILE, err);
}

void resources_read(const struct room *room, struct lb_serve_ask *ask)
{
	lb_autobuf struct lb_buf path = {0}, bytes = {0}, text = {0};
	struct lb_error err;
	lb_autoclose int fd = open_uri(room, ask->name, &path, &err);
	const char *mime;
	json_t *one;
	bool is_text;

	if (fd < 0 || read_all(fd, &bytes, &err) < 0) {
		lb_serve_fail(ask, LB_MCP_NOT_FOUND, "'%.200s': %s", ask->name,
			      err.text);
		return;
	}
	is_text = lb_utf8_valid(lb_buf_str(&bytes), bytes.len) &&
		  !memchr(lb_buf_str(&bytes), '\0', bytes.len);
	mime = mime_of(path.data);
	one = lb_json_pack("{s:s, s:s}", "uri", ask->name, "mimeType",
			   mime      ? mime
			   : is_text ? "text/plain"
				     : "application/octet-stream");
	if (!is_text)
		lb_base64_encode(&text, lb_buf_str(&bytes), bytes.len);
	json_object_set_new(one, is_text ? "text" : "blob",
			    is_text ? json_stringn(lb_buf_str(&bytes),
						   bytes.len)
				    : json_stringn(lb_buf_str(&text),
						   text.len));
	lb_serve_done(ask, lb_json_pack("{s:[o]}", "contents", one));
}
