"""The Bot API's methods and what the service remembers.

Strict where the service is: what it refuses is refused here, in its words.
A client is a double's friend only if it would get on with the service, too.
"""

import hashlib
import json
import time

import bot_api_html as html

TEXT_MAX, CAPTION_MAX = 4096, 1024
PHOTO_MAX, FILE_MAX, DOWNLOAD_MAX = 10 << 20, 50 << 20, 20 << 20
ACTIONS = {
    "typing", "upload_photo", "record_video", "upload_video", "record_voice",
    "upload_voice", "upload_document", "choose_sticker", "find_location",
    "record_video_note", "upload_video_note",
}
# Not sent to a bot that did not ask for them by name.
UNASKED = {"message_reaction", "message_reaction_count", "chat_member"}


class Refused(Exception):
    def __init__(self, code, description, parameters=None):
        super().__init__(description)
        self.code, self.description = code, description
        self.parameters = parameters


def bad(description, parameters=None):
    return Refused(400, "Bad Request: " + description, parameters)


class Params:
    """Parameters however they came: JSON values, or texts of a form."""

    def __init__(self, values, files):
        self.values, self.files = values, files

    def text(self, name, default=""):
        v = self.values.get(name)
        if v is None:
            return default
        if isinstance(v, bool) or not isinstance(v, (str, int, float)):
            raise bad("field \"%s\" must be a String" % name)
        return str(v)

    def integer(self, name, default=0):
        v = self.values.get(name)
        if v is None or v == "":
            return default
        try:
            if isinstance(v, (bool, float, list, dict)):
                raise ValueError
            return int(v)
        except ValueError:
            raise bad("field \"%s\" must be a Number" % name) from None

    def flag(self, name):
        return str(self.values.get(name)).lower() in ("true", "1", "yes")

    def structure(self, name, kind, what):
        v = self.values.get(name)
        if v is None or v == "":
            return None
        if isinstance(v, str):
            try:
                v = json.loads(v)
            except ValueError:
                raise bad("can't parse %s JSON object" % what) from None
        if not isinstance(v, kind):
            raise bad("object expected as %s" % what)
        return v


class Service:
    def __init__(self, number, username, privacy=True):
        self.me = {
            "id": number, "is_bot": True, "first_name": "Test bot",
            "username": username, "can_join_groups": True,
            "can_read_all_group_messages": not privacy,
            "supports_inline_queries": False,
        }
        self.updates = []      # not yet confirmed
        self.confirmed = []    # the last ones that were
        self.next_update = 1000
        self.allowed = None
        self.webhook = ""
        self.chats = {}        # id: chat
        self.blocked = set()
        self.moved = {}        # id: id of the supergroup
        self.seen = {}         # (chat, message_id): is it the bot's
        self.next_message = {}
        self.sent = []         # every message accepted, as last edited
        self.at = {}           # (chat, message_id): the same
        self.actions = []
        self.queries = {}      # callback queries: answered?
        self.files = {}        # file_id: {bytes, path}
        self.pace = None       # (messages, window s) a chat
        self.times = {}        # chat: when it was sent to

    # -- what the test says ------------------------------------------------

    def add_chat(self, chat):
        self.chats.setdefault(chat["id"], chat)

    def push(self, update):
        update = dict(update)
        if "update_id" not in update:
            update["update_id"] = self.next_update
        self.next_update = max(self.next_update, update["update_id"]) + 1
        for key, value in update.items():
            if not isinstance(value, dict):
                continue
            message = value if "chat" in value else value.get("message") or {}
            if key == "callback_query":
                self.queries.setdefault(str(value.get("id")), False)
            if "id" in message.get("chat", {}):
                self.add_chat(message["chat"])
                where = message["chat"]["id"], message.get("message_id")
                self.seen.setdefault(where, False)
                self.next_message[where[0]] = max(
                    self.next_message.get(where[0], 1), (where[1] or 0) + 1)
        kind = next((k for k in update if k != "update_id"), "")
        if self.allowed and kind not in self.allowed or \
                not self.allowed and kind in UNASKED:
            return
        self.updates.append(update)

    def add_file(self, file_id, data, path=None, size=None):
        self.files[file_id] = {
            "bytes": data, "path": path or "files/%s.bin" % file_id,
            "size": len(data) if size is None else size,
        }

    # -- polling -----------------------------------------------------------

    def confirm(self, offset):
        if offset < 0:
            offset = (self.updates[offset:] or [{"update_id": 0}])[0][
                "update_id"]
        if offset > 0:
            gone = [u for u in self.updates if u["update_id"] < offset]
            self.confirmed = (self.confirmed + gone)[-1000:]
            self.updates = [u for u in self.updates
                            if u["update_id"] >= offset]

    # -- checks ------------------------------------------------------------

    def chat(self, p):
        raw = p.values.get("chat_id")
        if raw is None or raw == "":
            raise bad("chat_id is empty")
        if isinstance(raw, (bool, dict, list, float)):
            raise bad("chat_id is invalid")
        if str(raw).startswith("@"):  # of what is public, but no person
            raw = next((n for n, c in self.chats.items() if n < 0 and
                        c.get("username", "").lower() == raw[1:].lower()), "")
        try:
            number = int(raw)
        except ValueError:
            raise bad("chat not found") from None
        if number in self.moved:
            raise bad("group chat was upgraded to a supergroup chat",
                      {"migrate_to_chat_id": self.moved[number]})
        if number in self.blocked:
            raise Refused(403, "Forbidden: bot was blocked by the user")
        if number not in self.chats:
            raise bad("chat not found")
        return self.chats[number]

    def hold_pace(self, chat):
        if not self.pace:
            return
        n, window = self.pace
        now = time.monotonic()
        times = [t for t in self.times.get(chat["id"], []) if t > now - window]
        if len(times) >= n:
            wait = max(1, round(times[0] + window - now + 0.5))
            raise Refused(429, "Too Many Requests: retry after %d" % wait,
                          {"retry_after": wait})
        self.times[chat["id"]] = times + [now]

    def formatted(self, p, name, most, long, mode_of=None):
        text = p.text(name)
        mode = (mode_of or p).text("parse_mode")
        entities = p.structure(
            "entities" if name == "text" else "caption_entities", list,
            "entities") or []
        if mode and mode.lower() != "html":
            raise bad("unsupported parse_mode")
        if mode:
            try:
                text, entities = html.parse(text)
            except html.BadMarkup as why:
                raise bad("can't parse entities: %s" % why) from None
        text = text.strip()
        if html.utf16(text) > most:
            raise bad(long)
        return text, entities

    def place(self, p, chat):
        thread = p.integer("message_thread_id")
        if thread and (thread == 1 or not chat.get("is_forum")):
            raise bad("message thread not found")
        reply = p.structure("reply_parameters", dict, "reply parameters")
        to = 0
        if reply is not None:
            if not isinstance(reply.get("message_id"), int):
                raise bad("reply parameters must contain message_id")
            to = reply["message_id"]
            if (chat["id"], to) not in self.seen:
                if not reply.get("allow_sending_without_reply"):
                    raise bad("message to be replied not found")
                to = 0
        return {"thread": thread or None, "reply_to": to or None}

    # -- messages ----------------------------------------------------------

    def keep(self, chat, method, number, extra):
        message_id = self.next_message.get(chat["id"], 1)
        self.next_message[chat["id"]] = message_id + 1
        self.seen[chat["id"], message_id] = True
        entry = {"call": number, "method": method, "chat_id": chat["id"],
                 "message_id": message_id, "time": round(time.time(), 3),
                 "edits": 0}
        entry.update({k: v for k, v in extra.items() if v is not None})
        self.sent.append(entry)
        self.at[chat["id"], message_id] = entry
        return entry

    def as_message(self, entry):
        chat = self.chats[entry["chat_id"]]
        m = {"message_id": entry["message_id"], "date": int(entry["time"]),
             "chat": chat, "from": self.me}
        for key in ("text", "entities", "caption", "media_group_id"):
            if entry.get(key):
                m[key] = entry[key]
        if entry.get("thread"):
            m.update(message_thread_id=entry["thread"], is_topic_message=True)
        if entry.get("edits"):
            m["edit_date"] = int(time.time())
        media = entry.get("media")
        if media:
            shape = {"file_id": media["file_id"],
                     "file_unique_id": media["file_id"][-12:],
                     "file_size": media["size"]}
            if media["type"] == "photo":
                shape.update(width=1, height=1)
                shape = [shape]
            m[media["type"]] = shape
        return m

    def send_message(self, p, number):
        chat = self.chat(p)
        text, entities = self.formatted(p, "text", TEXT_MAX,
                                        "message is too long")
        if not text:
            raise bad("message text is empty")
        where = self.place(p, chat)
        self.hold_pace(chat)
        return self.as_message(self.keep(chat, "sendMessage", number, {
            "text": text, "entities": entities, "raw": p.text("text"),
            "parse_mode": p.text("parse_mode") or None, **where}))

    def edit_text(self, p, number):
        chat = self.chat(p)
        message_id = p.integer("message_id")
        if not message_id:
            raise bad("message identifier is not specified")
        entry = self.at.get((chat["id"], message_id))
        if not entry:
            if (chat["id"], message_id) in self.seen:
                raise bad("message can't be edited")
            raise bad("message to edit not found")
        text, entities = self.formatted(p, "text", TEXT_MAX,
                                        "message is too long")
        if not text:
            raise bad("message text is empty")
        if "media" in entry:
            raise bad("there is no text in the message to edit")
        if (text, entities) == (entry["text"], entry.get("entities", [])):
            raise bad(
                "message is not modified: specified new message content and "
                "reply markup are exactly the same as a current content and "
                "reply markup of the message")
        self.hold_pace(chat)
        entry.update(text=text, entities=entities, raw=p.text("text"),
                     edits=entry["edits"] + 1)
        entry.setdefault("calls", []).append(number)
        return self.as_message(entry)

    def delete(self, p, _number):
        chat = self.chat(p)
        where = chat["id"], p.integer("message_id")
        if where not in self.seen:
            raise bad("message to delete not found")
        del self.seen[where]
        if where in self.at:
            self.at.pop(where)["deleted"] = True
        return True

    def media(self, p, kind, value, upload):
        most = PHOTO_MAX if kind == "photo" else FILE_MAX
        if upload is not None:
            if not upload["data"]:
                raise bad("file must be non-empty")
            if len(upload["data"]) > most:
                raise Refused(413, "Request Entity Too Large")
            file_id = "up-" + hashlib.sha256(upload["data"]).hexdigest()[:24]
            self.add_file(file_id, upload["data"])
            return {"type": kind, "file_id": file_id,
                    "size": len(upload["data"]), "name": upload["name"],
                    "mime": upload["mime"],
                    "sha256": hashlib.sha256(upload["data"]).hexdigest()}
        if not value:
            raise bad("there is no %s in the request" % kind)
        if value.startswith(("http://", "https://")):
            return {"type": kind, "file_id": "url-" + hashlib.sha256(
                value.encode()).hexdigest()[:24], "size": 1, "url": value}
        if value not in self.files:
            raise bad("wrong file identifier/HTTP URL specified")
        return {"type": kind, "file_id": value,
                "size": self.files[value]["size"]}

    def upload(self, p, value, field):
        """The file a value means: attach://NAME, or the field itself."""
        if isinstance(value, str) and value.startswith("attach://"):
            found = p.files.get(value[9:])
            if not found:
                raise bad("file \"%s\" not found in the request" % value[9:])
            return found
        return p.files.get(field)

    def send_media(self, kind):
        def method(p, number):
            chat = self.chat(p)
            caption, entities = self.formatted(
                p, "caption", CAPTION_MAX, "message caption is too long")
            value = p.text(kind)
            media = self.media(p, kind, value, self.upload(p, value, kind))
            where = self.place(p, chat)
            self.hold_pace(chat)
            return self.as_message(self.keep(
                chat, "send" + kind.capitalize(), number,
                {"media": media, "caption": caption or None,
                 "entities": entities or None, **where}))
        return method

    def send_group(self, p, number):
        chat = self.chat(p)
        items = p.structure("media", list, "media")
        if not items or not 2 <= len(items) <= 10:
            raise bad("group send must contain 2-10 items")
        kinds = {i.get("type") for i in items if isinstance(i, dict)}
        if not kinds or not kinds <= {"photo", "video", "document", "audio"}:
            raise bad("can't parse InputMedia: type is wrong")
        if len(kinds) > 1 and kinds & {"document", "audio"}:
            raise bad("documents and audios can't be mixed with other media "
                      "types")
        where, ready = self.place(p, chat), []
        for item in items:
            one = Params(item, {})
            caption, _ = self.formatted(one, "caption", CAPTION_MAX,
                                        "message caption is too long")
            value = one.text("media")
            ready.append((caption, self.media(
                p, item["type"], value, self.upload(p, value, None))))
        self.hold_pace(chat)
        group = "group-%d" % number
        return [self.as_message(self.keep(
            chat, "sendMediaGroup", number,
            {"media": media, "caption": caption or None,
             "media_group_id": group, **where})) for caption, media in ready]

    def chat_action(self, p, _number):
        chat = self.chat(p)
        if p.text("action") not in ACTIONS:
            raise bad("wrong parameter action in request")
        thread = p.integer("message_thread_id")
        if thread and not chat.get("is_forum"):
            raise bad("message thread not found")
        self.actions.append({"chat_id": chat["id"], "thread": thread or None,
                             "action": p.text("action")})
        return True

    def answer_query(self, p, _number):
        name = p.text("callback_query_id")
        if name not in self.queries:
            raise bad("query is too old and response timeout expired or "
                      "query ID is invalid")
        self.queries[name] = True
        return True

    def get_file(self, p, _number):
        name = p.text("file_id")
        if name not in self.files:
            raise bad("invalid file_id")
        if self.files[name]["size"] > DOWNLOAD_MAX:
            raise bad("file is too big")
        f = self.files[name]
        return {"file_id": name, "file_unique_id": name[-12:],
                "file_size": f["size"], "file_path": f["path"]}

    def set_webhook(self, p, _number):
        url = p.text("url")
        if url and not url.startswith("https://"):
            raise bad("bad webhook: An HTTPS URL must be provided for "
                      "webhook")
        self.webhook = url
        return True

    def delete_webhook(self, p, _number):
        self.webhook = ""
        if p.flag("drop_pending_updates"):
            self.updates = []
        return True

    def webhook_info(self, _p, _number):
        return {"url": self.webhook, "has_custom_certificate": False,
                "pending_update_count": len(self.updates)}

    def get_chat(self, p, _number):
        return self.chat(p)

    def methods(self):
        return {
            "getme": lambda p, n: self.me,
            "getchat": self.get_chat,
            "sendmessage": self.send_message,
            "editmessagetext": self.edit_text,
            "deletemessage": self.delete,
            "sendphoto": self.send_media("photo"),
            "sendvoice": self.send_media("voice"),
            "senddocument": self.send_media("document"),
            "sendmediagroup": self.send_group,
            "sendchataction": self.chat_action,
            "answercallbackquery": self.answer_query,
            "getfile": self.get_file,
            "setwebhook": self.set_webhook,
            "deletewebhook": self.delete_webhook,
            "getwebhookinfo": self.webhook_info,
        }
