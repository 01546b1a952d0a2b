#include "tool/child.h"

#include <errno.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "fs/confine.h"
#include "tool/args.h"

enum {
	CPU_SECONDS = 20,
	FILES = 256,
};

static const int64_t memory = 512 * 1024 * 1024;
static const int64_t file_size = 1024 * 1024 * 1024;

static void __attribute__((noreturn)) say(json_t *result)
{
	lb_autobuf struct lb_buf text = {0};
	size_t at = 0;

	lb_buf_json(&text, result);
	json_decref(result);
	while (at < text.len) {
		ssize_t n = write(STDOUT_FILENO, text.data + at, text.len - at);

		if (n < 0 && errno != EINTR)
			_exit(LB_IO);
		at += n > 0 ? (size_t)n : 0;
	}
	_exit(LB_OK);
}

static int confine(const struct lb_place *place, pid_t parent,
		   struct lb_error *err)
{
	lb_autofree struct lb_landlock_folder *folders =
		lb_alloc((place->n_skills + 1) * sizeof(*folders));
	struct lb_confine c = {
		.folders = folders,
		.n = place->n_skills + 1,
		.drop = place->drop,
		.uid = place->uid,
		.gid = place->gid,
		.cpu_seconds = CPU_SECONDS,
		.memory = memory,
		.file_size = file_size,
		.files = FILES,
		.parent = parent,
	};
	int abi;

	folders[0] = (struct lb_landlock_folder){place->workspace, true};
	for (size_t i = 0; i < place->n_skills; i++)
		folders[i + 1] =
			(struct lb_landlock_folder){place->skills[i].fd,
						    place->skills[i].writable};
	/* Without Landlock, openat2 alone keeps it below these folders. */
	return lb_confine(&c, &abi, err);
}

void lb_tool_child(const struct lb_tool_order *order, pid_t parent)
{
	struct lb_error err;

	if (confine(order->place, parent, &err) < 0 ||
	    lb_args_check(order->tool->parameters, order->arguments, &err) < 0)
		say(lb_tool_no(&err));
	say(order->tool->work(order->place, order->arguments));
}
