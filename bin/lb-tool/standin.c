/* Stands in for lib/box/session.c until that is there. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "box/session.h"

int lb_box_session_open(struct lb_box_session *s, struct lb_config *config,
			const char *state, const char *name, int64_t quota_mb,
			struct lb_error *err)
{
	lb_autofree char *folder = lb_strdup(name);

	(void)config;
	for (char *p = folder; *p; p++)
		if (*p == '/' || *p == '.')
			*p = '~';
	*s = (struct lb_box_session){.name = lb_strdup(name),
				     .quota_mb = quota_mb,
				     .workspace_fd = -1};
	s->workspace = lb_printf("%s/box/workspaces/%s", state, folder);
	if (lb_path_make(s->workspace, err) < 0)
		return -1;
	s->workspace_fd = open(s->workspace, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (s->workspace_fd < 0)
		return lb_fail_sys(err, LB_IO, "cannot open '%s'",
				   s->workspace);
	return 0;
}

void lb_box_session_close(struct lb_box_session *s)
{
	free(s->name);
	free(s->folder);
	free(s->workspace);
	if (s->workspace_fd >= 0)
		close(s->workspace_fd);
}
