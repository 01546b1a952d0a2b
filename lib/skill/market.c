#include "skill/market.h"

#include <string.h>

#include "base/mem.h"

enum { MAX_FACTS = 1 << 20, MAX_ZIP = 10 << 20, MAX_NAME = 128 };

static bool is_part(const char *text, size_t len)
{
	if (len == 0 || len > MAX_NAME || strchr("._-", *text))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!strchr("._-", text[i]) &&
		    !((text[i] | 0x20) >= 'a' && (text[i] | 0x20) <= 'z') &&
		    !(text[i] >= '0' && text[i] <= '9'))
			return false;
	return true;
}

bool lb_market_is_name(const char *text)
{
	size_t n = strcspn(text, "/");

	return text[n] && is_part(text, n) &&
	       is_part(text + n + 1, strlen(text + n + 1));
}

/* 1: it is there; 0: it is not; -1: nobody can say. */
static int ask(const struct lb_reach *reach, const char *kind, const char *name,
	       const char *end, struct lb_error *err)
{
	lb_autofree char *url = lb_printf("%s/api/v1/marketplace/%s/%s%s",
					  reach->market, kind, name, end);
	lb_autobuf struct lb_buf facts = {0};
	struct lb_download d = {.url = url, .max = MAX_FACTS};

	if (lb_download(&d, reach, &facts, err) == 0)
		return 1;
	return d.status == 404 ? 0 : -1;
}

static int no_skill(const char *name, const char *what, struct lb_error *err)
{
	return lb_fail(err, LB_UNAVAILABLE,
		       "'%s' is %s there, which is no skill", name, what);
}

static int check(const char *name, const struct lb_reach *reach,
		 struct lb_error *err)
{
	int is = ask(reach, "mcps", name, "", err);

	if (is != 0)
		return is < 0 ? -1 : no_skill(name, "an MCP server", err);
	is = ask(reach, "skills", name, "", err);
	if (is != 0)
		return is < 0 ? -1 : 0;
	is = ask(reach, "plugins", name, "/versions", err);
	if (is != 0)
		return is < 0 ? -1 : no_skill(name, "a plugin", err);
	return lb_fail(err, LB_UNAVAILABLE, "there is no '%s' at '%s'", name,
		       reach->market);
}

int lb_market_get(const char *name, const struct lb_reach *reach,
		  struct lb_buf *zip, struct lb_error *err)
{
	lb_autofree char *url = NULL;
	struct lb_download d = {.max = MAX_ZIP};

	if (!reach->market)
		return lb_fail(err, LB_CONFIG,
			       "space.url is empty: there is no marketplace");
	if (check(name, reach, err) < 0)
		return -1;
	url = lb_printf("%s/api/v1/marketplace/skills/download/%s",
			reach->market, name);
	d.url = url;
	return lb_download(&d, reach, zip, err);
}
