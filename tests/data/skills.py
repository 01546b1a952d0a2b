"""skills.py DIR - fifteen packages as people publish them, each odd in its way.

Their texts are made up; their layouts, fields and archives are what is out
there. DIR/expected.jsonl has a line each: what to install, with which options,
and what comes of it: name, description, the rules that --strict names, files.
"""
import io
import json
import os
import sys
import tarfile
import zipfile

top = sys.argv[1]
expected = []


def write(path, text, mode=0o644):
    path = os.path.join(top, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())
    os.chmod(path, mode)


def md(*lines, body="\n# Use\n\nDo it.\n", end="\n"):
    return end.join(["---", *lines, "---", ""]) + body


def pack(name, entries, unix=True):
    """A zip; entries are (name, text, mode)."""
    with zipfile.ZipFile(os.path.join(top, name), "w", zipfile.ZIP_DEFLATED) as z:
        for path, text, mode in entries:
            i = zipfile.ZipInfo(path)
            i.filename = path
            i.compress_type = zipfile.ZIP_DEFLATED
            i.create_system = 3 if unix else 0
            i.external_attr = mode << 16 if unix else 0
            z.writestr(i, text)


def expect(source, name, description, strict=(), files=("SKILL.md",),
           options=()):
    expected.append(dict(source=source, name=name, description=description,
                         strict=sorted(strict), files=sorted(files),
                         options=list(options)))


F, X = 0o100644, 0o100755

# 1: a folder with references, scripts and a licence of its own
write("doc-forms/SKILL.md", md(
    "name: doc-forms",
    "description: Fills in forms and joins documents. Use when the user mentions"
    " forms, pages or merging.",
    "license: Complete terms in LICENSE.txt"))
write("doc-forms/LICENSE.txt", "Terms.\n")
write("doc-forms/reference.md", "# More\n")
write("doc-forms/scripts/fill.py", "#!/usr/bin/env python3\nprint(1)\n", 0o755)
expect("doc-forms", "doc-forms", "Fills in forms and joins documents. Use when "
       "the user mentions forms, pages or merging.",
       files=["SKILL.md", "LICENSE.txt", "reference.md", "scripts/fill.py"])

# 2: a colon without quotes
write("release-notes/SKILL.md", md(
    "name: release-notes",
    "description: Writes notes of a release. Triggers: changelog, \"what is new\""))
expect("release-notes", "release-notes", "Writes notes of a release. Triggers: "
       "changelog, \"what is new\"", ["colon"])

# 3: what Finder makes of a folder
pack("sheet-tools.zip", [
    ("sheet-tools/", "", 0o040755),
    ("sheet-tools/SKILL.md", md("name: sheet-tools", "description: Reads sheets."), F),
    ("__MACOSX/sheet-tools/._SKILL.md", "\0\5\x16\7", F),
    ("sheet-tools/.DS_Store", "\0\0\0\1Bud1", F),
    ("sheet-tools/scripts/read.sh", "#!/bin/sh\n", X),
    ("__MACOSX/sheet-tools/scripts/._read.sh", "\0\5\x16\7", F)])
expect("sheet-tools.zip", "sheet-tools", "Reads sheets.",
       files=["SKILL.md", "scripts/read.sh"])

# 4: what an old PowerShell makes of one that was written in Notepad
pack("mail-draft.zip", [
    ("mail-draft\\SKILL.md", b"\xef\xbb\xbf" + md(
        "name: mail-draft", "description: \"Drafts mail.\"", end="\r\n",
        body="\r\n# Use\r\n").encode(), 0),
    ("mail-draft\\references\\tone.md", "Kind.\r\n", 0)], unix=False)
expect("mail-draft.zip", "mail-draft", "Drafts mail.",
       files=["SKILL.md", "references/tone.md"])

# 5: a repository as its hub packs it, skills by category, a link beside them
pack("by-category.zip", [
    ("agent-skills-0a1b2c3/README.md", "# Skills\n", F),
    ("agent-skills-0a1b2c3/node_modules/x/SKILL.md", "no\n", F),
    ("agent-skills-0a1b2c3/.github/x.yml", "a: b\n", F),
    ("agent-skills-0a1b2c3/skills/quality/code-review/SKILL.md", md(
        "name: code-review", "description: Reviews code.", "metadata:",
        "  author: somebody", "  version: 1.2.0"), F),
    ("agent-skills-0a1b2c3/skills/writing/plain-words/SKILL.md", md(
        "name: plain-words", "description: Makes words plain."), F)])
expect("by-category.zip", "code-review", "Reviews code.",
       options=["--select", "code-review"])

# 6: a plugin that has skills, and a hidden folder of its maker's
write("plug/.claude-plugin/plugin.json", "{}\n")
write("plug/.claude/skills/internal/SKILL.md", md("name: internal", "description: d"))
write("plug/commands/x.md", "# x\n")
write("plug/skills/api-mocks/SKILL.md", md(
    "name: api-mocks", "description: Makes doubles of services."))
expect("plug", "api-mocks", "Makes doubles of services.")

# 7: a folded text with colons, a version that looks like a number
write("data-story/SKILL.md", md(
    "name: data-story", "description: >-",
    "  Tells what numbers say: trends, outliers",
    "  and what to ask next.",
    "metadata:", "  version: 2.0", "  tags: \"a, b\""))
expect("data-story", "data-story", "Tells what numbers say: trends, outliers "
       "and what to ask next.")

# 8: tools as a list, with patterns
write("git-helper/SKILL.md", md(
    "name: git-helper", "description: Commits well.", "allowed-tools:",
    "  - Bash(git add:*)", "  - Bash(git commit:*)", "  - Read"))
expect("git-helper", "git-helper", "Commits well.")

# 9: fields of other agents
write("deploy-check/SKILL.md", md(
    "name: deploy-check", "description: Checks before a deployment.",
    "disable-model-invocation: true", "user-invocable: true", "model: big",
    "context: fork", "argument-hint: '[environment]'", "version: 1.0.0"))
expect("deploy-check", "deploy-check", "Checks before a deployment.",
       ["field"] * 6)

# 10: a name for people
write("pdf_processing/SKILL.md", md(
    "name: PDF Processing", "description: Works with PDF files."))
expect("pdf_processing", "pdf-processing", "Works with PDF files.", ["name"])

# 11: small letters
write("tiny/skill.md", md("name: tiny", "description: Small."))
expect("tiny", "tiny", "Small.", ["file"])

# 12: far too long
long = "Knows a lot. " * 100
write("encyclopedia/SKILL.md", md(
    "name: encyclopedia", "description: " + long.strip(), body="line\n" * 700))
expect("encyclopedia", "encyclopedia", long.strip(), ["description", "body"])

# 13: templates of skills within a skill
write("skill-maker/SKILL.md", md(
    "name: skill-maker", "description: Makes skills."))
write("skill-maker/assets/template/SKILL.md", "---\nname: TODO\n---\n")
write("skill-maker/examples/one/SKILL.md", md("name: one", "description: d"))
expect("skill-maker", "skill-maker", "Makes skills.",
       files=["SKILL.md", "assets/template/SKILL.md", "examples/one/SKILL.md"])

# 14: another language, also in the names of files
pack("weekly.zip", [
    ("weekly-report/SKILL.md", md(
        "name: weekly-report",
        "description: 写周报：汇总本周的工作，列出下周的计划。"), F),
    ("weekly-report/模板/周报.md", "# 周报\n", F)])
expect("weekly.zip", "weekly-report",
       "写周报：汇总本周的工作，列出下周的计划。",
       files=["SKILL.md", "模板/周报.md"])

# 15: a tar of a Python project, with markup in the description and no body
with tarfile.open(os.path.join(top, "chart-kit-1.4.tar.gz"), "w:gz") as t:
    for path, text, mode in [
            ("./chart-kit-1.4/SKILL.md",
             "---\nname: chart-kit\ndescription: Draws <charts> & tables\n---", 0o644),
            ("./chart-kit-1.4/requirements.txt", "x==1\n", 0o644),
            ("./chart-kit-1.4/bin/draw", "#!/bin/sh\n", 0o775)]:
        i = tarfile.TarInfo(path)
        i.size = len(text)
        i.mode = mode
        t.addfile(i, io.BytesIO(text.encode()))
expect("chart-kit-1.4.tar.gz", "chart-kit", "Draws <charts> & tables",
       ["markup"], files=["SKILL.md", "requirements.txt", "bin/draw"])

with open(os.path.join(top, "expected.jsonl"), "w") as f:
    for e in expected:
        f.write(json.dumps(e, ensure_ascii=False) + "\n")
