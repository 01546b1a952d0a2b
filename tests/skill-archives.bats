#!/usr/bin/env bats
# Archives that people make, and archives that lie: what lb-skill makes of them.

load helper
load skill

setup() {
	exec < /dev/null
	cd "$BATS_TEST_TMPDIR"
}

# refused CODE WORDS FILE - it is, in one line with these words, and nothing is
# on the disk.
refused() {
	run -"$1" --separate-stderr lb-skill install "$3"
	same '' "$output"
	[[ $stderr == *"$2"* ]] || { echo "$stderr"; return 1; }
	same 1 "${#stderr_lines[@]}"
	nothing_there
}

@test "a zip of macOS installs what is in it, and not what the system left" {
	zipped demo.zip <<-'END'
		put("demo/SKILL.md", MD)
		put("demo/scripts/run.sh", "#!/bin/sh\n", mode=0o100755)
		put("__MACOSX/demo/._SKILL.md", "x")
		put("__MACOSX/._demo", "x")
		put("demo/.DS_Store", "x")
	END
	run -0 --separate-stderr lb-skill install demo.zip
	same '' "$stderr"
	same $'SKILL.md\nscripts\nscripts/run.sh' "$(lb-skill files demo | jq -r .path)"
}

@test "backslashes of Windows are slashes, and their traversal is traversal" {
	zipped demo.zip <<-'END'
		put("demo\\SKILL.md", MD, unix=False)
		put("demo\\ref\\a.md", "a", unix=False)
	END
	lb-skill install demo.zip
	same $'SKILL.md\nref\nref/a.md' "$(lb-skill files demo | jq -r .path)"
	lb-skill rm demo
	zipped bad.zip <<-'END'
		put("demo\\SKILL.md", MD, unix=False)
		put("demo\\..\\..\\x", "a", unix=False)
	END
	refused 65 'leads out of its folder' bad.zip
}

@test "names that lead elsewhere are refused before the first byte is written" {
	for name in ../../.bashrc demo/../../x /etc/x C:evil 'c:/x' '\\host\x' \
		demo/.. ..; do
		zipped bad.zip <<-END
			put("demo/SKILL.md", MD)
			put(r"""$name""", "x")
		END
		refused 65 "entry '" bad.zip
		tarred bad.tar <<-END
			put("demo/SKILL.md", MD)
			put(r"""$name""", "x")
		END
		refused 65 "entry '" bad.tar
	done
	[ ! -e "$HOME/.bashrc" ]
}

@test "names that a terminal or a file system would misread are refused" {
	for name in 'a\nb' 'a\x1b[31m' 'a\x7f' 'a\x00b'; do
		tarred bad.tar <<-END
			put("demo/SKILL.md", MD)
			put("demo/$name", "x", pax_headers={"path": "demo/$name"})
		END
		[[ $name == *x00* ]] || refused 65 'control characters' bad.tar
	done
	tarred bad.tar <<-'END'
		put("demo/SKILL.md", MD)
		put("demo/" + "d/" * 20 + "x", "x")
	END
	refused 65 'is too deep' bad.tar
	tarred bad.tar <<-'END'
		put("demo/SKILL.md", MD)
		put("demo/" + "n" * 300, "x")
	END
	refused 65 'has too long a name' bad.tar
	python3 -c 'import sys
b = open("bad.zip", "wb")
import zipfile
z = zipfile.ZipFile(b, "w")
z.writestr("demo/SKILL.md", "---\nname: demo\ndescription: d\n---\n")
z.writestr("demo/aaaa", "x")
z.close(); b.close()
d = open("bad.zip", "rb").read().replace(b"demo/aaaa", b"demo/a\xff\xfea")
open("bad.zip", "wb").write(d)'
	refused 65 'not UTF-8' bad.zip
}

@test "links, devices, pipes and files with rights of others are refused" {
	for how in 'type=tarfile.SYMTYPE, linkname="/tmp"' \
		'type=tarfile.LNKTYPE, linkname="demo/SKILL.md"' \
		'type=tarfile.CHRTYPE, devmajor=1, devminor=3' \
		'type=tarfile.BLKTYPE' 'type=tarfile.FIFOTYPE' \
		'mode=0o4755' 'mode=0o2755'; do
		tarred bad.tar.gz <<-END
			put("demo/SKILL.md", MD)
			put("demo/l", "", $how)
			put("demo/l2/pwn", "x")
		END
		refused 65 "entry 'demo/l' " bad.tar.gz
		case $how in
		*SYMTYPE*) [[ $stderr == *'is a symbolic link' ]] ;;
		*LNKTYPE*) [[ $stderr == *'is a hard link' ]] ;;
		*FIFOTYPE*) [[ $stderr == *'is a named pipe' ]] ;;
		*TYPE*) [[ $stderr == *'is a device' ]] ;;
		*) [[ $stderr == *'with the rights of another user' ]] ;;
		esac
	done
	for mode in 0o120777 0o020644 0o060644 0o010644 0o140644 0o104755; do
		zipped bad.zip <<-END
			put("demo/SKILL.md", MD)
			put("demo/l", "/tmp", mode=$mode)
		END
		refused 65 "entry 'demo/l' " bad.zip
	done
	zipped bad.zip <<-'END'
		put("demo/SKILL.md", MD)
		put("l", "/tmp", mode=0o120777)
		put("l/pwn", "x")
	END
	refused 65 "entry 'l' is a symbolic link" bad.zip
}

@test "one name twice, or but for its case, or a file that is a folder is refused" {
	for other in demo/SKILL.md demo/skill.md DEMO/SKILL.md; do
		zipped bad.zip 2> err <<-END
			put("demo/SKILL.md", MD)
			put("$other", "x")
		END
		refused 65 'is there twice' bad.zip
	done
	tarred bad.tar <<-'END'
		put("demo/SKILL.md", MD)
		put("demo/SKILL.md", MD)
	END
	refused 65 'is there twice' bad.tar
	zipped bad.zip <<-'END'
		put("demo/SKILL.md", MD)
		put("demo/a", "x")
		put("demo/a/b", "x")
	END
	refused 65 'is both a file and a folder' bad.zip
}

@test "bombs are refused by what they say, and by what they are" {
	zipped bad.zip <<-'END'
		put("demo/SKILL.md", MD)
		for i in range(200): put("demo/%d" % i, bytes(10 << 20) if i < 7 else b"")
	END
	refused 65 'larger than 64 MiB unpacked' bad.zip
	zipped bad.zip <<-'END'
		put("demo/SKILL.md", MD)
		put("demo/big", bytes(17 << 20))
	END
	refused 65 'larger than 16 MiB unpacked' bad.zip
	zipped bad.zip <<-'END'
		put("demo/SKILL.md", MD)
		put("demo/a", bytes(10 << 20))
	END
	refused 65 'more than 100 times as large unpacked' bad.zip
	zipped bad.zip <<-'END'
		put("demo/SKILL.md", MD)
		for i in range(10001): put("demo/%d" % i)
	END
	refused 65 'more than 10000 entries' bad.zip
	tarred bad.tar <<-'END'
		put("demo/SKILL.md", MD)
		for i in range(10001): put("demo/%d" % i)
	END
	refused 65 'more than 10000 entries' bad.tar
	tarred bad.tar.gz <<-'END'
		put("demo/SKILL.md", MD)
		put("demo/big", "x" * (17 << 20))
	END
	refused 65 'times as large unpacked' bad.tar.gz
	tarred bad.tar <<-'END'
		put("demo/SKILL.md", MD)
		put("demo/big", "x" * (17 << 20))
	END
	refused 65 'larger than 16 MiB unpacked' bad.tar
}

@test "600 MiB that a small archive holds are refused at once" {
	python3 -c 'import gzip, tarfile, io
z = gzip.open("bad.tgz", "wb", 1)
i = tarfile.TarInfo("demo/big"); i.size = 600 << 20
z.write(i.tobuf())
for n in range(600): z.write(bytes(1 << 20))
z.close()'
	refused 65 'larger than 16 MiB unpacked' bad.tgz
	# Through many layers, too.
	gzip -c bad.tgz | gzip -c > twice.tgz
	refused 65 'unpacked' twice.tgz
}

@test "a long text that repeats itself is no bomb" {
	zipped good.zip <<-'END'
		put("demo/SKILL.md", MD)
		put("demo/a.txt", "the same line again\n" * 200000)
	END
	run -0 lb-skill install good.zip
}

# bytes FILE PYTHON - change the bytes d of a file.
bytes() {
	python3 -c 'import struct, sys
d = bytearray(open(sys.argv[1], "rb").read())
cd = d.index(b"PK\1\2")
last = d.rindex(b"PK\1\2")
exec(sys.argv[2])
open(sys.argv[1], "wb").write(d)' "$1" "$2"
}

@test "a zip whose list does not agree with its files is refused" {
	fresh() {
		zipped bad.zip <<-'END'
			put("demo/SKILL.md", MD)
			put("demo/bbbb", "x" * 1000)
		END
	}
	fresh; bytes bad.zip 'i = d.index(b"demo/bbbb"); d[i:i+9] = b"demo/../c"'
	refused 65 'has another name in the list' bad.zip
	fresh; bytes bad.zip 'd[22] = 10'
	refused 65 'has another size or sum' bad.zip
	fresh; bytes bad.zip 'd[last + 24] = 10'
	refused 65 'has another size or sum' bad.zip
	fresh; bytes bad.zip 'd[8] = 0; d[9] = 0; d[cd + 10] = 8'
	refused 65 'is packed otherwise' bad.zip
	fresh; bytes bad.zip 'd[6] |= 1; d[cd + 8] |= 1'
	refused 65 'is encrypted' bad.zip
	fresh; bytes bad.zip 'd[8] = 99; d[cd + 10] = 99'
	refused 65 'packed in a way that is not taken' bad.zip
	fresh; bytes bad.zip 'd[last + 42:last + 46] = struct.pack("<I", 0)'
	refused 65 'has another name in the list' bad.zip
	fresh; bytes bad.zip 'd[last + 42:last + 46] = struct.pack("<I", 1 << 30)'
	refused 65 'is not where the list of the zip says' bad.zip
	fresh; bytes bad.zip 'd[-6] ^= 1'
	refused 65 'has no list of its files' bad.zip
	fresh; bytes bad.zip 'd[cd + 20:cd + 24] = d[18:22] = struct.pack("<I", 1 << 30)'
	refused 65 "is cut off" bad.zip
	fresh; truncate -s -5 bad.zip
	refused 65 'is cut off, or something is behind its end' bad.zip
	fresh; echo tail >> bad.zip
	refused 65 'is cut off, or something is behind its end' bad.zip
}

@test "a file that does not unpack to what the zip says is refused" {
	zipped bad.zip <<-'END'
		put("demo/SKILL.md", MD)
		put("demo/a", "y" * 100000)
	END
	bytes bad.zip 's = struct.pack("<I", 10); l = d.index(b"demo/a") - 30; d[l + 22:l + 26] = s; d[last + 24:last + 28] = s'
	refused 65 'demo/a' bad.zip
	zipped bad.zip <<-'END'
		put("demo/SKILL.md", MD)
		put("demo/a", "y" * 100000)
	END
	bytes bad.zip 's = struct.pack("<I", 7); l = d.index(b"demo/a") - 30; d[l + 14:l + 18] = s; d[last + 16:last + 20] = s'
	refused 65 'demo/a' bad.zip
}

@test "files that share their bytes are refused" {
	zipped bad.zip <<-'END'
		put("demo/SKILL.md", MD)
		put("demo/a", "y")
	END
	# The second entry again, as a third.
	bytes bad.zip 'e = d[last:d.rindex(b"PK\5\6")]; end = d[d.rindex(b"PK\5\6"):]
n = struct.unpack("<H", end[10:12])[0] + 1
size = struct.unpack("<I", end[12:16])[0] + len(e)
end[8:10] = end[10:12] = struct.pack("<H", n); end[12:16] = struct.pack("<I", size)
d = d[:d.rindex(b"PK\5\6")] + e + end'
	refused 65 'has files that overlap' bad.zip
}

@test "what is no archive, or empty, or cut off is refused" {
	printf 'no archive\n' > a
	refused 65 'no archive that can be read' a
	: > a
	refused 65 'no archive that can be read' a
	tarred a.tar.gz <<< 'put("demo/SKILL.md", MD); put("demo/b", "x" * 100000)'
	truncate -s -20 a.tar.gz
	refused 65 'a.tar.gz' a.tar.gz
	zipped none.zip <<< 'put("a/README.md", "x")'
	refused 66 'no SKILL.md is in it' none.zip
	zipped empty.zip <<< ''
	refused 65 'no archive that can be read' empty.zip
}

@test "the right to run a file is kept; without modes, what begins with #! has it" {
	zipped unix.zip <<-'END'
		put("demo/SKILL.md", MD)
		put("demo/run", "x", mode=0o100755)
		put("demo/text", "#!/bin/sh\n", mode=0o100644)
		put("demo/open", "x", mode=0o101777)
	END
	lb-skill install unix.zip
	same '644 755 644 755' \
		"$(cd "$LB_STATE/skills/demo" && stat -c %a SKILL.md run text open | xargs)"
	lb-skill rm demo
	zipped windows.zip <<-'END'
		put("demo\\SKILL.md", MD, unix=False)
		put("demo\\bin\\run", "#!/bin/sh\n", unix=False)
		put("demo\\a.py", "print()\n", unix=False)
	END
	lb-skill install windows.zip
	same '644 755 644' \
		"$(cd "$LB_STATE/skills/demo" && stat -c %a SKILL.md bin/run a.py | xargs)"
}

@test "a folder around everything, or none, makes no difference to the name" {
	zipped some-file.zip <<-'END'
		put("SKILL.md", MD)
		put("scripts/x", "x")
	END
	same demo "$(lb-skill install some-file.zip | jq -r .name)"
	lb-skill rm demo
	zipped z.zip <<-'END'
		put("repo-1a2b3c/SKILL.md", MD)
		put("repo-1a2b3c/scripts/x", "x")
	END
	same demo "$(lb-skill install z.zip 2> err | jq -r .name)"
	lb-skill rm demo
	zipped thing.zip <<< 'put("SKILL.md", "---\ndescription: d\n---\n")'
	same thing "$(lb-skill install thing.zip 2> err | jq -r .name)"
}

@test "tars, plain or packed, and the standard input are taken" {
	skill src/demo
	for how in -cf -czf -cjf '--zstd -cf'; do
		need zstd
		tar -C src $how a.tar demo
		same demo "$(lb-skill install a.tar | jq -r .name)"
		same demo "$(lb-skill preview - < a.tar | jq -r .name)"
		lb-skill rm demo
	done
	zipped a.zip <<< 'put("demo/SKILL.md", MD)'
	same installed "$(lb-skill install - < a.zip | jq -r .action)"
	same unchanged "$(lb-skill install - < a.zip | jq -r .action)"
	zipped a.zip <<< 'put("demo/SKILL.md", MD + "more")'
	run -77 lb-skill install - < a.zip
	same updated "$(lb-skill install --replace - < a.zip | jq -r .action)"
}

@test "names in other letters come through, in any locale" {
	zipped a.zip <<-'END'
		put("demo/SKILL.md", MD)
		put("demo/größe/技能.md", "x")
	END
	for locale in C C.UTF-8 POSIX; do
		LC_ALL=$locale lb-skill install a.zip
		same größe/技能.md "$(cd "$LB_STATE/skills/demo" && find . -name '*.md' |
			grep -v SKILL | sed 's|^./||')"
		lb-skill rm demo
	done
	tarred a.tar <<< 'put("demo/SKILL.md", MD); put("demo/größe", "x")'
	lb-skill install a.tar
	[ -f "$LB_STATE/skills/demo/größe" ]
}

@test "no program but lb-skill is needed" {
	zipped a.zip <<< 'put("demo/SKILL.md", MD)'
	mkdir bin
	ln -s "$(command -v lb-skill)" bin/lb-skill
	PATH=$PWD/bin run -0 lb-skill install a.zip
}

@test "an archive that is too large is not read whole" {
	truncate -s 40M big.zip
	refused 65 'big.zip' big.zip
	run -65 lb-skill install - < big.zip
	[[ $output == *'more than 33554432 bytes'* ]]
}
