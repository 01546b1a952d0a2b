#!/usr/bin/env python3
"""docker.py VERB ARGUMENT... - would docker take that? Exits 125 with its words
if not: an option it does not have (podman's among them), one without its value,
a mount that it would read otherwise."""
import re
import sys

# Of `docker run`, 20.10 and later: with a value, and without.
RUN = set("cgroupns cpus entrypoint hostname ipc label log-driver memory "
          "memory-swap name network pids-limit pull runtime security-opt "
          "shm-size tmpfs ulimit user volume workdir cap-drop".split())
FLAGS = set("init interactive no-healthcheck read-only rm tty".split())
OTHER = {"rm": {"force", "volumes"}, "inspect": {"type", "format"},
         "image": {"format"}}


def refuse(why):
    print("docker: %s" % why, file=sys.stderr)
    print("\nRun 'docker run --help' for more information", file=sys.stderr)
    sys.exit(125)


def check_volume(value):
    parts = value.split(":")
    if len(parts) != 3 or not parts[0].startswith("/") or \
            not parts[1].startswith("/") or parts[2] not in ("ro", "rw"):
        refuse("invalid volume specification: '%s'." % value)


def check_run(args):
    while args and args[0].startswith("-"):
        name, is_set, value = args.pop(0)[2:].partition("=")
        if name in FLAGS and not is_set:
            continue
        if name not in RUN:
            refuse("unknown flag: --%s" % name)
        if not is_set:
            if not args:
                refuse("flag needs an argument: --%s" % name)
            value = args.pop(0)
        if name == "volume":
            check_volume(value)
        if name == "name" and not re.fullmatch(
                "[a-zA-Z0-9][a-zA-Z0-9_.-]+", value):
            refuse("Error response from daemon: Invalid container name (%s)"
                   % value)
        if name == "runtime":
            refuse("Error response from daemon: Unknown runtime specified %s."
                   % value)
    if not args:
        refuse("'docker run' requires at least 1 argument")


def main():
    verb, args = sys.argv[1], sys.argv[2:]
    if verb == "run":
        check_run(args)
    elif verb not in OTHER:
        refuse("'%s' is not a docker command." % verb)
    for a in args if verb in OTHER else ():
        if a.startswith("--") and a[2:].partition("=")[0] not in OTHER[verb]:
            refuse("unknown flag: %s" % a)


main()
