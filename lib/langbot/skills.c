/* skills.c - where LangBot's skills lie. Their files stay where they are. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/mem.h"
#include "langbot/items.h"

enum { MAX_SKILLS = 1000, MAX_ENTRIES = 100000, DEPTH = 2 };

struct search {
	struct lb_langbot *in;
	size_t found, seen;
};

static bool is_folder(const char *path)
{
	struct stat st;

	/* a link may lead anywhere */
	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool has_skill(const char *folder)
{
	lb_autofree char *file = lb_printf("%s/SKILL.md", folder);
	struct stat st;

	return lstat(file, &st) == 0 && S_ISREG(st.st_mode);
}

static void keep_skill(struct search *s, const char *folder)
{
	const char *name = strrchr(folder, '/') + 1;
	json_auto_t *row = json_object();
	struct lb_item_report item;

	lb_json_set_str(row, "name", name, strlen(name));
	lb_json_set_str(row, "path", folder, strlen(folder));
	lb_item_begin(&item, "skill", row);
	lb_item_refuse(&item, "is noted: lb-skill install %.300s", folder);
	lb_item_end(s->in, &item, row);
	s->found++;
}

static void look(struct search *s, const char *folder, int depth)
{
	DIR *dir = is_folder(folder) ? opendir(folder) : NULL;
	const struct dirent *entry;

	while (dir && s->found < MAX_SKILLS && s->seen < MAX_ENTRIES &&
	       (entry = readdir(dir))) {
		lb_autofree char *path = NULL;

		s->seen++;
		if (*entry->d_name == '.')
			continue;
		path = lb_printf("%s/%s", folder, entry->d_name);
		if (has_skill(path) && is_folder(path))
			keep_skill(s, path);
		else if (depth > 1)
			look(s, path, depth - 1);
	}
	if (dir)
		closedir(dir);
}

void lb_langbot_skills(struct lb_langbot *in)
{
	static const char *const roots[] = {"skills", "box/skills", NULL};
	struct search s = {.in = in};

	for (int i = 0; roots[i]; i++) {
		lb_autofree char *root = lb_printf("%s/%s", in->dir, roots[i]);

		/* tenants/NAME/SKILL is one level more */
		look(&s, root, DEPTH + 1);
	}
}
