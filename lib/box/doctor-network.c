/* doctor-network.c - does a sandbox with a network get one? */
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "box/admit.h"
#include "box/backend.h"
#include "box/bridge.h"
#include "box/doctor.h"
#include "box/driver.h"

/*
 * Somebody inside looks whether the proxy listens and, where there is something
 * to ask it with, asks it for an address that is refused: nothing leaves this
 * machine.
 */
#define PORT_HEX "0C38"
_Static_assert(LB_BRIDGE_PORT == 0x0C38, "as in PORT_HEX");

static const char question[] =
	"grep -q ':" PORT_HEX " [0-9A-F]*:0000 0A ' /proc/net/tcp && "
	"echo listens\n"
	"command -v bash > /dev/null || { echo nobody asks; exit 0; }\n"
	"bash -c 'exec 3<> /dev/tcp/127.0.0.1/3128 && "
	"printf \"CONNECT 127.0.0.1:9 HTTP/1.1\\r\\nHost: 127.0.0.1:9"
	"\\r\\n\\r\\n\" >&3 && read -r -t 5 line <&3 && echo \"$line\"'\n";

static bool said_it(const struct lb_buf *said, const char *what)
{
	return strstr(lb_buf_str(said), what) != NULL;
}

/* What of it works, from what was said inside. */
static void judge(struct lb_symptom *s, const struct lb_buf *said)
{
	bool asked = !said_it(said, "nobody asks");

	if (!said_it(said, "listens")) {
		lb_symptom_say(s, LB_HEALTH_WEAK,
			       "a sandbox is to have one, and no proxy listens "
			       "in it");
		lb_buf_puts(&s->advice, "the kernel lets nothing listen in its "
					"namespace; until it does, profiles "
					"need network: off");
	} else if (asked && !said_it(said, "HTTP/1.")) {
		lb_symptom_say(s, LB_HEALTH_WEAK,
			       "a proxy listens in a sandbox, and does not "
			       "answer");
		lb_buf_puts(&s->advice, "is lb-exec beside lb-box the one that "
					"belongs to it?");
	} else {
		lb_symptom_say(s, LB_HEALTH_OK,
			       "on and allow work: a proxy listens in a "
			       "sandbox%s; what it reaches outside was not "
			       "tried",
			       asked ? " and answers" : "");
	}
}

void lb_check_network(const struct lb_patient *p, struct lb_symptom *s)
{
	json_auto_t *request =
		lb_json_pack("{s:s, s:s}", "cmd", question, "network", "on");
	lb_autobuf struct lb_buf said = {NULL};
	const char *workspace = lb_box_workspace(p->config);
	const char *backend = "none";
	struct lb_error err;

	if (workspace) {
		lb_symptom_say(s, LB_HEALTH_OK, "none in workspace '%s'",
			       workspace);
		return;
	}
	/* What is none of this machine's, or no sandbox, is not looked into. */
	if (!lb_box_has_files(p->config) || lb_box_is_host(p->config)) {
		lb_symptom_say(s, LB_HEALTH_OK, "whatever box.backend has");
		return;
	}
	if (lb_box_probe(p->config, &backend, &err) < 0) {
		lb_symptom_say(s, LB_HEALTH_WEAK,
			       "there is none without a sandbox");
		return;
	}
	if (strcmp(backend, lb_box_bwrap.name) != 0) {
		lb_symptom_say(s, LB_HEALTH_WEAK,
			       "none is reached from a sandbox of %s", backend);
		lb_buf_puts(&s->advice, "only bubblewrap has one: 'lb-config "
					"set box.backend bubblewrap'");
		return;
	}
	if (lb_box_ask(p->config, request, &said, &err) == 0) {
		judge(s, &said);
		return;
	}
	lb_symptom_say(s, LB_HEALTH_WEAK, "on and allow do not work: %s",
		       err.text);
	lb_buf_puts(&s->advice, "it takes lb-exec beside this program, and the "
				"right to enter the sandbox's namespaces; "
				"until then, profiles need network: off");
}
