/*
 * fill-store STATE SESSION BOT PIPELINE OF QUESTION ANSWER [TIME [SENDER]]
 * appends one turn, as lb-agent would: what the tests of lb-session read.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/json.h"
#include "store/conversation.h"
#include "store/store.h"

int main(int argc, char **argv)
{
	struct lb_error err = {0};
	struct lb_store *store;
	json_auto_t *messages = NULL;
	int64_t now, id;
	int bad;

	if (argc < 8)
		return LB_USAGE;
	now = argc > 8 ? strtoll(argv[8], NULL, 10) : lb_clock_now();
	messages =
		json_pack("[{s:s, s:s}, {s:s, s:s}]", "role", "user", "content",
			  argv[6], "role", "assistant", "content", argv[7]);
	store = lb_store_open(argv[1], 5000, &err);
	if (!store || !messages) {
		fprintf(stderr, "fill-store: %s\n", err.text);
		return 1;
	}
	id = lb_conversation_use(store, argv[2], argv[3], argv[4], now, &err);
	bad = id < 0 ||
	      lb_conversation_append(store, id,
				     &(struct lb_turn){
					     .of = argv[5],
					     .sender = argc > 9 ? argv[9] : "",
					     .messages = messages,
					     .complete = true,
					     .time = now,
				     },
				     &err) < 0;
	if (bad)
		fprintf(stderr, "fill-store: %s\n", err.text);
	lb_store_close(store);
	return bad;
}
