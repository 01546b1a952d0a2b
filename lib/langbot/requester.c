#include "langbot/requester.h"

#include <stddef.h>
#include <string.h>

#define CHAT "openai-chat"

/* clang-format off */
static const struct lb_requester table[] = {
	{"openai-chat-completions", "openai", "https://api.openai.com/v1",
	 CHAT},
	{"anthropic-messages", NULL, "https://api.anthropic.com",
	 "anthropic-messages"},
	{"gemini-chat-completions", "gemini",
	 "https://generativelanguage.googleapis.com/v1beta/openai", CHAT},
	{"ollama-chat", "ollama", "http://127.0.0.1:11434", CHAT},
	{"deepseek-chat-completions", "deepseek", "https://api.deepseek.com",
	 CHAT},
	{"groq-chat-completions", "groq", "https://api.groq.com/openai/v1",
	 CHAT},
	{"mistral-chat-completions", "mistral", "https://api.mistral.ai/v1",
	 CHAT},
	{"together-chat-completions", "together",
	 "https://api.together.xyz/v1", CHAT},
	{"xai-chat-completions", "xai", "https://api.x.ai/v1", CHAT},
	{"moonshot-chat-completions", "moonshot",
	 "https://api.moonshot.ai/v1", CHAT},
	{"moonshot-cn-chat-completions", NULL, "https://api.moonshot.cn/v1",
	 CHAT},
	{"bailian-chat-completions", NULL,
	 "https://dashscope.aliyuncs.com/compatible-mode/v1", CHAT},
	{"doubao-chat-completions", NULL,
	 "https://ark.cn-beijing.volces.com/api/v3", CHAT},
	{"volcark-chat-completions", NULL,
	 "https://ark.cn-beijing.volces.com/api/v3", CHAT},
	{"iflytek-chat-completions", NULL,
	 "https://spark-api-open.xf-yun.com/v1", CHAT},
	{"mimo-chat-completions", NULL, "https://api.xiaomimimo.com/v1", CHAT},
	{"minimax-chat-completions", NULL, "https://api.minimax.chat/v1", CHAT},
	{"tencent-chat-completions", NULL,
	 "https://hunyuan.tencentcloudapi.com/v1", CHAT},
	{"yi-chat-completions", NULL, "https://api.lingyiwanwu.com/v1", CHAT},
	{"zhipuai-chat-completions", "zhipuai",
	 "https://open.bigmodel.cn/api/paas/v4", CHAT},
	{"302-ai-chat-completions", NULL, "https://api.302.ai/v1", CHAT},
	{"compshare-chat-completions", NULL, "https://api.modelverse.cn/v1",
	 CHAT},
	{"gitee-ai-chat-completions", NULL, "https://ai.gitee.com/v1", CHAT},
	{"jiekouai-chat-completions", NULL, "https://api.jiekou.ai/openai",
	 CHAT},
	{"modelscope-chat-completions", NULL,
	 "https://api-inference.modelscope.cn/v1", CHAT},
	{"new-api-chat-completions", NULL, "http://localhost:3000/v1", CHAT},
	{"openrouter-chat-completions", "openrouter",
	 "https://openrouter.ai/api/v1", CHAT},
	{"ppio-chat-completions", NULL, "https://api.ppinfra.com/v3/openai",
	 CHAT},
	{"qhaigc-chat-completions", NULL, "https://api.qhaigc.net/v1", CHAT},
	{"qiniu-chat-completions", NULL, "https://api.qnaigc.com/v1", CHAT},
	{"shengsuanyun-chat-completions", NULL,
	 "https://router.shengsuanyun.com/api/v1", CHAT},
	{"siliconflow-chat-completions", "siliconflow",
	 "https://api.siliconflow.cn/v1", CHAT},
	{"space-chat-completions", NULL, "https://api.langbot.cloud/v1", CHAT},
	{"tokenlab-chat-completions", NULL, "https://api.tokenlab.sh/v1", CHAT},
	{"tokenpony-chat-completions", NULL, "https://api.tokenpony.cn/v1",
	 CHAT},
	{"lmstudio-chat-completions", "lmstudio", "http://127.0.0.1:1234/v1",
	 CHAT},
	{"litellm-chat", NULL, "", CHAT},
	/* its usual address is not that of an API we speak */
	{"baidu-chat-completions", NULL, "", CHAT},
	{"cohere-rerank", NULL, "", NULL},
	{"jina-rerank", NULL, "", NULL},
	{"voyageai-rerank", NULL, "", NULL},
	{"chroma-embedding", NULL, "", NULL},
	{"seekdb-embedding", NULL, "", NULL},
	{NULL, NULL, NULL, NULL},
};
/* clang-format on */

const struct lb_requester *lb_requester_find(const char *name)
{
	for (const struct lb_requester *r = table; r->name; r++)
		if (strcmp(r->name, name) == 0)
			return r;
	return NULL;
}
