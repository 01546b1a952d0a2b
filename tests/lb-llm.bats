#!/usr/bin/env bats

load helper
load server

setup() {
	# What is not asked for must not be read: bats gives a live stdin.
	exec < /dev/null
	export LB__LLM__RETRY__BACKOFF=1ms
}

teardown() {
	stop_servers
}

# endpoint [SCRIPT] - a server, and the environment that names it.
endpoint() {
	serve "$@" || return 1
	export OPENAI_API_KEY=sk-secret-1234 OPENAI_BASE_URL=$SERVER_URL/v1
}

strict() {
	endpoint <<-'END'
		on POST /v1/chat/completions
		uses any
		openai strict sk-secret-1234
		answer You said: {last}
		on GET /v1/models
		uses any
		reply 200
		send {"data":[{"id":"m-1","owned_by":"us"},{"id":"m-2"}]}
	END
}

# stream BODY... - an endpoint that streams these events once.
stream() {
	{
		printf 'on POST /v1/chat/completions\nuses any\nreply 200\n'
		printf 'header Content-Type: text/event-stream\nchunked\n'
		printf '%s\n' "$@"
	} > "$BATS_TEST_TMPDIR/script"
	endpoint "$BATS_TEST_TMPDIR/script"
}

delta() {
	# JSON escapes are not the script's: it would undo them.
	printf 'event {"choices":[{"index":0,"delta":{"content":"%s"}}]}' \
		"${1//\\/\\\\}"
}

@test "a question is answered, and stdout is the answer and nothing else" {
	strict
	run --separate-stderr -0 lb-llm chat hello there
	same 'You said: hello there' "$output"
	[ -z "$stderr" ]
}

@test "chat is the verb that is meant, options may come first" {
	run -0 lb-llm -m 'offline:text=abc' hi
	same abc "$output"
	run -0 lb-llm 'hi' -m 'offline:text=abc'
	same abc "$output"
}

@test "what is piped in is added to the question" {
	strict
	run -0 lb-llm chat 'what broke?' < <(printf 'line 1\nline 2\n')
	same 'You said: what broke?

line 1
line 2' "$output"
	run -0 lb-llm chat < <(echo alone)
	same 'You said: alone' "$output"
}

@test "nothing to ask is usage, with an example, and never a hang" {
	run --separate-stderr -64 lb-llm
	[[ $stderr == *"lb-llm chat"* ]]
	[ -z "$output" ]
	need script
	run -0 timeout 10 script -qec 'lb-llm; echo "status $?"' /dev/null
	[[ $output == *"status 64"* ]]
}

@test "streamed, in one piece, and to a file: byte for byte the same" {
	strict
	lb-llm 'a  b	c' > "$BATS_TEST_TMPDIR/1"
	lb-llm --no-stream 'a  b	c' > "$BATS_TEST_TMPDIR/2"
	lb-llm 'a  b	c' | cat > "$BATS_TEST_TMPDIR/3"
	cmp "$BATS_TEST_TMPDIR/1" "$BATS_TEST_TMPDIR/2"
	cmp "$BATS_TEST_TMPDIR/1" "$BATS_TEST_TMPDIR/3"
	same '[true,null,true]' "$(requests '.body|fromjson|.stream' | jq -sc .)"
}

@test "a terminal gets the text without what it would obey" {
	need script
	stream "$(delta 'a\u001b[31mb\u0007c')" 'event [DONE]'
	run -0 timeout 20 script -qec 'lb-llm hi' /dev/null
	same abc "${output//$'\r'/}"
	run -0 lb-llm hi
	same $'a\e[31mb\ac' "$output"
}

@test "-s, -o and --dry-run: the request, its key hidden" {
	export OPENAI_API_KEY=sk-secret-1234
	run -0 lb-llm --dry-run -m openai/gpt-x -s 'be brief' \
		-o temperature=0.5 -o stop='["a"]' -o user=me hi
	[[ $output != *secret* ]]
	same '{"model":"gpt-x","messages":[{"role":"system","content":"be brief"},{"role":"user","content":"hi"}],"stream":true,"stream_options":{"include_usage":true},"temperature":0.5,"stop":["a"],"user":"me"}' \
		"$(jq -c .body <<< "$output")"
	same 'https://api.openai.com/v1/chat/completions' "$(jq -r .url <<< "$output")"
	same 'Bearer ***' "$(jq -r .headers.Authorization <<< "$output")"
}

@test "-u tells what it cost on stderr" {
	strict
	run --separate-stderr -0 lb-llm -u a b c
	[[ $stderr =~ ^lb-llm:\ in\ [0-9]+\ out\ [0-9]+ ]]
	same 'You said: a b c' "$output"
}

@test "--json prints a record" {
	stream "$(delta '<think>why</think>so')" \
		'event {"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}' \
		'event [DONE]'
	run -0 lb-llm --json hi
	same '{"kind":"response","model":"openai/gpt-4o-mini","text":"so","reasoning":"why","usage":{"input":3,"output":1},"finish":"stop"}' "$output"
}

@test "--json: a failure is a record too, with what came of it" {
	stream "$(delta 'half')"
	run --separate-stderr -76 lb-llm --json hi
	same '["error","truncated","half"]' "$(jq -c '[.kind,.code,.text]' <<< "$output")"
}

@test "a signal: what came is written and kept, then it is obeyed" {
	stream "$(delta 'one\nhalf of')" hang
	lb-llm hi > "$BATS_TEST_TMPDIR/out" 2> /dev/null 3>&- &
	pid=$!
	# Whole lines are out at once; the rest is held.
	until [ -s "$BATS_TEST_TMPDIR/out" ]; do read -r -t 0.02 < /dev/zero || true; done
	code=0
	kill -TERM "$pid"
	wait "$pid" || code=$?
	same 143 "$code"
	same 'one
half of' "$(< "$BATS_TEST_TMPDIR/out")"
	same '[false,"one\nhalf of"]' "$(lb-session export -- -/llm_last |
		jq -c '[.complete,.messages[1].content]')"
}

@test "a question needs no stdin, and help is help" {
	run -0 bash -c 'lb-llm -m offline:text=x hi <&-'
	same x "$output"
	run -0 lb-llm help
	[[ $output == "usage: lb-llm "* ]]
}

@test "options that cannot be meant together are usage mistakes" {
	for bad in '--session a -c' '--no-history -c' '--no-history --session a' \
		'--session=' '--records -c' '--records -a x'; do
		run --separate-stderr -64 lb-llm -m offline $bad
	done
}

@test "--quiet-if keeps silent when the answer says so" {
	run -0 lb-llm -m 'offline:text=NO_REPLY' --quiet-if '^NO_REPLY$' hi
	[ -z "$output" ]
	run -0 lb-llm -m 'offline:text=news' --quiet-if '^NO_REPLY$' hi
	same news "$output"
	run -64 lb-llm -m offline --quiet-if '(' hi
}

@test "--schema: only the JSON, from its fence, checked" {
	stream "$(delta 'Sure:\n```json\n{\"a\": 1}\n```\n')" 'event [DONE]'
	run --separate-stderr -0 lb-llm --schema 'a int' x
	same '{"a":1}' "$output"
	requests '.body|fromjson|.messages[0].content' | grep -q '"required'
}

@test "--schema: one repair, told what was wrong, then 65 and the text" {
	endpoint <<-'END'
		on POST /v1/chat/completions
		if-body That was not right
		reply 200
		send {"choices":[{"message":{"content":"{\\"a\\":2}"},"finish_reason":"stop"}]}
		on POST /v1/chat/completions
		uses any
		reply 200
		send {"choices":[{"message":{"content":"{\\"a\\":\\"two\\"}"},"finish_reason":"stop"}]}
	END
	run --separate-stderr -0 lb-llm --schema 'a int' x
	same '{"a":2}' "$output"
	requests '.body|fromjson|.messages[-1].content' | tail -1 |
		grep -q "at 'a': expected"
	run --separate-stderr -65 lb-llm --schema 'a int' x
	[ -z "$output" ]
	[[ $stderr == *'{"a":"two"}'* && $stderr == *"at 'a': expected \"integer\", got string"* ]]
}

@test "--schema leaves no instruction in the conversation" {
	run -0 lb-llm -m 'offline:text={"a":1}' --schema 'a int' hi
	same '["user","assistant"]' "$(lb-session export -- -/llm_last | jq -c '[.messages[].role]')"
}

@test "--schema: a file, JSON, and what is no schema" {
	echo '{"type":"array","items":{"enum":["x"]}}' > "$BATS_TEST_TMPDIR/s.json"
	run -0 lb-llm -m 'offline:text=["x","x"]' --schema "$BATS_TEST_TMPDIR/s.json" hi
	same '["x","x"]' "$output"
	run -65 lb-llm -m 'offline:text=["y"]' --schema '{"items":{"enum":["x"]}}' hi
	run -64 lb-llm -m offline --schema 'a colour' hi
	run --separate-stderr -66 lb-llm -m offline --schema nosuch.json hi
	[[ $stderr == *nosuch.json* ]]
	run --separate-stderr -65 lb-llm -m offline:auth --schema '{"properties":{"a":{"type":"objekt"}}}' hi
	[[ $stderr == *objekt* ]]
	run -65 lb-llm -m offline --schema '{"type":' hi
}

@test "a schema that refers to itself for ever is bounded" {
	s='{"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}},"$ref":"#/$defs/a"}'
	run -65 timeout 20 lb-llm -m 'offline:text=1' --schema "$s" hi
}

@test "-a sends an image, named by its bytes and not its name" {
	strict
	printf '\xff\xd8\xff\xe0rest' > "$BATS_TEST_TMPDIR/photo.png"
	run -0 lb-llm -a "$BATS_TEST_TMPDIR/photo.png" 'what?'
	same 'data:image/jpeg;base64,/9j/4HJlc3Q=' "$(requests \
		'.body|fromjson|.messages[0].content[1].image_url.url' | jq -r .)"
	run -0 lb-llm -a - 'what?' < "$BATS_TEST_TMPDIR/photo.png"
	echo no image > "$BATS_TEST_TMPDIR/x.png"
	run --separate-stderr -65 lb-llm -a "$BATS_TEST_TMPDIR/x.png" hi
	run --separate-stderr -66 lb-llm -a "$BATS_TEST_TMPDIR/none.png" hi
}

@test "-c goes on, a new question begins anew, --session has its own" {
	run -0 lb-llm -m offline one
	[[ $output == *"(message 1): one"* ]]
	run -0 lb-llm -m offline -c two
	[[ $output == *"(message 2): two"* ]]
	run -0 lb-llm -m offline three
	[[ $output == *"(message 1): three"* ]]
	run -0 lb-llm -m offline --session duck four
	run -0 lb-llm -m offline --session duck five
	[[ $output == *"(message 2): five"* ]]
	run -0 lb-llm -m offline --no-history six
	run -0 lb-llm -m offline -c seven
	[[ $output == *"(message 2): seven"* ]]
	same '"-/llm_duck"' "$(lb-session list | jq -c .session | grep duck)"
}

@test "-c: what a provider wants back goes back to it, and to no other" {
	serve <<-'END'
		on POST /v1/chat/completions
		uses any
		openai strict
		answer You said: {last}
	END
	cat > "$LB_CONFIG" <<-END
		providers:
		  kimi: {base-url: "$SERVER_URL/v1", api-keys: [k]}
		  other: {base-url: "$SERVER_URL/v1", api-keys: [k]}
	END
	chmod 600 "$LB_CONFIG"
	run -0 lb-llm -m kimi/kimi-k2.5 one
	run -0 lb-llm -m kimi/kimi-k2.5 -c two
	run -0 lb-llm -m other/kimi-k2.5 -c three
	same 'null
"Tools it is."
null' "$(requests '.body | fromjson | .messages[1].reasoning_content')"
}

@test "-c: a call that the options asked for is told, and is not kept" {
	serve <<-'END'
		on POST /v1/chat/completions
		uses 1
		openai strict
		call clock
		answer You said: {last}
		on POST /v1/chat/completions
		uses any
		openai strict
		answer You said: {last}
	END
	cat > "$LB_CONFIG" <<-END
		providers: {p: {base-url: "$SERVER_URL/v1", api-keys: [k]}}
	END
	chmod 600 "$LB_CONFIG"
	tools='[{"type":"function","function":{"name":"clock"}}]'
	run --separate-stderr -0 lb-llm -m p/m -o "tools=$tools" one
	[[ $stderr == *"the model calls 'clock', which nothing here answers; --json prints it"* ]]
	run --separate-stderr -0 lb-llm -m p/m -c two
	same 'You said: two' "$output"
	[[ $stderr != *mended* ]]
}

@test "forty at once on a fresh store: forty answers, none lost" {
	seq 40 | xargs -P 8 -I{} lb-llm -m 'offline:text=ok {}' 'n {}' \
		> "$BATS_TEST_TMPDIR/out"
	# A line is one write: they do not mix.
	same 40 "$(grep -c '^ok [0-9]*$' "$BATS_TEST_TMPDIR/out")"
	same 40 "$(lb-session list --all | jq -s 'map(.turns) | add')"
}

@test "a store that cannot be written costs a warning, not the answer" {
	: > "$BATS_TEST_TMPDIR/file"
	LB_STATE=$BATS_TEST_TMPDIR/file/x run --separate-stderr -0 \
		lb-llm -m 'offline:text=yes' hi
	same yes "$output"
	[[ $stderr == *"not kept"* ]]
}

@test "each failure has its exit status and says what to do" {
	endpoint <<-'END'
		on POST /v1/chat/completions
		if-json model m401
		uses any
		reply 401
		send {"error":{"message":"Incorrect API key sk-secret-1234","code":"invalid_api_key"}}
		on POST /v1/chat/completions
		if-json model m404
		uses any
		reply 404
		send {"error":{"message":"no such model","code":"model_not_found"}}
		on POST /v1/chat/completions
		if-json model m429
		uses any
		reply 429
		header Retry-After: 2
		send {"error":{"message":"slow down"}}
		on POST /v1/chat/completions
		if-json model m503
		uses any
		reply 503
		send nope
		on POST /v1/chat/completions
		if-json model m302
		uses any
		reply 302
		header Location: http://127.0.0.1:1/
	END
	run --separate-stderr -69 lb-llm -m m401 hi
	[[ $stderr == "lb-llm: auth: openai/m401: HTTP 401: Incorrect API key *** (check OPENAI_API_KEY)" ]]
	run --separate-stderr -69 lb-llm -m m404 hi
	[[ $stderr == *"not_found: openai/m404: HTTP 404: no such model" ]]
	run --separate-stderr -75 lb-llm -m m429 --tries=1 hi
	[[ $stderr == *"rate: "*"slow down" ]]
	run --separate-stderr -75 lb-llm -m m503 hi
	run --separate-stderr -69 lb-llm -m m302 hi
	[[ $stderr == *redirect* ]]
}

@test "a stream that is cut: its text on stdout, 76, and told so" {
	stream "$(delta 'The answer is')"
	run --separate-stderr -76 lb-llm hi
	same 'The answer is' "$output"
	[[ $stderr == *truncated* ]]
	run -0 lb-llm -m offline -c and
	[[ $output == *"(message 2)"* ]]
	same false "$(lb-session export -- -/llm_last | jq -c .complete | head -n 1)"
}

@test "a stream that is reset is truncated too, unless it had finished" {
	stream "$(delta 'half')" reset
	run --separate-stderr -76 lb-llm hi
	same half "$output"
	stream "$(delta 'whole')" \
		'event {"choices":[{"delta":{},"finish_reason":"stop"}]}' reset
	run --separate-stderr -0 lb-llm hi
	same whole "$output"
}

@test "after [DONE] nobody waits for a peer that keeps the line open" {
	stream "$(delta 'x')" 'event [DONE]' hang
	run -0 timeout 10 lb-llm hi
	same x "$output"
	stream "$(delta 'y')" \
		'event {"choices":[{"delta":{},"finish_reason":"stop"}]}' hang
	run -0 timeout 10 lb-llm --idle-timeout 60 hi
	same y "$output"
}

@test "connect, first byte and idle each have their own limit" {
	endpoint <<-'END'
		on POST /v1/chat/completions
		if-json model silent
		uses any
		hang
		on POST /v1/chat/completions
		if-json model pings
		uses any
		reply 200
		chunked
		repeat 8 100 : ping\n\n
		event {"choices":[{"delta":{"content":"late"}}]}
		event [DONE]
		on POST /v1/chat/completions
		if-json model stalls
		uses any
		reply 200
		chunked
		event {"choices":[{"delta":{"content":"a"}}]}
		hang
	END
	run --separate-stderr -75 lb-llm -m silent --first-byte-timeout 200ms hi
	[[ $stderr == *timeout* ]]
	run --separate-stderr -0 lb-llm -m pings --idle-timeout 500ms hi
	same late "$output"
	run --separate-stderr -75 lb-llm -m stalls --idle-timeout 200ms hi
	same a "$output"
	run --separate-stderr -75 lb-llm -m silent --timeout 200ms hi
	[[ $stderr == *--timeout* ]]
	run -64 lb-llm --timeout 0 hi
	OPENAI_BASE_URL=http://127.0.0.1:1/v1 run --separate-stderr -75 lb-llm hi
	[[ $stderr == *network* ]]
}

@test "llm-22: gzip that nobody asked for is inflated as it comes" {
	endpoint <<-'END'
		on POST /v1/chat/completions
		uses any
		reply 200
		header Content-Type: text/event-stream
		chunked
		encode gzip
		event {"choices":[{"delta":{"content":"zip"}}]}
		event [DONE]
		hang
	END
	run -0 timeout 10 lb-llm hi
	same zip "$output"
	same '"identity"' "$(requests '.headers["accept-encoding"] // empty')"
}

@test "bytes one at a time make no difference" {
	endpoint <<-'END'
		on POST /v1/chat/completions
		uses any
		reply 200
		by 1 0
		until-close
		send data: {"choices":[{"delta":{"content":"\xe4\xbd\xa0\xe5\xa5\xbd"}}]}\r\n\r\ndata: [DONE]\r\n\r\n
	END
	run -0 lb-llm hi
	same '你好' "$output"
}

@test "a frame that is no JSON is a warning, with --strict an error" {
	stream 'event : PROCESSING' "$(delta 'y')" 'event [DONE]'
	run --separate-stderr -0 lb-llm hi
	same y "$output"
	[[ $stderr == *"not JSON"* ]]
	run --separate-stderr -76 lb-llm --strict hi
}

@test "TLS: the certificate is checked, SSL_CERT_FILE is heard" {
	need openssl
	need python3
	cd "$BATS_TEST_TMPDIR"
	openssl req -x509 -newkey rsa:2048 -nodes -keyout k.pem -out c.pem \
		-days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
		2> /dev/null
	cat > s.py <<-'END'
		import http.server, ssl
		class H(http.server.BaseHTTPRequestHandler):
		    def do_POST(self):
		        self.rfile.read(int(self.headers["content-length"]))
		        b = b'{"choices":[{"message":{"content":"safe"},"finish_reason":"stop"}]}'
		        self.send_response(200)
		        self.send_header("Content-Length", str(len(b)))
		        self.end_headers()
		        self.wfile.write(b)
		    def log_message(self, *a): pass
		s = http.server.HTTPServer(("127.0.0.1", 0), H)
		c = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
		c.load_cert_chain("c.pem", "k.pem")
		s.socket = c.wrap_socket(s.socket, server_side=True)
		print(s.server_address[1], flush=True)
		s.serve_forever()
	END
	coproc SERVER { exec python3 s.py 2> /dev/null 3>&-; }
	read -r -t 30 port <&"${SERVER[0]}"
	export OPENAI_API_KEY=k OPENAI_BASE_URL=https://localhost:$port/v1
	run --separate-stderr -75 lb-llm --no-stream hi
	[[ $stderr == *certificate* ]]
	SSL_CERT_FILE=c.pem run -0 lb-llm --no-stream hi
	same safe "$output"
	kill "$SERVER_PID"
}

@test "the key is in no argument, log, error or record" {
	strict
	export LB_LOG=debug
	run -0 lb-llm --json hi
	[[ $output != *sk-secret* ]]
	OPENAI_API_KEY=sk-secret-wrong run -69 lb-llm hi
	[[ $output != *sk-secret* ]]
	run --separate-stderr -0 lb-llm 'a marker'
	[[ $stderr != *'a marker'* ]]
	LB_LOG_BODIES=1 run --separate-stderr -0 lb-llm 'a marker'
	[[ $stderr == *'a marker'* && $stderr != *sk-secret* ]]
}

@test "models: the presets, and what an endpoint offers" {
	run -0 lb-llm models
	same 'offline
openai' "$(jq -r .name <<< "$output" | head -n 2)"
	run --separate-stderr -64 lb-llm models offline
	run --separate-stderr -64 lb-llm modles
	[[ $stderr == *"did you mean 'models'"* ]]
	strict
	run -0 lb-llm models openai
	same 'm-1
m-2' "$(jq -r .id <<< "$output")"
	run --separate-stderr -78 lb-llm models nobody
	OPENAI_BASE_URL=$SERVER_URL/v2 run --separate-stderr -69 lb-llm models openai
	# where the key of each is looked for
	cat > "$LB_CONFIG" <<-'END'
		providers:
		  mine: {preset: anthropic, api-keys: [env:MY_KEY, env:OTHER]}
		  filed: {preset: anthropic, api-keys: file:/nowhere}
		  docs: {preset: cohere}
	END
	run -0 lb-llm models
	same 'offline null
mine MY_KEY
filed null
docs COHERE_API_KEY
anthropic ANTHROPIC_API_KEY
ollama null' "$(jq -r 'select(.name | IN("offline", "mine", "filed", "docs", "anthropic", "ollama")) |
		"\(.name) \(.key_env)"' <<< "$output")"
	run --separate-stderr -78 lb-llm test docs
	same "lb-llm: provider 'docs' has no chat models: it is for rerank, embedding" "$stderr"
}

@test "test: tries a model and exits 1 when it fails" {
	strict
	run -0 lb-llm test
	same 'text ok
stream ok
tools no
vision no' "$(jq -r '.test+" "+.result' <<< "$output")"
	run -1 lb-llm test offline:auth
	same 'auth' "$(jq -r .code <<< "${lines[0]}")"
	run -1 lb-llm test -e
	run -0 lb-llm test --for=embedding offline
	same 'embedding ok 256 dimensions' "$(jq -r '.test+" "+.result+" "+.note' <<< "$output")"
	run -0 lb-llm test --for=rerank offline
	run --separate-stderr -64 lb-llm test --for=drawing offline
}

@test "test: tools and vision work, are refused, or fail" {
	endpoint <<-'END'
		on POST /v1/chat/completions
		if-json messages.2.content heliotrope
		if-json messages.1.tool_calls.0.id c1
		reply 200
		send {"choices":[{"message":{"content":"It is HELIOTROPE."},"finish_reason":"stop"}]}
		on POST /v1/chat/completions
		if-json tools.0.function.name code_word
		reply 200
		send {"choices":[{"message":{"content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"code_word","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}
		on POST /v1/chat/completions
		if-json tools.0.function.name code_word
		reply 400
		send {"error":{"message":"no tools here"}}
		on POST /v1/chat/completions
		if-body "image_url"
		reply 200
		send {"choices":[{"message":{"content":"Red"},"finish_reason":"stop"}]}
		on POST /v1/chat/completions
		if-body "image_url"
		reply 500
		send {}
		on POST /v1/chat/completions
		if-json stream true
		uses any
		reply 200
		header Content-Type: text/event-stream
		event {"choices":[{"delta":{"content":"hel"}}]}
		event {"choices":[{"delta":{"content":"lo"},"finish_reason":"stop"}]}
		event [DONE]
		on POST /v1/chat/completions
		uses any
		reply 200
		send {"choices":[{"message":{"content":"hello"},"finish_reason":"stop"}]}
	END
	run -0 lb-llm test -e
	same 'text ok, stream ok, tools ok, vision ok' \
		"$(jq -r '.test+" "+.result' <<< "$output" | paste -sd, | sed 's/,/, /g')"
	same '2 pieces' "$(jq -r 'select(.test == "stream").note' <<< "$output")"
	run -1 lb-llm test
	same 'no bad_request, failed overloaded' \
		"$(jq -r 'select(.code) | .result+" "+.code' <<< "$output" | paste -sd, | sed 's/,/, /g')"
}

@test "which model is meant" {
	run --separate-stderr -0 env OPENAI_API_KEY=aaaa MISTRAL_API_KEY=bbbb lb-llm hi
	[[ $output == *offline* && $stderr == *"openai, mistral"*LB_MODEL* ]]
	run -0 env DEEPSEEK_API_KEY=aaaa lb-llm --dry-run hi
	same deepseek-chat "$(jq -r .body.model <<< "$output")"
	run -0 env MISTRAL_API_KEY=aaaa LB_MODEL=mistral/x-1 lb-llm --dry-run hi
	same x-1 "$(jq -r .body.model <<< "$output")"
	run -0 env OPENROUTER_API_KEY=aaaa lb-llm --dry-run -m meta/llama hi
	same meta/llama "$(jq -r .body.model <<< "$output")"
	# A provider alone means its default model; almost one is a slip.
	run -0 env DEEPSEEK_API_KEY=aaaa OPENAI_API_KEY=bbbb lb-llm --dry-run -m deepseek hi
	same '"https://api.deepseek.com/chat/completions"' "$(jq -c .url <<< "$output")"
	run -0 env OPENAI_API_KEY=aaaa lb-llm --dry-run -m openai/ hi
	same gpt-4o-mini "$(jq -r .body.model <<< "$output")"
	run --separate-stderr -78 env OPENAI_API_KEY=aaaa lb-llm --dry-run -m opnai/gpt-4o hi
	[[ $stderr == *"did you mean 'openai/gpt-4o'"* ]]
	run --separate-stderr -78 lb-llm -m ofline hi
	[[ $stderr == *"did you mean 'offline'"* ]]
	# At its own address a preset wants its key; elsewhere none may be needed.
	run --separate-stderr -78 lb-llm -m openai hi
	same "lb-llm: provider 'openai': OPENAI_API_KEY is not set" "$stderr"
	run -0 env OPENAI_BASE_URL=http://127.0.0.1:1/v1 lb-llm --dry-run -m openai hi
	for bad in http:// 'http://a b/' ftp://x http:///v1; do
		run --separate-stderr -78 env OPENAI_BASE_URL="$bad" lb-llm hi
		[[ $stderr == *"OPENAI_BASE_URL: '$bad'"* ]]
	done
	run --separate-stderr -78 env OPENAI_BASE_URL=127.0.0.1:1/v1 lb-llm hi
	[[ $stderr == *"OPENAI_BASE_URL: '127.0.0.1:1/v1'"* ]]
	run -0 env OPENAI_BASE_URL=http://u:pass@host/v1 lb-llm models
	[[ $output != *pass* && $output == *'http://***@host/v1'* ]]
	run -0 env LB__PROVIDERS__P__BASE_URL=http://p/ LB__PROVIDERS__P__API_KEYS=env:NONE lb-llm models
	same false "$(jq -c 'select(.name == "p").key' <<< "$output")"
	run --separate-stderr -78 lb-llm models bogus
	[[ $stderr == *"no provider 'bogus'"* ]]
	run --separate-stderr -78 lb-llm -m gpt-x hi
	[[ $stderr == *OPENAI_API_KEY* ]]
	run --separate-stderr -78 lb-llm -m offline:nonsense hi
	printf '%s\n' 'providers:' '  here:' '    base-url: http://127.0.0.1:9/v1/' \
		'    api-keys: [file:'"$BATS_TEST_TMPDIR"'/key]' \
		'    default-model: own' '    extra-args: {top_p: 0.5}' > "$LB_CONFIG"
	echo kkkkk > "$BATS_TEST_TMPDIR/key"
	run -0 lb-llm --dry-run hi
	same '["http://127.0.0.1:9/v1/chat/completions","own",0.5]' \
		"$(jq -c '[.url,.body.model,.body.top_p]' <<< "$output")"
	# The key of a preset goes to the preset's own address alone.
	LB__PROVIDERS__THERE__PRESET=openai LB__PROVIDERS__THERE__BASE_URL=http://other/v1 \
		OPENAI_API_KEY=aaaa run -0 lb-llm --dry-run -m there/x hi
	same '["http://other/v1/chat/completions",null]' \
		"$(jq -c '[.url,.headers.Authorization]' <<< "$output")"
	rm "$BATS_TEST_TMPDIR/key"
	run --separate-stderr -78 lb-llm --dry-run hi
	[[ $stderr == *"provider 'here'"* ]]
}

@test "--records: requests in, responses out, in order, foreign lines kept" {
	strict
	run --separate-stderr -65 lb-llm --records --jobs 3 < <(
		printf '%s\n' '{"kind":"request","id":"1","prompt":"a","x":0.10}' \
			'{"kind":"other",  "n":1.10}' \
			'{"kind":"request","id":"2","messages":[{"role":"user","content":"b"}],"stream":true}' \
			'{bad' \
			'{"kind":"request","id":"3","prompt":"c","model":"offline:auth"}' \
			'{"kind":"request","id":"4","system":"s","prompt":"d","options":{"temperature":9}}')
	same 'response 1
other null
response 2
error null
error 3
error 4' "$(jq -r '.kind+" "+(.id|tostring)' <<< "$output")"
	[[ ${lines[0]} == '{"kind":"response","id":"1","x":0.10,"model":"openai/gpt-4o-mini","text":"You said: a"'* ]]
	same '{"kind":"other",  "n":1.10}' "${lines[1]}"
	same '["data",4]' "$(jq -c '[.code,.line_number]' <<< "${lines[3]}")"
	same auth "$(jq -r .code <<< "${lines[4]}")"
	same bad_request "$(jq -r .code <<< "${lines[5]}")"
}

@test "--records: tool calls of the model are in the response" {
	stream 'event {"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"now","arguments":""}}]},"finish_reason":"tool_calls"}]}' 'event [DONE]'
	run -0 lb-llm --records < <(echo '{"kind":"request","id":"1","prompt":"t","stream":true,"tools":[{"type":"function","function":{"name":"now","parameters":{"type":"object","properties":{}}}}]}')
	same '[{"id":"a","name":"now","arguments":"{}"}]' "$(jq -c .tool_calls <<< "$output")"
	same '"now"' "$(requests '.body|fromjson|.tools[0].function.name')"
}

@test "a full disk is 74, a reader that leaves is quiet" {
	run --separate-stderr -74 bash -c 'lb-llm -m offline hi > /dev/full'
	[[ $stderr == *"No space left"* ]]
	run bash -c 'lb-llm models 2>&1 | head -n 1; echo "${PIPESTATUS[0]}"'
	[[ ${lines[1]} == 141 || ${lines[1]} == 0 ]]
	[ "${#lines[@]}" -eq 2 ]
}

@test "no escape sequence in a pipe" {
	run -0 lb-llm -m offline hi
	[[ $output != *$'\e'* ]]
}
