/*
 * fuzz-archive - any bytes as an archive of skills: what is taken has safe
 * paths, each once, within all bounds; the skills in it can be taken out, and
 * their names are names.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "skill/name.h"
#include "skill/offer.h"
#include "skill/pack.h"
#include "skill/sum.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool good)
{
	if (!good)
		abort();
}

static void check_path(const char *path)
{
	struct lb_error err;
	lb_autofree char *again = lb_pack_path(path, strlen(path), &err);

	must(*path && *path != '/' && again && strcmp(again, path) == 0 &&
	     lb_utf8_valid(path, strlen(path)));
	for (const char *at = path; at; at = strchr(at, '/')) {
		at += *at == '/';
		must(strncmp(at, "../", 3) != 0 && strcmp(at, "..") != 0);
	}
}

static void check(const struct lb_pack *p)
{
	int64_t total = 0;

	must(p->n <= LB_PACK_ENTRIES);
	for (size_t i = 0; i < p->n; i++) {
		check_path(p->files[i].path);
		must(p->files[i].len <= LB_PACK_FILE);
		total += (int64_t)p->files[i].len;
		if (i > 0)
			must(strcmp(p->files[i - 1].path, p->files[i].path) <
			     0);
	}
	must(total <= LB_PACK_TOTAL);
}

static void take(struct lb_pack *p)
{
	const struct lb_offer_from from = {.name = "source"};
	struct lb_offers offers = {0};
	struct lb_error err;

	if (lb_offers_find(&offers, p, &from, &err) == 0)
		for (size_t i = 0; i < offers.n; i++) {
			const struct lb_offer_one *one = &offers.at[i];
			lb_autobuf struct lb_buf list = {0};
			struct lb_pack own = {0};

			must(!lb_skill_name_why(one->name, strlen(one->name)));
			if (lb_offer_take(&own, p, one, &err) == 0) {
				must(lb_pack_find(&own, "SKILL.md") != NULL);
				lb_skill_list(&own, &list);
			}
			lb_pack_release(&own);
		}
	lb_offers_release(&offers);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lb_pack p = {0};
	struct lb_error err;

	if (size == 0)
		return 0;
	/* The first byte says whether links may stand beside. */
	if (lb_pack_archive(&p, (const char *)data + 1, size - 1, *data & 1,
			    &err) == 0) {
		check(&p);
		take(&p);
	} else {
		must(err.text[0] != '\0');
	}
	lb_pack_release(&p);
	return 0;
}
