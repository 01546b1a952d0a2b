#!/bin/sh
# podman.sh - the same ways out, of containers.
exec python3 "$(dirname "$0")/run.py" --setup podman
