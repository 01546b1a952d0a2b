#!/usr/bin/env bats
# The HTTP client against a server that does what a script says.

load helper
load server

teardown() {
	stop_servers
}

client() {
	timeout 30 "$LB_BUILD/tests/server/lb-test-client" "$@"
}

# got FILTER - the lines of the client's answer that FILTER picks, as jq -r.
got() {
	jq -r "$1" <<< "$output"
}

@test "status, headers and body of an answer" {
	serve <<-'END'
		on GET /a?b=c
		if-header accept-encoding: identity
		if-header user-agent: lb/
		reply 201
		header X-Two:   words  here
		send hello
	END
	run -0 client -D -g x-two "$SERVER_URL/a?b=c"
	same '201 words  here
hello
done 201 5' "$(got 'if .head then "\(.head) \(.value)" elif .data then .data
		elif .cause then "\(.cause) \(.status) \(.bytes)" else empty end')"
}

@test "a body goes out as it is, with its method and headers" {
	serve <<-'END'
		on PUT /x
		if-header x-a: 1
		if-header x-none
		if-header content-length: 5
		if-no-header content-type
		if-no-header expect
		if-body a b c
		reply 200
	END
	run -0 client -m PUT -d 'a b c' -H 'X-A: 1' -H 'X-None:' "$SERVER_URL/x"
	same 200 "$(got '.status // empty')"
}

@test "a request that could be broken into two is refused" {
	run -0 client -H $'X: 1\r\nY: 2' http://127.0.0.1:1/
	same 'not a header' "$(got '.text // empty')"
	run -0 client -m $'GET /\r\n' http://127.0.0.1:1/
	same 'not an HTTP method' "$(got '.text // empty')"
}

@test "only http and https are addresses" {
	run -0 client ftp://127.0.0.1/ file:///etc/passwd nothing '' http://
	same "$(printf '64 not an http or https address\n%.0s' 1 2 3 4 5)" \
		"$(got 'select(.code) | "\(.code) \(.text)"')"
}

@test "an answer cut into single bytes is the same answer" {
	serve <<-'END'
		on GET /
		uses any
		by 1 1
		reply 200
		chunked
		send first
		send second
	END
	run -0 client -D "$SERVER_URL/"
	same firstsecond "$(got '.data // empty' | tr -d '\n')"
	same done "$(got '.cause // empty')"
}

@test "a redirect is an answer like another" {
	serve <<-'END'
		on GET /
		reply 302
		header Location: /next
	END
	run -0 client "$SERVER_URL/"
	same 302 "$(got '.status // empty')"
	same 1 "$(requests .n | wc -l)"
}

@test "interim answers are passed over" {
	serve <<-'END'
		on GET /
		raw HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n
		raw HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok
	END
	run -0 client -g link "$SERVER_URL/"
	same '200 null' "$(got 'select(.head) | "\(.head) \(.value)"')"
	same 'done 200 2' "$(got 'select(.cause) | "\(.cause) \(.status) \(.bytes)"')"
}

@test "an answer cut short is a broken connection, with its bytes before" {
	serve <<-'END'
		on GET /length
		reply 200
		send 12345
		close
		send 67890
		on GET /chunked
		reply 200
		chunked
		send 12345
		close
		on GET /reset
		reply 200
		chunked
		send 12345
		pause 50
		reset
		on GET /head
		raw HTTP/1.1 200 OK\r\nX:
		close
		on GET /none
		uses any
		close
		on GET /noise
		raw not HTTP at all\r\n\r\n
		close
	END
	for path in length chunked reset; do
		run -0 client "$SERVER_URL/$path"
		same 'network 200 5' \
			"$(got 'select(.cause) | "\(.cause) \(.status) \(.bytes)"')"
	done
	for path in head none noise; do
		run -0 client "$SERVER_URL/$path"
		same network "$(got '.cause // empty')"
	done
}

@test "a body until the end of the connection is whole" {
	serve <<-'END'
		on GET /
		reply 200
		until-close
		send hello
	END
	run -0 client "$SERVER_URL/"
	same 'done 5' "$(got 'select(.cause) | "\(.cause) \(.bytes)"')"
}

@test "a refused connection says so, and no more of the URL than its place" {
	serve <<< 'on GET /
		reply 200'
	stop_servers
	run -0 client "http://user:hush@127.0.0.1:$SERVER_PORT/p?key=sesame"
	same "connect cannot connect to '127.0.0.1:$SERVER_PORT': Connection refused" \
		"$(got 'select(.cause) | "\(.cause) \(.why)"')"
	[[ $output != *hush* && $output != *sesame* ]]
}

@test "connecting has a time-out of its own, TLS included" {
	# A server that waits for the end of a head never answers a ClientHello.
	serve <<< 'on GET /
		reply 200'
	run -0 client -c 150 "https://localhost:$SERVER_PORT/"
	same "connect cannot connect to 'localhost:$SERVER_PORT' within 150 ms" \
		"$(got 'select(.cause) | "\(.cause) \(.why)"')"
	got 'select(.cause) | .ms' | jq -e '. >= 149 and . < 5000'
}

@test "the first byte has a time-out of its own" {
	serve <<-'END'
		on GET /
		hang
		on GET /slow
		pause 400
		raw HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n
	END
	run -0 client -c 60000 -i 60000 -f 150 "$SERVER_URL/"
	same "first-byte no answer from '127.0.0.1:$SERVER_PORT' within 150 ms" \
		"$(got 'select(.cause) | "\(.cause) \(.why)"')"
	run -0 client -c 150 -f 20000 -i 150 "$SERVER_URL/slow"
	same done "$(got '.cause // empty')"
}

@test "silence has a time-out of its own, after the head too" {
	serve <<-'END'
		on GET /
		reply 200
		chunked
		send x
		hang
		on GET /head
		raw HTTP/1.1 200 OK\r\n
		hang
	END
	run -0 client -f 60000 -i 150 "$SERVER_URL/"
	same "idle 200 1 '127.0.0.1:$SERVER_PORT' sent nothing for 150 ms" \
		"$(got 'select(.cause) | "\(.cause) \(.status) \(.bytes) \(.why)"')"
	run -0 client -f 60000 -i 150 "$SERVER_URL/head"
	same idle "$(got '.cause // empty')"
}

@test "an answer that never ends has a limit, however lively it is" {
	serve <<-'END'
		on GET /
		reply 200
		chunked
		repeat 1000 20 : ping {n}\n\n
	END
	run -0 client -i 5000 -t 300 "$SERVER_URL/"
	same "endless 200 '127.0.0.1:$SERVER_PORT' did not end its answer within 300 ms" \
		"$(got 'select(.cause) | "\(.cause) \(.status) \(.why)"')"
}

@test "each comment of a stream starts the wait for silence anew" {
	serve <<-'END'
		on GET /
		reply 200
		chunked
		repeat 12 100 : ping {n}\n\n
	END
	run -0 client -i 800 "$SERVER_URL/"
	same done "$(got '.cause // empty')"
	got '.ms // empty' | jq -e '. >= 1100'
}

@test "gzip, x-gzip and deflate are undone as they come" {
	for encoding in gzip x-gzip deflate raw-deflate; do
		serve <<-END
			on GET /
			reply 200
			chunked
			encode $encoding
			event a
			pause 20
			event b
			hang
		END
		run -0 client -D -i 200 "$SERVER_URL/"
		same $'data: a\n\ndata: b\n\nidle' "$(got '.data // .cause // empty' |
			grep . | sed 's/^data.*/&\n/')"
	done
}

@test "gzip in one piece, and bytes that are no gzip" {
	serve <<-'END'
		on GET /
		reply 200
		encode gzip
		send hello hello hello
		on GET /not
		reply 200
		header Content-Encoding: gzip
		send hello hello hello
	END
	run -0 client -D "$SERVER_URL/"
	same 'hello hello hello' "$(got '.data // empty')"
	run -0 client "$SERVER_URL/not"
	same 'encoding 0' "$(got 'select(.cause) | "\(.cause) \(.bytes)"')"
}

@test "an encoding nobody asked for is refused at the head" {
	for encoding in br zstd 'gzip, br' quux; do
		serve <<-END
			on GET /
			reply 200
			header Content-Encoding: $encoding
			chunked
			send x
			hang
		END
		run -0 client -i 60000 "$SERVER_URL/"
		same "encoding 200 '127.0.0.1:$SERVER_PORT' answered in the encoding '$encoding', which was not asked for" \
			"$(got 'select(.cause) | "\(.cause) \(.status) \(.why)"')"
	done
}

@test "a body has a limit, after decoding" {
	serve <<-'END'
		on GET /exact
		reply 200
		send 0123456789
		on GET /more
		reply 200
		send 0123456789+
		on GET /bomb
		reply 200
		encode gzip
		repeat 1000 0 0000000000000000000000000000000000000000
	END
	run -0 client -l 10 "$SERVER_URL"/{exact,more}
	same 'done limit' "$(got '.cause // empty' | xargs)"
	run -0 client -l 20000 "$SERVER_URL/bomb"
	same "limit the answer of '127.0.0.1:$SERVER_PORT' exceeds 20000 bytes" \
		"$(got 'select(.cause) | "\(.cause) \(.why)"')"
}

@test "a head has a limit" {
	serve <<-END
		on GET /
		reply 200
		$(for i in {1..40}; do
			printf 'header X-%d: %s\n' "$i" "$(printf '%8000s' x)"
		done)
		send x
	END
	run -0 client "$SERVER_URL/"
	same "limit the answer of '127.0.0.1:$SERVER_PORT' exceeds 262144 bytes" \
		"$(got 'select(.cause) | "\(.cause) \(.why)"')"
}

@test "Retry-After is read in both forms, and garbage is not" {
	local soon
	soon=$(date -u -d '+60 sec' '+%a, %d %b %Y %H:%M:%S GMT')
	serve <<-END
		on GET /seconds
		reply 429
		header Retry-After: 7
		on GET /date
		reply 503
		header Retry-After: $soon
		$(for bad in -5 ² 99999999; do
			printf 'on GET /bad\nreply 429\nheader Retry-After: %s\n' "$bad"
		done)
	END
	run -0 client "$SERVER_URL"/{seconds,bad,bad,bad}
	same '7000 -1 -1 -1' "$(got '.retry_after // empty' | xargs)"
	run -0 client "$SERVER_URL"/{date,none}
	same '503 404' "$(got '.status // empty' | xargs)"
	got 'select(.status == 503) | .retry_after' |
		jq -e '. > 0 and . <= 60000'
	same -1 "$(got 'select(.status == 404) | .retry_after')"
}

@test "a call can be cancelled at every stage, and stopped" {
	serve <<-'END'
		on GET /
		uses any
		reply 200
		chunked
		repeat 100 20 x
	END
	for stage in start turn head data; do
		run -0 client -x $stage -n 20 -j 5 "$SERVER_URL/"
		same '20 cancelled' \
			"$(got '.cause // empty' | sort | uniq -c | xargs)"
		run -0 client -x $stage "http://localhost:$SERVER_PORT/"
		same cancelled "$(got '.cause // empty')"
	done
	run -0 client -s "$SERVER_URL/"
	same 'stopped 200' "$(got 'select(.cause) | "\(.cause) \(.status)"')"
	run -0 client -x close -n 20 -j 20 "$SERVER_URL/"
	same '' "$(got '.cause // empty')"
}

@test "a cancelled call hangs up" {
	serve <<-'END'
		on GET /
		reply 200
		chunked
		repeat 1000 20 x
	END
	run -0 client -x data "$SERVER_URL/"
	timeout 10 tail -n +1 -f "$SERVER_LOG" | grep -q -m 1 '"event":"gone"'
}

@test "200 calls to a name look it up once" {
	serve --ipv6 <<-'END'
		on GET /
		uses any
		reply 200
		repeat 3 50 x
	END
	run -0 client -n 200 -j 200 "http://localhost:$SERVER_PORT/"
	same '200 done' "$(got '.cause // empty' | sort | uniq -c | xargs)"
	same 1 "$(got '.lookups // empty')"
}

@test "a name without an address is asked for once, and all are told" {
	run -0 client -n 50 -j 50 http://none.invalid/
	same "50 connect cannot connect to none.invalid:80: its name has no address" \
		"$(got 'select(.cause) | "\(.cause) \(.why)"' | sort | uniq -c | xargs)"
	same 1 "$(got '.lookups // empty')"
}

@test "the next one looks a name up when the first does not live to" {
	serve <<-'END'
		on GET /
		uses any
		reply 200
	END
	run -0 client -n 5 -j 5 -x leader "http://localhost:$SERVER_PORT/"
	same '1 cancelled 4 done' \
		"$(got '.cause // empty' | sort | uniq -c | xargs)"
	same 1 "$(got '.lookups // empty')"
}

@test "an address is never looked up" {
	serve <<-'END'
		on GET /
		uses any
		reply 200
	END
	run -0 client -n 10 -j 10 "$SERVER_URL/"
	same 0 "$(got 'select(has("lookups")) | .lookups')"
}

@test "a connection is kept and used again" {
	serve <<-'END'
		on POST /
		uses any
		reply 200
		send ok
	END
	run -0 client -n 5 -d x "http://localhost:$SERVER_PORT/"
	same '5 done' "$(got '.cause // empty' | sort | uniq -c | xargs)"
	same '5 1' "$(requests .connection | uniq -c | xargs)"
}

@test "a kept connection that died meanwhile is no failure" {
	serve <<-'END'
		on POST /
		uses any
		raw HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok
		pause 30
		close
	END
	run -0 client -n 6 -p 30 -d x "$SERVER_URL/"
	same '6 done' "$(got '.cause // empty' | sort | uniq -c | xargs)"
}

@test "1,000 streams at once, on one thread and in little memory" {
	serve <<-'END'
		on POST /
		uses any
		reply 200
		chunked
		repeat 50 20 data: {"choices":[{"delta":{"content":"w{n} "}}]}\n\n
	END
	run -0 client -n 1000 -j 1000 -d '{}' "http://localhost:$SERVER_PORT/"
	same '1000 done' "$(got '.cause // empty' | sort | uniq -c | xargs)"
	same 1 "$(got '.lookups // empty')"
	same 2491 "$(got 'select(.cause) | .bytes' | uniq)"
	got '.rss_kb // empty' | jq -e '. < 60000'
	# No busy loop: far fewer turns than there are pieces.
	got 'select(.turns) | .turns < .pieces' | grep -qx true
}
