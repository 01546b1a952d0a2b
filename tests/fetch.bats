#!/usr/bin/env bats
# URLs of strangers: what is fetched, and what never is.

load helper
load server

teardown() {
	stop_servers
}

# fetch OPTION... URL - sets output; a test may reach this machine if it says.
fetch() {
	run -0 timeout 30 "$LB_TEST_BUILD/tests/server/lb-test-fetch" "$@"
}

# ended - "code status why" of the last fetch.
ended() {
	jq -r 'select(.code != null) | "\(.code) \(.status // "-") \(.why)"' \
		<<< "$output"
}

here=(-a 127.0.0.0/8)

@test "what a public address gives comes whole, with its type" {
	serve <<-'END'
		on GET /a?b=c
		reply 200
		header Content-Type: image/png
		send hello
	END
	fetch "${here[@]}" "$SERVER_URL/a?b=c"
	same '{"data":"hello"}
{"code":0,"status":200,"type":"image/png","bytes":5,"why":""}' "$output"
}

@test "this machine is refused in every spelling, and never connected to" {
	serve <<< 'on GET /
		uses any
		reply 200'
	for host in 127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.1 \
		017700000001 0177.0.0.1 127.0.0.1. 0 0.0.0.0 localhost \
		LOCALHOST '[::1]' '[::]' '[::ffff:127.0.0.1]' \
		'[::ffff:7f00:1]' '[0:0:0:0:0:0:0:1]' '[::127.0.0.1]' \
		'[64:ff9b::7f00:1]' '[2002:7f00:1::]' '①②⑦.0.0.1' \
		'127。0。0。1'; do
		fetch "http://$host:$SERVER_PORT/"
		case $(ended) in
		'77 '*'is not on the public internet') ;;
		# Names that are not of this kind have no address.
		'77 - not an http or https address' | \
			'75 0 cannot connect to'*'has no address') ;;
		*) echo "$host: $output"; return 1 ;;
		esac
	done
	same 0 "$(wc -c < "$SERVER_LOG")"
}

@test "a connection that somebody else keeps is not used" {
	serve <<-'END'
		on GET /
		uses any
		reply 200
		send inner
	END
	fetch -w "http://localhost:$SERVER_PORT/"
	same "77 0 'localhost:$SERVER_PORT' is not on the public internet" \
		"$(ended)"
	same 1 "$(requests .connection | sort -u | wc -l)"
}

@test "inner networks and the metadata of clouds are refused" {
	for host in 10.0.0.1 172.16.0.1 192.168.1.1 100.64.0.1 \
		169.254.169.254 168.63.129.16 224.0.0.1 255.255.255.255 \
		'[fd00::1]' '[fe80::1]' '[ff02::1]' '[fd00:ec2::254]'; do
		fetch -t 3000 "http://$host/latest/meta-data/"
		same "77 - '$host' is not on the public internet" "$(ended)"
	done
}

@test "only http and https are fetched, and no passwords go out" {
	for url in file:///etc/passwd ftp://8.8.8.8/ gopher://8.8.8.8/ \
		dict://8.8.8.8/ '' / //8.8.8.8 'http://' \
		'http://8.8.8.8:99999/' $'http://8.8.8.8/\r\nX: y'; do
		fetch -t 1 "$url"
		same '77 - not an http or https address' "$(ended)"
	done
	for url in http://ann:hush@8.8.8.8/ http://ann@8.8.8.8/; do
		fetch "$url"
		same '77 - an address with a password in it' "$(ended)"
	done
}

@test "a redirect to this machine is refused, however it is written" {
	for to in http://127.0.0.2:1/ //127.0.0.2/ http://2130706434/ \
		'http://[::1]/' http://169.254.169.254/ http://localhost:1/; do
		serve <<-END
			on GET /
			reply 302
			header Location: $to
			send gone
		END
		fetch -a 127.0.0.1/32 "$SERVER_URL/"
		[[ "$(ended)" == 77\ *'is not on the public internet' ]] ||
			[[ $to == *localhost* && "$(ended)" == '75 '* ]]
		[[ $output != *'"data"'* ]]
		stop_servers
	done
}

@test "a redirect to another scheme is refused" {
	serve <<-'END'
		on GET /
		reply 302
		header Location: file:///etc/passwd
	END
	fetch "${here[@]}" "$SERVER_URL/"
	same '77 302 a redirect: not an http or https address' "$(ended)"
}

@test "five redirects are followed, a sixth is not" {
	serve <<-'END'
		on GET /1/x
		reply 301
		header Location: ../2
		on GET /2
		reply 302
		header Location: /3
		send a body that nobody asked for
		on GET /3
		reply 303
		header Location: ?4
		on GET /3?4
		reply 307
		header Location: /5
		on GET /5
		reply 308
		header Location: /6
		on GET /6
		reply 200
		send here
		on GET /0
		reply 302
		header Location: /1/x
	END
	fetch "${here[@]}" -l 10 "$SERVER_URL/1/x"
	same '{"data":"here"}' "$(head -n 1 <<< "$output")"
	same '0 200 ' "$(ended)"
	stop_servers
	serve <<-'END'
		on GET /
		uses any
		reply 302
		header Location: /
	END
	fetch "${here[@]}" "$SERVER_URL/"
	same '69 302 too many redirects' "$(ended)"
	same 6 "$(requests .n | sort -u | wc -l)"
}

@test "no more is read than may be" {
	serve <<-'END'
		on GET /exact
		reply 200
		send 0123456789
		on GET /more
		reply 200
		chunked
		repeat 100000 0 0123456789
		on GET /bomb
		reply 200
		encode gzip
		repeat 1000 0 0000000000000000000000000000000000000000
	END
	fetch "${here[@]}" -l 10 "$SERVER_URL/exact"
	same '0 200 ' "$(ended)"
	fetch "${here[@]}" -l 10 "$SERVER_URL/more"
	same "65 200 the answer of '127.0.0.1:$SERVER_PORT' exceeds 10 bytes" \
		"$(ended)"
	fetch "${here[@]}" -l 20000 "$SERVER_URL/bomb"
	same 65 "$(jq '.code // empty' <<< "$output")"
}

@test "an answer has a time in which to end" {
	serve <<-'END'
		on GET /
		reply 200
		chunked
		repeat 1000 20 x
	END
	fetch "${here[@]}" -t 300 "$SERVER_URL/"
	same 75 "$(jq '.code // empty' <<< "$output")"
}

@test "a refusal of the server says which, and nothing of its body comes" {
	for answer in '404 69' '403 69' '304 69' '500 75' '429 75'; do
		serve <<-END
			on GET /
			reply ${answer% *}
			send secrets
		END
		fetch "${here[@]}" "$SERVER_URL/"
		same "${answer#* } ${answer% *} HTTP ${answer% *}" "$(ended)"
		[[ $output != *secrets* ]]
		stop_servers
	done
}

@test "proxies of the environment are not asked; one that is given is" {
	serve <<-'END'
		on GET http://203.0.114.1/x
		uses any
		reply 200
		send from the proxy
		on GET /
		uses any
		reply 200
		send straight
	END
	export http_proxy=http://127.0.0.1:1 ALL_PROXY=http://127.0.0.1:1
	fetch "${here[@]}" "$SERVER_URL/"
	same '{"data":"straight"}' "$(head -n 1 <<< "$output")"
	fetch -p "$SERVER_URL" http://203.0.114.1/x
	same '{"data":"from the proxy"}' "$(head -n 1 <<< "$output")"
	fetch -p "$SERVER_URL" http://169.254.169.254/
	same "77 - '169.254.169.254' is not on the public internet" "$(ended)"
}

@test "it can be stopped, and cancelled" {
	serve <<-'END'
		on GET /
		uses any
		reply 200
		chunked
		repeat 100 20 x
	END
	fetch "${here[@]}" -s "$SERVER_URL/"
	same '75 200 stopped by its reader' "$(ended)"
	fetch "${here[@]}" -x "$SERVER_URL/"
	same '{"data":"x"}' "$output"
}

@test "a list of networks that holds something else is refused" {
	fetch -a 10.0.0.0 http://8.8.8.8/
	same "78 - '10.0.0.0' is no network such as 10.0.0.0/8" "$(ended)"
}

@test "only hosts that are listed are asked, at first and by redirects" {
	serve <<-'END'
		on GET /in
		reply 302
		header Location: /out
		on GET /out
		reply 302
		header Location: http://localhost:1/
		on GET /here
		uses any
		reply 200
		send here
	END
	fetch "${here[@]}" -h 127.0.0.1 "$SERVER_URL/in"
	same "77 302 a redirect: 'localhost' is no host that may be asked for this" \
		"$(ended)"
	fetch "${here[@]}" -h example.org "$SERVER_URL/here"
	same "77 - '127.0.0.1' is no host that may be asked for this" "$(ended)"
	fetch "${here[@]}" -h .0.0.1 -h other "$SERVER_URL/here"
	same '0 200 ' "$(ended)"
	for host in 0.0.1 .127.0.0.1 7.0.0.1; do
		fetch "${here[@]}" -h "$host" "$SERVER_URL/here"
		same "77 - '127.0.0.1' is no host that may be asked for this" "$(ended)"
	done
}

@test "where https is wanted, http is for listed hosts alone" {
	serve <<-'END'
		on GET /
		uses any
		reply 200
		send here
	END
	fetch "${here[@]}" -S "$SERVER_URL/"
	same "77 - '127.0.0.1' is to be asked by https" "$(ended)"
	fetch "${here[@]}" -S -P 127.0.0.1 "$SERVER_URL/"
	same '0 200 ' "$(ended)"
}
