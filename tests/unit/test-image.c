/*
 * test-image - images as they are read for a request: what their bytes say,
 * and what an endpoint takes. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/json.h"
#include "base/mem.h"
#include "llm/image.h"

#define PNG "iVBORw0KGgowMDAw"

static const struct row {
	const char *what, *text;
	const char *mime, *data; /* NULL: a note */
} rows[] = {
	{"img-21: png by its bytes, whatever was declared",
	 "data:image/jpg;base64," PNG, "image/png", PNG},
	{"without a data URL", PNG, "image/png", PNG},
	{"jpeg, declared as image/jpg",
	 "data:image/jpg;base64,/9j/4GpwZWc=", "image/jpeg", "/9j/4GpwZWc="},
	{"gif", "R0lGODlhMDAw", "image/gif", "R0lGODlhMDAw"},
	{"webp", "UklGRjAwMDBXRUJQMDAw", "image/webp", "UklGRjAwMDBXRUJQMDAw"},
	{"padding that lacks", "/9j/4GpwZWc", "image/jpeg", "/9j/4GpwZWc="},
	{"lines that are broken", "iVBORw0K\r\nGgow MDAw", "image/png", PNG},
	{"a drawing is none", "data:image/svg+xml;base64,PHN2Zy8+", NULL, NULL},
	{"a RIFF that is sound", "UklGRjAwMDBXQVZFMDAw", NULL, NULL},
	{"a data URL that is not base64", "data:image/png,abc", NULL, NULL},
	{"no base64", "data:image/png;base64,%%%", NULL, NULL},
	{"nothing", "data:image/png;base64,", NULL, NULL},
	{"a comma too early", "data:,", NULL, NULL},
};

static int n_tests, bad;

static void tell(bool ok, const char *what)
{
	bad |= !ok;
	printf("%sok %d - %s\n", ok ? "" : "not ", ++n_tests, what);
}

static void try(const struct row *row)
{
	static const struct lb_image_limits none;
	struct lb_image_count count = {.limits = &none};
	struct lb_error err;
	json_auto_t *got =
		lb_image_read(row->text, strlen(row->text), &count, &err);
	const char *mime = lb_json_str(got, "mime");
	const char *data = lb_json_str(got, "data");

	tell(row->mime ? mime && data && strcmp(mime, row->mime) == 0 &&
				 strcmp(data, row->data) == 0
		       : lb_json_str(got, "text") != NULL,
	     row->what);
}

/* The nth image of 12 bytes: does it pass? */
static bool takes(const struct lb_image_limits *limits, int n)
{
	struct lb_image_count count = {.limits = limits};
	struct lb_error err;
	json_t *got = NULL;

	for (int i = 0; i < n; i++) {
		json_decref(got);
		got = lb_image_read(PNG, strlen(PNG), &count, &err);
	}
	json_decref(got);
	return got || err.code != LB_USAGE;
}

/* Is the address given to the endpoint? Else it is told as text. */
static bool gives(enum lb_image_urls urls, const char *url)
{
	struct lb_image_count count = {
		.limits = &(struct lb_image_limits){.urls = urls}};
	struct lb_error err;
	json_auto_t *got = lb_image_at(url, &count, &err);
	const char *given = lb_json_str(got, "url");
	const char *text = lb_json_str(got, "text");
	lb_autofree char *want = lb_printf("[Image: %s]", url);

	if (!given && (!text || strcmp(text, want) != 0))
		tell(false, url);
	return given && strcmp(given, url) == 0;
}

static void try_urls(void)
{
	tell(gives(LB_HTTPS_URLS, "https://a/b.png"), "https");
	tell(gives(LB_HTTP_URLS, "HTTPS://a/b.png"), "https where http is");
	tell(gives(LB_HTTP_URLS, "http://a/b.png"), "http");
	tell(!gives(LB_HTTPS_URLS, "http://a/b.png"), "no http where https is");
	tell(!gives(LB_NO_URLS, "https://a/b.png"), "no addresses at all");
	tell(!gives(LB_HTTP_URLS, "file:///etc/passwd"), "no file");
	tell(!gives(LB_HTTP_URLS, "httpx://a"), "no other scheme");
}

int main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		try(&rows[i]);
	try_urls();
	tell(takes(&(struct lb_image_limits){.bytes = 12}, 1), "just fits");
	tell(!takes(&(struct lb_image_limits){.bytes = 11}, 1), "too large");
	tell(takes(&(struct lb_image_limits){.count = 2}, 2), "two of two");
	tell(!takes(&(struct lb_image_limits){.count = 2}, 3), "three of two");
	tell(takes(&(struct lb_image_limits){.total = 24}, 2), "all fit");
	tell(!takes(&(struct lb_image_limits){.total = 23}, 2),
	     "together too large");
	printf("1..%d\n", n_tests);
	return bad;
}
