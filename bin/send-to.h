/*
 * send-to.h - lb-send --to: one message that nobody asked for.
 */
#ifndef LB_BIN_SEND_TO_H
#define LB_BIN_SEND_TO_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "platform/send.h"

struct send_to {
	const char *to;   /* person:ID or group:ID[/TOPIC] */
	const char *bot;  /* NULL: the only one that fits */
	const char *id;   /* NULL makes one */
	const char *text; /* NULL or "-": standard input */
};

/*
 * The record that says so, as a line; send->sink is set where it is not.
 * *take is NULL when there is no text. LB_USAGE, LB_CONFIG, LB_IO, LB_DATA.
 */
int send_to_record(struct lb_send *send, const struct send_to *to, char **take,
		   struct lb_error *err);

#endif
