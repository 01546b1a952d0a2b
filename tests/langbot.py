#!/usr/bin/env python3
"""langbot.py DIR [AGE] - a data folder as LangBot makes one.

The tables are those of LangBot; AGE is `new` (with workspaces, providers of
their own) or `old` (without). tests/import.bats reads it.
"""
import json
import os
import sqlite3
import sys

TIMES = "created_at TEXT, updated_at TEXT"
WORKSPACE = "workspace_uuid TEXT, "
W = "0f0e0d0c-0000-4000-8000-000000000001"

TABLES = {
    "metadata": "key TEXT PRIMARY KEY, value TEXT",
    "bots": "uuid TEXT PRIMARY KEY, name TEXT, description TEXT,"
    " adapter TEXT, adapter_config JSON, enable BOOLEAN DEFAULT 0,"
    " use_pipeline_name TEXT, use_pipeline_uuid TEXT,"
    " pipeline_routing_rules JSON DEFAULT '[]', " + TIMES,
    "bot_admins": "id INTEGER PRIMARY KEY, bot_uuid TEXT,"
    " launcher_type TEXT, launcher_id TEXT, created_at TEXT",
    "legacy_pipelines": "uuid TEXT PRIMARY KEY, name TEXT, description TEXT,"
    " emoji TEXT, for_version TEXT, is_default BOOLEAN DEFAULT 0,"
    " stages JSON, config JSON, extensions_preferences JSON, " + TIMES,
    "model_providers": "uuid TEXT PRIMARY KEY, name TEXT, requester TEXT,"
    " base_url TEXT, api_keys JSON DEFAULT '[]', " + TIMES,
    "llm_models": "uuid TEXT PRIMARY KEY, name TEXT, provider_uuid TEXT,"
    " abilities JSON, context_length INTEGER, reasoning_config JSON,"
    " extra_args JSON DEFAULT '{}', prefered_ranking INTEGER, " + TIMES,
    "embedding_models": "uuid TEXT PRIMARY KEY, name TEXT,"
    " provider_uuid TEXT, extra_args JSON, prefered_ranking INTEGER, " + TIMES,
    "api_keys": "id INTEGER PRIMARY KEY, uuid TEXT, name TEXT, key_hash TEXT,"
    " scopes JSON, status TEXT, " + TIMES,
    "webhooks": "id INTEGER PRIMARY KEY, name TEXT, url TEXT,"
    " description TEXT, enabled BOOLEAN DEFAULT 1, " + TIMES,
    "mcp_servers": "uuid TEXT PRIMARY KEY, name TEXT, enable BOOLEAN,"
    " mode TEXT, extra_args JSON, readme TEXT, " + TIMES,
    "plugin_settings": "plugin_author TEXT, plugin_name TEXT,"
    " enabled BOOLEAN DEFAULT 1, priority INTEGER, config JSON,"
    " install_source TEXT, install_info JSON, " + TIMES,
    "knowledge_bases": "uuid TEXT PRIMARY KEY, name TEXT, description TEXT,"
    " knowledge_engine_plugin_id TEXT, collection_id TEXT, " + TIMES,
    "users": "id INTEGER PRIMARY KEY, user TEXT, password TEXT",
}
OLD_MODELS = (
    "uuid TEXT PRIMARY KEY, name TEXT, description TEXT, requester TEXT,"
    " requester_config JSON, api_keys JSON, abilities JSON, extra_args JSON, "
    + TIMES
)
GONE_WHEN_OLD = {"model_providers", "bot_admins", "webhooks"}


def pipeline(**over):
    """The config that LangBot gives a new pipeline, with changes."""
    config = {
        "trigger": {
            "group-respond-rules": {"at": True, "prefix": ["ai"],
                                    "regexp": [], "random": 0.0},
            "access-control": {"mode": "blacklist", "blacklist": [],
                               "whitelist": []},
            "ignore-rules": {"prefix": [], "regexp": []},
            "message-aggregation": {"enabled": False, "delay": 1.5},
            "misc": {"combine-quote-message": True},
        },
        "safety": {
            "content-filter": {"scope": "all",
                               "check-sensitive-words": True},
            "rate-limit": {"window-length": 60, "limitation": 60,
                           "strategy": "drop"},
        },
        "ai": {
            "runner": {"runner": "local-agent", "expire-time": 0},
            "local-agent": {
                "model": {"primary": "", "fallbacks": []},
                "max-round": 10,
                "prompt": [{"role": "system", "content": "Be brief."}],
                "knowledge-bases": [],
                "box-session-id-template": "{launcher_type}_{launcher_id}",
                "rerank-model": "",
                "rerank-top-k": 5,
            },
            "dify-service-api": {"base-url": "https://api.dify.ai/v1",
                                 "api-key": "dify-secret"},
        },
        "output": {
            "long-text-processing": {"threshold": 1000, "strategy": "none",
                                     "font-path": ""},
            "force-delay": {"min": 0, "max": 0},
            "misc": {"exception-handling": "show-hint",
                     "failure-hint": "Request failed.", "at-sender": True,
                     "quote-origin": True, "track-function-calls": False,
                     "remove-think": False},
        },
    }
    for path, value in over.items():
        at = config
        *way, last = path.split("__")
        for name in way:
            at = at.setdefault(name.replace("_", "-"), {})
        at[last.replace("_", "-")] = value
    return config


class Data:
    """The folder and its database; rows are put in as mappings."""

    def __init__(self, folder, age="new"):
        self.folder = folder
        self.age = age
        os.makedirs(folder, exist_ok=True)
        self.db = sqlite3.connect(os.path.join(folder, "langbot.db"))
        for table, columns in TABLES.items():
            if age == "old" and table in GONE_WHEN_OLD:
                continue
            if age == "old" and table == "llm_models":
                columns = OLD_MODELS
            if age == "old" and table == "bots":
                columns = columns.replace(
                    " pipeline_routing_rules JSON DEFAULT '[]',", "")
            if age == "new" and table not in ("metadata", "users"):
                columns = WORKSPACE + columns
            self.db.execute(f"CREATE TABLE {table} ({columns})")

    def put(self, table, **row):
        if self.age == "new":
            row["workspace_uuid"] = W
        names = ", ".join(f'"{n}"' for n in row)
        marks = ", ".join("?" for _ in row)
        values = [json.dumps(v) if isinstance(v, (list, dict)) else v
                  for v in row.values()]
        self.db.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})",
                        values)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def close(self):
        self.db.commit()
        self.db.close()


def models_new(data):
    data.put("model_providers", uuid="prov-1", name="OpenAI",
             requester="openai-chat-completions",
             base_url="https://api.openai.com/v1", api_keys=["sk-one", "sk-two"])
    data.put("model_providers", uuid="prov-2", name="Local/Llama",
             requester="ollama-chat", base_url="http://127.0.0.1:11435",
             api_keys=[])
    data.put("model_providers", uuid="prov-3", name="Claude",
             requester="no-such-requester", base_url="", api_keys=["sk-ant"])
    data.put("llm_models", uuid="model-1", name="gpt-4o-mini",
             provider_uuid="prov-1", abilities=["vision"], extra_args={})
    data.put("llm_models", uuid="model-2", name="llama3",
             provider_uuid="prov-2", abilities=[], extra_args={"seed": 7})
    data.put("llm_models", uuid="model-3", name="claude-x",
             provider_uuid="prov-3", abilities=[], extra_args={})


def models_old(data):
    for n, name in ((1, "gpt-4o-mini"), (2, "gpt-4o")):
        data.put("llm_models", uuid=f"model-{n}", name=name, description="",
                 requester="openai-chat-completions",
                 requester_config={"base_url": "https://api.openai.com/v1",
                                   "timeout": 120},
                 api_keys=["sk-one"], abilities=[], extra_args={})


def pipelines(data):
    data.put("legacy_pipelines", uuid="pipe-1", name="Sales", is_default=1,
             config=pipeline(
                 ai__local_agent__model={
                     "primary": "model-1",
                     "fallbacks": ["model-2", "model-3"],
                     "reasoning": {"model-2": "low", "gone": "high"}},
                 ai__local_agent__prompt=[
                     {"role": "system", "content": "Sell: \"much\".\nSmile \u2603"}],
                 trigger__access_control__mode="blacklist",
                 trigger__access_control__blacklist=["group_7", 1234]),
             extensions_preferences={"enable_all_plugins": True,
                                     "enable_all_skills": False,
                                     "skills": ["hello"],
                                     "mcp_servers": ["mcp-1"]})
    data.put("legacy_pipelines", uuid="pipe-2", name="Dify",
             config=pipeline(ai__runner__runner="dify-service-api"),
             extensions_preferences={})
    data.put("legacy_pipelines", uuid="pipe-3", name="Tools",
             config=pipeline(ai__local_agent__tools=["exec", "read"],
                             ai__local_agent__enable_all_tools=False,
                             ai__local_agent__model="model-2"),
             extensions_preferences={})


def bots(data):
    rules = [
        {"type": "launcher_type", "operator": "eq", "value": "group",
         "pipeline_uuid": "pipe-3"},
        {"type": "message_content", "operator": "regex", "value": "(((",
         "pipeline_uuid": "pipe-3"},
        {"type": "launcher_id", "value": 42, "pipeline_uuid": "pipe-2"},
        {"type": "message_content", "operator": "starts_with", "value": "/x",
         "pipeline_uuid": "__discard__"},
    ]
    more = {} if data.age == "old" else {"pipeline_routing_rules": rules}
    data.put("bots", uuid="bot-1", name="Shop", adapter="telegram",
             adapter_config={"token": "123:TELEGRAM-TOKEN",
                             "enable-stream-reply": True},
             enable=1, use_pipeline_uuid="pipe-1", **more)
    data.put("bots", uuid="bot-2", name="Discord", adapter="discord",
             adapter_config={"token": "DISCORD-TOKEN"}, enable=1,
             use_pipeline_uuid="pipe-1")
    data.put("bots", uuid="bot-3", name="Asleep", adapter="telegram",
             adapter_config={"token": "9:OFF"}, enable=0,
             use_pipeline_uuid="pipe-1")
    data.put("bots", uuid="bot-4", name="Shop", adapter="telegram",
             adapter_config={"token": "5:NO-PIPELINE"}, enable=1,
             use_pipeline_uuid="deleted")
    if data.age == "old":
        return
    data.put("bot_admins", bot_uuid="bot-1", launcher_type="person",
             launcher_id="55")
    data.put("bot_admins", bot_uuid="bot-1", launcher_type="group",
             launcher_id="7788")
    data.put("bot_admins", bot_uuid="bot-2", launcher_type="person",
             launcher_id="66")


def rest(data):
    data.put("mcp_servers", uuid="mcp-1", name="files", enable=1,
             mode="stdio", extra_args={"command": "npx", "args": ["-y"]})
    data.put("plugin_settings", plugin_author="ann", plugin_name="weather",
             config={"key": "plugin-secret"})
    data.put("knowledge_bases", uuid="kb-1", name="handbook")
    data.put("embedding_models", uuid="emb-1", name="embed-3",
             provider_uuid="prov-1")
    data.put("api_keys", uuid="key-1", name="ci", key_hash="00")
    if data.age == "new":
        data.put("webhooks", name="crm", url="https://crm.example.com/h",
                 enabled=1)
        data.put("webhooks", name="off", url="https://off.example.com/h",
                 enabled=0)
    data.write("skills/hello/SKILL.md", "---\nname: hello\n---\n")
    data.write("box/skills/tenants/ws-1/deep/SKILL.md", "---\nname: deep\n---\n")
    data.write("config.yaml", """\
api: {port: 5300, global_api_key: GLOBAL-KEY}
command: {enable: true, prefix: ['!', '！']}
concurrency: {pipeline: 33, session: 1}
database: {use: sqlite, sqlite: {path: data/langbot.db}}
proxy: {http: '', https: ''}
system: {jwt: {secret: JWT-SECRET}}
webhooks: {max_inflight_requests: 8, max_per_workspace: 16}
""")
    data.write("metadata/sensitive-words.json", json.dumps(
        {"mask": "#", "mask_word": "", "words": ["badword", "b[a4]d", "((("]}))


def main():
    data = Data(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "new")
    (models_new if data.age == "new" else models_old)(data)
    pipelines(data)
    bots(data)
    rest(data)
    data.close()


if __name__ == "__main__":
    main()
