/* lb-skill - the shelf, and how things are told. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "skill.h"

int desk_open(struct desk *d, const char *file, struct lb_error *err)
{
	*d = (struct desk){.config = lb_config_load(file, err)};
	if (d->config)
		d->state = lb_config_state(err);
	if (!d->state)
		return -1;
	d->shelf = lb_shelf_open(d->config, d->state);
	return 0;
}

void desk_close(struct desk *d)
{
	lb_reach_close(&d->reach);
	lb_shelf_close(d->shelf);
	free(d->state);
	lb_config_close(d->config);
}

void put_line(const char *text)
{
	lb_autobuf struct lb_buf clean = {0};

	lb_text_visible(&clean, text, strlen(text));
	for (size_t i = 0; i < clean.len; i++)
		if (clean.data[i] == '\n')
			clean.data[i] = ' ';
	puts(lb_buf_str(&clean));
}

void warn_of(const char *where, const struct lb_skill *skill,
	     enum lb_skill_grade least)
{
	for (size_t i = 0; i < skill->found.n; i++) {
		const struct lb_skill_finding *f = &skill->found.at[i];

		if (f->grade < least)
			continue;
		if (f->line > 0)
			lb_warn("%s:%zu: %s", where, f->line, f->text);
		else
			lb_warn("%s: %s", where, f->text);
	}
}

static void copy(json_t *to, const json_t *from, const char *key)
{
	json_t *value = json_object_get(from, key);

	if (value)
		json_object_set(to, key, value);
}

static void set(json_t *o, const char *key, const char *text)
{
	if (text)
		lb_json_set_str(o, key, text, strlen(text));
}

json_t *skill_record(const struct lb_shelved *one, const json_t *from)
{
	const struct lb_skill *s = &one->skill;
	const struct lb_skill_finding *worst = lb_skill_worst(&s->found);
	json_t *r = lb_json_pack("{s:s}", "kind", "skill");

	set(r, "name", one->name);
	set(r, "description", s->description);
	json_object_set_new(r, "state",
			    json_string(!s->fit            ? "invalid"
					: one->is_shadowed ? "shadowed"
							   : "ok"));
	if (!s->fit && worst)
		set(r, "reason", worst->text);
	set(r, "license", s->license);
	set(r, "compatibility", s->compatibility);
	if (s->tools)
		json_object_set(r, "allowed_tools", s->tools);
	set(r, "path", one->folder);
	copy(r, from, "source");
	copy(r, from, "folder");
	copy(r, from, "ref");
	copy(r, from, "commit");
	copy(r, from, "tree");
	copy(r, from, "installed");
	return r;
}

json_t *install_record(const struct lb_shelf *shelf,
		       const struct lb_install_row *row, bool dry, bool people)
{
	json_t *o = lb_json_pack("{s:s}", "kind", "skill");
	lb_autofree char *path = lb_printf("%s/%s", shelf->store, row->name);
	lb_autofree char *would =
		lb_printf("would be %s", lb_installed_word(row->what));

	set(o, "name", row->name);
	set(o, "action",
	    dry && people && row->what != LB_UNCHANGED
		    ? would
		    : lb_installed_word(row->what));
	if (dry)
		json_object_set_new(o, "dry_run", json_true());
	set(o, "path", path);
	if (row->changes)
		json_object_set(o, "changes", row->changes);
	return o;
}

int read_input(size_t max, char **text, size_t *len, struct lb_error *err)
{
	lb_autobuf struct lb_buf b = {0};
	ssize_t n = 1;

	lb_note_terminal();
	while (n != 0) {
		lb_buf_reserve(&b, 64 << 10);
		n = read(STDIN_FILENO, b.data + b.len, 64 << 10);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return lb_fail_sys(err, LB_IO,
					   "cannot read the standard input");
		b.len += (size_t)n;
		b.data[b.len] = '\0';
		if (b.len > max)
			return lb_fail(err, LB_DATA,
				       "the standard input has more than %zu "
				       "bytes",
				       max);
	}
	*len = b.len;
	*text = lb_buf_take(&b);
	return 0;
}
