/* lb-box delete */
#include "base/log.h"
#include "base/mem.h"
#include "box.h"
#include "box/session.h"
#include "config/config.h"

static const char *config_file;

const struct lb_opt delete_options[] = {
	{'c', "config", "FILE", "read this configuration",
	 .text = &config_file},
	BOX_WORKSPACE,
	{0},
};

/* Each that can be; the first failure is the exit status. */
int delete_verb(int argc, char **argv)
{
	struct lb_error err;
	struct lb_config *config = box_config(config_file, &err);
	lb_autofree char *state = config ? lb_config_state(&err) : NULL;
	int code = LB_OK;

	if (!state)
		code = lb_report(&err);
	for (int i = 0; state && i < argc; i++) {
		if (lb_box_session_delete(config, state, argv[i], &err) == 0)
			continue;
		lb_complain("%s", err.text);
		code = code == LB_OK ? (int)err.code : code;
	}
	lb_config_close(config);
	return code;
}
