/*
 * box/spec.h - what is to run in a sandbox, and in which.
 *
 * A spec is read from a JSON object with the members of LangBot's BoxSpec:
 *
 *     cmd                 text; a shell command. It may lack where the caller
 *                         set `argv` before, and nowhere else
 *     workdir             absolute; below mount_path when a host path is
 *                         mounted; default mount_path
 *     timeout_sec         whole number > 0
 *     network             "off", "on" or {"allow": [HOST, ...]}, with rules of
 *                         base/host.h
 *     session_id          text; absent: a sandbox that is gone afterwards
 *     env                 {NAME: text}; NAME is [A-Za-z_][A-Za-z0-9_]*
 *     image               text, for backends that have images; empty: theirs
 *     host_path           absolute; what is mounted at mount_path, or null
 *     host_path_mode      "none", "ro" or "rw"
 *     mount_path          absolute; "/workspace"
 *     extra_mounts        [{host_path, mount_path, mode}]
 *     skill_name          text or null
 *     persistent          boolean
 *     cpus                number > 0
 *     memory_mb           whole number >= 32
 *     pids_limit          whole number >= 1
 *     read_only_rootfs    boolean
 *     workspace_quota_mb  whole number >= 0; 0: none
 *
 * Texts are trimmed, "30" counts as 30, true does not count as 1, null is as
 * absent, unknown members are ignored. Paths are brought into shape
 * ("/workspace/../etc" is "/etc") before they are judged; an empty one is none.
 * Nothing may hold a NUL, and names and paths no control character.
 */
#ifndef LB_BOX_SPEC_H
#define LB_BOX_SPEC_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define LB_BOX_WORKSPACE "/workspace" /* where the workspace is, inside */

enum {
	LB_BOX_MAX_ENV = 256,     /* variables */
	LB_BOX_MAX_MOUNTS = 64,   /* extra mounts */
	LB_BOX_MAX_HOSTS = 100,   /* that may be reached */
	LB_BOX_MAX_SESSION = 512, /* bytes of a session's name */
	LB_BOX_MAX_CMD = 8 * 1024 * 1024,
};

enum lb_box_network { LB_BOX_OFF, LB_BOX_ON, LB_BOX_LISTED };
enum lb_box_mode { LB_BOX_NONE, LB_BOX_RO, LB_BOX_RW };

struct lb_box_mount {
	char *host_path, *mount_path; /* owned; both absolute */
	enum lb_box_mode mode;
};

/* All owned. Zeroed before first use. */
struct lb_box_spec {
	char *cmd;   /* NULL: argv */
	char **argv; /* NULL-ended; NULL: cmd, by sh -c */
	char *workdir;
	int64_t timeout_ms;
	enum lb_box_network network;
	char **hosts;  /* if LISTED: rules, NULL-ended; else NULL */
	char *session; /* NULL: a sandbox of its own */
	char **env;    /* "NAME=text", NULL-ended; or NULL */
	char *image;
	char *host_path; /* or NULL: the session's workspace */
	enum lb_box_mode host_path_mode;
	char *mount_path;
	struct lb_box_mount *mounts;
	size_t n_mounts;
	char *skill_name;
	bool persistent;
	double cpus;
	int64_t memory_mb, pids_limit;
	bool read_only_rootfs;
	int64_t quota_mb; /* 0: none */
};

/*
 * The members of `o` over the defaults; extra mounts of mode "none" are left
 * out. LB_DATA names the member. Release it either way.
 */
int lb_box_spec_read(struct lb_box_spec *spec, const json_t *o,
		     struct lb_error *err);
void lb_box_spec_release(struct lb_box_spec *spec);

/* An absolute path without "//", "." and "..": new; NULL: it is not absolute,
 * or holds a control character. */
char *lb_box_path(const char *path);

/* A folder of the sandbox as somebody wrote it: a relative one is below
 * /workspace. New. */
char *lb_box_folder_inside(const char *path);

/* Is `path` that folder, or below it? Both in shape. */
bool lb_box_is_below(const char *path, const char *folder);

#endif
