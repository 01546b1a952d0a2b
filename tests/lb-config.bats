#!/usr/bin/env bats

load helper

# problems YAML... - what check says of a file of these lines.
problems() {
	printf '%s\n' "$@" > "$LB_CONFIG"
	lb-config check | sed "s|^$LB_CONFIG:||"
}

# after VERB... - the file as it is after a change.
after() {
	lb-config "$@" || return
	cat "$LB_CONFIG"
}

@test "with no file there are bot -, pipeline default and the defaults" {
	unset LB_CONFIG
	run -0 lb-config get llm
	same '{"model":"","fallbacks":[],"retry":{"tries":3,"backoff":"1s","budget":"60s","cool-down":"60s"},"embedding-model":"","rerank-model":"","connect-timeout":"10s","first-byte-timeout":"120s","idle-timeout":"60s","prices":[]}' "$output"
	run -0 lb-config get bots.-
	same '["stdout","default",true,"50s",false]' "$(jq -c '[.adapter, .pipeline,
		.stream, ."poll-timeout", ."trust-sender"]' <<< "$output")"
	run -0 lb-config get pipelines.default.ai.local-agent.max-round
	same 10 "$output"
	run -0 lb-config list
	[ "${#lines[@]}" -eq 2 ]
}

@test "the file is LB_CONFIG, else the user's; never one of the working directory" {
	mkdir -p "$HOME/.config/lb" "$HOME/xdg/lb" "$HOME/here/lb"
	echo 'llm: {model: home}' > "$HOME/.config/lb/config.yaml"
	echo 'llm: {model: xdg}' > "$HOME/xdg/lb/config.yaml"
	echo 'llm: {model: own}' > "$LB_CONFIG"
	cd "$HOME/here"
	echo 'llm: {model: here}' | tee config.yaml > lb/config.yaml
	same own "$(lb-config get llm.model)"
	unset LB_CONFIG
	same home "$(lb-config get llm.model)"
	same xdg "$(XDG_CONFIG_HOME=$HOME/xdg lb-config get llm.model)"
	same home "$(XDG_CONFIG_HOME=. lb-config get llm.model)"
}

@test "a file that LB_CONFIG names and that cannot be read is exit 78" {
	export LB_CONFIG=$HOME/none.yaml
	run --separate-stderr -78 lb-config get
	same "lb-config: cannot open '$HOME/none.yaml': No such file or directory" "$stderr"
	export LB_CONFIG=$HOME
	run -78 lb-config get
}

@test "conf.d comes after the file, in the order of names, other files not" {
	mkdir "${LB_CONFIG%/*}/conf.d"
	echo 'llm: {model: file, idle-timeout: 1s}' > "$LB_CONFIG"
	echo 'llm: {model: b}' > "${LB_CONFIG%/*}/conf.d/b.yaml"
	echo 'llm: {model: a, connect-timeout: 2s}' > "${LB_CONFIG%/*}/conf.d/a.yaml"
	echo 'llm: {first-byte-timeout: 3s}' | tee "${LB_CONFIG%/*}/conf.d/c.yaml~" > "${LB_CONFIG%/*}/conf.d/.d.yaml"
	same '{"model":"b","fallbacks":[],"retry":{"tries":3,"backoff":"1s","budget":"60s","cool-down":"60s"},"embedding-model":"","rerank-model":"","connect-timeout":"2s","first-byte-timeout":"120s","idle-timeout":"1s","prices":[]}' \
		"$(lb-config get llm)"
}

@test "the environment comes last, coerced, and --origin tells all of them" {
	printf '%s\n' 'llm:' '  model: a/b' 'bots:' '  help-desk: {stream: no}' > "$LB_CONFIG"
	export LB__BOTS__HELP_DESK__STREAM=Yes CONCURRENCY__PIPELINE=7
	export LB__PROVIDERS__X__API_KEYS=' env:A , env:B,'
	same true "$(lb-config get bots.help-desk.stream)"
	same 7 "$(lb-config get concurrency.pipeline)"
	same '["env:A","env:B"]' "$(lb-config get providers.x.api-keys)"
	same "$LB_CONFIG:2" "$(lb-config get --origin llm.model | jq -r .origin)"
	same default "$(lb-config get llm.idle-timeout --origin | jq -r .origin)"
	same 'environment CONCURRENCY__PIPELINE' \
		"$(lb-config get --origin concurrency | jq -r .origin)"
	same c/d "$(LB_MODEL=c/d LB__LLM__MODEL=e/f lb-config get llm.model)"
	same a/b "$(LB__LLM__MODEL='' lb-config get llm.model)"
}

@test "a bad value in the environment is exit 78 and names the variable" {
	run --separate-stderr -78 env LB__CONCURRENCY__PIPELINE=0 lb-config get
	same "lb-config: environment LB__CONCURRENCY__PIPELINE: '0' is not a whole number from 1 to 10000" "$stderr"
	run --separate-stderr -78 env LB__VDB__USE=chroma lb-config get
	same "lb-config: environment LB__VDB__USE: not in this version" "$stderr"
	run --separate-stderr -78 env LB__PROVIDERS__P__API_KEYS='[{x: sk-secret}]' lb-config get
	[[ $stderr != *sk-secret* ]]
}

@test "a variable of a section without its key is one warning, others are none" {
	export LB__LLM__MODLE=x FOO__BAR=1 BOX__ENABLED=true Llm__Model=y
	run --separate-stderr -0 lb-config get llm.model
	same "" "$output"
	same "lb-config: environment LB__LLM__MODLE sets no key (did you mean 'LB__LLM__MODEL'?)" "$stderr"
}

@test "what is unknown, wrong or not built is named with its line" {
	same "2: llm.modle: unknown key (did you mean 'llm.model'?)" \
		"$(problems llm: '  modle: x')"
	same "1: bots.a.adapter: 'discord' is not in this version" \
		"$(problems 'bots: {a: {adapter: discord}}')"
	same "1: bots.a.adapter: 'stdin' is not stdout, jsonl, null, telegram or text" \
		"$(problems 'bots: {a: {adapter: stdin}}')"
	same "1: vdb: not in this version" "$(problems 'vdb: {use: chroma}')"
	same "1: concurrency.pipeline: '10001' is not a whole number from 1 to 10000" \
		"$(problems 'concurrency: {pipeline: 10001}')"
	same "1: llm.idle-timeout: 0 is refused; say none for no limit" \
		"$(problems 'llm: {idle-timeout: 0}')"
	same "1: bots: 'a/b' is not a name: 1 to 64 bytes without '.', '/', ':'" \
		"$(problems 'bots: {a/b: {}}')"
	same "2: bots.a.pipeline: there is no pipeline 'sales'" \
		"$(problems 'bots:' '  a: {pipeline: sales}')"
	same "1: llm: is not a mapping" "$(problems 'llm: [model]')"
	same "1: pipelines.default.ai.local-agent.prompt: is not a text, the system message, or a list of mappings of role and content" \
		"$(problems 'pipelines: {default: {ai: {local-agent: {prompt: [{role: boss, content: a message longer than what is shown in a line}]}}}}')"
}

@test "check shows every problem and exits 1; load fails with the first" {
	export OPENAI_API_KEY=k # an endpoint that knows any model
	printf '%s\n' 'a: 1' 'llm: {model: x, b: 2}' > "$LB_CONFIG"
	run -1 lb-config check
	[ "${#lines[@]}" -eq 2 ]
	same "$LB_CONFIG:1: a: unknown key" "${lines[0]}"
	run -1 lb-config check --json
	same '[1,2]' "$(jq -sc 'map(.line)' <<< "$output")"
	run --separate-stderr -78 lb-config get
	same "lb-config: $LB_CONFIG:1: a: unknown key" "$stderr"
	printf 'llm:\n  }\n' > "$LB_CONFIG"
	run -1 lb-config check --json
	same "[\"$LB_CONFIG\",2]" "$(jq -c '[.file, .line]' <<< "$output")"
	echo 'llm: {model: x}' > "$LB_CONFIG"
	run -0 lb-config check
	[ -z "$output" ]
	echo 'llm: 3' > "$HOME/other.yaml"
	run -1 lb-config check "$HOME/other.yaml"
}

@test "a provider that is not there is a mistake" {
	same "2: pipelines.p.tools.providers: there is no provider 'y'" \
		"$(problems 'tools: {providers: {x: {command: [sh]}}}' \
			'pipelines: {p: {tools: {providers: [x, y]}}}')"
	same "" "$(problems 'tools: {providers: {x: {command: [sh]}}}')"
}

@test "of LangBot's keys those that mean off pass, others do not" {
	same "" "$(problems 'pipelines:' '  default:' '    trigger:' \
		'      group-respond-rules: {at: false, prefix: [], regexp: [], random: 0.0}' \
		'      access-control: {mode: blacklist, blacklist: [], whitelist: []}' \
		'      message-aggregation: {enabled: false, delay: 1.5}' \
		'    ai: {dify-service-api: {base-url: x}, runner: {expire-time: 0}}' \
		'    ai2:' | grep -v ai2)"
	same "1: pipelines.p.ai.local-agent.knowledge-bases: not in this version" \
		"$(problems 'pipelines: {p: {ai: {local-agent: {knowledge-bases: [a]}}}}')"
	same "1: pipelines.p.sandbox.profile: not in this version" \
		"$(problems 'pipelines: {p: {sandbox: {profile: strict}}}')"
	same "1: pipelines.p.safety.rate-limit.strategy: 'hold' is not drop or wait" \
		"$(problems 'pipelines: {p: {safety: {rate-limit: {strategy: hold}}}}')"
	same "1: pipelines.p.ai.runner.runner: 'dify-service-api' is not in this version" \
		"$(problems 'pipelines: {p: {ai: {runner: {runner: dify-service-api}}}}')"
}

@test "a prompt may be a text: the system message" {
	lb-config set 'pipelines.default.ai.local-agent.prompt=You are a pirate'
	same '[{"role":"system","content":"You are a pirate"}]' \
		"$(lb-config get pipelines.default.ai.local-agent.prompt)"
	same "" "$(problems 'pipelines: {default: {ai: {local-agent: {prompt: Be kind}}}}')"
	same Be\ kind "$(lb-ingest text <<< hi | lb-pipeline |
		jq -r '.prompt[0].content' | head -n 1)"
}

@test "a pipeline's model: a name, or who is asked in turn and how much each thinks" {
	export OPENAI_API_KEY=k # an endpoint that knows any model
	model() {
		problems "pipelines: {default: {ai: {local-agent: {model: $1}}}}"
	}
	same "" "$(model a/b)"
	same "" "$(model '{primary: a/b, fallbacks: [], reasoning: {}}')"
	same "" "$(model '{primary: a/b, fallbacks: [c/d], reasoning: {openai/gpt-5: low}}')"
	for bad in '{fallbacks: c/d}' '{reasoning: low}' \
		'{reasoning: {a/b: deep}}' '{other: x}' '[a/b]'; do
		[[ $(model "$bad") == '1: pipelines.default.ai.local-agent.model: '* ]]
	done
}

@test "YAML beyond JSON with comments is refused" {
	export OPENAI_API_KEY=k # an endpoint that knows any model
	same "1: anchors, aliases and tags are not taken" "$(problems 'llm: &a {}')"
	same "1: anchors, aliases and tags are not taken" "$(problems 'llm: *a')"
	same "1: anchors, aliases and tags are not taken" "$(problems 'llm: {model: !!str 1}')"
	same "3: key 'llm' is there twice" "$(problems 'llm: {}' 'bots: {}' 'llm: {}')"
	same "2: more than one document" "$(problems 'llm: {}' '--- {}')"
	same "1: nested too deep" "$(problems "llm: $(printf '[%.0s' {1..40})")"
	same "1: a text holds a NUL" "$(problems 'llm: {model: "\0"}')"
	same "1: a key is not a text" "$(problems '? [a]' ': 1')"
	[[ $(problems 'llm: {model: 1e999}') == *"out of range"* ]]
	[[ $(problems "llm: {extra: [$(printf '1,%.0s' {1..20001})]}") == *"too many values"* ]]
	[[ $(problems "# $(head -c 1100000 /dev/zero | tr '\0' x)") == *"longer than 1048576 bytes" ]]
	[[ $(problems $'llm: {model: "\xff"}') == *"UTF-8"* ]]
	same "" "$(problems '{"llm": {"model": "a\/b", "idle-timeout": 1.5}}')"
}

@test "null is a word where a key has it, else a key not set" {
	printf '%s\n' 'bots: {a: {adapter: null}, b: {adapter: }, c: }' \
		'llm: {model: null, idle-timeout: ~}' 'concurrency:' > "$LB_CONFIG"
	same '{"a":"null","b":"stdout","c":"stdout"}' \
		"$(lb-config list bots | jq -sc 'map(select(.name != "-") | {(.name): .adapter}) | add')"
	same 60s "$(lb-config get llm.idle-timeout)"
}

@test "init writes a file that changes nothing and, uncommented, is valid" {
	rm "$LB_CONFIG"
	export LB_CONFIG=$HOME/new/lb/config.yaml
	before=$(LB_CONFIG=/dev/null lb-config get)
	run -0 lb-config init
	same "$LB_CONFIG" "$output"
	same 600 "$(stat -c %a "$LB_CONFIG")"
	run -0 lb-config check
	same "$before" "$(lb-config get)"
	sed 's/^#//' "$LB_CONFIG" > "$HOME/all.yaml"
	run -0 lb-config check "$HOME/all.yaml"
	[ -z "$output" ]
	same "$(cat "$BATS_TEST_DIRNAME"/../lib/config/table*.[ch] | grep -c '^{"')" \
		"$(lb-config describe | wc -l)"
	for key in $(lb-config describe | jq -r '.key | sub("([.][*])+$"; "") | sub(".*[.]"; "")'); do
		grep -q "^ *$key:" "$HOME/all.yaml"
	done
	same 20 "$(LB_CONFIG=$HOME/all.yaml lb-config get concurrency.pipeline)"
	run --separate-stderr -77 lb-config init
	same "lb-config: '$LB_CONFIG' is there already" "$stderr"
}

@test "set keeps comments, order, indentation and the rest of the line" {
	printf '%s\n' '# mine' 'llm:' '    # why' '    model: a # not b' \
		'    idle-timeout: 1s' '# end' 'bots: {}' > "$LB_CONFIG"
	same '# mine
llm:
    # why
    model: c/d # not b
    idle-timeout: 1s
    connect-timeout: 3s
# end
bots:
    x:
        stream: true' "$(after set llm.model=c/d llm.connect-timeout=3s bots.x.stream=yes)"
}

@test "set begins a file, and ends a last line that has no end" {
	rm "$LB_CONFIG"
	same 'llm:
  model: x' "$(after set llm.model x)"
	same 600 "$(stat -c %a "$LB_CONFIG")"
	printf 'llm:\n  model: x' > "$LB_CONFIG"
	chmod 640 "$LB_CONFIG"
	same 'llm:
  model: x
concurrency:
  pipeline: 3' "$(after set concurrency.pipeline 3)"
	same 640 "$(stat -c %a "$LB_CONFIG")"
}

@test "set works in flow mappings, quoted keys, CRLF and block texts" {
	printf '{"llm": {"model": "a",\n  "idle-timeout": "1s"}}\n' > "$LB_CONFIG"
	same '{"llm": {"model": b/c,
  "idle-timeout": "1s", connect-timeout: 2s}}' "$(after set llm.model=b/c llm.connect-timeout=2s)"
	printf '"llm":\r\n  "model": |-\r\n    a\r\n  idle-timeout: 1s\r\n' > "$LB_CONFIG"
	same $'"llm":\r\n  "model": b\r\n  idle-timeout: 1s\r\n  connect-timeout: 2s\r' \
		"$(after set llm.model=b llm.connect-timeout=2s)"
	printf 'llm:\n# nothing yet\nbots: # none\n' > "$LB_CONFIG"
	same 'llm:
  model: x
# nothing yet
bots: # none
  a:
    adapter: "null"' "$(after set llm.model=x bots.a.adapter=null)"
}

@test "texts that YAML would take for something else are quoted" {
	for value in true 12 1.5 null no '- a' 'a: b' 'a #b' '' ' x' '[x]' '*a' 'ü "q" \'; do
		lb-config set -- pipelines.default.output.misc.failure-hint "$value"
		same "$value" "$(lb-config get pipelines.default.output.misc.failure-hint)"
	done
	# older readers of YAML take this word for false
	lb-config set pipelines.default.output.misc.failure-hint no
	grep -q 'failure-hint: "no"' "$LB_CONFIG"
}

@test "unset takes the line and leaves the comments, {} when nothing is left" {
	printf '%s\n' 'llm:' '  # why' '  model: a' '  idle-timeout: 1s' 'bots: {a: {stream: true}, b: {}}' > "$LB_CONFIG"
	same 'llm:
  # why
  idle-timeout: 1s
bots: {a: {}, b: {}}' "$(after unset llm.model bots.a.stream)"
	same 'llm: {}
  # why
bots: {a: {}, b: {}}' "$(after unset llm.idle-timeout)"
	run --separate-stderr -1 lb-config unset llm.model
	same "lb-config: 'llm.model' is not in the file" "$stderr"
	run -64 lb-config unset llm.modle
}

@test "a list of many lines is replaced as a whole" {
	printf '%s\n' 'providers:' '  p:' '    api-keys: # two' '    - env:A' '    - env:B' '    preset: x' > "$LB_CONFIG"
	same 'providers:
  p:
    api-keys: ["env:C"] # two
    preset: x' "$(after set providers.p.api-keys env:C | sed 's/\[env:C\]/["env:C"]/')"
}

@test "a file that cannot be changed safely is left alone" {
	printf '? llm\n:\n  model: x\n' > "$LB_CONFIG"
	cp "$LB_CONFIG" "$HOME/before"
	run --separate-stderr -78 lb-config unset llm.model
	[[ $stderr == *"edit it by hand" ]]
	cmp "$LB_CONFIG" "$HOME/before"
	printf -- '---\nllm: {model: x}\n...\n' > "$LB_CONFIG"
	same '---
llm: {model: x}
concurrency:
  pipeline: 3
...' "$(after set concurrency.pipeline 3)"
}

@test "a change that would not load is not written" {
	echo 'llm: {model: x}' > "$LB_CONFIG"
	run --separate-stderr -78 lb-config set bots.a.pipeline nowhere
	[[ $stderr == "lb-config: not written: "*"there is no pipeline 'nowhere'" ]]
	run --separate-stderr -78 lb-config set llm.model=y concurrency.pipeline=none
	run --separate-stderr -78 lb-config set bots.a.adapter discord
	run --separate-stderr -64 lb-config set llm.modle y
	run --separate-stderr -64 lb-config set llm y
	run --separate-stderr -78 lb-config set vdb.use chroma
	same 'llm: {model: x}' "$(cat "$LB_CONFIG")"
	echo '{' > "$LB_CONFIG"
	run -65 lb-config set llm.model x
}

@test "the environment is never written to a file, nor decides about one" {
	export LB__BOTS__A__STREAM=true LB_MODEL=m LB__CONCURRENCY__PIPELINE=bad
	same 'llm:
  model: x' "$(after set llm.model x)"
}

@test "two changes at once are both kept" {
	for i in 1 2 3 4 5 6; do
		lb-config add bot "b$i" &
	done
	wait
	same 6 "$(lb-config list bots | jq -s 'map(select(.name != "-")) | length')"
	same 1 "$(ls -A "${LB_CONFIG%/*}" | grep -c config)"
}

@test "a link to the file stays a link" {
	mkdir "${LB_CONFIG%/*}/real"
	mv "$LB_CONFIG" "${LB_CONFIG%/*}/real/c.yaml"
	ln -s real/c.yaml "$LB_CONFIG"
	lb-config set llm.model x
	[ -L "$LB_CONFIG" ]
	grep -q 'model: x' "${LB_CONFIG%/*}/real/c.yaml"
	same c.yaml "$(ls -A "${LB_CONFIG%/*}/real")"
}

@test "add and rm: wholes, with what refers to them kept" {
	lb-config add pipeline p ai.local-agent.model=local/m
	lb-config add bot b adapter=jsonl pipeline=p
	lb-config add provider local base-url=http://127.0.0.1:1/v1
	run --separate-stderr -77 lb-config rm pipeline p
	[[ $stderr == *"cannot remove pipeline 'p': bots.b.pipeline ($LB_CONFIG:"*") refers to it" ]]
	run --separate-stderr -77 lb-config rm provider local
	[[ $stderr == *"pipelines.p.ai.local-agent.model"*"refers to it" ]]
	run --separate-stderr -77 lb-config add bot b
	same "lb-config: there is a bot 'b' already" "$stderr"
	lb-config rm bot b
	lb-config rm pipeline p
	lb-config rm provider local
	same '{"bots":{},"pipelines":{},"providers":{}}' "$(lb-config get | jq -c '{bots, pipelines, providers}')"
	run -1 lb-config rm bot b
	run -78 lb-config add bot a.b
	run -64 lb-config add robot x
	run -64 lb-config add bot x adapter
}

@test "a provider that llm.model names is not removed" {
	lb-config add provider local base-url=http://127.0.0.1:1/v1
	lb-config set llm.model local/m
	run --separate-stderr -77 lb-config rm provider local
	[[ $stderr == *"llm.model"*"refers to it" ]]
}

@test "a secret is never taken from the command line, nor shown" {
	lb-config set providers.p.preset openai
	run --separate-stderr -64 lb-config set providers.p.api-keys sk-secret
	[[ $stderr != *sk-secret* ]]
	run -0 lb-config set providers.p.api-keys env:KEY
	run -0 lb-config set providers.p.api-keys - <<< sk-secret
	grep -q sk-secret "$LB_CONFIG"
	for verb in get "get --origin" list "list --json" env; do
		run -0 lb-config $verb
		[[ $output != *sk-secret* ]]
	done
	same '["***"]' "$(lb-config get providers.p.api-keys)"
	export OPENAI_API_KEY=sk-other LB__PROVIDERS__P__API_KEYS=sk-third
	run -0 lb-config env
	[[ $output != *sk-* ]]
	same 2 "$(jq -sr 'map(select(.value == "***")) | length' <<< "$output")"
}

@test "a secret in a file that others can read is a warning of check" {
	echo 'providers: {openai: {api-keys: [env:A, sk-secret]}}' > "$LB_CONFIG"
	chmod 600 "$LB_CONFIG"
	run -0 lb-config check
	[ -z "$output" ]
	chmod 604 "$LB_CONFIG"
	run -0 lb-config check
	[[ $output == "$LB_CONFIG:1: warning: providers.openai.api-keys: a secret in a file that others can read"* ]]
	[[ $output != *sk-secret* ]]
	run --separate-stderr -0 lb-config get llm.model
	[ -z "$stderr" ]
}

@test "providers that cannot be used are problems, in check and for add and set" {
	same "2: providers.a.preset: there is no preset 'opnai' (did you mean 'openai'?)" \
		"$(problems 'providers:' '  a: {preset: opnai}')"
	same "1: providers.a.preset: there is no preset 'nonsense'; lb-llm models lists them" \
		"$(problems 'providers: {a: {preset: nonsense, base-url: "http://x"}}')"
	same "3: providers.b: has no base-url, and is no preset" \
		"$(problems 'providers:' '  openai: {}' '  b: {api-keys: env:A}')"
	same "2: providers.a.base-url: does not begin with http:// or https:// and a host
3: providers.openai.base-url: does not begin with http:// or https:// and a host" \
		"$(problems 'providers:' '  a: {base-url: 127.0.0.1:80}' \
			'  openai: {base-url: "ftp://x"}' '  b: {base-url: "HTTPS://x"}')"
	same "3: providers.c: has no base-url, and is no preset" \
		"$(problems 'bots: {}' 'providers:' '  c: {}')"
	: > "$LB_CONFIG"
	run --separate-stderr -78 lb-config add provider p preset=groqq
	same "lb-config: not written: $LB_CONFIG:3: providers.p.preset: there is no preset 'groqq' (did you mean 'groq'?)" "$stderr"
	run --separate-stderr -78 lb-config set providers.p.base-url=x
	[ ! -s "$LB_CONFIG" ]
	lb-config add provider groq
	run -0 lb-config check
	LB__PROVIDERS__Z__API_KEYS=env:A run -1 lb-config check
	same "environment LB__PROVIDERS__Z__API_KEYS: providers.z: has no base-url, and is no preset" "$output"
}

@test "a broken file is mended by one change after the other" {
	export OPENAI_API_KEY=k # an endpoint that knows any model
	printf '%s\n' 'llm: {modle: offline}' 'mdoel: 1' 'concurrency: {pipeline: 0}' > "$LB_CONFIG"
	run --separate-stderr -0 lb-config set llm.model x
	same "lb-config: still wrong: $LB_CONFIG:1: llm.modle: unknown key (did you mean 'llm.model'?)
lb-config: still wrong: $LB_CONFIG:2: mdoel: unknown key
lb-config: still wrong: $LB_CONFIG:3: concurrency.pipeline: '0' is not a whole number from 1 to 10000" "$stderr"
	run --separate-stderr -0 lb-config unset llm.modle mdoel
	[[ $stderr == *still*concurrency.pipeline* && $stderr != *modle* ]]
	run --separate-stderr -78 lb-config set llm.idle-timeout=0
	run --separate-stderr -78 lb-config set bots.a.pipeline=nowhere
	same "lb-config: not written: $LB_CONFIG:5: bots.a.pipeline: there is no pipeline 'nowhere'" "$stderr"
	run --separate-stderr -0 lb-config set concurrency.pipeline=2
	[ -z "$stderr" ]
	same 'llm: {model: x}
concurrency: {pipeline: 2}' "$(cat "$LB_CONFIG")"
	echo 'bots: {a/b: {}, c: {pipeline: gone}}' > "$LB_CONFIG"
	run -0 lb-config rm bot a/b
	run -0 lb-config rm bot c
	run -0 lb-config check
}

@test "problems of files beside it do not keep one from being mended" {
	echo 'bots: {a: {adapter: stdin}}' > "$LB_CONFIG"
	run --separate-stderr -0 lb-config set bots.a.stream=true
	mkdir "${LB_CONFIG%/*}/conf.d"
	echo 'bots: {a: {adapter: stdin}}' > "${LB_CONFIG%/*}/conf.d/x.yaml"
	run --separate-stderr -0 lb-config unset bots.a.adapter
	[[ $stderr == *conf.d/x.yaml:1:* && $stderr != *config.yaml:* ]]
}

@test "problems are shown in the order of the lines, file by file" {
	mkdir "${LB_CONFIG%/*}/conf.d"
	printf '%s\n' 'bots: {a: {pipeline: gone}}' 'llm: {modle: x}' > "$LB_CONFIG"
	cp "$LB_CONFIG" "${LB_CONFIG%/*}/conf.d/x.yaml"
	sed -i 's/a:/b:/' "${LB_CONFIG%/*}/conf.d/x.yaml"
	run -1 lb-config check
	same "config.yaml:1
config.yaml:2
conf.d/x.yaml:1
conf.d/x.yaml:2" "$(sed "s|^${LB_CONFIG%/*}/||; s/: .*//" <<< "$output")"
}

@test "a file to check that is not there is exit 66, on stderr" {
	run --separate-stderr -66 lb-config check "$HOME/none.yaml"
	[ -z "$output" ]
	same "lb-config: cannot open '$HOME/none.yaml': No such file or directory" "$stderr"
}

@test "a value that is missing is called so" {
	run --separate-stderr -64 lb-config set llm.model
	same "lb-config: a value is missing: write llm.model=VALUE" "$stderr"
	run --separate-stderr -64 lb-config set llm.modle
	same "lb-config: 'llm.modle' is not KEY=VALUE" "$stderr"
}

@test "a variable that is almost one of ours is told by check" {
	LB_MODLE=x LB_MODEL=offline LB_OTHER_THING=y LB_STAT=z run -0 lb-config check
	same "environment LB_MODLE: warning: sets nothing (did you mean 'LB_MODEL'?)
environment LB_STAT: warning: sets nothing (did you mean 'LB_STATE'?)" "$(sort <<< "$output")"
}

@test "env tells of the keys of all presets, and hides users of URLs" {
	for name in $(sed -n 's/.*-env: //p' "$BATS_TEST_DIRNAME/../share/lb/providers.yaml") HOME USER; do
		lb-config env | jq -se --arg n "$name" 'any(.name == $n)' ||
			{ echo "no $name"; false; }
	done
	export GROQ_API_KEY=gsk-secret http_proxy=me:sesame@proxy:1 \
		HTTPS_PROXY=http://me:se@same@proxy:1/@ OPENAI_BASE_URL=http://me@x/v1 \
		LB__PROVIDERS__P__BASE_URL=https://u:sesame@h LB_MODEL=a/b@c
	run -0 lb-config env
	[[ $output != *sesame* && $output != *same@* && $output != *gsk-* ]]
	same '***
***@proxy:1
http://***@proxy:1/@
http://***@x/v1
https://***@h
a/b@c' "$(jq -r --arg n GROQ_API_KEY,http_proxy,HTTPS_PROXY,OPENAI_BASE_URL,LB__PROVIDERS__P__BASE_URL,LB_MODEL \
		-s '. as $all | $n | split(",")[] as $one | $all[] | select(.name == $one) | .value' <<< "$output")"
	same '"https://***@h"' "$(lb-config list providers | jq '."base-url"')"
	run -1 jq -se 'any(.name == "HTTP_PROXY")' <<< "$output"
}

@test "what is missing when there is no home is named" {
	unset LB_STATE LB_CONFIG HOME
	run --separate-stderr -78 lb-session list
	same "lb-session: none of LB_STATE, XDG_STATE_HOME and HOME names a place for the state" "$stderr"
	run --separate-stderr -78 lb-config init
	same "lb-config: none of LB_CONFIG, XDG_CONFIG_HOME and HOME is set" "$stderr"
}

@test "describe tells type, default and meaning, for one key or those below" {
	same '{"key":"concurrency.pipeline","type":"a whole number from 1 to 10000","meaning":"conversations that lb-agent holds at once","default":20}' \
		"$(lb-config describe concurrency.pipeline)"
	same "$(lb-config describe | grep -c '"bots\.')" \
		"$(lb-config describe bots.support | wc -l)"
	run --separate-stderr -64 lb-config describe llm.modell
	same "lb-config: 'llm.modell' is no key (did you mean 'llm.model'?)" "$stderr"
	# capitals make no difference to what is meant
	for key in LLM.model Llm.Modell; do
		run --separate-stderr -64 lb-config set "$key" x
		same "lb-config: '$key' is no key (did you mean 'llm.model'?)" "$stderr"
	done
	run --separate-stderr -64 lb-config set bots.Xx.Token x
	same "lb-config: 'bots.Xx.Token' is no key (did you mean 'bots.Xx.token'?)" "$stderr"
	# one of a branch that we have not all of, in the wrong place
	local agent=pipelines.default.ai.local-agent
	run --separate-stderr -78 lb-config set $agent.elevated ask
	same "lb-config: '$agent.elevated' is not in this version (did you mean 'pipelines.default.elevated'?)" "$stderr"
	run --separate-stderr -78 lb-config set $agent.knowledge-bases x
	same "lb-config: '$agent.knowledge-bases' is not in this version" "$stderr"
	run -78 lb-config describe vdb.use
	# a word of a key, and a key without what it is in
	same "$(lb-config describe pipelines.default.trigger.ignore-rules)" \
		"$(lb-config describe ignore-rules)"
	# a word of what it means finds it, too, if it is long enough to be one
	same '["llm.fallbacks","pipelines.*.ai.local-agent.model"]' \
		"$(lb-config describe fallbacks | jq -sc 'map(.key) | sort')"
	run -64 lb-config describe zzz
	[ "$(lb-config describe are | wc -l)" -lt 5 ]
	run --separate-stderr -64 lb-config set trigger.ignore-rules.prefix x
	same "lb-config: 'trigger.ignore-rules.prefix' is no key (did you mean 'pipelines.default.trigger.ignore-rules.prefix'?)" "$stderr"
	run --separate-stderr -64 lb-config set bot.x.stream true
	same "lb-config: 'bot.x.stream' is no key (did you mean 'bots.x.stream'?)" "$stderr"
	run --separate-stderr -64 lb-config set stream true
	same "lb-config: 'stream' is no key (did you mean 'bots.*.stream'?)" "$stderr"
}

@test "a bot of a platform: its server, its token, its implicit self" {
	same "1: bots.a.base-url: does not begin with http:// or https:// and a host" \
		"$(problems 'bots: {a: {base-url: localhost:80}}')"
	echo 'bots: {a: {adapter: telegram}}' > "$LB_CONFIG"
	run -0 lb-config check
	[[ $output == *'bots.a.token: is not set, so the bot cannot start'* ]]
	echo 'bots: {a: {adapter: telegram, token: env:T}}' > "$LB_CONFIG"
	run -0 lb-config check
	[ -z "$output" ]
	export TELEGRAM_BOT_TOKEN=12:secret
	same null "$(lb-config get bots.telegram 2> /dev/null || echo null)"
	: > "$LB_CONFIG"
	same telegram "$(lb-config get bots.telegram.adapter)"
	run -0 lb-config get --origin bots.telegram
	[[ $output == *'environment TELEGRAM_BOT_TOKEN'* && $output != *secret* ]]
	echo 'bots: {"-": {stream: false}}' > "$LB_CONFIG"
	same telegram "$(lb-config get bots.telegram.adapter)"
}

@test "the list of keys in lb-config(5) is the table's" {
	page="$BATS_TEST_DIRNAME/../man/lb-config.5"
	same "$(lb-config describe --mdoc)" \
		"$(sed -n '/keys: begin/,/keys: end/p' "$page" | sed '1d;$d')"
}

@test "the example of lb-config(5) loads" {
	page="$BATS_TEST_DIRNAME/../man/lb-config.5"
	sed -n '/^bots:/,/^\.Ed/p' "$page" | sed '$d' > "$LB_CONFIG"
	LOCAL_KEY=k run -0 lb-config check
	[ -z "$output" ]
	same local/qwen3 "$(lb-config get pipelines.helpdesk.ai.local-agent.model.primary)"
}

@test "the examples of lb-config(1) run" {
	page="$BATS_TEST_DIRNAME/../man/lb-config.1"
	rm "$LB_CONFIG"
	sed -n 's/^\.Dl \$ //p' "$page" > "$HOME/examples"
	same 7 "$(wc -l < "$HOME/examples")"
	run -0 sh -e "$HOME/examples"
	same offline "$(lb-config get llm.model)"
}

@test "a full disk is exit 74, not silence" {
	run --separate-stderr -74 bash -c 'lb-config describe > /dev/full'
	[[ $stderr == *"No space left"* ]]
}

@test "usage mistakes are exit 64 and say how to get help" {
	for bad in "" "nonsense" "get --nonsense" "get a b" "set" "rm bot"; do
		run --separate-stderr -64 lb-config $bad
		[[ $output$stderr == *"--help"* ]]
	done
	run -64 lb-config get llm.modle
	run -1 lb-config get providers.p.base-url
}

@test "every verb and option in --help is in the man page" {
	page="$BATS_TEST_DIRNAME/../man/lb-config.1"
	for verb in $(lb-config --describe | jq -r '.verbs[].name'); do
		grep -q "^\.It Cm $verb" "$page" || { echo "missing: $verb"; false; }
		lb-config "$verb" --help | grep -o -- ' --[a-z-]*' | while read -r option; do
			grep -q -e "Fl -${option#--}" "$page" || { echo "missing: $option"; false; }
		done
	done
}

@test "a model whose provider is almost one there is: check and set tell" {
	echo 'llm: {model: opnai/x}' > "$LB_CONFIG"
	run -1 lb-config check
	[[ $output == *"llm.model: there is no provider 'opnai' (did you mean 'openai'?)"* ]]
	echo 'pipelines: {p: {ai: {local-agent: {model: mistrl/x}}}}' > "$LB_CONFIG"
	run -1 lb-config check
	[[ $output == *"mistral"* ]]
	echo 'llm: {model: qwen/qwen3}' > "$LB_CONFIG"
	run -0 lb-config check
}

@test "a HOME that is no folder is none, and is not made" {
	for home in relative "$BATS_TEST_TMPDIR/none"; do
		run --separate-stderr -78 env -u LB_STATE HOME="$home" lb-session list
		[ ! -e "$home" ]
	done
}

@test "check looks for the model that LB_MODEL names" {
	LB_MODEL=nope/m run -1 lb-config check
	same "environment LB_MODEL: llm.model: no endpoint for model 'nope/m': set OPENAI_API_KEY or OPENAI_BASE_URL, or name provider/model" "$output"
	LB_MODEL=offlin run -1 lb-config check
	same "environment LB_MODEL: llm.model: no model 'offlin'; did you mean 'offline'?" "$output"
	LB_MODEL=opnai/m run -1 lb-config check
	same "environment LB_MODEL: llm.model: there is no provider 'opnai' (did you mean 'openai'?)" "$output"
	# the key is not looked at, and one endpoint knows what its models are called
	for model in openai/m offline offline:auth; do
		LB_MODEL=$model run -0 lb-config check
		same "" "$output"
	done
	OPENAI_API_KEY=k LB_MODEL=nope/m run -0 lb-config check
	same "" "$output"
	# who runs it may have an endpoint in the environment: no mistake
	echo 'llm: {model: nope/m}' > "$LB_CONFIG"
	run -0 lb-config check
	same "$LB_CONFIG:1: warning: llm.model: no endpoint for model 'nope/m': set OPENAI_API_KEY or OPENAI_BASE_URL, or name provider/model" "$output"
	LB_MODEL=offline run -0 lb-config check
	same "" "$output"
}

@test "a rule that cannot work is not written, and of two bad ones each can be mended" {
	key=pipelines.default.trigger.ignore-rules
	lb-config set $key.prefix '["-"]'
	run --separate-stderr -78 lb-config set $key.regexp '["["]'
	[[ $stderr == "lb-config: not written: $LB_CONFIG:"*": $key.regexp: '[' is not a pattern"* ]]
	run --separate-stderr -78 lb-config set command.hooks.x /bin/echo
	[[ $stderr == *"command.hooks.x: is not cmd:PROGRAM"* ]]
	printf '%s\n' 'pipelines:' '  default:' '    trigger:' '      group-respond-rules: {regexp: ["("]}' \
		'      ignore-rules: {regexp: ["["]}' > "$LB_CONFIG"
	run --separate-stderr -0 lb-config set pipelines.default.trigger.group-respond-rules.regexp '[a]'
	run --separate-stderr -0 lb-config set $key.regexp '[b]'
	run -0 lb-config check
	[ -z "$output" ]
}

@test "people are BOT:person_ID of a bot there is, which vouches for them" {
	same "1: admins: 'person_1' is not BOT:person_ID" "$(problems 'admins: [person_1]')"
	same "1: admins: 'a:person_' is not BOT:person_ID" "$(problems 'admins: ["a:person_"]')"
	same "1: command.privilege.stop: 'ann' is not BOT:person_ID" \
		"$(problems 'command: {privilege: {stop: [ann]}}')"
	same "1: warning: admins: 'x:person_1': there is no bot 'x'" \
		"$(problems 'admins: ["x:person_1", "-:person_1"]')"
	# the environment of the bot may have its token
	same "" "$(problems 'admins: ["telegram:person_1"]')"
	same "1: warning: admins: 'j:person_1' is none while bots.j.trust-sender is not true: its adapter does not vouch for who speaks" \
		"$(problems 'admins: ["j:person_1"]' 'bots: {j: {adapter: jsonl}}')"
	same "" "$(problems 'admins: ["j:person_1"]' 'bots: {j: {adapter: jsonl, trust-sender: true}}')"
}

@test "what a change makes doubtful is told when it is made, once" {
	run --separate-stderr -0 lb-config set system.language zh_hans
	same "lb-config: warning: $LB_CONFIG:2: system.language: there are no texts in 'zh_hans' (did you mean 'zh_Hans'?)" "$stderr"
	run --separate-stderr -0 lb-config set llm.model offline
	[ -z "$stderr" ]
	run -0 lb-config check
	[[ $output == *"warning: system.language: there are no texts in 'zh_hans'"* ]]
	run --separate-stderr -0 lb-config set system.language zh_Hans
	run --separate-stderr -0 lb-config set notices.zh_Hans.faild x
	[[ $stderr == *"notices.zh_Hans.faild: there is no text 'faild' (did you mean 'failed'?)" ]]
	run --separate-stderr -0 lb-config set pipelines.p.output.long-text-processing.strategy image
	[[ $stderr == *"pipelines.p.output.long-text-processing.strategy: image needs a renderer"* ]]
	run --separate-stderr -0 lb-config set pipelines.p.output.long-text-processing.renderer 'cmd:cat'
	[ -z "$stderr" ]
}

# said - what a user reads when the model refuses.
said() {
	echo hi | lb-ingest text | lb-pipeline |
		lb-agent --model=offline:auth | lb-wrap | jq -r 'select(.kind == "reply").text'
}

@test "a language of one's own: notices, or a file in lang beside the configuration" {
	lb-config set notices.pirate.failed=Arr system.language=pirate
	run -0 lb-config check
	[ -z "$output" ]
	run --separate-stderr -0 said
	same Arr "$output"
	[[ $stderr != *"no texts"* ]]
	mkdir "${LB_CONFIG%/*}/lang"
	echo 'failed: Ayuda' > "${LB_CONFIG%/*}/lang/es.yaml"
	lb-config set system.language es
	run -0 lb-config check
	[ -z "$output" ]
	run --separate-stderr -0 said
	same Ayuda "$output"
	# a file beside it wins over ours, and says why when it cannot be read
	echo 'failed: {' > "${LB_CONFIG%/*}/lang/zh_Hans.yaml"
	lb-config set system.language zh_Hans
	run --separate-stderr -0 said
	same 请求失败。 "$output"
	[[ $stderr == *"lang/zh_Hans.yaml:"* ]]
	echo 'failed: 坏了' > "${LB_CONFIG%/*}/lang/zh_Hans.yaml"
	same 坏了 "$(said 2> /dev/null)"
}

@test "check tells of a bot that was renamed: it begins anew" {
	echo 'bots: {old: {adapter: jsonl}}' > "$LB_CONFIG"
	echo '{"text":"hi"}' | lb-ingest --bot=old jsonl | lb-pipeline | lb-agent > "$HOME/out"
	run -0 lb-config check
	[ -z "$output" ]
	sed -i 's/old/new/' "$LB_CONFIG"
	run -0 lb-config check
	same "$LB_CONFIG:1: warning: bots.new: nothing was said to it yet, and conversations are kept of 'old', which is no bot: one that is renamed begins anew" "$output"
	echo '{"text":"hi"}' | lb-ingest --bot=new jsonl | lb-pipeline | lb-agent > "$HOME/out"
	run -0 lb-config check
	[ -z "$output" ]
}

@test "a name that is written once and almost another is told: set makes what is not there" {
	echo 'bots: {shop: {adapter: jsonl, pipeline: sales}}
pipelines: {sales: {}, spare: {}}' > "$LB_CONFIG"
	run -0 lb-config check
	[ -z "$output" ]
	run --separate-stderr -0 lb-config set pipelines.sale.ai.local-agent.max-round 3
	same "lb-config: warning: $LB_CONFIG:2: pipelines.sale: no bot uses it (did you mean 'sales'?)" "$stderr"
	run --separate-stderr -0 lb-config set pipelines.deflt.ai.local-agent.max-round 3
	[[ $stderr == *"pipelines.deflt: no bot uses it (did you mean 'default'?)" ]]
	run --separate-stderr -0 lb-config set bots.shpo.stream true
	[[ $stderr == *"bots.shpo: it has no adapter (did you mean 'shop'?)" ]]
	run --separate-stderr -0 lb-config set bots.shpo.adapter=jsonl bots.shpo.pipeline=sale
	[ -z "$stderr" ]
}

@test "a hook without a program and a webhook of no bot are told" {
	printf '#!/bin/sh\n' > "$HOME/there"
	chmod 700 "$HOME/there"
	echo "command: {hooks: {a: 'cmd:$HOME/there x', b: 'cmd:printf x'}}" > "$LB_CONFIG"
	run -0 lb-config check
	[ -z "$output" ]
	same "1: warning: command.hooks.a: there is no program '/none/x' here
2: warning: command.hooks.b: there is no program 'no-such-program' here" \
		"$(problems 'command: {hooks: {a: "cmd:/none/x y",' 'b: cmd:no-such-program}}')"
	same "1: warning: webhooks.w.bots: there is no bot 'grup'" \
		"$(problems 'webhooks: {w: {url: "http://127.0.0.1:9/", bots: [grup, "-"]}}')"
}

@test "numbers in a list of texts are texts, in set as in a file" {
	key=pipelines.default.trigger.access-control.blacklist
	lb-config set $key '[666, 007, 1e3]'
	same '["666","007","1e3"]' "$(lb-config get $key)"
	lb-config set pipelines.default.safety.rate-limit.windows '[{per: sender, window: 1m, limit: 5}]'
	run -78 lb-config set $key '[{a: b}]'
	run -78 lb-config set $key '[[a]]'
}

@test "check says which models and tools would not be there when they are asked" {
	cat > "$LB_CONFIG" <<-'END'
		llm: {model: cl, fallbacks: [nosuch/x]}
		providers:
		  cl: {preset: anthropic, base-url: "http://127.0.0.1:1", api-keys: env:CL_KEY}
		  own: {base-url: "http://127.0.0.1:1/v1"}
		  docs: {preset: cohere}
		tools:
		  providers:
		    gone: {command: [./gone.sh]}
		    words: {command: ["python3 x.py"]}
		    fine: {command: [sh, x.sh]}
		pipelines:
		  default:
		    ai:
		      local-agent:
		        model:
		          primary: cl/claude-sonnet-4-5
		          fallbacks: [own, docs, own/m]
		          reasoning: {cl: low, cl/claude-sonnet-4-5: disabled, own/m: max}
		        limits: {cost: 0.1}
	END
	run -0 lb-config check
	model=pipelines.default.ai.local-agent.model
	cost=pipelines.default.ai.local-agent.limits.cost
	[[ $output != *fine* ]]
	for line in \
		"1: warning: llm.model: 'cl' needs a key: CL_KEY is not set here" \
		"1: warning: llm.fallbacks: no provider 'nosuch', and model 'nosuch/x' could be at cl, own: name provider/model" \
		"8: warning: tools.providers.gone.command: there is no program '$PWD/./gone.sh' here" \
		"9: warning: tools.providers.words.command: there is no program 'python3 x.py' here; its arguments are further elements of the list" \
		"15: warning: $model: 'cl/claude-sonnet-4-5' needs a key: CL_KEY is not set here" \
		"15: warning: $model: provider 'own' has no default-model: name own/MODEL, of those that 'lb-llm models own' lists" \
		"15: warning: $model: provider 'docs' has no chat models: it is for rerank, embedding" \
		"15: warning: $model: reasoning: 'cl' is written 'cl/claude-sonnet-4-5' there" \
		"15: warning: $model: reasoning: model 'cl/claude-sonnet-4-5' has no reasoning level 'disabled'; there are: provider_default low medium high" \
		"19: warning: $cost: 'cl/claude-sonnet-4-5' has no price that is known, so this does not hold for it: see llm.prices" \
		"19: warning: $cost: 'own/m' has no price that is known, so this does not hold for it: see llm.prices"; do
		grep -Fx "$LB_CONFIG:${line//"$PWD"/${LB_CONFIG%/*}}" <<< "$output" || {
			echo "missing: $line"
			echo "$output"
			return 1
		}
	done
	[ "${#lines[@]}" -eq 11 ]
	# what is there is not told of
	: > "${LB_CONFIG%/*}/gone.sh"
	chmod +x "${LB_CONFIG%/*}/gone.sh"
	CL_KEY=k run -0 lb-config check
	[[ $output != *CL_KEY* && $output != *gone.sh* ]]
	lb-config set llm.prices '[{model: "*", input: 0}]'
	run -0 lb-config check
	[[ $output != *price* ]]
}
