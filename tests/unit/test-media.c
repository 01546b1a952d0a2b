/* test-media - names of media, what may be opened, what a file is. TAP. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/magic.h"
#include "base/mem.h"
#include "platform/media.h"
#include "tap.h"

static const struct {
	const char *name, *ending;
} names[] = {
	{"a.JPG", ".jpg"}, {"x.tar.gz", ".gz"},    {"noext", ""},
	{"a.", ""},        {".bashrc", ".bashrc"}, {"a.../../x", ""},
	{"a.sh\n", ""},    {"a.123456789", ""},    {"a.p h", ""},
	{NULL, ""},
};

#define ROW(type, bytes)                                                       \
	{                                                                      \
		type, bytes, sizeof(bytes) - 1                                 \
	}

static const struct {
	const char *type, *bytes;
	size_t len;
} heads[] = {
	ROW("image/jpeg", "\xff\xd8\xff\xe0"),
	ROW("image/png", "\x89PNG\r\n\x1a\n...."),
	ROW("image/gif", "GIF89a..."),
	ROW("image/webp", "RIFF\x01\x02\x03\x04WEBPVP8 "),
	ROW("audio/wav", "RIFF\x01\x02\x03\x04WAVEfmt "),
	ROW("audio/ogg", "OggS\0\2"),
	ROW("audio/mpeg", "ID3\3"),
	ROW("audio/mpeg", "\xff\xfb\x90\x64"),
	ROW("audio/mpeg", "\xff\xf3"),
	ROW("audio/amr", "#!AMR\n"),
	ROW("audio/silk", "#!SILK_V3"),
	ROW("audio/silk", "\x02#!SILK_V3"),
	ROW("application/pdf", "%PDF-1.7"),
	ROW("application/zip", "PK\3\4..."),
	ROW("video/mp4", "\0\0\0\x18"
			 "ftypisom"),
	ROW("audio/mp4", "\0\0\0\x18"
			 "ftypM4A "),
	ROW(NULL, "\x89PNG"),
	ROW(NULL, "GIF88a"),
	ROW(NULL, "XXXX\x01\x02\x03\x04WEBP"),
	ROW(NULL, "<svg>"),
	ROW(NULL, ""),
};

static void test_names(void)
{
	lb_autofree char *a = lb_media_path("/s", "b", "ref", NULL);
	lb_autofree char *b = lb_media_path("/s", "b", "ref", "x.jpg");
	lb_autofree char *c = lb_media_path("/s", "bre", "f", NULL);

	/* printf 'b\0ref' | sha256sum */
	tap_same("/s/media/d6/"
		 "006a0f708c3fbc61538c533e2380149c560b7760a9cfc00da68af74d84e7e"
		 "7",
		 a, "SHA-256 of bot and ref");
	tap_ok(strncmp(a, b, strlen(a)) == 0, "whatever it is called");
	tap_ok(strcmp(a, c) != 0, "the bot's name has its end");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		lb_autofree char *p =
			lb_media_path("/s", "b", "r", names[i].name);

		tap_same(names[i].ending, p + strlen("/s/media/xx/") + 62,
			 names[i].name ? names[i].name : "no name");
	}
}

static void put(const char *path)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs("x", f) < 0 || fclose(f) != 0)
		exit(99);
}

/* Below the temporary folder: media/aa/file, a link, a folder link, a pipe. */
static void prepare(void)
{
	if (mkdir("state", 0700) < 0 || mkdir("state/media", 0700) < 0 ||
	    mkdir("state/media/aa", 0700) < 0 || mkdir("elsewhere", 0700) < 0 ||
	    mkdir("state/media/bb", 0700) < 0)
		exit(99);
	put("state/media/aa/file");
	put("state/secret");
	put("elsewhere/file");
	if (symlink("../../secret", "state/media/aa/link") < 0 ||
	    symlink("../../elsewhere", "state/media/cc") < 0 ||
	    symlink("file", "state/media/aa/inner") < 0 ||
	    mkfifo("state/media/aa/pipe", 0600) < 0)
		exit(99);
}

static const struct {
	const char *path;
	int code; /* 0: it opens */
} opens[] = {
	{"state/media/aa/file", 0},
	{"state/media/aa/none", LB_NOINPUT},
	{"state/media/zz/file", LB_NOINPUT},
	{"state/media/aa/link", LB_DENIED},
	{"state/media/aa/inner", LB_DENIED},
	{"state/media/cc/file", LB_DENIED},
	{"state/media/aa/pipe", LB_DENIED},
	{"state/media/aa", LB_DENIED},
	{"state/media/", LB_DENIED},
	{"state/media", LB_DENIED},
	{"state/media/aa/../aa/file", LB_DENIED},
	{"state/media/../secret", LB_DENIED},
	{"state/media/aa//file", LB_DENIED},
	{"state/media/./aa/file", LB_DENIED},
	{"state/media/aa/file/x", LB_DENIED},
	{"state/mediax/aa/file", LB_DENIED},
	{"state/secret", LB_DENIED},
	{"elsewhere/file", LB_DENIED},
	{"/etc/passwd", LB_DENIED},
	{"", LB_DENIED},
};

/* What prepare() made. */
static void clean(void)
{
	static const char *const made[] = {
		"state/media/aa/file",  "state/media/aa/link",
		"state/media/aa/inner", "state/media/aa/pipe",
		"state/media/aa",       "state/media/bb",
		"state/media/cc",       "state/media",
		"state/secret",         "state",
		"elsewhere/file",       "elsewhere",
	};

	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++)
		remove(made[i]);
}

int main(void)
{
	char folder[] = "/tmp/test-media.XXXXXX";
	struct lb_error err;

	test_names();
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		const char *type = lb_magic_type(heads[i].bytes, heads[i].len);

		tap_same(heads[i].type ? heads[i].type : "none",
			 type ? type : "none", "a type");
	}
	if (!mkdtemp(folder) || chdir(folder) < 0)
		return 99;
	prepare();
	for (size_t i = 0; i < sizeof(opens) / sizeof(opens[0]); i++) {
		int fd;

		err.code = 0;
		fd = lb_media_open("state", opens[i].path, &err);
		tap_ok((fd >= 0) == (opens[i].code == 0) &&
			       err.code == (enum lb_exit)opens[i].code,
		       opens[i].path);
		if (fd >= 0)
			close(fd);
	}
	clean();
	if (rmdir(folder) < 0)
		return 99;
	return tap_end();
}
