/* serving.h - what the files of lb-skill serve share. */
#ifndef LB_SKILL_SERVING_H
#define LB_SKILL_SERVING_H

#include "provider/server.h"
#include "skill.h"

struct serving {
	struct desk desk;
	struct lb_loop *loop;
	struct lb_server *server;
	struct lb_timer look;
	int *watched;   /* a descriptor of each folder of skills, or -1 */
	char stamp[72]; /* of what was there when we looked last */
	json_t *told;   /* pipelines whose missing skills were told */
};

/* look.c: whoever asks hears when skills come, go or change. */
void serving_look(void *serving, struct lb_loop *loop,
		  struct lb_server *server);
void serving_end(void *serving);

void serving_register(struct lb_job *job);

#endif
