#!/usr/bin/env bats
# lb-llm embed, rerank, models: what is asked of a provider beside chat.

load helper
load server

setup() {
	cd "$BATS_TEST_TMPDIR"
	exec < /dev/null
}

teardown() {
	stop_servers
}

# endpoint [SCRIPT] - a server, and providers of each kind that are there.
endpoint() {
	serve "$@" || return 1
	cat > "$LB_CONFIG" <<-END
		providers:
		  o: {base-url: "$SERVER_URL/v1", api-keys: [sk-secret-1234], embedding-model: e, rerank-model: r, default-model: c}
		  c: {preset: cohere, base-url: "$SERVER_URL/v2", api-keys: [sk-secret-1234]}
		  g: {base-url: "$SERVER_URL/g", api-keys: [sk-secret-1234], embedding-protocol: gemini}
		  l: {base-url: "$SERVER_URL/l", embedding-protocol: ollama, embedding-batch: 2}
		  v: {preset: voyageai, base-url: "$SERVER_URL/v", api-keys: [sk-secret-1234]}
	END
}

# says METHOD PATH BODY - an endpoint that says this always.
says() {
	endpoint <<-END
		on $1 $2
		uses any
		reply 200
		header Content-Type: application/json
		send $3
	END
}

@test "embed: a line a text, in its order whatever order the answer is in" {
	says POST /v1/embeddings '{"data":[{"index":1,"embedding":[0.5,-1]},{"index":0,"embedding":[1,2e-3]}],"usage":{"prompt_tokens":7,"total_tokens":7}}'
	run --separate-stderr -0 lb-llm embed -m o/e -u one two
	same '{"index":0,"text":"one","model":"o/e","embedding":[1,0.002]}
{"index":1,"text":"two","model":"o/e","embedding":[0.5,-1]}' "$output"
	same 'lb-llm: in 7' "$stderr"
	same '{"model":"e","input":["one","two"]}' "$(requests .body | jq -r .)"
	same '"Bearer sk-secret-1234"' "$(requests .headers.authorization)"
	# from standard input, blank lines are no texts
	run -0 lb-llm embed -m o/e < <(printf 'one\n\ntwo\n')
	same two "$(jq -r .text <<< "${lines[1]}")"
}

@test "embed: by batches, in the shape of each API" {
	endpoint <<-'END'
		on POST /l/api/embed
		if-body c
		reply 200
		send {"embeddings":[[5,6]],"prompt_eval_count":2}
		on POST /l/api/embed
		reply 200
		send {"embeddings":[[1,2],[3,4]],"prompt_eval_count":3}
		on POST /g/models/m:batchEmbedContents
		reply 200
		send {"embeddings":[{"values":[1,2]},{"values":[3,4]}]}
		on POST /v2/embed
		reply 200
		send {"embeddings":{"float":[[1,2]]},"meta":{"billed_units":{"input_tokens":4}}}
		on POST /v/embeddings
		reply 200
		send {"data":[{"index":0,"embedding":"AACAPwAAAMA="}],"usage":{"total_tokens":4}}
	END
	run --separate-stderr -0 lb-llm embed -um l/m aa bb cc
	same '[1,2] [3,4] [5,6]' "$(jq -c .embedding <<< "$output" | paste -sd' ')"
	same 'lb-llm: in 5' "$stderr"
	same '["aa","bb"] ["cc"]' "$(requests '.body|fromjson|.input' | paste -sd' ')"
	run -0 lb-llm embed -m g/m -o outputDimensionality=2 aa bb
	same '{"requests":[{"model":"models/m","content":{"parts":[{"text":"aa"}]},"taskType":"RETRIEVAL_DOCUMENT","outputDimensionality":2},{"model":"models/m","content":{"parts":[{"text":"bb"}]},"taskType":"RETRIEVAL_DOCUMENT","outputDimensionality":2}]}' \
		"$(requests 'select(.path|startswith("/g")).body' | jq -r .)"
	same '"sk-secret-1234"' \
		"$(requests 'select(.path|startswith("/g")).headers."x-goog-api-key"')"
	run -0 lb-llm embed -m c --query aa
	same '{"model":"embed-v4.0","texts":["aa"],"input_type":"search_query","embedding_types":["float"]}' \
		"$(requests 'select(.path == "/v2/embed").body' | jq -r .)"
	# base64 is numbers, too
	run -0 lb-llm embed -m v --query aa
	same '[1,-2]' "$(jq -c .embedding <<< "$output")"
	same query "$(requests 'select(.path == "/v/embeddings").body' | jq -r 'fromjson|.input_type')"
}

@test "embed: an answer that is none is code malformed, and nothing is written" {
	local body
	for body in '{"data":[{"index":0,"embedding":[1]}]}' \
		'{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}' \
		'{"data":[{"index":0,"embedding":[1]},{"index":2,"embedding":[1]}]}' \
		'{"data":[{"index":0,"embedding":[1]},{"index":-1,"embedding":[1]}]}' \
		'{"data":[{"embedding":[1]},{"embedding":[1,2]}]}' \
		'{"data":[{"embedding":[1]},{"embedding":[]}]}' \
		'{"data":[{"embedding":[1]},{"embedding":[1e39]}]}' \
		'{"data":[{"embedding":[1]},{"embedding":[null]}]}' \
		'{"data":[{"embedding":[1]},{"embedding":["1"]}]}' \
		'{"data":[{"embedding":[1]},{"embedding":"AAA"}]}' \
		'{"data":[{"embedding":[1]},{"embedding":"AADAfw=="}]}' \
		'{"data":[{"embedding":[1]},{"embedding":[1]},{"embedding":[1]}]}' \
		'{"data":{}}' '[]' 'no' ''; do
		says POST /v1/embeddings "$body"
		run --separate-stderr -76 lb-llm embed -m o/e one two
		[ -z "$output" ]
		[[ $stderr == 'lb-llm: malformed: o/e: '* ]] ||
			{ echo "$body: $stderr"; false; }
		stop_servers
	done
}

@test "embed and rerank: failures have their class, and the key is in none" {
	endpoint <<-'END'
		on POST /v1/embeddings
		reply 401
		send {"error":{"message":"bad key sk-secret-1234","code":"invalid_api_key"}}
		on POST /v1/embeddings
		reply 429
		send {"error":{"message":"slow down","code":"rate_limit_exceeded"}}
		on POST /v1/embeddings
		reply 200
		send {"error":{"message":"too long","code":"context_length_exceeded"}}
		on POST /v1/rerank
		reply 404
		send {"message":"model 'r' not found"}
		on POST /v1/rerank
		reply 302
		header Location: http://127.0.0.1:1/
		on POST /v1/rerank
		reply 200
		send {"results":[{"index":0,"re
		close
		send lev
	END
	run --separate-stderr -69 lb-llm embed -vv -m o/e x
	[[ $stderr == *'auth: o/e: HTTP 401: bad key ***' ]]
	[[ $stderr != *sk-secret* ]]
	run --separate-stderr -75 lb-llm embed -m o/e x
	[[ $stderr == *'rate: o/e: HTTP 429: slow down' ]]
	run --separate-stderr -69 lb-llm embed -m o/e x
	[[ $stderr == *'context_length: o/e: too long' ]]
	run --separate-stderr -69 lb-llm rerank -m o/r q < <(echo x)
	[[ $stderr == *"not_found: o/r: HTTP 404: model 'r' not found" ]]
	run --separate-stderr -69 lb-llm rerank -m o/r q < <(echo x)
	[[ $stderr == *'bad_request: '*'a redirect'* ]]
	run --separate-stderr -76 lb-llm rerank -m o/r q < <(echo x)
	[[ $stderr == *'truncated: o/r: '* ]]
}

@test "what is asked for is bounded, and refused before it is sent" {
	says POST /v1/embeddings '{}'
	run --separate-stderr -64 lb-llm embed -m o/e ''
	[[ $stderr == *'text 0 is empty' ]]
	head -c 1048577 /dev/zero | tr '\0' x > big
	run --separate-stderr -65 lb-llm embed -m o/e < big
	run --separate-stderr -64 lb-llm rerank -m o/r q < <(seq 1001)
	[[ $stderr == *'there are more than 1000 documents' ]]
	run --separate-stderr -64 lb-llm rerank -m o/r q
	[[ $stderr == *'there is no document' ]]
	run --separate-stderr -64 lb-llm rerank -m o/r '' < <(echo x)
	[[ $stderr == *'there is no query' ]]
	jq -nc '{kind: "request", input: [range(16385) | "x"]}' |
		lb-llm --records -m o/e > out
	same usage "$(jq -r .code out)"
	[ ! -s "$SERVER_LOG" ]
}

@test "rerank: the best first, by either name of the list and the score" {
	endpoint <<-'END'
		on POST /v1/rerank
		reply 200
		send {"results":[{"index":2,"relevance_score":0.25},{"index":0,"relevance_score":0.75}],"meta":{"tokens":{"input_tokens":9}}}
		on POST /v/rerank
		reply 200
		send {"object":"list","data":[{"index":1,"score":-1.5},{"index":0,"score":2}],"usage":{"total_tokens":3}}
	END
	run --separate-stderr -0 lb-llm rerank -u -m o 'which?' < <(printf '%s\n' a b c)
	same '{"index":0,"score":0.75,"text":"a"}
{"index":2,"score":0.25,"text":"c"}' "$output"
	same 'lb-llm: in 9' "$stderr"
	same '{"model":"r","query":"which?","documents":["a","b","c"]}' "$(requests .body | jq -r .)"
	run -0 lb-llm rerank -m v -n 1 'which?' < <(printf '%s\n' a b)
	same '{"index":0,"score":2.0,"text":"a"}' "$output"
	# Voyage has another word for the number
	same '{"model":"rerank-2.5","query":"which?","documents":["a","b"],"top_k":1}' \
		"$(requests 'select(.path == "/v/rerank").body' | jq -r .)"
}

@test "rerank: an answer that is none is code malformed" {
	local body
	for body in '{"results":[]}' '{"results":[{"index":0}]}' \
		'{"results":[{"index":3,"score":1}]}' \
		'{"results":[{"index":0,"score":1},{"index":0,"score":1}]}' \
		'{"results":[{"index":0,"score":"1"}]}' \
		'{"results":[{"score":1}]}' '{"ok":true}'; do
		says POST /v1/rerank "$body"
		run --separate-stderr -76 lb-llm rerank -m o/r q < <(printf 'a\nb\n')
		[ -z "$output" ]
		[[ $stderr == 'lb-llm: malformed: o/r: '* ]] ||
			{ echo "$body: $stderr"; false; }
		stop_servers
	done
}

@test "rerank: rerank-url and rerank-path, and no preset's key at an own address" {
	endpoint /dev/null
	cat > "$LB_CONFIG" <<-'END'
		providers:
		  p: {base-url: "http://h/v1/", rerank-path: /jina/rank}
		  b: {preset: bailian}
		  own: {preset: bailian, base-url: "http://h/v1"}
		  url: {preset: bailian, rerank-url: "http://h/elsewhere"}
	END
	export DASHSCOPE_API_KEY=sk-secret-9876
	asked() {
		lb-llm rerank --dry-run -m "$1/x" q < <(echo a) |
			jq -c '[.url, .headers.Authorization]'
	}
	same '["http://h/v1/jina/rank",null]' "$(asked p)"
	same '["https://dashscope.aliyuncs.com/compatible-api/v1/reranks","Bearer ***"]' "$(asked b)"
	same '["http://h/v1/rerank",null]' "$(asked own)"
	same '["http://h/elsewhere",null]' "$(asked url)"
}

@test "a provider is asked for what it is for, and by LangBot's name of it, too" {
	export COHERE_API_KEY=aaaa OPENAI_API_KEY=bbbb
	run --separate-stderr -78 lb-llm --dry-run -m cohere/x hi
	same "lb-llm: provider 'cohere' has no chat models: it is for rerank, embedding" "$stderr"
	run --separate-stderr -78 lb-llm embed -m deepseek/x hi
	same "lb-llm: provider 'deepseek' has no embedding models: it is for llm" "$stderr"
	run -0 lb-llm rerank --dry-run -m cohere-rerank q < <(echo x)
	same https://api.cohere.com/v2/rerank "$(jq -r .url <<< "$output")"
	# of those with a key one reranks, one chats, and two embed
	run -0 lb-llm rerank --dry-run q < <(echo x)
	same rerank-v3.5 "$(jq -r .body.model <<< "$output")"
	run -0 lb-llm --dry-run hi
	same gpt-4o-mini "$(jq -r .body.model <<< "$output")"
	run --separate-stderr -78 lb-llm embed x
	same "lb-llm: several have embedding models (openai, cohere): name provider/model, or set llm.embedding-model" "$stderr"
	LB__LLM__EMBEDDING_MODEL=openai/e-1 run -0 lb-llm embed --dry-run x
	same e-1 "$(jq -r .body.model <<< "$output")"
	unset COHERE_API_KEY OPENAI_API_KEY
	run --separate-stderr -78 lb-llm embed x
	[[ $stderr == *'no provider of embedding models'* ]]
	run --separate-stderr -78 lb-llm embed -m chroma/x y
	same "lb-llm: provider 'chroma' is not offered: a model inside LangBot's process; ollama has it as all-minilm" "$stderr"
}

@test "two names of one service with one key are not two who could be meant" {
	run --separate-stderr -0 env ARK_API_KEY=aaaa lb-llm --dry-run hi
	[ -z "$stderr" ]
	same '"https://ark.cn-beijing.volces.com/api/v3/chat/completions"' "$(jq -c .url <<< "$output")"
}

@test "offline vectors: the same each time, and like words are near" {
	run -0 lb-llm embed -m offline 'a pipe' 'a pipe' 'pipes' 'cheese'
	same "${lines[0]#*text}" "${lines[1]#*text}"
	jq -se 'map(.embedding) | (.[0] | map(. * .) | add) as $one |
		($one > 0.999 and $one < 1.001) and
		([.[0], .[2]] | transpose | map(.[0] * .[1]) | add) >
		([.[0], .[3]] | transpose | map(.[0] * .[1]) | add)' <<< "$output"
	run -0 lb-llm rerank -m offline -n 1 'what is a pipe?' \
		< <(printf '%s\n' 'cats like milk' 'a pipe is a file')
	same 'a pipe is a file' "$(jq -r .text <<< "$output")"
}

@test "--records: chat, embeddings and rerank in one stream, in order" {
	says POST /v1/embeddings '{"data":[{"index":0,"embedding":[1]}],"usage":{"total_tokens":2}}'
	cat > in <<-'END'
		{"kind":"request","id":"1","model":"o/e","input":"x","mine":[1.0]}
		{"kind":"request","id":"2","model":"offline:text=hi","prompt":"x"}
		{"kind":"request","id":"3","model":"offline","query":"cat","documents":["dog","a cat"],"top":1}
		{"kind":"request","id":"4","model":"o/e","input":["x","y"]}
		{"kind":"request","id":"5","model":"o/e","input":[7]}
		{"kind":"request","id":"6","model":"offline","documents":["x"]}
	END
	run --separate-stderr -0 lb-llm --records < in
	same '{"kind":"response","id":"1","mine":[1.0],"model":"o/e","embeddings":[[1]],"usage":{"input":2,"output":0}}' "${lines[0]}"
	same hi "$(jq -r .text <<< "${lines[1]}")"
	same '[1]' "$(jq -c '[.results[].index]' <<< "${lines[2]}")"
	same 'malformed usage usage' "$(printf '%s\n' "${lines[@]:3}" | jq -r .code | paste -sd' ')"
	# what would be longer than a line may be is not written
	run --separate-stderr -0 lb-llm --records --max-line=600 < <(
		echo '{"kind":"request","id":"1","model":"offline","input":["x","y"]}')
	same limit "$(jq -r .code <<< "$output")"
}

@test "a full disk is 74, a reader that leaves is quiet, and the key is in no argument" {
	run --separate-stderr -74 bash -c 'lb-llm embed -m offline x > /dev/full'
	run --separate-stderr -74 bash -c 'echo x | lb-llm rerank -m offline q > /dev/full'
	set -o pipefail
	run --separate-stderr bash -c 'seq 20000 | lb-llm embed -m offline | head -n 1 | jq .index'
	[ -z "$stderr" ]
}

@test "models: every page, sorted, with type, abilities and context" {
	endpoint <<-'END'
		on GET /v1/models
		reply 200
		send {"data":[{"id":"z-chat","context_window":"8192","owned_by":"us"},{"id":"bge-m3"},{"id":"bge-reranker-v2"},{"id":"A-chat","supports_image_in":true,"context_length":10},{"id":"deepseek-v4-x"},{"id":"kimi-k2.5","supports_reasoning":false},{"id":"moonshot-v1-32k-vision"},{"nameless":1},{"id":"t","supported_parameters":["tools"],"architecture":{"input_modalities":["text","image"]}}]}
	END
	run -0 lb-llm models o
	same 'A-chat llm ["vision"] 10
deepseek-v4-x llm ["reasoning"] 1000000
kimi-k2.5 llm ["reasoning"] 262144
moonshot-v1-32k-vision llm [] 32768
t llm ["func_call","vision"] null
z-chat llm [] 8192
bge-m3 embedding null null
bge-reranker-v2 rerank null null' "$(jq -r '"\(.id) \(.type) \(.abilities|tojson) \(.context_length)"' <<< "$output")"
	same us "$(jq -r 'select(.id == "z-chat").owned_by' <<< "$output")"
}

@test "models: Cohere's list is elsewhere, has pages, and says what each is for" {
	endpoint <<-'END'
		on GET /v1/models?page_size=1000&page_token=a%2Fb
		reply 200
		send {"models":[{"name":"rerank-x","endpoints":["rerank"],"context_length":4096}]}
		on GET /v1/models?page_size=1000
		reply 200
		send {"models":[{"name":"command-x","endpoints":["chat"],"features":["tools"]},{"name":"any","endpoints":["embed"]}],"next_page_token":"a/b"}
	END
	printf 'providers: {c: {preset: cohere, base-url: "%s/v2", models-url: "%s/v1/models?page_size=1000", api-keys: [k-12]}}\n' \
		"$SERVER_URL" "$SERVER_URL" > "$LB_CONFIG"
	run -0 lb-llm models c
	same 'command-x llm,any embedding,rerank-x rerank' \
		"$(jq -r '.id + " " + .type' <<< "$output" | paste -sd,)"
}

@test "models: a list without an end ends" {
	endpoint <<-'END'
		on GET /v1/models?page_token=*
		uses any
		reply 200
		send {"models":[{"name":"x"}],"next_page_token":"again"}
		on GET /v1/models
		reply 200
		send {"models":[{"name":"x"}],"next_page_token":"first"}
	END
	printf 'providers: {c: {preset: cohere, base-url: "%s/v1", api-keys: [k-12]}}\n' \
		"$SERVER_URL" > "$LB_CONFIG"
	run --separate-stderr -76 timeout 20 lb-llm models c
	[[ $stderr == *'c: the list has no end' ]]
	same 3 "$(requests .path | wc -l)"
}

# shared PRICES - data files of our own: preset p is asked where it is at home.
shared() {
	mkdir -p share
	cat > share/providers.yaml <<-END
		other: {base-url: "http://h/v1"}
		p:
		  requester: p-of-langbot
		  protocol: openai-chat
		  base-url: $SERVER_URL/v1
		  default-model: m-1
		  embedding-model: e-1
	END
	printf '%s\n' "$@" > share/prices.yaml
	export LB_SHARE=$PWD/share
}

# chat - an endpoint that used 1000, 400 of them cached, and 100.
chat() {
	serve <<-'END'
		on POST /v1/chat/completions
		uses any
		reply 200
		send {"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1000,"completion_tokens":100,"prompt_tokens_details":{"cached_tokens":400}}}
		on POST /v1/embeddings
		uses any
		reply 200
		send {"data":[{"embedding":[1]}],"usage":{"total_tokens":500}}
	END
}

# costs MODEL - what a chat with it cost.
costs() {
	lb-llm --no-stream --json --no-history -m "$1" x | jq -c .usage.cost
}

@test "what it cost: by the price list or llm.prices; unknown stays unknown" {
	chat
	shared 'date: 2025-12-01' 'p/m-*: {input: 1, output: 3}' \
		'p/m-1: {input: 2, cached: 0.5, output: 10}' 'p/e-1: {input: 4}' \
		'p/m*: {input: 7}'
	same 0.0024 "$(costs p)"
	same 0.0013 "$(costs p/m-2)"
	same null "$(costs p/other)"
	same null "$(costs p-of-langbot/other)"
	run --separate-stderr -0 lb-llm --no-stream --no-history -u -m p/m-1 x
	same 'lb-llm: in 1000 out 100 cached 400 cost 0.0024' "$stderr"
	run --separate-stderr -0 lb-llm embed -u -m p x
	same 'lb-llm: in 500 cost 0.002' "$stderr"
	same 0.002 "$(jq -nc '{kind: "request", model: "p", input: "x"}' |
		lb-llm --records | jq .usage.cost)"
	# another address is another service, whatever its models are called
	cat > "$LB_CONFIG" <<-END
		providers:
		  mine: {preset: p}
		  away: {preset: p, base-url: "$SERVER_URL/v1"}
	END
	same 0.0024 "$(costs mine/m-1)"
	same null "$(costs away/m-1)"
	echo 'llm: {prices: [{model: "away/*", input: 10}, {model: p/m-1, input: 0}]}' >> "$LB_CONFIG"
	same 0.01 "$(costs away/m-1)"
	same 0 "$(costs p/m-1)"
}

@test "a price list that is wrong costs a warning, not the answer" {
	chat
	shared 'p/m-1: {input: cheap}'
	run --separate-stderr -0 lb-llm --no-stream --no-history -u -m p x
	same x "$output"
	[[ $stderr == *"warning: "*"p/m-1: input 'cheap' is not a price"* ||
		$stderr == *"p/m-1: input 'cheap' is not a price"* ]]
	[[ $stderr == *'in 1000 out 100 cached 400' ]]
	shared 'p/m-1: [' '  }'
	run --separate-stderr -0 lb-llm --no-stream --no-history -m p x
	[[ $stderr == *'cannot read the prices: '*'prices.yaml:'* ]]
}

@test "the price list names providers there are, and every row has a price" {
	list=$BATS_TEST_DIRNAME/../share/lb/prices.yaml
	grep -qx 'date: 20[0-9][0-9]-[01][0-9]-[0-3][0-9]' "$list"
	grep -o '^[a-z][a-z0-9-]*/' "$list" | tr -d / | sort -u > named
	lb-llm models --json | jq -r .name | sort > known
	same '' "$(comm -23 named known)"
	run ! grep -vE '^(#.*|date: .*|[^ ]+/[^ ]+: \{input: [0-9.]+(, cached: [0-9.]+)?(, output: [0-9.]+)?\}|)$' "$list"
}

@test "presets are read in part, with the same result and the same lines" {
	chat
	shared 'date: 2025-12-01'
	run --separate-stderr -0 lb-llm --dry-run -m p-of-langbot x
	same "$SERVER_URL/v1/chat/completions" "$(jq -r .url <<< "$output")"
	run --separate-stderr -0 lb-llm --dry-run -m other/y x
	same http://h/v1/chat/completions "$(jq -r .url <<< "$output")"
	run --separate-stderr -78 lb-llm --dry-run -m othr/y x
	[[ $stderr == *"did you mean 'other/y'"* ]]
	echo 'last: {base-url: }}' >> share/providers.yaml
	run --separate-stderr -65 lb-llm --dry-run -m last/y x
	[[ $stderr == *'providers.yaml:8:'* ]]
	# laid out otherwise, it is read whole
	printf '{"q": {"base-url": "http://q/v1"},\n"p": {"base-url": "http://p/v1"}}\n' > share/providers.yaml
	run --separate-stderr -0 lb-llm --dry-run -m q/y x
	same http://q/v1/chat/completions "$(jq -r .url <<< "$output")"
}

@test "what the services refuse is refused here, and is told by its class" {
	serve <<-'END'
		on POST /o/embeddings
		uses any
		embeddings strict k-12
		on POST /l/api/embed
		uses any
		ollama-embed strict
		on POST /g/models/m:batchEmbedContents
		uses any
		gemini-embed strict k-12
		on POST /c/embed
		uses any
		cohere-embed strict k-12
		on POST /c/rerank
		uses any
		cohere-rerank strict k-12
		on POST /v/rerank
		uses any
		voyage-rerank strict k-12
	END
	cat > "$LB_CONFIG" <<-END
		providers:
		  o: {base-url: "$SERVER_URL/o", api-keys: [k-12]}
		  l: {base-url: "$SERVER_URL/l", protocol: ollama-chat}
		  g: {base-url: "$SERVER_URL/g", protocol: gemini, api-keys: [k-12]}
		  c: {preset: cohere, base-url: "$SERVER_URL/c", api-keys: [k-12]}
		  v: {preset: voyageai, base-url: "$SERVER_URL/v", api-keys: [k-12]}
		  w: {preset: voyageai, base-url: "$SERVER_URL/v", api-keys: [no-1]}
		  x: {base-url: "$SERVER_URL/o", api-keys: [no-1]}
	END
	local p
	for p in o l g; do
		# 2 and 5 bytes: the vectors of the double tell their length
		run -0 lb-llm embed -m "$p/m" ab abcde
		same '0.0078125 0.01953125' "$(jq '.embedding[0]' <<< "$output" | xargs)"
	done
	run -0 lb-llm embed -m c/m ab
	run --separate-stderr -69 lb-llm embed -m o/m -o unknown=1 ab
	[[ $stderr == *'bad_request: o/m: HTTP 400: unknown' ]]
	run --separate-stderr -69 lb-llm embed -m g/m -o unknown=1 ab
	run --separate-stderr -69 lb-llm embed -m c/m -o input_type=odd ab
	run --separate-stderr -69 lb-llm embed -m x/m ab
	[[ $stderr == *'auth: x/m: HTTP 401: '* ]]
	run -0 lb-llm rerank -m c/m -n 1 pipe < <(printf '%s\n' cat pie)
	same pie "$(jq -r .text <<< "$output")"
	run -0 lb-llm rerank -m v/m -n 1 pipe < <(printf '%s\n' cat pie)
	same pie "$(jq -r .text <<< "$output")"
	run --separate-stderr -69 lb-llm rerank -m v/m -o top_n=1 pipe < <(echo pie)
	[[ $stderr == *'bad_request: v/m: HTTP 400: top_n' ]]
	run --separate-stderr -69 lb-llm rerank -m w/m pipe < <(echo pie)
	[[ $stderr == *'auth: w/m: HTTP 401: '* ]]
	# more texts than one request may have
	run -0 lb-llm embed -m g/m < <(seq 250)
	same '64 64 64 58' "$(requests 'select(.path|startswith("/g")).body|fromjson|.requests|length' |
		tail -n 4 | xargs)"
}

@test "the key is in no argument, log, error, record, dry run or file" {
	says POST '/v1/*' '{"data":[{"index":0,"embedding":[1]}],"results":[{"index":0,"score":1}],"echo":"sk-secret-1234"}'
	export LB_LOG=debug LB_LOG_BODIES=1
	{
		lb-llm embed -m o/e x
		lb-llm embed -m o/e -o a=b x y
		lb-llm embed --dry-run -m o/e x
		lb-llm rerank -m o/r q < <(echo x)
		lb-llm rerank --dry-run -m o/r q < <(echo x)
		lb-llm models o
		lb-llm models
		lb-llm test --for=embedding o
		lb-llm test --for=rerank o
		lb-llm test o
		echo '{"kind":"request","model":"o/e","input":["x"]}' | lb-llm --records
		echo '{"kind":"request","model":"o/r","query":"q","documents":["a","b"]}' |
			lb-llm --records --dry-run
		lb-config env
		lb-config list
	} > all 2>&1 || true
	# the whole of it was heard, and asked with the key
	[ "$(grep -c 'asking o' all)" -ge 8 ]
	[ "$(requests .headers.authorization | sort -u)" = '"Bearer sk-secret-1234"' ]
	run ! grep -rl sk-secret all "$LB_STATE"
	# while it runs, nobody sees it either
	serve <<-'END'
		on POST /v1/embeddings
		hang
	END
	sed -i "s|http://127.0.0.1:[0-9]*|$SERVER_URL|" "$LB_CONFIG"
	lb-llm embed -m o/e x > /dev/null 2>&1 3>&- &
	local pid=$!
	until [ -s "$SERVER_LOG" ]; do sleep 0.02; done
	tr '\0' ' ' < "/proc/$pid/cmdline" > argv
	kill "$pid"
	grep -q 'embed -m o/e x' argv
	run ! grep sk-secret argv
}

@test "models: Anthropic's pages, Gemini's and Ollama's list, each with its key" {
	serve <<-'END'
		on GET /a/v1/models?limit=1000&after_id=claude-b
		reply 200
		send {"data":[{"type":"model","id":"claude-sonnet-4-5","display_name":"Sonnet","max_input_tokens":200000,"capabilities":{"image_input":{"supported":true},"thinking":{"supported":true}}}],"has_more":false,"last_id":"claude-sonnet-4-5"}
		on GET /a/v1/models?limit=1000
		reply 200
		send {"data":[{"type":"model","id":"claude-b"}],"has_more":true,"first_id":"claude-b","last_id":"claude-b"}
		on GET /g/models?pageSize=1000&pageToken=n
		reply 200
		send {"models":[{"name":"models/emb-1","supportedGenerationMethods":["embedContent"],"inputTokenLimit":2048}]}
		on GET /g/models?pageSize=1000
		reply 200
		send {"models":[{"name":"models/gemini-2.5-x","displayName":"X","supportedGenerationMethods":["generateContent"],"thinking":true}],"nextPageToken":"n"}
		on GET /l/api/tags
		reply 200
		send {"models":[{"name":"llama3.2:latest","capabilities":["completion","tools"]},{"name":"nomic-embed-text:latest"}]}
	END
	cat > "$LB_CONFIG" <<-END
		providers:
		  a: {protocol: anthropic-messages, base-url: "$SERVER_URL/a", api-keys: [sk-secret-1234]}
		  g: {protocol: gemini, base-url: "$SERVER_URL/g/openai", api-keys: [sk-secret-1234]}
		  l: {protocol: ollama-chat, base-url: "$SERVER_URL/l/v1"}
	END
	listed() {
		lb-llm models "$1" | jq -r '[.id, .type, (.abilities // [] | join("+")), .context_length // ""] | join(" ")' |
			sed 's/ *$//'
	}
	same 'claude-b llm
claude-sonnet-4-5 llm vision+reasoning 200000' "$(listed a)"
	same 'gemini-2.5-x llm reasoning
emb-1 embedding  2048' "$(listed g)"
	same 'llama3.2:latest llm func_call
nomic-embed-text:latest embedding' "$(listed l)"
	same '"sk-secret-1234" "2023-06-01"' "$(requests 'select(.path|startswith("/a")).headers |
		."x-api-key", ."anthropic-version"' | sort -u | sort -r | xargs -d '\n')"
	same '"sk-secret-1234"' "$(requests 'select(.path|startswith("/g")).headers."x-goog-api-key"' | sort -u)"
}
