/* lb-tool - where its tools work. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "box/backend.h"
#include "box/profile.h"
#include "config/config.h"
#include "lb-tool.h"

enum { MIB = 1024 * 1024 };

/* Root works in a folder as its owner, as lb-exec does. */
int place_of_folder(struct tool_place *p, const char *folder,
		    struct lb_error *err)
{
	struct stat st;

	*p = (struct tool_place){
		.session = {.workspace_fd = -1},
		.folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC),
	};
	if (p->folder < 0)
		return lb_fail_sys(err,
				   errno == EACCES ? LB_DENIED : LB_NOINPUT,
				   "cannot open '%s'", folder);
	p->place.workspace = p->folder;
	if (geteuid() != 0)
		return 0;
	if (fstat(p->folder, &st) < 0)
		return lb_fail_sys(err, LB_IO, "cannot open '%s'", folder);
	p->place.drop = st.st_uid != 0;
	p->place.uid = st.st_uid;
	p->place.gid = st.st_gid ? st.st_gid : (gid_t)st.st_uid;
	return 0;
}

int place_of_session(struct tool_place *p, struct lb_config *config,
		     const char *state, const char *profile, const char *name,
		     struct lb_error *err)
{
	struct lb_box_session *s = &p->session;
	int64_t mb = lb_box_profile_quota(config, profile, err);

	*p = (struct tool_place){.folder = -1, .session = {.workspace_fd = -1}};
	if (!lb_box_has_files(config))
		return lb_fail(err, LB_UNAVAILABLE,
			       "the files of sessions are on the machine that "
			       "runs the commands (box.backend); use exec");
	if (mb < 0 || lb_box_session_open(s, config, state, name, mb, err) < 0)
		return -1;
	p->place = (struct lb_place){
		.workspace = s->workspace_fd,
		.drop = s->drop,
		.uid = s->uid,
		.gid = s->gid,
		.quota = s->quota_mb * MIB,
		.quota_is_kept = s->quota == LB_BOX_QUOTA_HARD,
	};
	return 0;
}

void place_release(struct tool_place *p)
{
	if (p->folder >= 0)
		close(p->folder);
	else
		lb_box_session_close(&p->session);
}
