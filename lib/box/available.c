/* available.c - is there a sandbox? Asked seldom, known always. */
#include <ctype.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "box/available.h"
#include "box/backend.h"

enum {
	PROBE_MS = 10000,
	ENGINE_MS = 40000,
	FIRST_MS = 3000,
	LAST_MS = 60000,
	SHOWN = 1000
};

/* What somebody inside says of himself has to be what it should be. */
static const char question[] =
	"id -u; grep -E '^(NoNewPrivs|Seccomp|CapEff|CapBnd):' "
	"/proc/self/status";
static const char answer[] = "\nCapEff:\t0000000000000000\n"
			     "CapBnd:\t0000000000000000\n"
			     "NoNewPrivs:\t1\nSeccomp:\t2\n";

/* Who he is is some user's number: engines have those of this machine. */
static bool is_closed(const char *said)
{
	const char *rest = said;

	while (isdigit((unsigned char)*rest))
		rest++;
	return rest > said && *said != '0' && strcmp(rest, answer) == 0;
}

struct asking {
	bool done;
	int64_t limit_ms;
	struct lb_buf *said;
	struct lb_error *err;
	int result;
};

static void on_done(void *arg, struct lb_box_result *r,
		    const struct lb_error *error)
{
	struct asking *a = arg;
	bool truncated;

	a->done = true;
	a->result = -1;
	if (error) {
		*a->err = *error;
		a->err->code = LB_UNAVAILABLE;
	} else if (r->end == LB_BOX_TIMED_OUT) {
		lb_fail(a->err, LB_UNAVAILABLE,
			"there is no sandbox: one did not start within %d s",
			(int)(a->limit_ms / 1000));
	} else {
		lb_box_output_text(&r->out, a->said, &truncated);
		a->result = 0;
	}
}

static int ask_in(struct lb_loop *loop, struct lb_box *box,
		  const json_t *request, struct lb_buf *said,
		  struct lb_error *err)
{
	struct lb_box_spec spec = {.cmd = NULL};
	struct asking a = {
		.limit_ms = box->driver->is_tended ? ENGINE_MS : PROBE_MS,
		.said = said,
		.err = err,
	};
	struct lb_box_job job = {.spec = &spec,
				 .asker = LB_BOX_BY_POLICY,
				 .shown = SHOWN,
				 .in = -1,
				 .out = -1,
				 .err = -1,
				 .done = on_done,
				 .arg = &a};
	int result = -1;

	if (lb_box_spec_read(&spec, request, err) == 0) {
		spec.timeout_ms = a.limit_ms;
		if (lb_box_start(box, &job, err)) {
			while (!a.done)
				lb_loop_turn(loop, -1);
			result = a.result;
		}
	}
	lb_box_spec_release(&spec);
	return result;
}

int lb_box_ask(struct lb_config *config, const json_t *request,
	       struct lb_buf *said, struct lb_error *err)
{
	lb_autofree char *state = lb_config_state(err);
	struct lb_loop *loop;
	struct lb_box *box;
	int result = -1;

	if (!state)
		return -1;
	loop = lb_loop_open();
	box = lb_box_open(loop, config, state);
	if (lb_box_select(box, err))
		result = ask_in(loop, box, request, said, err);
	lb_box_close(box);
	lb_loop_close(loop);
	return result;
}

static int try(struct lb_loop *loop, struct lb_box *box, struct lb_error *err)
{
	json_auto_t *request = lb_json_pack("{s:s}", "cmd", question);
	lb_autobuf struct lb_buf said = {NULL};
	const struct lb_box_driver *driver = lb_box_select(box, err);

	if (!driver)
		return -1;
	if (!driver->isolates)
		return driver->may(box, err);
	if (driver->look)
		return driver->look(box, err);
	if (ask_in(loop, box, request, &said, err) < 0)
		return -1;
	return is_closed(lb_buf_str(&said))
		       ? 0
		       : lb_fail(err, LB_UNAVAILABLE,
				 "there is no sandbox: one that was tried was "
				 "not closed; 'lb-box doctor' says more");
}

static int try_by(struct lb_config *config, const char *state,
		  const struct lb_box_driver **driver, struct lb_error *err)
{
	struct lb_loop *loop = lb_loop_open();
	struct lb_box *box = lb_box_open(loop, config, state);
	int result;

	box->driver = *driver;
	result = try(loop, box, err);
	*driver = box->driver;
	lb_box_close(box);
	lb_loop_close(loop);
	return result;
}

int lb_box_try(struct lb_config *config, const char *state,
	       const struct lb_box_driver *driver, struct lb_error *err)
{
	return try_by(config, state, &driver, err);
}

int lb_box_probe(struct lb_config *config, const char **name,
		 struct lb_error *err)
{
	lb_autofree char *state = lb_config_state(err);
	const struct lb_box_driver *driver = NULL;
	int result;

	*name = "none";
	if (!state)
		return -1;
	result = try_by(config, state, &driver, err);
	if (driver)
		*name = driver->name;
	return result;
}

/* What is known, for the whole process. */
static struct {
	bool asked, works;
	int64_t again; /* mono ms */
	int nap;
	struct lb_error why;
} known;

int lb_box_nap(int last_ms, bool works, bool is_news)
{
	if (works)
		return LAST_MS;
	if (is_news)
		return FIRST_MS;
	return last_ms * 2 > LAST_MS ? LAST_MS : last_ms * 2;
}

static void ask(struct lb_config *config)
{
	bool worked = known.works, first = !known.asked;
	const char *name;

	known.works = lb_box_probe(config, &name, &known.why) == 0;
	known.asked = true;
	known.nap = lb_box_nap(known.nap, known.works, first || worked);
	known.again = lb_clock_mono() + known.nap;
	if (known.works && !first && !worked)
		lb_log(LB_INFO, NULL, "the sandbox works again (%s)", name);
	else if (!known.works && (first || worked))
		lb_warn("%s", known.why.text);
}

bool lb_box_available(struct lb_config *config, struct lb_error *why)
{
	if (json_is_false(lb_config_get(config, "box.enabled"))) {
		lb_fail(why, LB_UNAVAILABLE,
			"the sandbox is switched off (box.enabled: false)");
		return false;
	}
	if (!known.asked || lb_clock_mono() >= known.again)
		ask(config);
	if (!known.works)
		*why = known.why;
	return known.works;
}

void lb_box_doubt(void)
{
	known.again = 0;
}
