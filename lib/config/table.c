/* table.c - the table of keys itself; see config/keys.h. */
#include "config/keys.h"

#define PROMPT                                                                 \
	"[{\"role\":\"system\",\"content\":\"You are a helpful assistant "     \
	"answering in a chat. Be concise, and reply in the language of the "   \
	"person who asks.\"}]"

/* clang-format off */
#define ADAPTERS "discord lark dingtalk slack aiocqhttp qqofficial " \
	"LINE line wecom wecombot wecomcs officialaccount kook satori " \
	"wechatpad openclaw-weixin web_page websocket http_bot matrix email " \
	"irc onebot web qq mail http"
#define RUNNERS "dify-service-api n8n-service-api coze-api tbox-app-api " \
	"dashscope-app-api langflow-api weknora-api deerflow-api"

const struct lb_key lb_keys[] = {
{"bots.*.adapter", LB_KEY_ENUM, "\"stdout\"",
 .values = "stdout jsonl null telegram text", .foreign = ADAPTERS,
 .doc = "the platform of the bot"},
{"bots.*.pipeline", LB_KEY_STRING, "\"default\"",
 .doc = "the pipeline that answers its messages"},
{"bots.*.stream", LB_KEY_BOOL, "false",
 .doc = "show answers as they come; bot \"-\" does unless told not to"},
{"bots.*.token", LB_KEY_SECRET, NULL,
 .doc = "telegram: what the platform knows the bot by"},
{"bots.*.base-url", LB_KEY_STRING, NULL,
 .doc = "telegram: another Bot API server than https://api.telegram.org"},
{"bots.*.poll-timeout", LB_KEY_DURATION, "\"50s\"",
 .doc = "telegram: how long the platform may keep a request for news, 1s "
	"to 50s"},
{"bots.*.album-wait", LB_KEY_DURATION, "\"1s\"",
 .doc = "telegram: how long more pictures of an album are waited for, at most "
	"10s; none makes each a message"},
{"bots.*.other-bots", LB_KEY_BOOL, "false",
 .doc = "telegram: messages of other bots are messages, too"},
{"bots.*.drop-pending", LB_KEY_BOOL, "false",
 .doc = "telegram: leave out what came before the bot first started here"},
{"bots.*.trust-sender", LB_KEY_BOOL, "false",
 .doc = "believe the sender ids of an adapter that does not vouch for them: "
	"only then has it admins"},
{"bots.*.self", LB_KEY_STRING, NULL,
 .doc = "the id of the bot on its platform, by which an At of it is known "
	"where the adapter does not say"},
{"bots.*.pipeline-routing-rules", LB_KEY_TABLE, "[]",
 .doc = "which pipeline answers what: {type, operator, value, pipeline}; the "
	"first that matches wins, __discard__ drops the message; with "
	"respond: rules a group is asked for what its pipeline's "
	"group-respond-rules want"},
{"bots.*.limits", LB_KEY_OBJECT, NULL,
 .doc = "what the platform takes, where it differs from what is known"},

{"pipelines.*.trigger.group-respond-rules.at", LB_KEY_BOOL, "true",
 .doc = "in a group: answer who mentions the bot"},
{"pipelines.*.trigger.group-respond-rules.prefix", LB_KEY_LIST, "[]",
 .doc = "and what begins with one of these, which is cut off; one that ends "
	"in a letter or digit must be a whole word"},
{"pipelines.*.trigger.group-respond-rules.regexp", LB_KEY_LIST, "[]",
 .doc = "and what one of these patterns matches from its start on"},
{"pipelines.*.trigger.group-respond-rules.random", LB_KEY_NUMBER, "0", 0, 1,
 .doc = "and this share of all else"},
{"pipelines.*.trigger.access-control.mode", LB_KEY_ENUM, "\"blacklist\"",
 .values = "blacklist whitelist",
 .doc = "answer all but the blacklist, or only the whitelist; who is on the "
	"blacklist is refused either way"},
{"pipelines.*.trigger.access-control.blacklist", LB_KEY_LIST, "[]",
 .doc = "ID or *_ID for who speaks, anywhere, or for a chat; person_ID for "
	"that private chat alone, group_ID for a group; with BOT/ in front for "
	"one bot; * in an ID stands for anything"},
{"pipelines.*.trigger.access-control.whitelist", LB_KEY_LIST, "[]",
 .doc = "the same; in that mode an empty one refuses everybody"},
{"pipelines.*.trigger.ignore-rules.prefix", LB_KEY_LIST, "[]",
 .doc = "leave alone what begins with one of these"},
{"pipelines.*.trigger.ignore-rules.regexp", LB_KEY_LIST, "[]",
 .doc = "leave alone what one of these patterns is found in"},
{"pipelines.*.trigger.message-aggregation.enabled", LB_KEY_BOOL, "false",
 .doc = "make one message of what a person sends in a burst"},
{"pipelines.*.trigger.message-aggregation.delay", LB_KEY_NUMBER, "1.5", 1, 10,
 .doc = "seconds that more is waited for"},
{"pipelines.*.trigger.message-aggregation.by", LB_KEY_ENUM, "\"sender\"",
 .values = "sender session",
 .doc = "whose messages become one: of one sender, or all of a chat"},
{"pipelines.*.trigger.misc.combine-quote-message", LB_KEY_BOOL, "true",
 .doc = "show the model what a message quotes"},

{"pipelines.*.safety.rate-limit.window-length", LB_KEY_INT, "60", 1, 31536000,
 .doc = "seconds in which a session may send so many messages"},
{"pipelines.*.safety.rate-limit.limitation", LB_KEY_INT, "60", 0, 1000000000,
 .doc = "so many"},
{"pipelines.*.safety.rate-limit.strategy", LB_KEY_ENUM, "\"drop\"",
 .values = "drop wait",
 .doc = "what becomes of more: drop, with one notice a window, or wait for "
	"the next, at most 5 minutes"},
{"pipelines.*.safety.rate-limit.algorithm", LB_KEY_ENUM, "\"fixed\"",
 .values = "fixed sliding",
 .doc = "windows that begin on the clock, or any stretch of that length"},
{"pipelines.*.safety.rate-limit.windows", LB_KEY_TABLE, "[]",
 .doc = "more limits: {per: session, sender, sender-in-group or pipeline, "
	"window: 1h, limit: 100, count: messages, tokens or cost, algorithm, "
	"strategy}"},
{"pipelines.*.safety.rate-limit.exempt-admins", LB_KEY_BOOL, "true",
 .doc = "admins are not limited"},

{"pipelines.*.safety.content-filter.check-sensitive-words", LB_KEY_BOOL,
 "true", .doc = "look for the words below at all"},
{"pipelines.*.safety.content-filter.scope", LB_KEY_ENUM, "\"all\"",
 .values = "all income-msg output-msg",
 .doc = "where: a message that has one is answered with a notice, in an answer "
	"they are hidden"},
{"pipelines.*.safety.content-filter.words", LB_KEY_LIST, "[]",
 .doc = "words, found anywhere, and patterns: entries with one of "
	"\\^$.|?*+()[]{} in them, at most 64"},
{"pipelines.*.safety.content-filter.words-file", LB_KEY_STRING, "\"\"",
 .doc = "more of them: a line each, or LangBot's sensitive-words.json"},
{"pipelines.*.safety.content-filter.mask", LB_KEY_STRING, NULL,
 .doc = "what hides a character: the file's mask, else *"},
{"pipelines.*.safety.content-filter.mask-word", LB_KEY_STRING, NULL,
 .doc = "what hides a whole word instead: the file's, else nothing does"},

{"pipelines.*.ai.runner.runner", LB_KEY_ENUM, "\"local-agent\"",
 .values = "local-agent", .foreign = RUNNERS, .doc = "who makes the answers"},
{"pipelines.*.ai.runner.expire-time", LB_KEY_INT, "0", 0, 315360000,
 .doc = "seconds without a word after which the next one begins a new "
	"conversation; 0 is never"},
{"pipelines.*.ai.runner.conversation", LB_KEY_ENUM, "\"topic\"",
 .values = "topic group member",
 .doc = "who shares a conversation in a group: those of a topic, the whole "
	"group, or each member has one alone"},
{"pipelines.*.ai.local-agent.model", LB_KEY_MODEL,
 "{\"primary\":\"\"}",
 .doc = "the model, as provider/model, where empty is llm.model; or {primary, "
	"fallbacks, reasoning}: models that are asked in turn when it cannot "
	"answer, and how much which model thinks"},
{"pipelines.*.ai.local-agent.max-round", LB_KEY_INT, "10", 0, 1000,
 .doc = "earlier rounds of the conversation that the model is shown"},
{"pipelines.*.ai.local-agent.max-history-tokens", LB_KEY_INT, "32000", 0,
 10000000,
 .doc = "about how many tokens of them at most; 0 is no limit"},
{"pipelines.*.ai.local-agent.prompt", LB_KEY_MESSAGES, PROMPT,
 .doc = "what every conversation begins with"},
{"pipelines.*.ai.local-agent.date-line", LB_KEY_BOOL, "true",
 .doc = "tell the model today's date, once, behind the first system message"},
{"pipelines.*.ai.local-agent.speakers", LB_KEY_BOOL, "true",
 .doc = "tell the model who speaks, in groups: [Ann] in front of what she says"},
{"pipelines.*.ai.local-agent.enable-all-tools", LB_KEY_BOOL, "false",
 .doc = "the model may use every tool there is; without this and without "
	"tools it gets none"},
{"pipelines.*.ai.local-agent.tools", LB_KEY_LIST, "[]",
 .doc = "tools that the model may use, each as it is offered "
	"(PROVIDER__NAME) or by its name alone"},
{"pipelines.*.ai.local-agent.mcp-resources", LB_KEY_TABLE, NULL,
 .doc = "the same as extensions_preferences.mcp_resources, and instead of it"},
{"pipelines.*.ai.local-agent.repeat-limit", LB_KEY_INT, "3", 0, 1000,
 .doc = "how often a model may make the same call with the same result: then "
	"it is told so, and stopped at the next; 0 is no limit"},
{"pipelines.*.ai.local-agent.box-session-id-template", LB_KEY_STRING,
 "\"{session}\"",
 .doc = "who shares a sandbox: a text with {session}, {bot}, {pipeline}, "
	"{launcher_type}, {launcher_id}, {sender_id}, {conversation_id}, "
	"{query_id} or {global} in it; all but {global} alone are of one bot"},
{"pipelines.*.ai.local-agent.limits.rounds", LB_KEY_INT, "128", 1, 10000,
 .doc = "requests to the model for one answer"},
{"pipelines.*.ai.local-agent.limits.calls", LB_KEY_INT, "512", 1, 100000,
 .doc = "calls of tools for one answer"},
{"pipelines.*.ai.local-agent.limits.tokens", LB_KEY_INT, "0", 0, 1000000000,
 .doc = "tokens read and written for one answer; 0 is no limit"},
{"pipelines.*.ai.local-agent.limits.cost", LB_KEY_NUMBER, "0", 0, 1000000,
 .doc = "what one answer may cost by llm.prices; 0 is no limit, and there "
	"is none for a model whose price is not known"},
{"pipelines.*.ai.local-agent.limits.time", LB_KEY_DURATION, "\"10m\"",
 .doc = "how long one answer may take"},
{"pipelines.*.tools.providers", LB_KEY_LIST, "[]",
 .doc = "whose tools there are here, by the names of tools.providers; empty "
	"is all of them"},
{"pipelines.*.tools.allow", LB_KEY_LIST, "[]",
 .doc = "the only tools there are here; * in a name stands for anything, and "
	"an empty list allows all"},
{"pipelines.*.tools.deny", LB_KEY_LIST, "[]",
 .doc = "tools there are not here, whatever else says that there are"},
{"pipelines.*.sandbox-mode", LB_KEY_ENUM, "\"all\"",
 .values = "all non_default off host",
 .doc = "where commands of a model run: all of them in a sandbox, those of bot "
	"\"-\" on this machine (non_default), none at all (off), or all on "
	"this machine (host); on this machine only with box.allow_host"},
{"pipelines.*.elevated", LB_KEY_ENUM, "\"never\"",
 .values = "never ask allow",
 .doc = "may a model have a command run with elevated-profile: no, when "
	"somebody approves of it, or yes"},
{"pipelines.*.elevated-profile", LB_KEY_STRING, "\"network_extended\"",
 .doc = "the profile of such a command; it runs in the sandbox all the same"},
{"pipelines.*.sandbox.open-to", LB_KEY_ENUM, "\"admins\"",
 .values = "admins listed everyone",
 .doc = "for whom a model may use exec, write, edit and register_skill, where "
	"it may use them at all"},
{"pipelines.*.sandbox.listed", LB_KEY_LIST, "[]",
 .doc = "who is listed, each as BOT:person_ID"},
#include "config/table-extensions.h"
{"pipelines.*.output.long-text-processing.strategy", LB_KEY_ENUM, "\"none\"",
 .values = "none split forward image file",
 .doc = "what becomes of an answer longer than the threshold: parts, a "
	"forwarded message, a picture, a file"},
{"pipelines.*.output.long-text-processing.threshold", LB_KEY_INT, "1000",
 1, 1000000, .doc = "characters from which an answer counts as long"},
{"pipelines.*.output.long-text-processing.renderer", LB_KEY_STRING, "\"\"",
 .doc = "what makes the picture, as cmd:COMMAND: text at its input, PNG at its "
	"output"},
{"pipelines.*.output.force-delay.min", LB_KEY_NUMBER, "0", 0, 300,
 .doc = "seconds that an answer waits at least before it is sent"},
{"pipelines.*.output.force-delay.max", LB_KEY_NUMBER, "0", 0, 300,
 .doc = "and at most; how long is a matter of chance"},
{"pipelines.*.output.misc.at-sender", LB_KEY_BOOL, "true",
 .doc = "in a group, begin an answer with the name of who asked"},
{"pipelines.*.output.misc.quote-origin", LB_KEY_BOOL, "true",
 .doc = "answer as a reply to the message, where the platform has that"},
{"pipelines.*.output.misc.remove-think", LB_KEY_BOOL, "false",
 .doc = "take what a model thinks (<think>) out of its answers"},
{"pipelines.*.output.misc.track-function-calls", LB_KEY_BOOL, "false",
 .doc = "say in the answer which tools were called"},
{"pipelines.*.output.misc.exception-handling", LB_KEY_ENUM, "\"show-hint\"",
 .values = "show-error show-hint hide",
 .doc = "what the user sees of a failure: the error, the hint or nothing"},
{"pipelines.*.output.misc.failure-hint", LB_KEY_STRING, "\"\"",
 .doc = "the hint; empty is the notice `failed`"},

#include "config/table-providers.h"

{"llm.model", LB_KEY_STRING, "\"\"",
 .doc = "the model of pipelines that name none, as provider/model; "
	"LB_MODEL overrides it"},
{"llm.fallbacks", LB_KEY_LIST, "[]",
 .doc = "models that are asked in turn when llm.model cannot answer"},
{"llm.retry.tries", LB_KEY_INT, "3", 1, 20,
 .doc = "how often the last of the models is asked"},
{"llm.retry.backoff", LB_KEY_DURATION, "\"1s\"",
 .doc = "pause before it is asked again; the next is twice as long; none: at "
	"once"},
{"llm.retry.budget", LB_KEY_DURATION, "\"60s\"",
 .doc = "longest time that asking again may begin after"},
{"llm.retry.cool-down", LB_KEY_DURATION, "\"60s\"",
 .doc = "how long a model or key that failed is not asked while another is "
	"there, where its provider does not say; none: it is always asked"},
{"llm.embedding-model", LB_KEY_STRING, "\"\"",
 .doc = "the model of embeddings where none is named, as provider/model"},
{"llm.rerank-model", LB_KEY_STRING, "\"\"",
 .doc = "the model of rerank where none is named, as provider/model"},
{"llm.connect-timeout", LB_KEY_DURATION, "\"10s\"",
 .doc = "longest wait for a connection to a provider"},
{"llm.first-byte-timeout", LB_KEY_DURATION, "\"120s\"",
 .doc = "longest wait for the first byte of an answer"},
{"llm.idle-timeout", LB_KEY_DURATION, "\"60s\"",
 .doc = "longest silence within an answer"},
{"llm.prices", LB_KEY_TABLE, "[]",
 .doc = "what models cost: {model, input, output, cached}, each a million "
	"tokens; * in a model stands for anything; else prices.yaml says"},

#include "config/table-mcp.h"

{"net.fetch-allow", LB_KEY_LIST, "[]",
 .doc = "networks that are not public, such as 10.1.0.0/16, and may be fetched "
	"from all the same"},
{"net.fetch-proxy", LB_KEY_STRING, "\"\"",
 .doc = "the proxy for what users, models and skills name; none of the "
	"environment is asked"},

{"skills.github", LB_KEY_STRING, "\"https://github.com\"",
 .doc = "where owner/repo is"},
{"skills.hosts", LB_KEY_LIST, "[]",
 .doc = "more hosts that a download of skills may be redirected to, .example.org "
	"for all below it; they may be asked by http, too"},
{"skills.index-size", LB_KEY_SIZE, "\"8k\"",
 .doc = "how much a model is told of skills at most before it activates one, "
	"512 to 64k; what they are for is cut to fit, and then left out"},
{"skills.paths", LB_KEY_LIST, "[]",
 .doc = "more folders of skills, which are only read; a project with "
	".claude/skills or .agents/skills is one, too; a relative one is beside "
	"the configuration"},
{"skills.python-index", LB_KEY_STRING, "\"\"",
 .doc = "the index that Python packages of skills come from; empty is pip's own"},
{"skills.python-network", LB_KEY_NETWORK, "\"off\"",
 .doc = "what is reached while the Python packages of a skill are installed, as in "
	"box.profiles.*.network: [pypi.org, files.pythonhosted.org] is what pip "
	"needs; with off, a skill has those of this machine and of its own wheels"},
{"skills.python-timeout", LB_KEY_DURATION, "\"10m\"",
 .doc = "and how long that may take"},

{"space.url", LB_KEY_STRING, "\"https://space.langbot.app\"",
 .doc = "LangBot's marketplace, where market:author/name is; empty is none"},

{"tools.providers.*.command", LB_KEY_LIST, NULL,
 .doc = "a program that offers tools, lb-provider(7), and its arguments"},
{"tools.providers.*.env", LB_KEY_LIST, "[]",
 .doc = "variables of the environment that it gets beside the usual ones"},
{"tools.providers.*.bare-names", LB_KEY_BOOL, "false",
 .doc = "its tools are offered as NAME, not as PROVIDER__NAME; those of the "
	"providers native, skill and mcp always are"},
{"tools.call-timeout", LB_KEY_DURATION, "\"120s\"",
 .doc = "how long a call of a tool may take"},
{"tools.list-timeout", LB_KEY_DURATION, "\"10s\"",
 .doc = "how long a provider may take to say what it offers"},
{"tools.max-result", LB_KEY_SIZE, "\"16k\"",
 .doc = "what a model is shown of a result, 1k and more; of a longer one its "
	"beginning and end, and it may read the rest"},

{"webhooks.*.url", LB_KEY_STRING, NULL,
 .doc = "lb-push: where each message is posted; env:NAME, file:PATH or "
	"cmd:COMMAND where it is a secret itself"},
{"webhooks.*.enabled", LB_KEY_BOOL, "true", .doc = "is it told at all"},
{"webhooks.*.secret", LB_KEY_SECRET, NULL,
 .doc = "what posts are signed with; a text that begins with whsec_ is "
	"base64 behind that"},
{"webhooks.*.bots", LB_KEY_LIST, "[]",
 .doc = "whose messages it is told of; empty is all of them"},
{"webhooks.*.events", LB_KEY_LIST,
 "[\"bot.person_message\",\"bot.group_message\"]",
 .doc = "what it is told of"},
{"webhooks.*.wait", LB_KEY_BOOL, "false",
 .doc = "hold each message until it answered or its timeout is over: "
	"{\"skip_pipeline\": true} drops the message"},
{"webhooks.*.timeout", LB_KEY_DURATION, "\"15s\"",
 .doc = "how long a post may take, at most 10m"},
{"webhooks.*.tries", LB_KEY_INT, "5", 1, 20,
 .doc = "how often a message is posted before that counts as failed"},
{"webhooks.*.backoff", LB_KEY_DURATION, "\"1s\"",
 .doc = "the pause before the second try; each is four times the one before, "
	"at most 5m"},
{"webhooks.max_per_workspace", LB_KEY_INT, "16", 1, 64,
 .doc = "webhooks that may be enabled"},
{"webhooks.max_inflight_requests", LB_KEY_INT, "16", 1, 128,
 .doc = "posts at once, shared evenly by the webhooks"},
{"webhooks.when-full", LB_KEY_ENUM, "\"give-up\"", .values = "give-up wait",
 .doc = "what becomes of a message when 1000 wait for a webhook: not "
	"delivered to it, or the flow waits"},

#include "config/table-box.h"
#include "config/table-quota.h"

{"concurrency.pipeline", LB_KEY_INT, "20", 1, 10000,
 .doc = "conversations that lb-agent holds at once"},

{"command.enable", LB_KEY_BOOL, "true",
 .doc = "some messages are commands, as !help is"},
{"command.prefix", LB_KEY_LIST, "[\"!\", \"\uff01\"]", .blank = true,
 .doc = "what a command begins with"},
{"command.privilege.*", LB_KEY_PRIVILEGE, NULL,
 .doc = "who may use this command"},
{"command.hooks.*", LB_KEY_STRING, NULL,
 .doc = "a command of that name runs a program, as cmd:PROGRAM ARGUMENT ...; "
	"the words behind it are more arguments, and what it prints is the "
	"answer"},
{"command.hook-timeout", LB_KEY_DURATION, "\"5s\"",
 .doc = "how long such a program may take, 1s to 60s; the messages behind "
	"wait for it"},
{"admins", LB_KEY_LIST, "[]",
 .doc = "who may give orders, each as BOT:person_ID"},
{"system.language", LB_KEY_STRING, "\"en_US\"",
 .doc = "of what people in a chat read: the name of a file of share/lb/lang, "
	"of one in lang beside the main file, or of notices"},
{"system.timezone", LB_KEY_STRING, "\"\"",
 .doc = "of the dates they read, as Europe/Paris; empty is the machine's"},
{"system.limitation.force_box_session_id_template", LB_KEY_STRING, "\"\"",
 .doc = "a box-session-id-template that holds for all pipelines, whatever they "
	"say"},
{"notices.*.*", LB_KEY_STRING, NULL,
 .doc = "a text that people read, in other words: notices.LANGUAGE.KEY, as in "
	"share/lb/lang/en_US.yaml"},

{"retention.done", LB_KEY_DURATION, "\"7d\"",
 .doc = "how long a queue remembers what ended, and knows it again"},
{"retention.dead", LB_KEY_DURATION, "\"none\"",
 .doc = "how long it keeps dead letters; none is for ever"},
{"retention.ledger", LB_KEY_DURATION, "\"7d\"",
 .doc = "how long lb-send remembers what it delivered"},
{"retention.answers", LB_KEY_DURATION, "\"7d\"",
 .doc = "how long an answer is kept to be given again"},
{"retention.media", LB_KEY_DURATION, "\"7d\"",
 .doc = "how long files are kept that came with messages and went with "
	"answers, and what came into sandboxes"},
{"retention.media-size", LB_KEY_SIZE, "\"2G\"",
 .doc = "how much of them is kept: the oldest go first"},
{"retention.audit", LB_KEY_DURATION, "\"30d\"",
 .doc = "how long it is known what was done with tools, and who allowed it"},
{"retention.conversations", LB_KEY_DURATION, "\"none\"",
 .doc = "how long a conversation is kept that nobody goes on with"},
{0},
};
/* clang-format on */
