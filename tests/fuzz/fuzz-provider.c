/*
 * fuzz-provider - any bytes as the lines of a tool provider that was asked for
 * two calls and two lists: each of them is told once, whatever was said, and
 * what is kept of a list is what a model can be offered.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "provider/names.h"
#include "provider/process.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CALLS = 4, MAX_LINES = 200 };

static void on_answer(void *arg, const struct lb_provider_answer *answer)
{
	int *times = arg;

	if (++*times > 1 || (!answer->content && !answer->message))
		abort();
}

static void look(const json_t *tools)
{
	const json_t *tool;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)tools, i, tool)
	{
		if (!lb_tool_name_is_clean(lb_json_str(tool, "name")) ||
		    !json_is_object(lb_json_path(tool, "spec.function."
						       "parameters")))
			abort();
	}
}

static void ask(struct lb_provider *p, int *times)
{
	json_auto_t *none = json_object();
	const struct lb_provider_request request = {"x", none, none, 1000000};

	lb_provider_start(p, &request, on_answer, &times[0]);
	lb_provider_start(p, &request, on_answer, &times[1]);
	lb_provider_list(p, "one", none, 1000000, on_answer, &times[2]);
	lb_provider_list(p, "one", none, 1000000, on_answer, &times[3]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *const none[] = {NULL};
	struct lb_loop *loop = lb_loop_open();
	struct lb_provider *p =
		lb_provider_open(loop, &(struct lb_provider_how){.name = "p",
								 .argv = none,
								 .env = none});
	const char *at = (const char *)data, *end = at + size;
	int times[CALLS] = {0};
	struct lb_error err;

	lb_log_level(LB_ERROR);
	p->state = READY;
	p->in = open("/dev/null", O_WRONLY | O_CLOEXEC);
	ask(p, times);
	for (int i = 0; at < end && i < MAX_LINES; i++) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((stop ? stop : end) - at);

		if (lb_client_line(p, at, len, &err) < 0)
			break;
		look(lb_provider_tools(p, "one"));
		at += len + (stop != NULL);
	}
	lb_client_lost(p, "the end");
	for (int i = 0; i < 20; i++)
		lb_loop_turn(loop, 0);
	for (int i = 0; i < CALLS; i++)
		if (times[i] != 1)
			abort();
	lb_provider_close(p, 0);
	lb_loop_close(loop);
	return 0;
}
