/* table-quota.h - the keys of what the sandbox lets each have: rows of table.c, and
 * only there. */
/* clang-format off */
{"box.quota.sender.execs_per_day", LB_KEY_INT, NULL, 0, 1000000000,
 .doc = "commands that one sender of a bot may have run in a day, which ends at midnight UTC; "
	"unset is no limit"},
{"box.quota.sender.cpu_seconds_per_day", LB_KEY_INT, NULL, 0, 1000000000,
 .doc = "seconds of processor time that they may take together"},
{"box.quota.sender.concurrent_execs", LB_KEY_INT, NULL, 0, 1000000,
 .doc = "commands of one sender of a bot that may run at once"},
{"box.quota.session.execs_per_day", LB_KEY_INT, NULL, 0, 1000000000,
 .doc = "commands that one chat may have run in a day, which ends at midnight UTC; "
	"unset is no limit"},
{"box.quota.session.cpu_seconds_per_day", LB_KEY_INT, NULL, 0, 1000000000,
 .doc = "seconds of processor time that they may take together"},
{"box.quota.session.concurrent_execs", LB_KEY_INT, NULL, 0, 1000000,
 .doc = "commands of one chat that may run at once"},
{"box.quota.bot.execs_per_day", LB_KEY_INT, NULL, 0, 1000000000,
 .doc = "commands that one bot may have run in a day, which ends at midnight UTC; "
	"unset is no limit"},
{"box.quota.bot.cpu_seconds_per_day", LB_KEY_INT, NULL, 0, 1000000000,
 .doc = "seconds of processor time that they may take together"},
{"box.quota.bot.concurrent_execs", LB_KEY_INT, NULL, 0, 1000000,
 .doc = "commands of one bot that may run at once"},
{"box.quota.namespace.execs_per_day", LB_KEY_INT, NULL, 0, 1000000000,
 .doc = "commands that all of one box.workspace may have run in a day, which ends at midnight UTC; "
	"unset is no limit"},
{"box.quota.namespace.cpu_seconds_per_day", LB_KEY_INT, NULL, 0, 1000000000,
 .doc = "seconds of processor time that they may take together"},
{"box.quota.namespace.concurrent_execs", LB_KEY_INT, NULL, 0, 1000000,
 .doc = "commands of all of one box.workspace that may run at once"},
