#!/usr/bin/env bats
# Files that come with a message into the sandbox, and files that go out of it
# with the answer: through the whole flow, with a model that calls what it is
# told to.

load helper
load doubles
load server
load supervised

setup() {
	exec < /dev/null
	needs_sandbox
	need python3
	cd "$BATS_TEST_TMPDIR"
	export LB_MODEL=offline:tools
	PIDS=()
	grants 'tools: [exec, read, write]'
}

teardown() {
	stop_supervised
	stop_servers
	stop_doubles
}

# grants KEYS [MORE] - of the agent of the pipeline default; MORE are whole lines.
# Bot shop vouches for its senders, boss is its admin.
grants() {
	cat > "$LB_CONFIG" <<-END
		admins: ["shop:person_boss", "b:person_7"]
		bots: {shop: {adapter: jsonl, trust-sender: true${3:+, $3}}}
		pipelines: {default: {ai: {local-agent: {$1}}}}
		${2-}
	END
}

ID=01890a5d-ac96-774b-bcce-b302099a8057
WORK=box/workspaces/shop%2Fperson_boss

# other - the next message is another one.
other() {
	SAID_AS=${ID%????}$((OTHER += 1))
}
OTHER=1000

# calls TEXT... - a model's script: each TEXT is a command it runs.
calls() {
	local command
	for command; do
		jq -cn --arg c "$command" '{command: $c}' | sed 's/^/call exec /'
	done
}

# component TYPE NAME FILE - one of a chain, with its bytes.
component() {
	jq -cn --arg type "$1" --arg name "$2" --arg b "$(base64 -w0 "$3")" \
		'{type: $type, name: $name, base64: $b}'
}

# message TEXT [COMPONENT...] - a line for lb-ingest jsonl.
message() {
	local text=$1
	shift
	printf '%s\n' "$@" | jq -cs --arg t "$text" --arg id "${SAID_AS-$ID}" \
		'{id: $id, sender: "boss", chain: ([{type: "Plain", text: ($t + "\n")}] + .)}'
}

# reply TEXT [COMPONENT...] - what becomes of it, from the chat to lb-send.
reply() {
	message "$@" | lb-ingest --bot shop jsonl | lb-pipeline |
		lb-agent ${AGENT-} 2> log | lb-wrap > records
	jq -c 'select(.kind == "reply")' records
}

# stdout - of the last command, as the model was told.
stdout() {
	jq -r '.text | fromjson | .stdout'
}

csv() {
	printf 'month,sales\njan,10\nfeb,40\nmar,25\n' > "${1-sales.csv}"
}

# A plot with the standard library alone: a bar a row, dark on white.
plot() {
	cat <<-'END'
		cat > plot.py <<'EOF'
		import csv, glob, os, struct, zlib
		rows = [int(r["sales"]) for r in csv.DictReader(open(glob.glob("/workspace/inbox/*/sales.csv")[0]))]
		wide, high = 10 * len(rows), 50
		lines = b"".join(b"\0" + b"".join((b"\x20\x40\x80" if high - y <= v else b"\xff\xff\xff") * 10 for v in rows) for y in range(high))
		def chunk(kind, data):
		    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
		png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")
		open(os.environ["LB_OUTBOX"] + "/plot.png", "wb").write(png)
		EOF
		python3 plot.py
	END
}

# bars FILE - how high the bars of such a plot are.
bars() {
	python3 - "$1" <<-'END'
		import struct, sys, zlib
		png = open(sys.argv[1], "rb").read()
		assert png[:8] == b"\x89PNG\r\n\x1a\n"
		wide, high = struct.unpack(">II", png[16:24])
		at, data = 8, b""
		while at < len(png):
		    n, kind = struct.unpack(">I4s", png[at:at + 8])
		    data += png[at + 8:at + 8 + n] if kind == b"IDAT" else b""
		    at += n + 12
		rows = zlib.decompress(data)
		line = 1 + 3 * wide
		print(*[sum(rows[y * line + 1 + 3 * x] == 0x20 for y in range(high)) for x in range(0, wide, 10)])
	END
}

@test "a CSV from a chat is plotted, and the picture arrives" {
	csv
	reply "$(calls "$(plot)")"$'\nsay Here it is.' "$(component File sales.csv sales.csv)" > got
	same '["Plain","Image"]' "$(jq -c '[.chain[].type]' got)"
	same 'Here it is.' "$(jq -r .text got)"
	same '"plot.png" "image/png"' "$(jq -c '.chain[1] | .name, .mime' got | paste -sd' ')"
	path=$(jq -r '.chain[1].path' got)
	[[ $path == "$LB_STATE"/media/* ]]
	same '10 40 25' "$(bars "$path")"
	same "$(wc -c < "$path")" "$(jq '.chain[1].size' got)"
	run -0 lb-send stdout < got
	[[ $output == *"[Image] $path" ]]
	same 600 "$(stat -c %a "$path")"
	[ ! -e "$LB_STATE/$WORK/outbox/$ID" ]
}

@test "the same with a bot on Telegram, durable, and the picture is uploaded" {
	bot_api
	grants 'tools: [exec]'
	sed -i "s|^bots:.*|bots: {b: {adapter: telegram, token: \"$BOT_API_TOKEN\", base-url: \"$BOT_API\", stream: true, poll-timeout: 1s, limits: {chat-interval: 1ms, all-interval: 1ms}}}|" "$LB_CONFIG"
	csv
	bot_api_op "$(jq -cn --rawfile t sales.csv '{op: "file", file_id: "CSV", text: $t, path: "documents/file_1.csv"}')"
	bot_api_push "$(jq -cn --arg c "$(calls "$(plot)")"$'\nsay Here it is.' '{message: {
		message_id: 1, date: 1700000000, caption: $c,
		chat: {id: 7, type: "private", first_name: "Ann"},
		from: {id: 7, is_bot: false, first_name: "Ann"},
		document: {file_id: "CSV", file_name: "sales.csv", mime_type: "text/csv", file_size: 33}}}')"
	# The file may come later than its record: it is waited for.
	run -0 lb-run --once
	bot_api_wait 'any(.method == "sendPhoto" and .status == 200)'
	same '["7",1]' "$(bot_api_log 'select(.method == "sendPhoto") | [.params.chat_id, (.files | length)]')"
	sha256sum "$LB_STATE"/media/*/*.png > sums
	same "$(cut -d' ' -f1 sums)" "$(bot_api_log 'select(.method == "sendPhoto") | .files[0].sha256' | jq -r .)"
	same '10 40 25' "$(bars "$LB_STATE"/media/*/*.png)"
	# The text is with the picture now, and the one that was streamed gone.
	same '"Here it is."' "$(bot_api_sent 'select(.deleted | not) | .text // .caption')"
}

@test "the model is told what came, and where its own files go; a file part is none any more" {
	csv
	printf '\211PNG\r\n\032\nx' > p.png
	export LB_MODEL=offline
	reply 'hello' "$(component File sales.csv sales.csv)" "$(component Image '' p.png)" > got
	jq -r .text got > text
	same "This is the offline model: no network, no AI. You said (message 1): hello
[Image]
[Files of this message:
/workspace/inbox/$ID/sales.csv (file, 33 bytes)
/workspace/inbox/$ID/image_2.png (image, 9 bytes)]
[Files for the user go into /workspace/outbox/$ID]" "$(head -n -1 text)"
	cmp sales.csv "$LB_STATE/$WORK/inbox/$ID/sales.csv"
	cmp p.png "$LB_STATE/$WORK/inbox/$ID/image_2.png"
	# It is in the history, where to put files is not.
	export LB_MODEL=offline:text=ok SAID_AS=01890a5d-ac96-774b-bcce-b302099a8058
	reply 'hello' "$(component File sales.csv sales.csv)" > got
	lb-session export > all
	grep -q "inbox/$SAID_AS/sales.csv" all
	run ! grep "outbox/$SAID_AS" all
}

@test "a file of an earlier message is still there for the next one" {
	csv
	reply 'say ok' "$(component File sales.csv sales.csv)" > /dev/null
	SAID_AS=01890a5d-ac96-774b-bcce-b302099a8058
	reply "$(calls "wc -l < /workspace/inbox/$ID/sales.csv")" > got
	same 4 "$(stdout < got)"
	# The outbox is another one.
	SAID_AS=01890a5d-ac96-774b-bcce-b302099a8059
	reply "$(calls 'echo $LB_OUTBOX')" > got
	same "/workspace/outbox/$SAID_AS" "$(stdout < got)"
}

@test "names are made safe, and two of one name are two files" {
	echo 1 > 1; echo 2 > 2
	long=$(printf 'x%.0s' {1..300}).csv
	reply "$(calls 'cd /workspace/inbox/* && ls -1')" \
		"$(component File ../../../etc/passwd 1)" "$(component File .bashrc 1)" \
		"$(component File 'a b.txt' 1)" "$(component File a_b.txt 2)" \
		"$(component File "$long" 1)" "$(component File $'n\nl\t$(id)' 1)" \
		"$(component File .. 1)" "$(component File '' 1)" \
		"$(component File '表.csv' 1)" \
		"$(component File x 1 | sed 's/"x"/"nul\\u0000x"/')" > got
	stdout < got > names
	[[ "$(cat names)" == *$'a_b-2.txt\na_b.txt'* ]]
	LC_ALL=C sort > want <<-END
		a_b-2.txt
		a_b.txt
		bashrc
		file_7.bin
		file_8.bin
		nlid
		nulx
		passwd
		$(printf 'x%.0s' {1..116}).csv
		表.csv
	END
	same "$(cat want)" "$(grep . names | LC_ALL=C sort)"
	same 2 "$(cat "$LB_STATE/$WORK/inbox/$ID/a_b-2.txt")"
}

@test "what is too large or damaged is named to the model, the rest is there" {
	echo 1 > small
	export LB_MODEL=offline
	reply hello "$(component File small small)" \
		'{"type":"File","name":"url.bin","url":"http://127.0.0.1:9/x"}' \
		'{"type":"File","name":"big.bin","ref":"R","size":10485761}' \
		'{"type":"File","name":"ref.bin","ref":"R","size":5}' \
		'{"type":"File","name":"bad.bin","base64":"?"}' > got
	same "/workspace/inbox/$ID/small (file, 2 bytes)
url.bin: not in the sandbox, its address may not be fetched
big.bin: not in the sandbox, it has more than 10 MiB
ref.bin: not in the sandbox, it was not downloaded
bad.bin: not in the sandbox, it is damaged]" "$(jq -r .text got | sed -n '/inbox/,/]$/p')"
}

@test "a file at a URL is fetched, from where strangers may have things fetched" {
	head -c 11000000 /dev/zero > big
	head -c 9000000 /dev/zero > mid
	serve <<-END
		on GET /d/sales.csv*
		uses any
		reply 200
		send month,sales\n
		on GET /big*
		uses any
		reply 200
		file ../big
		on GET /mid
		uses any
		reply 200
		file ../mid
		on GET /gone
		reply 404
	END
	export LB_MODEL=offline
	urls=(
		"$(jq -cn --arg u "$SERVER_URL" '{type: "File", url: ($u + "/d/sales.csv?k=1#x")}')"
		"$(jq -cn --arg u "$SERVER_URL" '{type: "File", name: "gone.csv", url: ($u + "/gone")}')"
		"$(jq -cn --arg u "$SERVER_URL" '{type: "File", name: "big.csv", url: ($u + "/big")}')"
	)
	reply hello "${urls[@]}" > got
	same 3 "$(jq -r .text got | grep -c 'its address may not be fetched')"
	same 0 "$(requests . | wc -l)"
	grants 'tools: [exec]' 'net: {fetch-allow: ["127.0.0.0/8"]}'
	other
	reply hello "${urls[@]}" > got
	same "/workspace/inbox/$SAID_AS/sales.csv (file, 12 bytes)
gone.csv: not in the sandbox, its server does not give it
big.csv: not in the sandbox, it has more than 10 MiB]" "$(jq -r .text got | sed -n '/inbox/,/]$/p')"
	same month,sales "$(cat "$LB_STATE/$WORK/inbox/$SAID_AS/sales.csv")"
	same '' "$(find "$LB_STATE/media" -type f)"
	# 20 MiB in all.
	other
	mid=$(jq -cn --arg u "$SERVER_URL" '{type: "File", name: "mid", url: ($u + "/mid")}')
	reply hello "$mid" "$mid" "$mid" > got
	same 2 "$(jq -r .text got | grep -c '(file, 9000000 bytes)')"
	same 1 "$(jq -r .text got | grep -c 'the files of the message have more than 20 MiB')"
}

@test "the time of an answer ends what is under way for its files" {
	serve <<-END
		on GET /x
		uses any
		hang
	END
	grants 'tools: [exec], limits: {time: 500ms}' 'net: {fetch-allow: ["127.0.0.0/8"]}'
	reply 'say never' "$(jq -cn --arg u "$SERVER_URL" '{type: "File", url: ($u + "/x")}')" > got
	same 'I stop here: the time for one answer is over.' "$(jq -r .text got)"
	grants 'tools: [exec]' 'net: {fetch-allow: ["127.0.0.0/8"]}'
	other
	message 'say never' "$(jq -cn --arg u "$SERVER_URL" '{type: "File", url: ($u + "/x")}')" |
		lb-ingest --bot shop jsonl | lb-pipeline > query
	lb-agent --grace=100ms < query > out 2> err 3>&- &
	RUN=$!
	PIDS+=("$RUN")
	until_true eval 'requests . | grep -c /x | grep -qx 2'
	kill "$RUN"
	ended 143
}

@test "a path is one below media, and no link" {
	mkdir -p "$LB_STATE/media/aa"
	echo fine > "$LB_STATE/media/aa/f"
	echo secret > "$LB_STATE/secret"
	ln -s ../../secret "$LB_STATE/media/aa/l"
	export LB_MODEL=offline
	message hello '{"type":"File","name":"a","ref":"a"}' | lb-ingest --bot shop jsonl | lb-pipeline |
		jq -c --arg s "$LB_STATE" '.time = 1700000000000 | .chain = [.chain[0]] + ([$s+"/media/aa/f", $s+"/media/aa/l",
			$s+"/media/../secret", "/etc/passwd", $s+"/media/aa/none"] | map({type: "File", name: (./"/"|last), path: .}))' |
		lb-agent 2> log > got
	jq -r 'select(.kind == "reply").text' got > text
	same 1 "$(grep -c '(file, 5 bytes)' text)"
	same 4 "$(grep -c 'not in the sandbox, it is not here' text)"
	same f "$(ls "$LB_STATE/$WORK/inbox/$ID")"
}

@test "a file that is on its way is waited for" {
	mkdir -p "$LB_STATE/media/aa"
	message "$(calls 'cat /workspace/inbox/*/late')" '{"type":"File","name":"late","ref":"a"}' |
		lb-ingest --bot shop jsonl | lb-pipeline |
		jq -c --arg s "$LB_STATE" '.time = (now*1000|floor) | .chain[1].path = $s+"/media/aa/late"' > query
	lb-agent -v < query > got 2> log 3>&- &
	until_true grep -q 'waits for a file' log
	echo here > "$LB_STATE/media/aa/late.part"
	mv "$LB_STATE/media/aa/late.part" "$LB_STATE/media/aa/late"
	wait $!
	same here "$(jq 'select(.kind == "reply")' got | stdout)"
}

@test "links in the place of our folders are not followed" {
	echo mine > f
	mkdir out && chmod 777 out
	for how in "ln -s $PWD/out inbox" 'ln -s /etc inbox' 'echo > inbox' 'mkfifo inbox' \
		"mkdir inbox; ln -s $PWD/out inbox/$ID" "mkdir -p inbox/$ID; ln -s $PWD/out/x inbox/$ID/f"; do
		rm -rf "$LB_STATE"
		SAID_AS=01890a5d-ac96-774b-bcce-b302099a8058
		reply "$(calls "rm -rf inbox; $how")" > /dev/null
		SAID_AS=$ID
		reply "$(calls "cat /workspace/inbox/$ID/f")" "$(component File f f)" > got
		same mine "$(stdout < got)" || { echo "$how"; false; }
		same '' "$(ls out)"
	done
}

@test "only files go out, once, and what is left out is said" {
	reply "$(calls "cd \$LB_OUTBOX && echo hi > a.txt && mkdir sub && echo x > sub/b.txt &&
		ln -s /etc/passwd link && ln -s ../../../sales.csv up && mkfifo fifo && : > empty &&
		echo s > /workspace/s && ln /workspace/s hard && truncate -s 100M sparse &&
		echo x > no && chmod 0 no; python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"sock\")'; true")"$'\nsay Done.' > got
	same '["a.txt","b.txt"]' "$(jq -c '[.chain[1:][].name]' got)"
	same 'hi x' "$(jq -r '.chain[1:][].path' got | xargs cat | paste -sd' ')"
	# Root's sandbox, too, is not root's.
	same 'Done.

(Not sent: empty, empty; fifo, cannot be read; hard, a link; link, a link; no, cannot be read; sock, cannot be read; sparse, larger than 10 MiB; up, a link)' \
		"$(jq -r .text got)"
	[ ! -e "$LB_STATE/$WORK/outbox/$ID" ]
	[ -e "$LB_STATE/$WORK/s" ]
	# In the chat's language.
	sed -i '$a system: {language: zh_Hans}' "$LB_CONFIG"
	SAID_AS=01890a5d-ac96-774b-bcce-b302099a8058
	reply "$(calls ': > $LB_OUTBOX/e')"$'\nsay Done.' > got
	same $'Done.\n\n（未发送：e，空文件）' "$(jq -r .text got)"
}

@test "20 files, 10 MiB each, 50 MiB in all" {
	reply "$(calls 'cd $LB_OUTBOX && for i in $(seq 10 30); do echo $i > $i; done')"$'\nsay Done.' > got
	same 20 "$(jq '.chain[1:] | length' got)"
	same $'Done.\n\n(Not sent: 30, more than 20 files)' "$(jq -r .text got)"
	SAID_AS=01890a5d-ac96-774b-bcce-b302099a8058
	reply "$(calls 'cd $LB_OUTBOX && for i in 1 2 3 4 5 6; do truncate -s 10M $i; done; truncate -s 10485761 0')"$'\nsay Done.' > got
	same '[10485760,10485760,10485760,10485760,10485760]' "$(jq -c '[.chain[1:][].size]' got)"
	same $'Done.\n\n(Not sent: 0, larger than 10 MiB; 6, more than 50 MiB in all)' "$(jq -r .text got)"
}

@test "an answer may be a picture alone" {
	reply "$(calls "printf '\\211PNG\\r\\n\\032\\nx' > \$LB_OUTBOX/p.png")"$'\nsay \n' > got
	same 'Image' "$(jq -r '.chain[-1].type' got)"
	run -0 jq -e '.failed == null' got
}

@test "streamed: the chunks are the text, and the files come with the reply" {
	AGENT=--stream
	reply "$(calls 'echo hi > $LB_OUTBOX/a; : > $LB_OUTBOX/e')"$'\nsay Done.' > got
	jq -j 'select(.kind == "chunk").text' records > streamed
	same $'Done.\n\n(Not sent: e, empty)' "$(cat streamed)"
	same "$(cat streamed)" "$(jq -r .text got)"
	same '["Plain","File"]' "$(jq -c '[.chain[].type]' got)"
	same 0 "$(jq -c 'select(.kind == "chunk" and .chain)' records | wc -l)"
}

@test "an answer that is given again has the same files, and runs nothing" {
	message "$(calls 'echo x >> /workspace/n; cp /workspace/n $LB_OUTBOX/n')" |
		lb-ingest --bot shop jsonl | lb-pipeline > query
	lb-agent < query > first
	lb-agent < query > again
	same "$(jq -c 'select(.kind == "reply").chain' first)" "$(jq -c 'select(.kind == "reply").chain' again)"
	same true "$(jq -c 'select(.kind == "reply").replayed' again)"
	same x "$(cat "$LB_STATE/$WORK/n")"
	same x "$(cat "$(jq -r 'select(.kind == "reply").chain[-1].path' again)")"
}

@test "killed before there is an answer: what was left in the outbox is not sent" {
	message "$(calls 'touch stay n; ls $LB_OUTBOX | wc -l; touch $LB_OUTBOX/f$(wc -l < n); echo x >> n; while [ -e /workspace/stay ]; do sleep 0.02; done')" |
		lb-ingest --bot shop jsonl | lb-pipeline > query
	lb-agent < query > first 2> log 3>&- &
	agent=$!
	until_true [ -s "$LB_STATE/$WORK/n" ]
	kill -9 "$agent"
	wait || true
	until_true eval '! pgrep -f "[w]orkspace/stay"'
	(until_true [ "$(wc -l < "$LB_STATE/$WORK/n")" = 2 ]; rm "$LB_STATE/$WORK/stay") 3>&- &
	lb-agent < query > again
	same 0 "$(jq 'select(.kind == "reply")' again | jq -r '.text' | head -n 1 | jq -r .stdout)"
	same '(Not sent: f1, empty)' "$(jq -r 'select(.kind == "reply").text' again | tail -n 1)"
}

@test "killed between the files and the commit: the next try has them, once" {
	message "$(calls 'echo x >> /workspace/n; touch /workspace/now; while [ ! -e /workspace/go ]; do sleep 0.02; done; cp /workspace/n $LB_OUTBOX/n; : > $LB_OUTBOX/$(wc -l < /workspace/n)')" |
		lb-ingest --bot shop jsonl | lb-pipeline > query
	lb-agent < query > first 2> log 3>&- &
	agent=$!
	until_true [ -e "$LB_STATE/$WORK/now" ]
	# Nobody else can write to the store now.
	python3 -c 'import sqlite3, sys, time
c = sqlite3.connect(sys.argv[1], isolation_level=None)
c.execute("BEGIN IMMEDIATE")
open("locked", "w")
time.sleep(60)' "$LB_STATE/lb.db" 3>&- &
	locker=$!
	until_true [ -e locked ]
	touch "$LB_STATE/$WORK/go"
	until_true eval 'ls "$LB_STATE"/media/*/* | grep -v part'
	kill -9 "$agent"
	kill -9 "$locker"
	wait || true
	run ! grep '"kind":"reply"' first
	lb-agent < query > again
	same 1 "$(jq -c 'select(.kind == "reply")' again | wc -l)"
	# The empty one of the first try is not looked at again.
	same '["n"]' "$(jq -c 'select(.kind == "reply") | [.chain[].name // empty]' again)"
	[[ $(jq -r 'select(.kind == "reply").text' again) == *"(Not sent: 2, empty)" ]]
	same $'x\nx' "$(cat "$(jq -r 'select(.kind == "reply").chain[-1].path' again)")"
	same 1 "$(ls "$LB_STATE"/media/*/* | grep -vc part)"
}

@test "a sandbox that is out of reach when its files are to go out is said" {
	message "$(calls 'touch now; while [ ! -e go ]; do sleep 0.02; done; echo x > $LB_OUTBOX/x')"$'\nsay Done.' |
		lb-ingest --bot shop jsonl | lb-pipeline > query
	lb-agent < query > got 2> log 3>&- &
	until_true [ -e "$LB_STATE/$WORK/now" ]
	mv "$LB_STATE/$WORK" aside
	: > "$LB_STATE/$WORK"
	: > aside/go
	wait $!
	same $'Done.\n\n(Not sent: what else there may be, the sandbox is out of reach)' \
		"$(jq -r 'select(.kind == "reply").text' got)"
	grep -q "files of the sandbox: cannot open" log
}

@test "a person who is forgotten takes the files along" {
	csv
	reply "$(calls 'cp /workspace/inbox/*/sales.csv $LB_OUTBOX')" "$(component File sales.csv sales.csv)" > got
	path=$(jq -r '.chain[-1].path' got)
	cmp sales.csv "$path"
	lb-session erase shop:person_boss
	[ ! -e "$path" ]
}

@test "where commands may not run, nothing is copied, and the message is as before" {
	csv
	export LB_MODEL=offline
	grants 'tools: [read]'
	other
	reply hello "$(component File sales.csv sales.csv)" > plain
	run ! grep -q 'inbox\|outbox' plain
	grants ''
	other
	reply hello "$(component File sales.csv sales.csv)" > got
	same "$(jq -r .text plain)" "$(jq -r .text got | sed 's/message 2/message 1/')"
	grants 'tools: [exec]' 'box: {enabled: false}'
	other
	reply hello "$(component File sales.csv sales.csv)" > got
	run ! grep -q 'inbox\|outbox' got
	# On this machine there is no /workspace.
	grants 'tools: [exec]' 'box: {allow_host: true}'
	sed -i 's/default: {/default: {sandbox-mode: host, /' "$LB_CONFIG"
	other
	reply hello "$(component File sales.csv sales.csv)" > got
	run ! grep -q 'inbox\|outbox' got
	[ ! -e "$LB_STATE/$WORK" ]
	# Another machine has the files.
	printf 'unset LB__BOX__BACKEND\nLB_STATE=%s LB_CONFIG=/dev/null exec lb-exec "$@"\n' \
		"$PWD/far" > far.sh
	grants 'tools: [exec]'
	other
	LB__BOX__BACKEND="exec:sh $PWD/far.sh --records" LB_MODEL=offline:tools \
		reply "$(calls 'echo "[$LB_OUTBOX]"; ls')" "$(component File sales.csv sales.csv)" > got
	same '[]' "$(stdout < got)"
	[ -e far/box/workspaces ]
	[ ! -e "$LB_STATE/$WORK" ]
	# Commands of somebody else's, who knows where.
	cat > native.sh <<-'END'
		while read -r line; do
			id=$(jq .id <<< "$line")
			case $(jq -r .op <<< "$line") in
			hello) echo '{"version":1,"name":"native"}' ;;
			list) echo '{"id":'$id',"ok":true,"tools":[{"name":"exec"}]}' ;;
			call) echo '{"id":'$id',"ok":true,"content":"ran"}' ;;
			esac
		done
	END
	grants 'tools: [exec]' "tools: {providers: {native: {command: [bash, $PWD/native.sh]}}}"
	other
	LB_MODEL=offline:tools reply 'call exec {}' "$(component File sales.csv sales.csv)" > got
	same ran "$(jq -r .text got)"
	[ ! -e "$LB_STATE/$WORK" ]
	# Somebody whom the sandbox is not open to.
	grants 'tools: [exec]'
	other
	message hello "$(component File sales.csv sales.csv)" | sed 's/"boss"/"joe"/' |
		lb-ingest --bot shop jsonl | lb-pipeline | lb-agent > got
	run ! grep -q 'inbox\|outbox' got
	[ ! -e "$LB_STATE/box/workspaces" ]
}

@test "a message that needs no command costs no sandbox" {
	reply 'say hi' > got
	same hi "$(jq -r .text got)"
	[ ! -e "$LB_STATE/box/workspaces" ]
}

@test "leftovers go with the next gc" {
	echo 1 > f
	reply "$(calls 'mkdir -p /workspace/outbox/old && echo 1 > /workspace/outbox/old/f; echo 1 > keep')" \
		"$(component File f f)" > got
	same 1 "$(jq '.chain | length' got)"
	run -0 lb-run gc --json
	same 0 "$(jq 'select(.what == "attachments").removed' <<< "$output")"
	find "$LB_STATE/$WORK/inbox" "$LB_STATE/$WORK/outbox" -depth -exec touch -h -d '8 days ago' {} +
	run -0 lb-run gc --json
	same 2 "$(jq 'select(.what == "attachments").removed' <<< "$output")"
	same keep "$(find "$LB_STATE/$WORK" -type f -printf '%f\n')"
	# Those of workspaces of tenants, too.
	grants 'tools: [exec]' 'box: {workspace: acme}'
	other
	reply "$(calls 'cat /workspace/inbox/*/f; cp /workspace/inbox/*/f $LB_OUTBOX')" "$(component File f f)" > got
	same 1 "$(stdout < got)"
	same '["f"]' "$(jq -c '[.chain[1:][].name]' got)"
	tenant=$LB_STATE/box/tenants/acme/workspaces
	[ -e "$tenant/shop%2Fperson_boss/inbox/$SAID_AS/f" ]
	find "$tenant/shop%2Fperson_boss/inbox" -depth -exec touch -h -d '8 days ago' {} +
	grants 'tools: [exec]'
	run -0 lb-run gc --json
	same 1 "$(jq 'select(.what == "attachments").removed' <<< "$output")"
	[ -z "$(find "$tenant" -name f)" ]
}
