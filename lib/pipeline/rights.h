/*
 * pipeline/rights.h - who may do what.
 */
#ifndef LB_PIPELINE_RIGHTS_H
#define LB_PIPELINE_RIGHTS_H

#include <stdbool.h>

#include "config/config.h"

/*
 * Is the sender an admin? "BOT:person_ID" stands in the config's `admins`, and
 * the bot's adapter vouches for sender ids, or `bots.BOT.trust-sender` says to
 * believe it. At bot "-" it is whoever `lb-ingest text` runs as (`platform` is
 * "text" and the id is $USER's). The chat does not matter: an admin is one in
 * groups, too, and a group is never an admin.
 */
bool lb_is_admin(struct lb_config *config, const char *bot,
		 const char *platform, const char *sender_id);

/*
 * The same for another list of people; admins are always on it, and a person
 * only where the bot's platform vouches for who it is.
 */
bool lb_is_one_of(struct lb_config *config, const json_t *people,
		  const char *bot, const char *platform, const char *sender_id);

/* Is whom the bot says a sender is, indeed that one? */
bool lb_sender_is_known(struct lb_config *config, const char *bot);

#endif
