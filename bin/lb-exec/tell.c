/* tell.c - how one command ended, for whoever asked. */
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "base/stop.h"
#include "exec.h"
#include "record/out.h"

/* All of it; to a reader that left, as a filter does. */
static int write_to(int fd, const char *text, size_t len, const char *where)
{
	struct lb_out *out = lb_out_open(fd);
	struct lb_error err;
	int bad;

	lb_out_put(out, text, len);
	bad = lb_out_flush(out, &err);
	if (bad < 0 && lb_out_left(out) && fd == STDOUT_FILENO)
		lb_die_of_sigpipe();
	lb_out_close(out);
	if (bad == 0)
		return 0;
	if (where)
		lb_error_wrap(&err, "%s", where);
	lb_report(&err);
	return -1;
}

int tell_record(int fd, const json_t *record, const char *where)
{
	lb_autobuf struct lb_buf line = {NULL};

	lb_buf_json(&line, record);
	lb_buf_putc(&line, '\n');
	return write_to(fd, line.data, line.len, where);
}

bool tell_captures(void)
{
	return options.json || (options.shown > 0 && !options.terminal);
}

json_t *tell_result(const struct lb_box_result *r)
{
	static const char *const parts[] = {"stdout", "stderr",
					    "stdout_truncated",
					    "stderr_truncated"};
	json_auto_t *object = lb_box_result_json(r, true);
	json_t *record = lb_json_pack("{s:s}", "kind", "result");

	if (!tell_captures()) {
		for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
			json_object_del(object, parts[i]);
		json_object_set_new(object, "stdout_bytes",
				    json_integer((json_int_t)r->out.bytes));
		json_object_set_new(object, "stderr_bytes",
				    json_integer((json_int_t)r->err.bytes));
	}
	json_object_update(record, object);
	return record;
}

json_t *tell_error(const struct lb_error *e)
{
	json_t *record =
		lb_json_pack("{s:s, s:s, s:s, s:b}", "kind", "error", "stage",
			     "lb-exec", "code", lb_code_name(error_code(e)),
			     "retryable", 0);

	json_object_set_new(record, "message",
			    lb_json_text(e->text, strlen(e->text)));
	return record;
}

static int tell_kept(const struct lb_box_output *kept, int fd)
{
	lb_autobuf struct lb_buf text = {NULL};
	bool truncated;

	lb_box_output_text(kept, &text, &truncated);
	return write_to(fd, lb_buf_str(&text), text.len, NULL);
}

/* What a person can do about it, whom a model has to ask. */
static const char *advice(const char *note)
{
	static const char inside[] = "it is not on the public internet";
	size_t len = strlen(note), n = sizeof(inside) - 1;

	return len > n && strcmp(note + len - n, inside) == 0
		       ? " ('lb-config describe box.network.allow_private' "
			 "says what may be reached all the same)"
		       : "";
}

/* As who typed it knows it. */
void tell_notes(const json_t *notes)
{
	const json_t *note;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)notes, i, note)
	{
		const char *text = json_string_value(note);
		size_t len = strcspn(text, ":");
		const char *option = option_of(text, len);

		if (option && strstr(text, " was asked for, and profile"))
			lb_warn("%s%s", option, text + len);
		else
			lb_warn("%s%s", text, advice(text));
	}
}

/* Why it did not end by itself; who ended us knows, and our status tells. */
static void say_end(const struct lb_box_spec *spec,
		    const struct lb_box_result *r)
{
	if (r->end == LB_BOX_TIMED_OUT)
		lb_complain("it was killed: its %g s are over",
			    (double)spec->timeout_ms / 1000);
	else if (r->killed_by && strcmp(r->killed_by, "output") == 0)
		lb_complain("it was killed: it wrote more than is read of a "
			    "command");
	else if (r->killed_by && strcmp(r->killed_by, "memory") == 0)
		lb_complain("a process of it was killed: more than %lld MiB of "
			    "memory",
			    (long long)spec->memory_mb);
	else if (r->killed_by && strcmp(r->killed_by, "quota") == 0)
		lb_complain("it was killed: more than %lld MiB in its "
			    "workspace",
			    (long long)spec->quota_mb);
	else if (r->killed_by && strcmp(r->killed_by, "cpu") == 0)
		lb_complain("it was killed: the processor time that box.quota "
			    "leaves for today is used up");
	else if (r->killed_by && strcmp(r->killed_by, "disk") == 0)
		lb_complain("it was killed: the disk below its session is "
			    "almost full");
	else if (r->killed_by && strcmp(r->killed_by, "cancelled") != 0)
		lb_complain("it was killed: %s", r->killed_by);
}

/* What was asked for by name is not kept as it could be. Of what goes on, nobody
 * is there to be told when it ends. */
static void note_limits(const struct lb_box_result *r)
{
	if (r->limits == LB_BOX_CGROUP || !(options.memory || options.cpus) ||
	    options.service)
		return;
	json_array_append_new(
		r->notes,
		json_string("there are no control groups here: --memory holds "
			    "for each process by itself, from 4 GiB on, and "
			    "--cpus for none ('lb-box doctor' says more)"));
}

int tell_end(const struct lb_box_spec *spec, const struct lb_box_result *r)
{
	json_auto_t *record = NULL;

	note_limits(r);
	if (options.json) {
		record = tell_result(r);
		return tell_record(STDOUT_FILENO, record, NULL);
	}
	tell_notes(r->notes);
	say_end(spec, r);
	if (!tell_captures())
		return 0;
	return tell_kept(&r->out, STDOUT_FILENO) < 0 ||
			       tell_kept(&r->err, STDERR_FILENO) < 0
		       ? -1
		       : 0;
}
