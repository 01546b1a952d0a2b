"""parse_mode=HTML as the Bot API reads it: text and entities, or a refusal.

Offsets in refusals are bytes of the UTF-8 text, those of entities UTF-16
units, as the service has it.
"""

import re

TAGS = {
    "b": "bold", "strong": "bold", "i": "italic", "em": "italic",
    "s": "strikethrough", "strike": "strikethrough", "del": "strikethrough",
    "u": "underline", "ins": "underline", "tg-spoiler": "spoiler",
    "tg-emoji": "custom_emoji", "a": "text_link", "span": "spoiler",
    "code": "code", "pre": "pre", "blockquote": "blockquote",
}
NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"'}
ENTITY = re.compile(r"&(?:(lt|gt|amp|quot)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));?")
START = re.compile(r"<([a-zA-Z][a-zA-Z0-9-]*)([^<>]*)>")
END = re.compile(r"</([a-zA-Z0-9-]*)\s*>")
ATTRIBUTE = re.compile(
    r"""\s*([a-zA-Z0-9_-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?""")


class BadMarkup(Exception):
    pass


def utf16(text):
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def decode(match):
    if match[1]:
        return NAMED[match[1]]
    code = int(match[2]) if match[2] else int(match[3], 16)
    if not 0 < code < 0x110000 or 0xD800 <= code < 0xE000:
        return match[0]
    return chr(code)


def attributes(text, where):
    found, at = {}, 0
    text = text.rstrip()
    while at < len(text):
        m = ATTRIBUTE.match(text, at)
        if not m or m.end() == at:
            raise BadMarkup("unexpected attribute at byte offset %d" % where)
        value = next((v for v in m.groups()[1:] if v is not None), "")
        found[m[1].lower()] = ENTITY.sub(decode, value)
        at = m.end()
    return found


def entity_of(tag, attrs, begin, length):
    entity = {"type": TAGS[tag], "offset": begin, "length": length}
    if tag == "a":
        user = re.fullmatch(r"tg://user\?id=(\d+)", attrs.get("href", ""))
        if user:
            entity.update(type="text_mention",
                          user={"id": int(user[1]), "is_bot": False,
                                "first_name": "User"})
        else:
            entity["url"] = attrs.get("href", "")
    if tag == "pre" and attrs.get("language"):
        entity["language"] = attrs["language"]
    return entity


def parse(source):
    """(text, entities); raises BadMarkup."""
    out, entities, open_tags = [], [], []
    at = units = 0

    def offset():
        return len(source[:at].encode("utf-8", "surrogatepass"))

    while at < len(source):
        c = source[at]
        if c == "&":
            m = ENTITY.match(source, at)
            piece = decode(m) if m else c
            at = m.end() if m else at + 1
        elif c != "<":
            piece, at = c, at + 1
        elif source.startswith("</", at):
            m = END.match(source, at)
            if not m:
                raise BadMarkup("Can't find end tag at byte offset %d"
                                % offset())
            if not open_tags:
                raise BadMarkup("Unexpected end tag at byte offset %d"
                                % offset())
            tag, attrs, begin = open_tags.pop()
            if m[1] and m[1].lower() != tag:
                raise BadMarkup(
                    'Unmatched end tag at byte offset %d, expected "</%s>", '
                    'found "</%s>"' % (offset(), tag, m[1]))
            if units > begin:
                entities.append(entity_of(tag, attrs, begin, units - begin))
            at = m.end()
            continue
        else:
            m = START.match(source, at)
            if not m or m[1].lower() not in TAGS:
                raise BadMarkup('Unsupported start tag "%s" at byte offset %d'
                                % (m[1].lower() if m else
                                   source[at + 1:at + 11].split(">")[0],
                                   offset()))
            tag, attrs = m[1].lower(), attributes(m[2], offset())
            if tag == "span" and attrs.get("class") != "tg-spoiler":
                raise BadMarkup('Tag "span" must have class "tg-spoiler" at '
                                "byte offset %d" % offset())
            if tag == "code" and open_tags and open_tags[-1][0] == "pre" and \
                    attrs.get("class", "").startswith("language-"):
                open_tags[-1][1]["language"] = attrs["class"][9:]
            open_tags.append((tag, attrs, units))
            at = m.end()
            continue
        out.append(piece)
        units += utf16(piece)
    if open_tags:
        raise BadMarkup('Can\'t find end tag corresponding to start tag "%s"'
                        % open_tags[-1][0])
    return "".join(out), sorted(entities, key=lambda e: e["offset"])
