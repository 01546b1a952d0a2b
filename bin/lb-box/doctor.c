/* lb-box doctor */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/utf8.h"
#include "box.h"
#include "box/doctor.h"

static bool json;
static const char *config_file;

const struct lb_opt doctor_options[] = {
	{'c', "config", "FILE", "read this configuration file",
	 .text = &config_file},
	{.name = "json", .help = "write a line of JSON each", .flag = &json},
	BOX_WORKSPACE,
	{0},
};

static const char *const words[] = {"ok", "weak", "missing"};

/* One line a check; what to do about it is set in below. */
static void print(const struct lb_symptom *s)
{
	lb_autobuf struct lb_buf text = {0};

	lb_text_visible(&text, lb_buf_str(&s->text), s->text.len);
	printf("%-8s %-13s %s\n", words[s->health], s->check,
	       lb_buf_str(&text));
	if (s->advice.len > 0)
		printf("%22s %s\n", "->", lb_buf_str(&s->advice));
}

static void tell(void *arg, const struct lb_symptom *s)
{
	struct lb_table *table = arg;
	json_t *row;

	if (!table) {
		print(s);
		return;
	}
	row = lb_json_pack("{s:s, s:s}", "check", s->check, "state",
			   words[s->health]);
	lb_json_set_str(row, "text", lb_buf_str(&s->text), s->text.len);
	if (s->advice.len > 0)
		lb_json_set_str(row, "advice", lb_buf_str(&s->advice),
				s->advice.len);
	lb_table_row(table, row);
}

int doctor_verb(int argc, char **argv)
{
	static const char *const columns[] = {"check", NULL};
	static const enum lb_exit codes[] = {LB_OK, LB_NO, LB_UNAVAILABLE};
	struct lb_error err;
	struct lb_config *config = box_config(config_file, &err);
	lb_autofree char *state = config ? lb_config_state(&err) : NULL;
	struct lb_table *table = NULL;
	const struct lb_patient patient = {"", state, config, geteuid()};
	enum lb_health worst;

	(void)argc;
	(void)argv;
	if (!state) {
		lb_config_close(config);
		return lb_report(&err);
	}
	if (json || !isatty(STDOUT_FILENO))
		table = lb_table_open(columns, true);
	worst = lb_box_doctor(&patient, tell, table);
	if (table)
		lb_table_close(table);
	lb_config_close(config);
	return codes[worst];
}
