#!/usr/bin/env bats
# A full disk, a disk that cannot be written, damaged files, a clock that jumps,
# no descriptor left: clear errors, nothing is confirmed that was not done, and
# when it is over all goes on.

load helper
load doubles
load supervised

setup() {
	need python3
	cd "$BATS_TEST_TMPDIR"
	bot_api
	bot
	PIDS=()
	DISKS=()
	OPEN=
	export LB_MODEL=offline:text=Yes.
}

teardown() {
	local disk
	stop_supervised
	stop_doubles
	for disk in "${DISKS[@]}"; do umount -l "$disk"; done
	[ -z "$OPEN" ] || rm -rf "$OPEN"
}

bot() {
	export T=$BOT_API_TOKEN
	cat > "$LB_CONFIG" <<-END
		bots:
		  tg:
		    adapter: telegram
		    token: env:T
		    base-url: $BOT_API
		    poll-timeout: 1s
		    limits: {chat-interval: 0, group-interval: 0, all-interval: 0}
	END
}

# disk SIZE - the state is on one of its own.
disk() {
	need mount
	mkdir -p "$LB_STATE"
	mount -t tmpfs -o "size=$1,mode=700" tmpfs "$LB_STATE"
	DISKS+=("$LB_STATE")
}

fill() {
	dd if=/dev/zero of="$LB_STATE/fill" bs=4k 2> /dev/null || true
}

make_room() {
	rm "$LB_STATE/fill"
}

# message ID [SESSION] - of another adapter than telegram.
message() {
	printf '{"kind":"message","id":"%s","session":"%s"}\n' "$1" "${2-s}"
}

# reply ID - to chat 7.
reply() {
	printf '{"kind":"reply","id":"%s","session":"tg/person_7","bot":"tg","launcher_type":"person","launcher_id":"7","chain":[{"type":"Plain","text":"hi"}]}\n' "$1"
}

# What the double has not been told of, and what was said to people.
pending() {
	bot_api_http GET /_state | jq .pending
}

said() {
	bot_api_sent .chat_id | wc -l
}

all_said() {
	[ "$(said)" -ge "$1" ]
}

# says TEXT COMMAND... - COMMAND writes that.
says() {
	local text=$1
	shift
	"$@" 2>&1 | grep -q -e "$text"
}

DROP='s/"kind":"message"/"kind":"drop","stage":"sed","reason":"test"/'

# nothing_done STATUS TEXT - no program that needs the queue does anything, and
# each says why.
nothing_done() {
	local waits before
	bot_api_say 7 hello
	waits=$(pending)
	before=$(said)
	run --separate-stderr -"$1" lb-queue put < <(message "m$RANDOM")
	[ -z "$output" ]
	[[ $stderr == *"$2"* ]]
	run --separate-stderr -"$1" lb-queue work --once -- sed -u "$DROP"
	[[ $stderr == *"$2"* ]]
	[ "$(wc -l <<< "$stderr")" -eq 1 ]
	run --separate-stderr -"$1" timeout 30 lb-ingest telegram --once --queue in
	[[ $stderr == *"${3-$2}"* ]]
	run --separate-stderr -75 timeout 30 lb-send < <(reply "r$RANDOM")
	same 'error io true' "$(jq -r '"\(.kind) \(.code) \(.retryable)"' \
		<<< "$output")"
	[[ $output == *"$2"* ]]
	run --separate-stderr -"$1" timeout 30 lb-run --once
	[[ $stderr == *"${3-$2}"* ]]
	same "$waits" "$(pending)"
	same "$before" "$(said)"
}

# ---- a full disk

@test "a skill is removed from a full disk" {
	disk 400k
	mkdir notes
	printf -- '---\nname: notes\ndescription: d\n---\nx\n' > notes/SKILL.md
	lb-skill install ./notes
	fill
	run -0 lb-skill rm notes
	same '' "$(lb-skill list)"
	run -0 lb-skill verify
	same '[]' "$(jq -c '.skills | keys' "$LB_STATE/skills/lock.json")"
}

@test "full: put, take and work say so, and nothing is said to be safe" {
	disk 2m
	message a | lb-queue put > /dev/null
	fill
	for ((i = 0; i < 900; i++)); do message "b$i" "s$i"; done > many
	run --separate-stderr -74 lb-queue put < many
	[ -z "$output" ]
	[[ $stderr == "lb-queue: "*"queue.db': "*"No space left on device" ]]
	make_room
	same 1 "$(lb-queue stats | jq .depth)"
	# and in the middle
	mkfifo pipe
	lb-queue put < pipe > out 2> err 3>&- & RUN=$!
	PIDS+=("$RUN")
	exec 9> pipe
	message a0 >&9
	until_true grep a0 out
	fill
	cat many >&9 || true
	exec 9>&-
	ended 74
	same 1 "$(grep -c queued out)"
	grep 'queue.db.*disk is full' err
	make_room
	same 2 "$(lb-queue stats | jq .depth)"
	run --separate-stderr -0 lb-queue put < many
	same 902 "$(lb-queue stats | jq .depth)"
}

@test "full: what cannot be kept is not confirmed, and comes when there is room" {
	disk 2m
	lb-ingest telegram --once --queue in > /dev/null
	start lb-ingest telegram --queue in
	until_true grep connected out
	fill
	for n in 1 2 3; do bot_api_say "$n" "hello $n"; done
	until_true grep '"lost".*disk is full' out
	same 3 "$(pending)"
	make_room
	until_true says connected tail -n 1 out
	same 3 "$(lb-queue stats | jq .depth)"
	kill "$RUN"
	ended 143
	same 0 "$(pending)"
}

@test "files may grow no more: what cannot be kept is not confirmed" {
	lb-ingest telegram --once --queue in > /dev/null
	for n in {1..12}; do
		bot_api_say "$n" "$(head -c 4000 /dev/zero | tr '\0' x)"
	done
	run -74 bash -c 'ulimit -f 40; timeout 1 lb-ingest telegram --queue in |
		cat > told; exit "${PIPESTATUS[0]/124/74}"'
	grep '"lost".*queue.db' told
	same 12 "$(pending)"
	run -0 lb-ingest telegram --queue in --once
	same '12 0' "$(lb-queue stats | jq .depth) $(pending)"
}

@test "full: without a claim nothing is sent" {
	disk 2m
	bot_api_op '{"op":"chat","chat":{"id":7,"type":"private"}}'
	reply a | lb-send > /dev/null
	fill
	run --separate-stderr -75 lb-send < <(reply b)
	same 'error io true' "$(jq -r '"\(.kind) \(.code) \(.retryable)"' \
		<<< "$output")"
	[[ $stderr == *"cannot note what is sent: "*"No space left"* ]]
	same 1 "$(said)"
	make_room
	run -0 lb-send < <(reply b)
	same 2 "$(said)"
}

@test "full in the middle: status says what is wrong, and then all goes on" {
	disk 4m
	start lb-run
	until_true lb-run status
	bot_api_op '{"op":"fail","how":"slow","ms":1500,"method":"sendMessage","n":5}'
	for n in {1..5}; do bot_api_say "$n" hello; done
	bot_api_wait 'map(select(.method == "sendMessage")) | length == 5'
	fill
	for n in {6..10}; do bot_api_say "$n" hello; done
	until_true grep -q 'flow ended .* started again' err
	until_true says 'disk is full' lb-run status
	run -1 lb-run status
	same 'tg lost' "$(jq -r 'select(.adapter) | "\(.name) \(.state)"' \
		<<< "$output")"
	same 5 "$(pending)"
	# It waits and does not spin, nor say the same again and again.
	before=$(ticks)
	sleep 2
	[ $(($(ticks) - before)) -lt 50 ]
	[ "$(wc -l < err)" -lt 30 ]
	make_room
	until_true lb-run status
	until_true says '"done":10,' lb-queue stats in
	# What was on its way then arrived once, and may be called lost.
	same "$(seq 10)" "$(bot_api_sent .chat_id | sort -n)"
	same '10 0' "$(lb-queue stats in | jq -r '"\(.done) \(.depth)"')"
	same '' "$(lb-queue peek --done | jq -r '.outcome |
		select(.kind != "receipt" and .code != "lost")')"
}

# ticks - of all programs of this test, in hundredths of a second.
ticks() {
	local pid sum=0
	for pid in $(pgrep '^lb-'); do
		tr '\0' '\n' < "/proc/$pid/environ" 2> /dev/null |
			grep -qxF "LB_STATE=$LB_STATE" || continue
		sum=$((sum + $(cut -d ' ' -f 14,15 "/proc/$pid/stat" | tr ' ' +)))
	done 2> /dev/null
	echo "$sum"
}

@test "full, not even room for the status: nothing old is believed" {
	disk 2m
	start lb-run
	until_true lb-run status
	rm "$LB_STATE/run/lb-run-all.json"
	fill
	kill -HUP "$RUN"
	until_true grep 'lb-run status cannot be told: .*No space' err
	run --separate-stderr -1 lb-run status
	same "lb-run: process $RUN cannot say how its bots are; its log says why" \
		"$stderr"
	make_room
	until_true lb-run status
}

# ---- a disk that cannot be written

@test "read-only: nothing is done, and each says that it is" {
	disk 4m
	lb-ingest telegram --once --queue in > /dev/null
	mount -o remount,ro "$LB_STATE"
	nothing_done 74 "Read-only file system"
	mount -o remount,rw "$LB_STATE"
	lb-run --once
	same '0 1' "$(pending) $(said)"
}

@test "read-only while it runs: status says that it may be old" {
	need mount
	start lb-run
	until_true lb-run status
	mkdir seen
	mount --bind "$LB_STATE" seen
	DISKS+=("$PWD/seen")
	mount -o remount,ro,bind seen
	LB_STATE=$PWD/seen run --separate-stderr -1 lb-run status
	same "lb-run: '$PWD/seen/run' cannot be written, so this may be old: Read-only file system" \
		"$stderr"
}

# as_nobody - the programs that follow are those of a user without rights, and
# so is the state. Where the build and the folder of this test lie, others may
# not be able to go: all that is needed is copied to where they can.
as_nobody() {
	local at file
	local -a nobody=(setpriv --reuid nobody --regid "$(id -g nobody)" --clear-groups)
	for at in "$BATS_TEST_TMPDIR" /tmp /var/tmp; do
		chmod 755 "$BATS_TEST_TMPDIR" "${BATS_TEST_TMPDIR%/*}" \
			"$BATS_SUITE_TMPDIR" "$BATS_RUN_TMPDIR"
		OPEN=$(mktemp -d "$at/lb-open.XXXXXX")
		chmod 755 "$OPEN"
		mkdir "$OPEN/bin" "$OPEN/as"
		for file in "$LB_TEST_BUILD"/lb-*; do
			[ ! -f "$file" ] || cp "$file" "$OPEN/bin"
		done
		chmod -R go+rX "$OPEN/bin"
		# setpriv can go anywhere, but not what it runs
		! "${nobody[@]}" env "$OPEN/bin/lb-queue" --version || break
		rm -rf "$OPEN"
		OPEN=
	done
	[ -n "$OPEN" ] || skip "no folder that another user can run programs in"
	for file in "$OPEN"/bin/*; do
		printf '#!/bin/sh\nexec %s %s "$@"\n' "${nobody[*]}" "$file" \
			> "$OPEN/as/${file##*/}"
	done
	chmod 755 "$OPEN"/as/*
	PATH=$OPEN/as:$PATH
	mv "$LB_STATE" "$LB_CONFIG" "$OPEN"
	export LB_STATE=$OPEN/${LB_STATE##*/} LB_CONFIG=$OPEN/${LB_CONFIG##*/}
	chmod 644 "$LB_CONFIG"
	chown -R nobody "$LB_STATE"
}

@test "a queue that is another user's: nothing is done, and each says so" {
	lb-ingest telegram --once --queue in > /dev/null
	chmod 500 "$LB_STATE"
	chmod 400 "$LB_STATE"/queue.db* "$LB_STATE"/run/*
	[ "$(id -u)" -ne 0 ] || as_nobody
	nothing_done 74 "Permission denied"
}

# ---- damaged files

# damage HOW - to the queue.
damage() {
	local db=$LB_STATE/queue.db
	case $1 in
	zeroed) dd if=/dev/zero of="$db" bs=4096 seek=1 count=40 conv=notrunc \
		status=none ;;
	short) truncate -s 20000 "$db" ;;
	half-a-header) truncate -s 50 "$db" ;;
	newer) sql "pragma user_version = 99" ;;
	another) rm -f "$db"*; sql "create table x(y)" ;;
	no-table) sql "drop table records" ;;
	folder) rm -f "$db"*; mkdir "$db" ;;
	pipe) rm -f "$db"*; mkfifo "$db" ;;
	device) rm -f "$db"*; ln -s /dev/null "$db" ;;
	esac
}

sql() {
	python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute(sys.argv[2])
db.commit()' "$LB_STATE/queue.db" "$1"
}

@test "a damaged queue: nothing is done, and each says what it is" {
	lb-ingest telegram --once --queue in > /dev/null
	for ((i = 0; i < 900; i++)); do message "old$i" "s$i"; done |
		lb-queue put > /dev/null
	sql 'pragma wal_checkpoint(truncate)'
	cp -r "$LB_STATE" whole
	while read -r how status text; do
		echo "$how"
		rm -rf "$LB_STATE"
		cp -r whole "$LB_STATE"
		damage "$how"
		nothing_done "$status" "$text"
	done <<-'END'
		zeroed 65 is damaged
		short 65 is damaged
		half-a-header 65 is damaged
		newer 78 has schema 99 and this program knows
		another 65 is a database of another program
		folder 74 is not a file
		pipe 74 is not a file
		device 74 is not a file
	END
	rm -rf "$LB_STATE"
	cp -r whole "$LB_STATE"
	damage no-table
	run --separate-stderr -65 lb-queue put < <(message x)
	[[ $stderr == *"is damaged (no such table: records)"* ]]
	run --separate-stderr -65 lb-ingest telegram --once --queue in
	same 8 "$(pending)"
}

@test "rubbish beside the queue is not taken for records" {
	lb-ingest telegram --once --queue in > /dev/null
	message a | lb-queue put > /dev/null
	for file in wal shm; do
		head -c 200000 /dev/urandom > "$LB_STATE/queue.db-$file"
		message "b$file" | lb-queue put > /dev/null
	done
	same $'a\nbwal\nbshm' "$(lb-queue peek | jq -r .key)"
}

@test "damage while it runs: status says so; with another file all goes on" {
	start lb-run
	until_true lb-run status
	bot_api_say 1 hello
	until_true all_said 1
	until_true says '"done":1' lb-queue stats in
	head -c 300000 /dev/urandom |
		dd of="$LB_STATE/queue.db-wal" conv=notrunc status=none
	dd if=/dev/zero of="$LB_STATE/queue.db" bs=4096 count=40 conv=notrunc \
		status=none
	bot_api_say 2 hello
	until_true says 'a file is damaged' lb-run status
	run -1 lb-run status
	same 1 "$(pending)"
	mkdir kept
	mv "$LB_STATE"/queue.db* kept/
	until_true all_said 2
	until_true lb-run status
	same $'1\n2' "$(bot_api_sent .chat_id)"
}

# ---- a clock that jumps

# clock SECONDS - it is ahead by so much from now on.
clock() {
	echo "$1" > ahead.new
	mv ahead.new ahead
}

clocked() {
	need cc
	cc -shared -fPIC -o clock.so "$BATS_TEST_DIRNAME/doubles/clock.c"
	export CLOCK_AHEAD=$PWD/ahead
	# Sanitizers want to be first.
	export LD_PRELOAD=$PWD/clock.so \
		ASAN_OPTIONS=verify_asan_link_order=0:${ASAN_OPTIONS-}
	clock 0
}

@test "a day back: what waited goes on, what was put off waits as long as it was to" {
	clocked
	clock 86400
	message a s1 | lb-queue put > /dev/null
	message b s1 | lb-queue put > /dev/null
	message c s2 | jq -c ".not_before = $(($(date +%s) * 1000 + 30000))" |
		lb-queue put > /dev/null
	clock 0
	run -0 lb-queue take -n 9
	same $'a\nb' "$(jq -r .id <<< "$output")"
	lb-queue ack --back --lease "$(jq -rs '.[0].lease' <<< "$output")"
	start lb-queue work in -- sed -u "$DROP"
	until_true says '"b"' cat out
}

@test "a day back: a worker that runs notices, and so does the one that begins" {
	clocked
	clock 86400
	message a | lb-queue put > /dev/null
	clock 0
	run --separate-stderr -0 timeout 20 lb-queue work --once -- sed -u "$DROP"
	same a "$(jq -r .id <<< "$output")"
	same "lb-queue: the clock was put back: what it put off goes on" "$stderr"
	clock 86400
	start lb-queue work in -- sed -u "$DROP"
	message b | lb-queue put > /dev/null
	until_true grep '"b"' out
	kill -STOP "$RUN"
	message c | lb-queue put > /dev/null
	clock 0
	kill -CONT "$RUN"
	until_true grep '"c"' out
}

@test "a day back: a record that is tried again is not put off by it" {
	clocked
	clock 86400
	message a | lb-queue put > /dev/null
	echo '{"kind":"error","id":"a","session":"s","stage":"x","code":"io","message":"y","retryable":true}' > no
	# shellcheck disable=SC2016 # the copy expands it
	timeout -s KILL 1 lb-queue work in -- sh -c 'cat > /dev/null & cat no
		wait' > /dev/null 2>&1 < /dev/null || true
	same 1 "$(lb-queue stats | jq .retried)"
	clock 0
	run --separate-stderr -0 timeout 20 lb-queue work --once -- sed -u "$DROP"
	same a "$(jq -r .id <<< "$output")"
}

@test "a day back: a lease with a token lasts as long as it was to" {
	clocked
	clock 86400
	message a | lb-queue put > /dev/null
	lb-queue take --deadline 1s > /dev/null
	clock 0
	run -1 lb-queue take -e
	until_true lb-queue take -e
}

@test "a day on: a lease with a token has ended, and ack is told" {
	clocked
	message a | lb-queue put > /dev/null
	token=$(lb-queue take --deadline 1h | jq -r .lease)
	clock 86400
	run --separate-stderr -69 lb-queue ack --lease "$token"
	same "lb-queue: lease '$token' has ended" "$stderr"
	run -0 lb-queue take -e
}

@test "the clock jumps while a bot runs: each is answered once, and soon" {
	clocked
	start lb-run
	until_true lb-run status
	for ahead in 86400 -86400 864000 -864000 0; do
		clock "$ahead"
		bot_api_say "$((n = ${n-0} + 1))" "at $ahead"
		until_true all_said $n
	done
	same "$(seq 5)" "$(bot_api_sent .chat_id | sort -n)"
	until_true lb-run status
}

@test "the clock jumps while much waits: nothing is lost or said twice" {
	clocked
	for n in {1..6}; do bot_api_say "$n" hello; done
	clock 864000
	lb-ingest telegram --once --queue in > /dev/null
	clock 0
	for n in {7..9}; do bot_api_say "$n" hello; done
	run -0 timeout 60 lb-run --once
	same "$(seq 9)" "$(bot_api_sent .chat_id | sort -n)"
	same 0 "$(pending)"
}

# ---- too little of the rest

# few LIMIT COMMAND... - with so many descriptors, of which 0, 1 and 2 are taken,
# whatever was open where the tests were started.
few() {
	# shellcheck disable=SC2016 # the shell that closes them expands it
	bash -c 'for fd in /proc/"$$"/fd/*; do
			fd=${fd##*/}
			[ "$fd" -le 2 ] || eval "exec $fd>&-"
		done
		ulimit -n "$0"
		exec "$@"' "$@"
}

@test "few descriptors: it works with 20, and with fewer says what is missing" {
	run --separate-stderr -0 few 20 timeout 20 lb-run --once
	bot_api_say 7 hello
	for limit in 8 12 15; do
		run --separate-stderr -71 few "$limit" timeout 20 lb-run --once
		[[ $stderr == *"Too many open files"* ]]
	done
	same '1 0' "$(pending) $(said)"
}

@test "no descriptor for the network: an error that may pass" {
	local limit before what connections=0
	bot_api_op '{"op":"chat","chat":{"id":7,"type":"private"}}'
	for limit in {20..6}; do
		reply "a$limit" > one
		before=$(said)
		run --separate-stderr few "$limit" timeout 20 lb-send < one
		what=$(jq -r '"\(.kind) \(.retryable)"' <<< "$output")
		echo "$limit: status $status, $what, $stderr"
		case $status,$what in
		0,'receipt null') same $((before + 1)) "$(said)" ;;
		75,'error true') same "$before" "$(said)" ;;
		71, | 74,) # it cannot even begin
			[[ $stderr == *"Too many open files"* ]]
			same "$before" "$(said)" ;;
		*) false ;;
		esac
		# Which limit it is depends on what libcurl opens for itself.
		[[ $output != *'"code":"network"'*'cannot connect'* ]] ||
			connections=$((connections + 1))
		[ "$limit" -lt 20 ] || same 0 "$status"
	done
	[ "$connections" -gt 0 ]
}

@test "links where files of ours are to be are not followed" {
	echo precious > elsewhere
	mkdir -p "$LB_STATE/run"
	ln -s "$PWD/elsewhere" "$LB_STATE/run/lb-run-all.json"
	start lb-run
	until_true lb-run status
	same precious "$(cat elsewhere)"
	kill "$RUN"
	ended 143
	ln -s "$PWD/elsewhere" "$LB_STATE/run/ingest-tg.lock.new"
	mv "$LB_STATE/run/ingest-tg.lock.new" "$LB_STATE/run/ingest-tg.lock"
	run --separate-stderr -74 lb-ingest telegram --once
	[[ $stderr == *"ingest-tg.lock': Too many levels of symbolic links" ]]
	same precious "$(cat elsewhere)"
}
