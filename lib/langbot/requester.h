/*
 * langbot/requester.h - LangBot's requesters, in our words.
 */
#ifndef LB_LANGBOT_REQUESTER_H
#define LB_LANGBOT_REQUESTER_H

struct lb_requester {
	const char *name;
	const char *preset;   /* ours that has its URL; or NULL */
	const char *base_url; /* what LangBot uses when the provider has none */
	const char *protocol; /* what it speaks; NULL: it is no chat model */
};

/* NULL for one that is not known. */
const struct lb_requester *lb_requester_find(const char *name);

#endif
