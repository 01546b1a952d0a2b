#include "llm/image.h"

#include <string.h>
#include <strings.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/magic.h"
#include "base/mem.h"

/* What the model is told instead. */
static json_t *note(const char *text)
{
	return lb_json_pack("{s:s}", "text", text);
}

/* Take one of that many bytes out of what is left. */
static int take(struct lb_image_count *c, size_t bytes, struct lb_error *err)
{
	const struct lb_image_limits *l = c->limits;

	c->count++;
	c->total += bytes;
	if (l->bytes && bytes > l->bytes)
		return lb_fail(err, LB_USAGE,
			       "an image of %zu bytes is larger than the "
			       "provider takes (%zu)",
			       bytes, l->bytes);
	if (l->count && c->count > l->count)
		return lb_fail(err, LB_USAGE,
			       "there are more images than the provider takes "
			       "(%zu)",
			       l->count);
	if (l->total && c->total > l->total)
		return lb_fail(err, LB_USAGE,
			       "the images are larger together than the "
			       "provider takes (%zu bytes)",
			       l->total);
	return 0;
}

/* The start of the base64 in a data: URL; the text itself where it is none. */
static const char *payload(const char *text, size_t *len)
{
	const char *comma;

	if (*len < 5 || strncmp(text, "data:", 5) != 0)
		return text;
	comma = memchr(text, ',', *len);
	if (!comma || comma - text < 7 || strncmp(comma - 7, ";base64", 7) != 0)
		return NULL;
	*len -= (size_t)(comma + 1 - text);
	return comma + 1;
}

json_t *lb_image_read(const char *text, size_t len,
		      struct lb_image_count *count, struct lb_error *err)
{
	lb_autobuf struct lb_buf bytes = {0}, again = {0};
	const char *type = NULL;

	text = payload(text, &len);
	if (text && lb_base64_decode(&bytes, text, len))
		type = lb_magic_type(lb_buf_str(&bytes), bytes.len);
	if (!lb_magic_is_image(type))
		return note("[Image: not a PNG, JPEG, GIF or WebP]");
	if (take(count, bytes.len, err) < 0)
		return NULL;
	if (len != (bytes.len + 2) / 3 * 4) { /* breaks in it, or no padding */
		lb_base64_encode(&again, bytes.data, bytes.len);
		text = again.data;
		len = again.len;
	}
	return lb_json_pack("{s:s, s:o}", "mime", type, "data",
			    lb_json_text(text, len));
}

static bool takes(enum lb_image_urls urls, const char *url)
{
	if (strncasecmp(url, "https://", 8) == 0)
		return urls != LB_NO_URLS;
	return urls == LB_HTTP_URLS && strncasecmp(url, "http://", 7) == 0;
}

json_t *lb_image_at(const char *url, struct lb_image_count *count,
		    struct lb_error *err)
{
	lb_autofree char *text = NULL;

	if (strncmp(url, "data:", 5) == 0)
		return lb_image_read(url, strlen(url), count, err);
	if (takes(count->limits->urls, url))
		return take(count, 0, err) < 0
			       ? NULL
			       : lb_json_pack("{s:s}", "url", url);
	text = lb_printf("[Image: %s]", url);
	return note(text);
}
