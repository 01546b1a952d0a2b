#include "base/zone.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

static const char *const folders[] = {"/usr/share/zoneinfo",
				      "/usr/lib/zoneinfo",
				      "/usr/share/lib/zoneinfo", NULL};

/* The C library takes a name it does not know for UTC, in silence. */
static bool is_known(const char *zone)
{
	if (strcmp(zone, "UTC") == 0)
		return true;
	if (*zone == '/' || strstr(zone, ".."))
		return false;
	for (size_t i = 0; folders[i]; i++) {
		lb_autofree char *path = lb_printf("%s/%s", folders[i], zone);

		if (access(path, R_OK) == 0)
			return true;
	}
	return false;
}

int lb_zone_set(const char *zone, struct lb_error *err)
{
	if (!*zone)
		return 0;
	if (!is_known(zone))
		return lb_fail(err, LB_CONFIG,
			       "there is no time zone '%.64s' here: it is "
			       "written as Europe/Paris, and comes with tzdata",
			       zone);
	setenv("TZ", zone, 1);
	tzset();
	return 0;
}

static void local(int64_t ms, struct tm *tm)
{
	time_t s = (time_t)(ms / 1000);

	if (ms < 0 || !localtime_r(&s, tm) || tm->tm_year > 9999 - 1900)
		*tm = (struct tm){.tm_mday = 1, .tm_year = 70, .tm_wday = 4};
}

void lb_zone_minute(int64_t ms, char out[LB_ZONE_TEXT])
{
	struct tm tm;

	local(ms, &tm);
	strftime(out, LB_ZONE_TEXT, "%Y-%m-%d %H:%M", &tm);
}

void lb_zone_day(int64_t ms, char out[LB_ZONE_TEXT])
{
	static const char *const days[] = {"Sunday",    "Monday",   "Tuesday",
					   "Wednesday", "Thursday", "Friday",
					   "Saturday"};
	static const char *const months[] = {"January", "February", "March",
					     "April",   "May",      "June",
					     "July",    "August",   "September",
					     "October", "November", "December"};
	struct tm tm;

	local(ms, &tm);
	snprintf(out, LB_ZONE_TEXT, "%s, %s %d, %d", days[tm.tm_wday % 7],
		 months[tm.tm_mon % 12], tm.tm_mday, tm.tm_year + 1900);
}
