/* lb-llm - ask a model. */
#include <signal.h>

#include "llm.h"

static const struct lb_verb verbs[] = {
	{"chat", "[QUESTION...]", "Ask, with what standard input holds added",
	 chat_options, chat_main, 0, -1},
	{"embed", "[TEXT...]", "Turn texts, or lines, into vectors",
	 embed_options, embed_main, 0, -1},
	{"rerank", "QUERY", "Sort lines by how well they answer a query",
	 rerank_options, rerank_main, 1, 1},
	{"models", "[PROVIDER]",
	 "List the providers, or the models that one offers", models_options,
	 models_main, 0, 1},
	{"test", "[MODEL]", "Try what a model can do", test_options, test_main,
	 0, 1},
	{0},
};

static const struct lb_prog prog = {
	.name = "lb-llm",
	.operands = "[VERB] [OPTION...] [QUESTION...]",
	.about = "Ask a model, once or a stream of requests",
	.example = "dmesg | lb-llm chat 'what broke?'",
	.verbs = verbs,
	.usual = "chat",
	.reads = "request",
	.writes = "response error",
};

int main(int argc, char **argv)
{
	lb_start(&prog);
	signal(SIGPIPE, SIG_IGN);
	return lb_finish(lb_run_verb(argc, argv));
}
