/*
 * skill/github.h - repositories, in every form that people paste.
 *
 *     owner/repo  owner/repo@ref  owner/repo:folder  owner/repo@ref:folder
 *     github:owner/repo...
 *     https://github.com/owner/repo[.git]
 *             .../tree/REF/FOLDER  .../blob/REF/FOLDER/SKILL.md  .../raw/...
 *             .../commit/SHA  .../releases/tag/TAG  .../archive/REF.zip
 *     https://raw.githubusercontent.com/owner/repo/REF/FOLDER/SKILL.md
 *     https://codeload.github.com/owner/repo/zip/REF
 *     https://api.github.com/repos/owner/repo/zipball/REF
 *
 * A branch may have slashes in its name, so where it ends in a URL only the
 * repository knows. It is asked as git does, which needs no key and has no
 * limit of its own, and what was found is downloaded by its commit.
 */
#ifndef LB_SKILL_GITHUB_H
#define LB_SKILL_GITHUB_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "skill/download.h"

struct lb_github {
	char *owner, *repo;
	char *ref;    /* a branch, a tag or a commit; NULL: the usual branch */
	char *rest;   /* a ref with a folder behind it; or NULL */
	char *folder; /* or NULL */
	char *commit; /* set by lb_github_resolve(), or known before */
};

/* Is it one? Empty memory before; release it if so. */
bool lb_github_parse(struct lb_github *g, const char *text);
void lb_github_release(struct lb_github *g);

/*
 * Which commit is meant, and where the folder begins. LB_UNAVAILABLE: there is
 * no such repository, or it is private; LB_NOINPUT: no such branch or tag, and
 * what was tried.
 */
int lb_github_resolve(struct lb_github *g, struct lb_reach *reach,
		      struct lb_error *err);

/* The zip of its commit, in reach->zip. */
int lb_github_download(const struct lb_github *g, struct lb_reach *reach,
		       struct lb_error *err);

/* What a list of refs, as git asks for it, says of one: its commit, 40 digits,
 * or false. NULL is the usual branch. */
bool lb_github_find(const char *refs, size_t len, const char *ref,
		    char commit[41]);

/* Where downloads of github.com come from; NULL-ended. */
extern const char *const lb_github_hosts[];

#endif
