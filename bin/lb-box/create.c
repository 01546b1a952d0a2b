/* lb-box create */
#include "base/log.h"
#include "box.h"
#include "box/profile.h"
#include "box/session.h"

static const char *config_file, *profile;
static bool persistent;

const struct lb_opt create_options[] = {
	{'c', "config", "FILE", "read this configuration file",
	 .text = &config_file},
	{.name = "persistent",
	 .help = "it stays alive, however long nobody uses it",
	 .flag = &persistent},
	{.name = "profile",
	 .arg = "NAME",
	 .help = "its quota is this one's (default: the config's)",
	 .text = &profile},
	BOX_WORKSPACE,
	{0},
};

static int create(const struct box_place *p, const char *name, int64_t quota,
		  struct lb_error *err)
{
	struct lb_box_session s;
	int bad;

	if (lb_box_session_open(&s, p->config, p->state, name, quota, err) < 0)
		return -1;
	bad = persistent ? lb_box_session_persist(&s, true, err) : 0;
	lb_box_session_close(&s);
	return bad;
}

/* Each that can be; the first failure is the exit status. */
int create_verb(int argc, char **argv)
{
	struct lb_error err;
	struct box_place p;
	int code = LB_OK;
	int64_t quota;

	if (box_place(&p, config_file, &err) < 0)
		return lb_report(&err);
	quota = lb_box_profile_quota(p.config, profile, &err);
	if (quota < 0)
		code = lb_report(&err);
	for (int i = 0; quota >= 0 && i < argc; i++) {
		if (create(&p, argv[i], quota, &err) == 0)
			continue;
		lb_complain("%s", err.text);
		code = code == LB_OK ? (int)err.code : code;
	}
	box_place_release(&p);
	return code;
}
