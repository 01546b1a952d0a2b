# tests/skill.bash - skills and archives of them for .bats files.

# skill FOLDER [LINE...] - a SKILL.md whose frontmatter has these lines, else a
# name by its folder and a description; a body behind it.
skill() {
	local folder=$1
	shift
	mkdir -p "$folder"
	[ $# -gt 0 ] || set -- "name: ${folder##*/}" "description: What it does."
	{
		echo ---
		printf '%s\n' "$@"
		printf -- '---\n\n# How\n'
	} > "$folder/SKILL.md"
}

# zipped FILE < SCRIPT - a zip, as a script in Python says: z is a ZipFile, and
# put(NAME, TEXT, mode=, unix=) adds a file.
zipped() {
	python3 -c 'import sys, zipfile
z = zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED)
def put(name, text="", mode=0o100644, unix=True):
    i = zipfile.ZipInfo(name)
    i.filename = name
    i.compress_type = zipfile.ZIP_DEFLATED
    i.create_system = 3 if unix else 0
    i.external_attr = mode << 16 if unix else 0
    z.writestr(i, text)
MD = "---\nname: demo\ndescription: d\n---\nbody\n"
exec(sys.stdin.read())
z.close()' "$1"
}

# tarred FILE < SCRIPT - a tar: t is a TarFile, put(NAME, TEXT, **members of
# TarInfo) adds an entry.
tarred() {
	python3 -c 'import io, sys, tarfile
t = tarfile.open(sys.argv[1], "w:gz" if sys.argv[1].endswith("gz") else "w")
def put(name, text="", **more):
    i = tarfile.TarInfo(name)
    i.size = len(text)
    for k, v in more.items():
        setattr(i, k, v)
    t.addfile(i, io.BytesIO(text.encode()))
MD = "---\nname: demo\ndescription: d\n---\nbody\n"
exec(sys.stdin.read())
t.close()' "$1"
}

# nothing_there - no skill, and nothing that was begun, is in the store.
nothing_there() {
	same '' "$(find "$LB_STATE/skills" -mindepth 1 \
		! -name .lock ! -name lock.json ! -name .lists 2> /dev/null)"
}
