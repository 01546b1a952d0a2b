#include "tool/python-need.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/path.h"
#include "fs/atomic.h"
#include "fs/beneath.h"
#include "fs/digest.h"
#include "tool/python.h"

enum { MAX_FILE = 1 << 20 };

static const char *const files[] = {"requirements.txt", "pyproject.toml",
				    "setup.py", "setup.cfg", NULL};

static bool has(int folder, const char *name, mode_t type)
{
	struct stat st;

	return fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       (st.st_mode & S_IFMT) == type;
}

bool lb_python_is(int folder)
{
	for (size_t i = 0; files[i]; i++)
		if (has(folder, files[i], S_IFREG))
			return true;
	return false;
}

static int add_file(struct lb_buf *all, int folder, const char *name,
		    struct lb_error *err)
{
	const struct lb_beneath at = {folder, name, NULL};
	lb_autoclose int fd =
		lb_beneath_open(&at, O_RDONLY, LB_BENEATH_FILE, err);
	size_t before = all->len;
	ssize_t n;

	if (fd < 0)
		return -1;
	lb_buf_put(all, name, strlen(name) + 1);
	do {
		char piece[4096];

		n = read(fd, piece, sizeof(piece));
		if (n > 0)
			lb_buf_put(all, piece, (size_t)n);
		if (all->len - before > MAX_FILE)
			return lb_fail(err, LB_DATA, "'%s' is too long", name);
	} while (n > 0 || (n < 0 && errno == EINTR));
	if (n < 0)
		return lb_fail_sys(err, LB_IO, "cannot read '%s'", name);
	lb_buf_putc(all, '\0');
	return 0;
}

/* Which one is it? As seen here, and a sandbox sees the same /usr. */
static void add_python(struct lb_buf *all)
{
	lb_autofree char *path = realpath("/usr/bin/python3", NULL);

	lb_buf_puts(all, path ? path : "");
}

int lb_python_need(int folder, struct lb_python_need *need,
		   struct lb_error *err)
{
	lb_autobuf struct lb_buf all = {0};
	unsigned char sum[LB_DIGEST_SIZE];
	struct lb_piece piece;
	struct stat st;

	*need = (struct lb_python_need){
		.is_list = has(folder, files[0], S_IFREG),
		.has_wheels = has(folder, "wheels", S_IFDIR),
	};
	if (!lb_python_is(folder))
		return lb_fail(err, LB_NOINPUT, "it asks for no packages");
	for (size_t i = 0; files[i]; i++)
		if (has(folder, files[i], S_IFREG) &&
		    add_file(&all, folder, files[i], err) < 0)
			return -1;
	/* What is a package itself is one more when it was put there anew. */
	if (!need->is_list && fstat(folder, &st) == 0)
		lb_buf_printf(&all, "%llu", (unsigned long long)st.st_ino);
	add_python(&all);
	piece = (struct lb_piece){all.data, all.len};
	lb_digest(&piece, 1, sum);
	for (int i = 0; i < (LB_PYTHON_DIGEST - 1) / 2; i++)
		snprintf(need->digest + 2 * i, 3, "%02x", sum[i]);
	return 0;
}

/*
 * The Python of the machine has its packages, too: without a network there may
 * be nothing else. What stays of one that was not made to its end goes first,
 * and what is of an older skill, last.
 */
char *lb_python_script(const struct lb_python_need *need, const char *name,
		       const char *env, bool offline)
{
	lb_autobuf struct lb_buf b = {0};
	const char *skill = LB_BOX_WORKSPACE "/.skills";

	lb_buf_printf(
		&b,
		"set -e\n"
		"p=/usr/bin/python3\n"
		"[ -x $p ] || p=$(command -v python3) || {\n"
		"echo 'there is no python3' >&2\nexit 127\n}\n"
		"e=%s\nrm -rf \"$e\"\n"
		"export TMPDIR=\"$e.tmp\"\nrm -rf \"$TMPDIR\"\n"
		"mkdir -p \"$TMPDIR\"\n"
		"if $p -m pip --version > /dev/null 2>&1; then o=--without-pip;"
		" else o=; fi\n"
		"$p -m venv --system-site-packages $o \"$e\"\n"
		"set -- \"$e/bin/python\" -m pip install --quiet --no-input "
		"--no-color --disable-pip-version-check "
		"--no-warn-script-location\n",
		env);
	if (offline)
		lb_buf_puts(&b, "set -- \"$@\" --no-index\n");
	if (need->has_wheels)
		lb_buf_printf(&b, "set -- \"$@\" --find-links %s/%s/wheels\n",
			      skill, name);
	if (need->is_list)
		lb_buf_printf(&b, "cd %s/%s\n\"$@\" -r requirements.txt >&2\n",
			      skill, name);
	else
		lb_buf_printf(&b,
			      "cp -r %s/%s \"$TMPDIR/src\"\ncd \"$TMPDIR\"\n"
			      "\"$@\" %s ./src >&2\n",
			      skill, name,
			      offline ? "--no-build-isolation" : "");
	lb_buf_printf(&b,
		      "cd /\nrm -rf \"$TMPDIR\"\n"
		      "for o in " LB_BOX_WORKSPACE "/" LB_PYTHON_ENVS
		      "/%s.*; do\n[ \"$o\" = \"$e\" ] || rm -rf \"$o\"\ndone\n",
		      name);
	return lb_buf_take(&b);
}

static char *note_of(const struct lb_box_session *s, const char *name)
{
	return lb_printf("%s/python/%s", s->folder, name);
}

char *lb_python_lock(const struct lb_box_session *s, const char *name)
{
	return lb_printf("%s/python/%s.lock", s->folder, name);
}

bool lb_python_is_made(const struct lb_box_session *s, const char *name,
		       const char *digest)
{
	lb_autofree char *note = note_of(s, name), *text = NULL;
	lb_autofree char *env =
		lb_printf(LB_PYTHON_ENVS "/%s.%s/bin", name, digest);
	const struct lb_beneath at = {s->workspace_fd, env, NULL};
	lb_autoclose int bin = -1;
	struct lb_error why;
	struct stat st;
	size_t len;

	if (lb_path_read(note, LB_PYTHON_DIGEST, &text, &len, &why) < 0 ||
	    strncmp(text, digest, LB_PYTHON_DIGEST - 1) != 0)
		return false;
	bin = lb_beneath_open(&at, O_RDONLY, LB_BENEATH_FOLDER, &why);
	/* a link to that of the machine */
	return bin >= 0 &&
	       fstatat(bin, "python", &st, AT_SYMLINK_NOFOLLOW) == 0;
}

int lb_python_made(const struct lb_box_session *s, const char *name,
		   const char *digest, struct lb_error *err)
{
	lb_autofree char *note = note_of(s, name);

	return lb_atomic_replace(note, digest, strlen(digest), err);
}
