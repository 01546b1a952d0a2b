/* exec-request.c - a call of exec as box/spec.h wants it. */
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "box/spec.h"
#include "tool/exec.h"

json_t *lb_exec_request(const struct lb_exec_order *order)
{
	static const char *const same[] = {"timeout_sec", "env"};
	const json_t *arguments = order->arguments;
	const char *workdir = lb_json_str(arguments, "workdir");
	lb_autofree char *folder =
		workdir ? lb_box_folder_inside(workdir) : NULL;
	json_t *request = json_object();

	json_object_set(request, "cmd", json_object_get(arguments, "command"));
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		json_t *value = json_object_get(arguments, same[i]);

		if (value && !json_is_null(value))
			json_object_set(request, same[i], value);
	}
	if (folder)
		lb_json_set_str(request, "workdir", folder, strlen(folder));
	if (order->session)
		lb_json_set_str(request, "session_id", order->session,
				strlen(order->session));
	if (order->folder)
		lb_json_set_str(request, "host_path", order->folder,
				strlen(order->folder));
	return request;
}
