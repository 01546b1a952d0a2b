#!/usr/bin/env bats
# The bash function is driven as bash drives it: COMP_WORDS in, COMPREPLY out.

load helper

# complete_words WORD... - what is offered for the last of the words.
complete_words() {
	bash -c 'source "$0"
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_lb "$1"
		printf "%s\n" "${COMPREPLY[@]}"' \
		"$BATS_TEST_DIRNAME/../share/completions/bash/lb" "$@"
}

@test "the verbs of a program are offered" {
	run -0 complete_words lb-session ""
	same $'list\nshow\nreset\nexport\nerase' "$output"
	run -0 complete_words lb-session re
	same reset "$output"
}

@test "the options of the verb in use and the common ones are offered" {
	run -0 complete_words lb-session reset --
	for want in --pipeline= --json --help --version --quiet; do
		grep -qx -e "$want" <<< "$output"
	done
	run -1 grep -x -e --all <<< "$output"
	run -0 complete_words lb-session list --a
	same --all "$output"
}

@test "before a verb only the common options are offered" {
	run -0 complete_words lb-session --
	grep -qx -e --help <<< "$output"
	run -1 grep -x -e --pipeline= <<< "$output"
}

@test "what the person types as a value is not taken for an option" {
	run -0 complete_words lb-session reset --pipeline ""
	[ -z "$output" ]
	run -0 complete_words lb-session reset --pipeline = ""
	[ -z "$output" ]
}

# offered WORDS EXPECTED - all that is offered, in any order.
offered() {
	run -0 complete_words "${@:1:$#-1}"
	same "$(printf '%s\n' ${!#} | sort)" "$(sort <<< "$output")"
}

@test "adapters, kinds and pages are offered, and no files beside them" {
	cd "$BATS_TEST_TMPDIR"
	touch text.c message drop
	offered lb-ingest "" "jsonl telegram text"
	offered lb-ingest text "" ""
	offered lb-send "" "jsonl null stdout telegram"
	offered lb-pick re "receipt reply request response result"
	offered lb-pick message dr drop
	offered lb-agent "" ""
	offered lb-help toolk toolkit
	offered lb-help 5 con config
	run -0 complete_words lb-help ""
	for page in "$LB_TEST_MAN"/lb-*.[17]; do
		page=${page##*/lb-}
		grep -qx "${page%.?}" <<< "$output"
	done
}

@test "what is offered as adapters and kinds is what there is" {
	for p in lb-ingest lb-send; do
		run -64 "$p" xyzzy
		same "$(sed -n 's/.*there are //p' <<< "$output" | sed 's/, / /g; s/ and / /')" \
			"$("$p" --describe | jq -r .values)"
	done
	for kind in $(cd "$BATS_TEST_DIRNAME/../share/lb/schema" && ls); do
		[[ " $(lb-pick --describe | jq -r .values) " == *" ${kind%.json} "* ]]
	done
}

@test "keys, bots, pipelines and providers of lb-config are offered" {
	lb-config add pipeline sales
	lb-config add bot support pipeline=sales
	offered lb-config get llm.m llm.model
	offered lb-config set bots.support. \
		"$(lb-config describe bots.support | jq -r .key | sort | xargs | sed 's/\*/support/g')"
	offered lb-config set bots.support.to bots.support.token
	offered lb-config unset llm.model concurr concurrency.pipeline
	offered lb-config describe pipelines.sales.ai.runner.r pipelines.sales.ai.runner.runner
	offered lb-config set llm.model "" ""
	offered lb-config rm "" "bot pipeline provider"
	offered lb-config rm pipeline "" "default sales"
	offered lb-config rm pipeline sales "" ""
	offered lb-config list "" "bots pipelines providers"
	offered lb-config add bot x pol poll-timeout=
	offered lb-config add provider x def default-model=
	cd "$BATS_TEST_TMPDIR"
	touch other.yaml
	offered lb-config check oth other.yaml
	offered lb-llm models op "openai openrouter"
}

@test "sessions are offered" {
	for who in ann bob; do
		echo hi | lb-ingest text --person=$who | lb-pipeline | lb-agent > "$BATS_TEST_TMPDIR/out"
	done
	for verb in show reset export; do
		offered lb-session $verb "" "person_ann person_bob"
		offered lb-session $verb person_a person_ann
		offered lb-session $verb person_ann "" ""
	done
	offered lb-session list "" ""
}

@test "commands that wait to be approved are offered" {
	need python3
	lb-run gc > "$BATS_TEST_TMPDIR/out"
	mkdir -p "$LB_STATE/box"
	echo '{"key":"1","time":1}' > "$LB_STATE/box/audit.jsonl"
	lb-box audit > "$BATS_TEST_TMPDIR/out"
	python3 - "$LB_STATE/lb.db" <<-'END'
		import sqlite3, sys, time
		c = sqlite3.connect(sys.argv[1])
		for id in ("aaaaaaaa", "bbbbbbbb"):
		    c.execute("INSERT INTO approvals VALUES(?, ?, 's', 'b', 'a', 't', ?, 0, '', 0)",
		              (id, id, int(time.time() * 1000)))
		c.commit()
	END
	offered lb-box approve "" "aaaaaaaa bbbbbbbb"
	offered lb-box deny b bbbbbbbb
	offered lb-box deny aaaaaaaa "" ""
}

@test "the usual verb's options are offered without it, and files where they go" {
	cd "$BATS_TEST_TMPDIR"
	touch file.png
	offered lb-llm "" "chat embed models rerank test"
	offered lb-llm --sch --schema=
	offered lb-llm why --sch --schema=
	offered lb-llm -a fi file.png
	offered lb-llm --attachment = fi file.png
	offered lb-llm chat -ca fi file.png
	offered lb-llm --schema fi file.png
	offered lb-llm -m fi ""
	offered lb-llm fi ""
	offered lb-llm -m test --sch --schema=
	offered lb-llm test --sch ""
	offered lb-send --records fi file.png
}

@test "options and files of a program that was written elsewhere" {
	cat > "$BATS_TEST_TMPDIR/lb-other" <<- 'END'
	#!/bin/sh
	echo '{"name":"lb-other","version":"1","about":"x","operands":"FILE...","options":[{"name":"output","help":"say \"{where}\", not [how]","arg":"FILE","repeat":false},{"name":"dry-run","help":"x","repeat":false}],"common":[{"name":"help","help":"x","repeat":false}]}'
	END
	chmod +x "$BATS_TEST_TMPDIR/lb-other"
	cd "$BATS_TEST_TMPDIR"
	touch here.txt
	run -0 complete_words ./lb-other --
	same $'--output=\n--dry-run\n--help' "$output"
	run -0 complete_words ./lb-other --output he
	same here.txt "$output"
	run -0 complete_words ./lb-other he
	same here.txt "$output"
}

@test "a program that is not there offers nothing and complains of nothing" {
	run --separate-stderr -0 complete_words lb-nowhere ""
	[ -z "$output$stderr" ]
}

@test "programs found in PATH are wired to the function" {
	run -0 bash -c 'source "$0"; complete -p lb-session' \
		"$BATS_TEST_DIRNAME/../share/completions/bash/lb"
	same "complete -F _lb lb-session" "$output"
}

@test "zsh offers verbs and options" {
	need zsh
	cd "$BATS_TEST_TMPDIR"
	cp "$BATS_TEST_DIRNAME/../share/completions/zsh/_lb" .
	# The function itself, with zsh's helpers replaced by what prints.
	run -0 zsh -fc '_describe() { print -l ${(P)2} }
		_arguments() { shift; print -l -- "$@" }
		words=(lb-session reset --) CURRENT=3 PREFIX=--
		f() { source ./_lb }; f
		words=(lb-session "") CURRENT=2 PREFIX=; f'
	[[ $output == *"--pipeline="* && $output == *"--help["* ]]
	[[ $output != *"--all"* ]]
	[[ $output == *"list:List the conversations"* ]]
}

# zsh_words WORD... - what zsh is told of options and operands for the last.
zsh_words() {
	zsh -fc '_describe() { print -l ${(P)2} }
		_arguments() { shift; print -rl -- "$@" "offers: $offers" }
		words=("$@") CURRENT=$# PREFIX=${words[-1]} file=$0
		f() { source $file }; f' \
		"$BATS_TEST_DIRNAME/../share/completions/zsh/_lb" "$@"
}

@test "zsh offers the same operands, and files where they go" {
	need zsh
	run -0 zsh_words lb-config add bot x ""
	same "offers: $(lb-config describe bots.x |
		jq -r '.key | sub("bots.[*].(?<k>[^.]+).*"; "\(.k)=")' |
		uniq | xargs)" "${lines[-1]}"
	lb-config add bot support
	echo hi | lb-ingest text --person=ann | lb-pipeline | lb-agent > "$BATS_TEST_TMPDIR/out"
	while IFS='|' read -r words offers; do
		eval "run -0 zsh_words $words"
		same "offers: $offers" "${lines[-1]}"
		[[ ${lines[-2]} != *_files* ]] || exit 1
	done <<- 'END'
	lb-ingest ""|jsonl telegram text
	lb-send s|jsonl null stdout telegram
	lb-agent ""|
	lb-config rm bot ""|support -
	lb-config set llm.model ""|
	lb-session show ""|person_ann
	lb-llm hello ""|
	END
	run -0 zsh_words lb-config get ""
	[[ ${lines[-1]} == *bots.support.adapter*llm.model* ]]
	run -0 zsh_words lb-config check ""
	same '*:operand:_files' "${lines[-2]}"
	run -0 zsh_words lb-llm --sch
	[[ $output == *"--schema="*":SCHEMA:_files"*"--session="*":NAME: "* ]]
	[[ $output == *"-a+["*":FILE:_files"* ]]
}
