/*
 * fuzz-notice - any text for people and any value in it: {names} that are known
 * are replaced, once, and nothing else is changed.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "config/notice.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Of a configuration with that text; NULL: it is none. */
static struct lb_config *load(const struct lb_buf *text)
{
	static char path[64];
	static int fd = -1;
	lb_autobuf struct lb_buf b = {0};
	struct lb_error err;

	if (fd < 0) { /* nothing of it is left behind */
		fd = memfd_create("notice", MFD_CLOEXEC);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	lb_buf_puts(&b, "notices: {en_US: {own: ");
	lb_buf_json_str(&b, lb_buf_str(text), text->len);
	lb_buf_puts(&b, "}}\n");
	if (fd < 0 || ftruncate(fd, 0) < 0 ||
	    pwrite(fd, b.data, b.len, 0) != (ssize_t)b.len)
		abort();
	return lb_config_load(path, &err);
}

/* The same, one byte after the other. */
static void expect(struct lb_buf *out, const char *text, const char *who)
{
	while (*text) {
		if (strncmp(text, "{who}", 5) == 0) {
			lb_buf_puts(out, who);
			text += 5;
		} else if (strncmp(text, "{n}", 3) == 0) {
			lb_buf_puts(out, "{who}");
			text += 3;
		} else {
			lb_buf_putc(out, *text++);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	lb_autobuf struct lb_buf text = {0}, who = {0}, got = {0}, want = {0};
	struct lb_config *config;
	size_t half;

	if (size < 2 || memchr(data + 1, 0, size - 1))
		return 0;
	half = data[0] % (size - 1);
	lb_utf8_clean(&text, (const char *)data + 1, half);
	lb_utf8_clean(&who, (const char *)data + 1 + half, size - 1 - half);
	config = load(&text);
	if (!config)
		return 0;
	expect(&want, lb_notice(config, "own"), lb_buf_str(&who));
	lb_notice_put(&got, config, "own", "who", lb_buf_str(&who), "n",
		      "{who}", NULL);
	if (got.len != want.len ||
	    memcmp(lb_buf_str(&got), lb_buf_str(&want), got.len) != 0)
		abort();
	lb_config_close(config);
	return 0;
}
