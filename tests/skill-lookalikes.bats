#!/usr/bin/env bats
# Packages as people publish them: each installs, is listed, found valid or not
# for the reason there is, and activates.

load helper

setup() {
	exec < /dev/null
	cd "$BATS_TEST_TMPDIR"
	python3 "$BATS_TEST_DIRNAME/data/skills.py" "$PWD"
	cat > "$LB_CONFIG" <<-'END'
		pipelines: {default: {ai: {local-agent: {tools: [activate]}}}}
	END
}

# of LINE MEMBER - of an expectation.
of() {
	jq -r "$2" <<< "$1"
}

# each FUNCTION - call it with each expectation; at least fifteen.
each() {
	local n=0 line
	while IFS= read -r line; do
		"$1" "$line" || { echo "$line"; return 1; }
		n=$((n + 1))
	done < expected.jsonl
	[ "$n" -ge 15 ]
}

install() {
	local options
	mapfile -t options < <(of "$1" '.options[]')
	lb-skill install "${options[@]}" "./$(of "$1" .source)" 2>> warnings
}

@test "each installs, under its name, with all its files" {
	check() {
		same "$(of "$1" .name) installed" \
			"$(install "$1" | jq -r '"\(.name) \(.action)"')" || return 1
		same "$(of "$1" '.files[]')" "$(lb-skill files "$(of "$1" .name)" |
			jq -rs 'map(select(.type == "file").path) | sort[]')"
	}
	each check
	run -0 lb-skill verify
	same '' "$(jq -r 'select(.state != "ok")' <<< "$output")"
}

@test "each is listed, with what it says of itself" {
	each install > out
	check() {
		same "$(of "$1" .description)" "$(jq -r --arg n "$(of "$1" .name)" \
			'select(.name == $n and .state == "ok").description' list)"
	}
	lb-skill list > list 2> warnings
	each check
	same 15 "$(wc -l < list)"
}

@test "each is valid, or not, for the reason there is" {
	each install > out
	check() {
		local name at
		name=$(of "$1" .name)
		# As it was published: it may be renamed by installing.
		case $(of "$1" .source) in
		*.zip | *.gz | plug) at=$LB_STATE/skills/$name ;;
		*) at=./$(of "$1" .source) ;;
		esac
		same "$(of "$1" '.strict[]')" "$(lb-skill validate -s "$at" |
			jq -rs 'map(.rule) | sort[]')" || return 1
		lb-skill validate "$at" > out || return 1
	}
	each check
}

@test "each activates, and a second install changes nothing" {
	each install > out
	check() {
		local name result
		name=$(of "$1" .name)
		result=$(printf '%s\n' '{"op":"hello","version":1}' "{\"op\":\"call\",\"id\":\"1\",\"name\":\"activate\",\"arguments\":{\"skill_name\":\"$name\"},\"context\":{\"bot\":\"-\",\"platform\":\"text\",\"pipeline\":\"default\"}}" |
			lb-skill serve | tail -n 1)
		same "true /workspace/.skills/$name" \
			"$(jq -r '.content | fromjson | "\(.activated) \(.mount_path)"' <<< "$result")" ||
			return 1
		same unchanged "$(install "$1" | jq -r .action)"
	}
	each check
	run -0 lb-skill index
	same 15 "${#lines[@]}"
}
