/*
 * llm/image.h - images as models get them. Inside the room only.
 */
#ifndef LB_LLM_IMAGE_H
#define LB_LLM_IMAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* What an endpoint takes; 0 is no limit. Sizes are those of the files. */
struct lb_image_limits {
	size_t bytes; /* of one */
	size_t count; /* in a request */
	size_t total; /* bytes of all together */
	enum lb_image_urls {
		LB_NO_URLS,
		LB_HTTPS_URLS,
		LB_HTTP_URLS, /* and https */
	} urls;               /* what it fetches for itself */
};

/* What was taken of the limits so far. Zeroed memory is nothing. */
struct lb_image_count {
	const struct lb_image_limits *limits;
	size_t count, total;
};

/*
 * An image from a data: URL or base64 alone, new: {"mime","data"}, the type
 * being what its bytes say, whatever was declared, and the data base64 without
 * breaks; or {"text"}, a note, where it is no image that models take. NULL with
 * LB_USAGE: it is more than the endpoint takes.
 */
json_t *lb_image_read(const char *text, size_t len,
		      struct lb_image_count *count, struct lb_error *err);

/*
 * The same of an address: {"url"} where the endpoint fetches it for itself, or
 * a note. Nothing is fetched here.
 */
json_t *lb_image_at(const char *url, struct lb_image_count *count,
		    struct lb_error *err);

#endif
