/* script.h - what the test server answers; see lb-test-server.c. */
#ifndef LB_TEST_SCRIPT_H
#define LB_TEST_SCRIPT_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"

/* Bytes to write, then a pause. */
struct op {
	size_t from, len; /* in reply.bytes */
	int pause_ms;
};

enum ending { END_KEEP, END_CLOSE, END_RESET, END_HANG };

struct reply {
	struct lb_buf bytes;
	struct op *ops;
	size_t n_ops;
	enum ending ending;
};

enum check { IF_HEADER, IF_NO_HEADER, IF_BODY, IF_JSON };

struct condition {
	enum check check;
	char *name; /* of a header, or a dotted path */
	char *text; /* NULL: the header must only be there */
	struct condition *next;
};

struct service;

/* A double of a service. */
struct twin {
	const struct service *service;
	char *key;     /* NULL: any */
	char *answer;  /* {last} is the last user message */
	json_t *calls; /* [{"name","arguments"}], before that answer; or NULL */
	int pace_ms;
};

struct exchange {
	int number, line;
	char *method, *path; /* "*" is any; a path may end with it */
	struct condition *conditions;
	long uses; /* left; -1: any number */
	struct reply reply;
	struct twin *twin; /* the answer depends on the request */
	struct exchange *next;
};

struct request {
	const char *method, *path;
	json_t *headers; /* lower-case names; values joined by ", " */
	const char *body;
	size_t body_len;
};

/* Ends the program when the script has a mistake. */
struct exchange *script_read(const char *path);

/* The first that fits and has uses left, which it takes one of; or NULL. */
struct exchange *script_find(struct exchange *all, const struct request *r);

/* reply.c: put a reply together. */
struct step {
	enum step_kind {
		STEP_SEND,
		STEP_RAW,
		STEP_PAUSE,
		STEP_CLOSE,
		STEP_RESET,
		STEP_HANG
	} kind;
	char *data;
	size_t len;
	int pause_ms;
	struct step *next;
};

struct plan {
	int status; /* 0: raw bytes only */
	struct lb_buf headers;
	bool has_length, chunked, until_close;
	char *encode; /* gzip, x-gzip, deflate, raw-deflate */
	size_t piece; /* bytes a write; 0: all */
	int piece_ms; /* between two of them */
	struct step *steps, **last;
};

void plan_init(struct plan *plan);
void plan_add(struct plan *plan, enum step_kind kind, const char *data,
	      size_t len, int pause_ms);
void plan_build(struct plan *plan, struct reply *out);
void plan_release(struct plan *plan);
void reply_release(struct reply *reply);

/* double.c: what the service answers, or what is wrong with the request. */
void twin_answer(const struct twin *how, const struct request *r,
		 struct reply *out);
/* NULL for none of that name. */
const struct service *service_find(const char *name);

#endif
