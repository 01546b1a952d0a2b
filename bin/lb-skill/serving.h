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
	char stamp[72]; /* of what was there when we looked last */
	json_t *told;   /* pipelines whose missing skills were told */
};

void serving_register(struct lb_job *job);

#endif
