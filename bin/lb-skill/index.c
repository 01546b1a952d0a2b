/* lb-skill index */
#include <stdio.h>

#include "base/log.h"
#include "base/mem.h"
#include "skill.h"
#include "skill/change.h"
#include "skill/index.h"

static const char *config_file, *pipeline;

const struct lb_opt index_options[] = {
	{'c', "config", "FILE", "read this configuration",
	 .text = &config_file},
	{.name = "pipeline",
	 .arg = "NAME",
	 .help = "for the model of this pipeline; else default",
	 .text = &pipeline},
	{0},
};

int room_open(struct room *room, struct desk *d, const char *name,
	      struct lb_error *err)
{
	*room = (struct room){0};
	room->known = lb_change_known(d->shelf->store, err);
	if (!room->known || lb_shelf_list(d->shelf, &room->all, err) < 0)
		return -1;
	lb_visible_find(&room->visible, d->config, name, &room->all,
			room->known);
	return 0;
}

void room_close(struct room *room)
{
	lb_visible_release(&room->visible);
	lb_shelved_release(&room->all);
	json_decref(room->known);
}

void room_index(const struct desk *d, const struct room *room,
		struct lb_buf *out, struct lb_index_cut *cut)
{
	int64_t max = lb_config_bytes(d->config, "skills.index-size");

	if (max < LB_INDEX_MIN)
		max = LB_INDEX_MIN;
	if (max > LB_INDEX_MAX)
		max = LB_INDEX_MAX;
	lb_index_text(&room->visible, (size_t)max, out, cut);
}

static void tell(const struct lb_index_cut *cut)
{
	if (cut->left_out + cut->named > 0)
		lb_warn("skills.index-size is too small: of %zu skills there "
			"is the name alone, and %zu are left out",
			cut->named, cut->left_out);
	else if (cut->cut > 0)
		lb_warn("skills.index-size cuts %zu descriptions", cut->cut);
}

int index_verb(int argc, char **argv)
{
	const char *name = pipeline ? pipeline : "default";
	lb_autobuf struct lb_buf text = {0};
	struct lb_index_cut cut;
	struct lb_error err;
	struct room room = {0};
	struct desk d;
	int r = desk_open(&d, config_file, &err);

	(void)argc;
	(void)argv;
	if (r == 0 && !lb_config_pipeline(d.config, name))
		r = lb_fail(&err, LB_CONFIG, "there is no pipeline '%.64s'",
			    name);
	if (r == 0)
		r = room_open(&room, &d, name, &err);
	if (r == 0) {
		room_index(&d, &room, &text, &cut);
		for (size_t i = 0; i < json_array_size(room.visible.missing);
		     i++)
			lb_warn("pipeline '%s': there is no skill '%.64s' that "
				"can be used",
				name,
				json_string_value(
					json_array_get(room.visible.missing,
						       i)));
		tell(&cut);
		fputs(lb_buf_str(&text), stdout);
	}
	room_close(&room);
	desk_close(&d);
	return r < 0 ? lb_report(&err) : LB_OK;
}
