/* table-box.h - the keys of the sandbox: rows of table.c, and only there. */
/* clang-format off */
{"box.enabled", LB_KEY_BOOL, "true",
 .doc = "is there a sandbox; without one, and where none works, a model is "
	"offered none of the tools exec, read, write, edit, glob and grep"},
{"box.backend", LB_KEY_STRING, "\"local\"",
 .doc = "what keeps commands apart: bubblewrap (or bwrap), podman, docker, "
	"nsjail, e2b, host, exec:COMMAND, or local: bubblewrap where it works, else podman or docker if they "
	"have box.local.image; never another one when it does not work"},
{"box.allowed_images", LB_KEY_LIST, "[]",
 .doc = "images that a request may name beside box.local.image; none is ever "
	"fetched"},
{"box.podman.command", LB_KEY_LIST, "[\"podman\"]",
 .doc = "the program that is podman, and options before its verb"},
{"box.podman.runtime", LB_KEY_STRING, "\"\"",
 .doc = "what runs its containers: runc, crun, runsc or a path; empty is what "
	"podman takes"},
{"box.docker.command", LB_KEY_LIST, "[\"docker\"]",
 .doc = "the program that is docker, and options before its verb"},
{"box.docker.runtime", LB_KEY_STRING, "\"\"",
 .doc = "what runs its containers: a name that its daemon knows; empty is what "
	"docker takes"},
{"box.docker.cpu_limit_enabled", LB_KEY_BOOL, "true",
 .doc = "may docker be told how many processors a sandbox has; false where its "
	"daemon cannot"},
{"box.allow_host", LB_KEY_BOOL, "false",
 .doc = "may sandbox-mode have commands run on this machine, as whoever runs "
	"lb and with all that he may do"},
{"box.uid-range", LB_KEY_STRING, "\"200000-265535\"",
 .doc = "the user ids of sandboxes that root starts, FIRST-LAST: a session has "
	"one for itself, and nobody else may have it"},
{"box.cgroup", LB_KEY_STRING, "\"\"",
 .doc = "the control group below which sandboxes have theirs; empty is the one "
	"that lb runs in"},
{"box.nsjail.command", LB_KEY_LIST, "[\"nsjail\"]",
 .doc = "the program that is nsjail, and options before ours"},
{"box.e2b.api_key", LB_KEY_SECRET, "\"\"",
 .doc = "the key of box.backend e2b: env:NAME, file:PATH or cmd:COMMAND; empty "
	"is env:E2B_API_KEY"},
{"box.e2b.api_url", LB_KEY_STRING, "\"\"",
 .doc = "where its service is; empty is what E2B_API_URL says, else "
	"https://api.e2b.app"},
{"box.e2b.template", LB_KEY_STRING, "\"\"",
 .doc = "what its machines are made of: a template has the programs, and says "
	"how much memory there is and how many processors; empty is base"},
{"box.workspace", LB_KEY_STRING, "\"\"",
 .doc = "whose sandboxes are used: sessions, files, processes and quotas of one "
	"name are apart from those of another and of none, and whoever asks for a "
	"command there has no network, no mounts and no more than the profile; at "
	"most 64 bytes"},
{"box.session_ttl", LB_KEY_DURATION, "\"300s\"",
 .doc = "what a session of the sandbox runs on, and what goes on in it, ends "
	"when nobody has used it for so long; its files stay; 0 is never"},
{"box.workspace_retention_days", LB_KEY_INT, "0", 0, 36500,
 .doc = "days after which the files of a session that nobody used are removed, "
	"by lb-box gc and lb-run gc; 0 is never"},
{"box.default_memory_mb", LB_KEY_INT, "1536", 32, 1048576,
 .doc = "MiB of memory of an MCP server in its sandbox where it does not say"},
{"box.local.profile", LB_KEY_STRING, "\"default\"",
 .doc = "the profile of commands where none is named: default, "
	"offline_readonly, network_basic, network_extended or one of "
	"box.profiles"},
{"box.local.image", LB_KEY_STRING, "\"\"",
 .doc = "the image that podman and docker run, for profiles that name none; it "
	"has to be there, with sh and env in it"},
{"box.local.host_root", LB_KEY_STRING, "\"\"",
 .doc = "where sandboxes have their files; a relative one is below the folder "
	"of the state, and empty is box there"},
{"box.local.default_workspace", LB_KEY_STRING, "\"\"",
 .doc = "the folder in which each session has its workspace; a relative one is "
	"below box.local.host_root, and empty is workspaces there"},
{"box.local.skills_root", LB_KEY_STRING, "\"\"",
 .doc = "where skills are; a relative one is below box.local.host_root, and "
	"empty is skills in the folder of the state"},
{"box.local.allowed_mount_roots", LB_KEY_LIST, "[]",
 .doc = "absolute folders below which others may be mounted in a sandbox, "
	"beside box.local.host_root; home folders themselves and the "
	"system's never are"},
{"box.local.workspace_quota_mb", LB_KEY_INT, NULL, 0, 16777216,
 .doc = "MiB that a workspace may hold where the profile does not lock it; 0 "
	"is no limit, and unset is what the profile says"},
{"box.limits.max_sessions", LB_KEY_INT, "64", 0, 5000,
 .doc = "sessions of the sandbox that may be alive at once: they are in use, or "
	"have a file system mounted; 0 is none at all"},
{"box.limits.max_workspace_entries", LB_KEY_INT, "100000", 1, 1000000,
 .doc = "files and folders that a workspace with a quota may hold, but at least "
	"1000; a smaller quota allows fewer, 64 a MiB"},
{"box.limits.max_managed_processes", LB_KEY_INT, "64", 0, 1024,
 .doc = "processes that lb-box start may have running at once"},
{"box.limits.max_completed_processes", LB_KEY_INT, "256", 0, 10000,
 .doc = "processes that ended which lb-box ps remembers"},
{"box.limits.completed_process_retention_sec", LB_KEY_INT, "300", 0, 86400,
 .doc = "and for so many seconds"},
{"box.skills_mode", LB_KEY_ENUM, "\"ro\"", .values = "ro rw overlay",
 .doc = "what can be written of a skill that is active: nothing (ro); the skill "
	"itself, for everybody (rw); a copy in the session, which the skill knows "
	"nothing of (overlay)"},
{"box.network.allow_private", LB_KEY_LIST, "[]",
 .doc = "networks and addresses that sandboxes with a network may reach although "
	"they are not public or are this machine's own: 10.1.0.0/16, 10.1.2.3, "
	"127.0.0.1:8080"},
{"box.profiles.*.network", LB_KEY_NETWORK, NULL,
 .doc = "what is reached by HTTP and HTTPS, through a proxy: nothing (off), "
	"every public address (on), or the hosts of {allow: [...]}; a profile "
	"that leaves a key out has what the built-in one of that name has, else "
	"what default has"},
{"box.profiles.*.timeout_sec", LB_KEY_INT, NULL, 1, 31622400,
 .doc = "seconds that a command has where it does not say"},
{"box.profiles.*.max_timeout_sec", LB_KEY_INT, NULL, 1, 31622400,
 .doc = "and at most; one that asks for more gets this, and is told"},
{"box.profiles.*.host_path_mode", LB_KEY_ENUM, NULL, .values = "none ro rw",
 .doc = "how a folder of this machine is mounted as the workspace"},
{"box.profiles.*.cpus", LB_KEY_NUMBER, NULL, 0, 1024,
 .doc = "processors; 0.5 is half of one's time"},
{"box.profiles.*.memory_mb", LB_KEY_INT, NULL, 32, 16777216,
 .doc = "MiB of memory"},
{"box.profiles.*.pids_limit", LB_KEY_INT, NULL, 1, 4194304,
 .doc = "processes and threads"},
{"box.profiles.*.read_only_rootfs", LB_KEY_BOOL, NULL,
 .doc = "nothing can be written outside of the workspace and /tmp"},
{"box.profiles.*.workspace_quota_mb", LB_KEY_INT, NULL, 0, 16777216,
 .doc = "MiB that the workspace may hold; 0 is no limit"},
{"box.profiles.*.locked", LB_KEY_LIST, NULL,
 .doc = "which of these, but max_timeout_sec, nobody can ask to be otherwise"},

