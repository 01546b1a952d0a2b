# tests/engine.bash - what suites that run containers load after helper.

# The engine's storage is the file's own, with one image made from what this
# machine has.
ENGINE_IMAGE=localhost/lb-test

# podman_of_ours ARGUMENT... - on that storage.
podman_of_ours() {
	podman --root "$BATS_FILE_TMPDIR/storage" \
		--runroot "$BATS_FILE_TMPDIR/run" "$@"
}

# engine_runtime - one that goes with the control groups of this machine.
engine_runtime() {
	command -v runc || command -v crun || :
}

# start_engine - for setup_file: the image; or a reason in $BATS_FILE_TMPDIR/why.
start_engine() {
	local root=$BATS_FILE_TMPDIR/root
	command -v podman > /dev/null || return 0
	[ "$(id -u)" -eq 0 ] || return 0
	# A container's first process passes here, and it is not root.
	chmod 755 "$BATS_FILE_TMPDIR"
	sh "$BATS_TEST_DIRNAME/image.sh" "$root"
	tar -C "$root" -cf - . | podman_of_ours import - "$ENGINE_IMAGE"
	rm -rf "$root"
} > "$BATS_FILE_TMPDIR/engine.log" 2>&1 < /dev/null

# stop_engine - for teardown_file.
stop_engine() {
	command -v podman > /dev/null || return 0
	podman_of_ours rm -fa -t 0
	umount -l "$BATS_FILE_TMPDIR/storage/overlay"
	umount -l "$BATS_FILE_TMPDIR/storage"
	rm -rf "$BATS_FILE_TMPDIR/storage"
} > /dev/null 2>&1 < /dev/null

# needs_engine - skip where there is none for us.
needs_engine() {
	need root
	need podman
	podman_of_ours image exists "$ENGINE_IMAGE" || {
		cat "$BATS_FILE_TMPDIR/engine.log"
		return 1
	}
}

# configure_engine NAME COMMAND... - it runs what is run here.
configure_engine() {
	local name=$1
	shift
	jq -n --arg name "$name" --arg image "$ENGINE_IMAGE" \
		--arg runtime "$(engine_runtime)" '{box: {
			backend: $name, local: {image: $image},
			($name): {command: $ARGS.positional,
				runtime: (if $name == "podman" then $runtime else "" end)}}}' \
		--args -- "$@" > "$LB_CONFIG"
}

# an_engine SCRIPT - a program that does that, and then what podman does.
an_engine() {
	printf '#!/bin/bash\nset -- %s "$@"\n%s\nexec podman "$@"\n' \
		"--root '$BATS_FILE_TMPDIR/storage' --runroot '$BATS_FILE_TMPDIR/run'" \
		"$1" > "$BATS_TEST_TMPDIR/engine"
	chmod 755 "$BATS_TEST_TMPDIR/engine"
	echo "$BATS_TEST_TMPDIR/engine"
}

# sleeps SECONDS - is that running?
sleeps() {
	pgrep -fx "[s]leep $1" > /dev/null
}

# comes COMMAND... - soon it is so.
comes() {
	local i
	for ((i = 0; i < 150; i++)); do
		! "$@" || return 0
		sleep 0.1
	done
	echo "it is not so: $*"
	return 1
}

# no_run - no folder of a run is left.
no_run() {
	[ -z "$(ls "$LB_STATE/box/runs")" ]
}

# nothing_left - no container of ours, no folder of a run, nobody who tends one.
nothing_left() {
	local i
	for ((i = 0; i < 150; i++)); do
		[ -n "$(podman_of_ours ps -aq --filter label=lb.box)" ] ||
			[ -n "$(ls "$LB_STATE/box/runs")" ] || return 0
		sleep 0.1
	done
	podman_of_ours ps -a
	ls -R "$LB_STATE/box/runs"
	return 1
}
