#include "box/approval.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "fs/digest.h"

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static size_t count(char *const *env)
{
	size_t n = 0;

	while (env && env[n])
		n++;
	return n;
}

/* Lengths in front, so that no two wishes are one text. */
static void add(struct lb_buf *b, const char *text)
{
	lb_buf_printf(b, "%zu:", strlen(text));
	lb_buf_puts(b, text);
}

static void digest(const struct lb_buf *b, char hash[LB_BOX_HASH])
{
	unsigned char sum[LB_DIGEST_SIZE];

	lb_digest(&(struct lb_piece){b->data, b->len}, 1, sum);
	for (size_t i = 0; i < sizeof(sum); i++)
		snprintf(hash + 2 * i, 3, "%02x", sum[i]);
}

int lb_box_wish_read(const struct lb_box_wish *wish, char hash[LB_BOX_HASH],
		     struct lb_buf *text, struct lb_error *err)
{
	lb_autobuf struct lb_buf all = {0}, shown = {0};
	size_t n = count(wish->env);
	lb_autofree char **env = lb_alloc((n + 1) * sizeof(*env));

	for (size_t i = 0; i < n; i++)
		env[i] = wish->env[i];
	qsort(env, n, sizeof(*env), compare);
	add(&all, wish->command);
	add(&all, wish->workdir);
	add(&all, wish->session ? wish->session : "");
	add(&all, wish->workspace ? wish->workspace : "");
	lb_buf_printf(&shown, "%s\n# in %s", wish->command, wish->workdir);
	if (wish->workspace)
		lb_buf_printf(&shown, "\n# of workspace %s", wish->workspace);
	for (size_t i = 0; i < n; i++) {
		add(&all, env[i]);
		lb_buf_printf(&shown, "\n# with %s", env[i]);
	}
	if (shown.len > LB_BOX_MAX_APPROVAL)
		return lb_fail(err, LB_DENIED,
			       "the command is too long for somebody to "
			       "approve: put it into a file");
	digest(&all, hash);
	lb_utf8_clean(text, shown.data, shown.len);
	return 0;
}
