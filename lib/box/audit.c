#include "box/audit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/id.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/utf8.h"
#include "box/admit.h"
#include "fs/digest.h"

/*
 * Bytes that a text may take in the row, as JSON: ids come whole unless
 * somebody made them to be long; the last, the command, has what is left.
 */
enum { ID = 512, NAME = 128, TEXT = 400, ENV = 300, HOSTS = 300, TRIES = 100 };

/* Bytes of the character there, as JSON. */
static size_t width(const char *text, size_t len)
{
	unsigned char c = (unsigned char)*text;

	if (c == '"' || c == '\\' || c == '\n' || c == '\t' || c == '\r')
		return 2;
	return c < 32 || c == 127 ? 6 : len;
}

/* How much of well-formed text fits into `room` bytes and `chars` characters. */
static size_t fitting(const struct lb_buf *text, size_t room, size_t chars)
{
	size_t at = 0;

	while (at < text->len && chars-- > 0) {
		size_t n = lb_utf8_char(text->data + at, text->len - at);
		size_t w = width(text->data + at, n);

		if (n == 0 || w > room)
			break;
		room -= w;
		at += n;
	}
	return at;
}

/* A member, when there is one: at most that many bytes and characters. */
static void put(struct lb_buf *row, const char *key, const char *text,
		size_t room, size_t chars)
{
	lb_autobuf struct lb_buf clean = {0};

	if (!text)
		return;
	/* more than this many bytes never fit */
	lb_utf8_clean(&clean, text, strnlen(text, 4 * room));
	lb_hide_secrets(&clean);
	lb_buf_printf(row, ",\"%s\":", key);
	lb_buf_json_str(row, lb_buf_str(&clean), fitting(&clean, room, chars));
}

/* An id is whole, or ends with an ellipsis: see lb_audit_erase(). */
static void put_id(struct lb_buf *row, const char *key, const char *text)
{
	static const char dots[] = "\xe2\x80\xa6";
	lb_autobuf struct lb_buf clean = {0};
	size_t n;

	if (!text)
		return;
	lb_utf8_clean(&clean, text, strnlen(text, 2 * ID));
	n = fitting(&clean, ID, ID);
	if (n < clean.len) {
		n = fitting(&clean, ID - strlen(dots), ID);
		clean.len = n;
		lb_buf_puts(&clean, dots);
	}
	lb_buf_printf(row, ",\"%s\":", key);
	lb_buf_json_str(row, lb_buf_str(&clean), clean.len);
}

/* Names alone: what they hold may be a secret. */
static void put_env(struct lb_buf *row, char *const *env)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz0123456789_";
	size_t room = ENV, left = 0;

	if (!env || !*env)
		return;
	lb_buf_puts(row, ",\"env\":[");
	for (size_t i = 0; env[i]; i++) {
		size_t n = strcspn(env[i], "=");

		if (n + 3 > room || strspn(env[i], letters) != n) {
			left++;
			continue;
		}
		room -= n + 3;
		if (row->data[row->len - 1] != '[')
			lb_buf_putc(row, ',');
		lb_buf_json_str(row, env[i], n);
	}
	lb_buf_putc(row, ']');
	if (left > 0)
		lb_buf_printf(row, ",\"env_left_out\":%zu", left);
}

/* Hosts, as many as there is room for; they were checked. */
static void put_hosts(struct lb_buf *row, const char *key, const json_t *list)
{
	size_t room = HOSTS, i, n = 0;
	const json_t *one;

	json_array_foreach((json_t *)(uintptr_t)list, i, one)
	{
		const char *host = json_string_value(one);

		if (!host || strlen(host) + 3 > room)
			continue;
		room -= strlen(host) + 3;
		if (n++ == 0)
			lb_buf_printf(row, ",\"%s\":[", key);
		else
			lb_buf_putc(row, ',');
		lb_buf_json_str(row, host, strlen(host));
	}
	if (n > 0)
		lb_buf_putc(row, ']');
}

static void put_digest(struct lb_buf *row, const char *command)
{
	unsigned char sum[LB_DIGEST_SIZE];

	lb_digest(&(struct lb_piece){command, strlen(command)}, 1, sum);
	lb_buf_puts(row, ",\"sha256\":\"");
	for (size_t i = 0; i < sizeof(sum); i++)
		lb_buf_printf(row, "%02x", sum[i]);
	lb_buf_putc(row, '"');
}

/* The numbers that were in force, the numbers of a sandbox alone. */
static void put_limits(struct lb_buf *row, const struct lb_box_spec *s)
{
	static const char *const networks[] = {"off", "on", "listed"};
	json_auto_t *hosts = json_array();

	lb_buf_printf(row,
		      ",\"limits\":{\"timeout_ms\":%lld,\"cpus\":%g,"
		      "\"memory_mb\":%lld,\"pids_limit\":%lld,"
		      "\"quota_mb\":%lld,\"network\":\"%s\"",
		      (long long)s->timeout_ms, s->cpus,
		      (long long)s->memory_mb, (long long)s->pids_limit,
		      (long long)s->quota_mb, networks[s->network]);
	for (char **h = s->hosts; h && *h; h++)
		json_array_append_new(hosts, json_string(*h));
	put_hosts(row, "hosts", hosts);
	lb_buf_putc(row, '}');
}

static void put_outcome(struct lb_buf *row, const struct lb_box_audit *a)
{
	put(row, "backend", a->backend, NAME, NAME);
	put(row, "profile", a->profile, NAME, NAME);
	put(row, "killed_by", a->killed_by, NAME, NAME);
	if (a->backend)
		lb_buf_printf(row,
			      ",\"limits_backend\":\"%s\",\"quota\":\"%s\"",
			      lb_box_limits_name(a->limits),
			      lb_box_quota_name(a->quota));
	if (a->backend && a->spec)
		put_limits(row, a->spec);
	put_hosts(row, "refused", a->refused);
	if (a->exit_code >= 0)
		lb_buf_printf(row, ",\"exit_code\":%d", a->exit_code);
	if (a->duration_ms >= 0)
		lb_buf_printf(row, ",\"bytes\":%llu,\"duration_ms\":%lld",
			      (unsigned long long)(a->bytes < INT64_MAX
							   ? a->bytes
							   : INT64_MAX),
			      (long long)a->duration_ms);
}

static void make(struct lb_buf *row, const struct lb_box_audit *a)
{
	static const char *const words[] = {"allowed", "denied", "pending"};
	char key[LB_ID_SIZE];

	lb_id_new(a->time, key);
	/* What is in front of a row may be half of one, from a full disk. */
	lb_buf_printf(row,
		      "\n{\"key\":\"%s\",\"time\":%lld,\"decision\":\"%s\"",
		      key, (long long)a->time, words[a->decision]);
	put(row, "id", a->id, NAME, NAME);
	put(row, "bot", a->bot, NAME, NAME);
	put(row, "pipeline", a->pipeline, NAME, NAME);
	put_id(row, "session", a->session);
	put_id(row, "sender", a->sender);
	put(row, "workspace", a->workspace, 2 * NAME, NAME);
	put(row, "tool", a->tool, NAME, NAME);
	put_outcome(row, a);
	put_env(row, a->env);
	put(row, "reason", a->reason, TEXT / 2, TEXT);
	put(row, "description", a->description, TEXT / 2, TEXT);
	if (a->command) {
		put_digest(row, a->command);
		put(row, "command", a->command,
		    LB_BOX_AUDIT_LINE - row->len -
			    sizeof(",\"command\":\"\"}\n"),
		    LB_BOX_AUDIT_COMMAND);
	}
	lb_buf_puts(row, "}\n");
}

/*
 * The file, locked so that nobody takes it away meanwhile; -1 and errno. One
 * that was renamed before it was locked is another's already.
 */
static int open_file(const char *path)
{
	struct stat here, there;

	for (int i = 0; i < TRIES; i++) {
		lb_autoclose int fd =
			open(path,
			     O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC |
				     O_NOFOLLOW | O_NONBLOCK,
			     0600);
		int mine = fd;

		if (fd < 0 || flock(fd, LOCK_SH) < 0 || fstat(fd, &here) < 0)
			return -1;
		if (!S_ISREG(here.st_mode)) {
			errno = EINVAL;
			return -1;
		}
		if (stat(path, &there) == 0 && there.st_ino == here.st_ino &&
		    there.st_dev == here.st_dev) {
			fd = -1;
			return mine;
		}
	}
	errno = EAGAIN;
	return -1;
}

static int append(const char *path, const struct lb_buf *row)
{
	lb_autoclose int fd = open_file(path);
	ssize_t n = fd < 0 ? -1 : write(fd, row->data, row->len);

	if (n >= 0 && (size_t)n < row->len)
		errno = ENOSPC;
	return n == (ssize_t)row->len ? 0 : -1;
}

bool lb_box_audit_write(const char *state, const struct lb_box_audit *row)
{
	static bool warned;
	lb_autofree char *folder = lb_printf("%s/box", state);
	lb_autofree char *path = lb_printf("%s/audit.jsonl", folder);
	lb_autobuf struct lb_buf text = {0};
	struct lb_error err;
	int r;

	make(&text, row);
	r = append(path, &text);
	if (r < 0 && errno == ENOENT && lb_path_make(folder, &err) == 0)
		r = append(path, &text);
	if (r < 0 && !warned)
		lb_warn("what is run is not audited: cannot write '%s': %s",
			path, strerror(errno));
	warned = warned || r < 0;
	return r == 0;
}

void lb_box_audit_context(struct lb_box_audit *row,
			  const struct lb_config *config, const json_t *context)
{
	row->id = lb_json_str(context, "id");
	row->bot = lb_json_str(context, "bot");
	row->pipeline = lb_json_str(context, "pipeline");
	row->session = lb_json_str(context, "session");
	row->sender = lb_json_str(context, "sender_id");
	row->workspace = lb_box_workspace(config);
}

void lb_box_audit_result(struct lb_box_audit *row,
			 const struct lb_box_result *r)
{
	row->backend = r->backend;
	row->killed_by = r->killed_by                 ? r->killed_by
			 : r->end == LB_BOX_TIMED_OUT ? "timeout"
						      : NULL;
	row->limits = r->limits;
	row->quota = r->quota;
	row->exit_code = r->exit_code;
	row->bytes = r->out.bytes + r->err.bytes;
	row->duration_ms = r->duration_ms;
	row->refused = r->refused;
}
