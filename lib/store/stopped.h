/*
 * store/stopped.h - bots that were told to be silent, in $LB_STATE/lb.db.
 */
#ifndef LB_STORE_STOPPED_H
#define LB_STORE_STOPPED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "store/store.h"

/* 1: it is; 0: it is not; -1 failed. */
int lb_stopped_find(struct lb_store *store, const char *bot,
		    struct lb_error *err);

/* `sender` is who said so. A transaction of its own where none is open. */
int lb_stopped_set(struct lb_store *store, const char *bot, const char *sender,
		   int64_t now_ms, struct lb_error *err);
int lb_stopped_clear(struct lb_store *store, const char *bot,
		     struct lb_error *err);

#endif
