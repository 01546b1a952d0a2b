/*
 * platform/telegram-send.h - what the files of lb-send telegram share.
 *
 *     telegram-send.c     a part: calls, their answers, second tries
 *     telegram-moved.c    ... where its chat is now
 *     telegram-stream.c   an answer that is shown while it is made
 *     telegram-shown.c    ... the messages that show it
 *     telegram-upload.c   files
 */
#ifndef LB_PLATFORM_TELEGRAM_SEND_H
#define LB_PLATFORM_TELEGRAM_SEND_H

#include "platform/post.h"
#include "platform/telegram-api.h"
#include "platform/telegram.h"

struct telegram {
	struct lb_bot *bot;
	struct lb_telegram_api *api;
	struct lb_map streams; /* by the record's id */
	json_t *moved;         /* "chat" to the one it became */
};

/* A message that shows some of an answer. */
struct shown {
	int64_t id;
	char *text; /* as it was sent */
};

/* An answer that is on its way. */
struct stream {
	struct telegram *telegram;
	char *id, *session, *key; /* key: of the chat's pace */
	struct lb_telegram_chat chat;
	json_t *head;       /* components before the text; or NULL */
	struct lb_buf text; /* all that was said so far */
	int64_t attempt;
	struct shown *shown;
	size_t n_shown;
	size_t taken;  /* of them, those that parts have become */
	bool plain;    /* its markup was refused */
	bool broken;   /* nothing is shown any more */
	bool full;     /* more text than is shown */
	int64_t next;  /* no edit before, mono ms */
	int64_t heard; /* the last chunk */
	struct lb_timer timer, typing;
	struct lb_telegram_ask *ask, *typing_ask;
	size_t asked;         /* which message `ask` is about */
	char *asked_text;     /* ... and what it is to say */
	struct lb_post *post; /* of its reply, waiting or asking */
};

void telegram_chunk(void *self, const struct lb_record *r);
struct stream *telegram_stream(const struct telegram *t, const char *id);
void telegram_stream_end(struct telegram *t, const char *id);
/* What another process showed of the reply's answer may be changed into it. */
void telegram_stream_resume(struct telegram *t, const struct lb_record *r);
/* What was shown is kept for a while, for a later try. */
void telegram_stream_pause(struct telegram *t, const char *id);
void telegram_streams_close(struct telegram *t);

/*
 * The message that this call of a reply is to become; NULL: none, it is sent.
 */
struct shown *telegram_stream_next(struct stream *s,
				   const struct lb_telegram_call *call);
/* That message says `text` now. */
void telegram_stream_took(struct stream *s, const char *text);
/* It is not there any more. */
void telegram_stream_lost(struct stream *s, size_t i);
/* Messages that no part has become are taken away. */
void telegram_stream_trim(struct stream *s);

int64_t telegram_stream_interval(const struct stream *s); /* of edits, ms */
void telegram_shown_free(struct stream *s, size_t from);
void telegram_shown_says(struct shown *m, const char *text);
void telegram_shown_add(struct stream *s, int64_t id, char *take_text);
/* Another process may have to go on with them; and what another showed. */
void telegram_shown_note(const struct stream *s);
void telegram_shown_recall(struct stream *s);

/* Where the chat is now. */
void telegram_follow(const struct telegram *t, struct lb_telegram_chat *chat);
void telegram_note_move(struct telegram *t, int64_t from, int64_t to);

/* editMessageText for a call that would send; new. */
json_t *telegram_edit_params(const struct lb_telegram_call *call, int64_t chat,
			     int64_t message, bool plain);
/* What the call sends, in the form that was asked for. Borrowed. */
const char *telegram_call_text(const struct lb_telegram_call *call, bool plain);

/*
 * The files of a call, opened, for struct lb_telegram_request; free() the list.
 * LB_NOINPUT, LB_DENIED, LB_DATA.
 */
int telegram_files_open(const struct telegram *t,
			const struct lb_telegram_call *call,
			struct lb_multipart_file **take, struct lb_error *err);

/* What a refusal is about. */
bool telegram_is_unchanged(const struct lb_answer *a);
bool telegram_is_gone(const struct lb_answer *a);
bool telegram_is_markup(const struct lb_answer *a);

/* The message_id of a result; 0 for none. */
int64_t telegram_message(const json_t *result);

#endif
