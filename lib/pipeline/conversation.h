/*
 * pipeline/conversation.h - who shares a conversation in a group.
 *
 * The session stays the key of order, limits and queues. A query names its
 * conversation where that is not its session:
 *
 *     BOT/group_CHAT           of all topics of a group
 *     BOT/member_CHAT/SENDER   of one member; '/' and '%' of SENDER as %2F, %25
 */
#ifndef LB_PIPELINE_CONVERSATION_H
#define LB_PIPELINE_CONVERSATION_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"

enum lb_shared { LB_SHARED_TOPIC, LB_SHARED_GROUP, LB_SHARED_MEMBER };

struct lb_message;

/* `ai.runner.conversation` of a pipeline. */
enum lb_shared lb_shared_of(const json_t *pipeline);

/* Append the name; false: it is the session's. */
bool lb_conversation_name(struct lb_buf *b, const struct lb_message *m,
			  enum lb_shared by);

#endif
