/* lineup.h - the models that are asked in turn, and how long. */
#ifndef LB_LLM_LINEUP_H
#define LB_LLM_LINEUP_H

#include "base/prog.h"
#include "llm/failover.h"
#include "store/limits.h"

/* What the command line says of it. */
struct patience {
	struct lb_list fallbacks;
	long tries;       /* 0: as configured */
	int64_t max_wait; /* ms; 0: as configured */
	bool strict_params;
};

/* For the table of options. */
#define PATIENCE_OPTIONS(patience)                                             \
	{0, "fallback", "MODEL",                                               \
	 "ask this one when the one before cannot "                            \
	 "answer",                                                             \
	 .list = &(patience).fallbacks},                                       \
		{0, "max-wait", "TIME", "the longest time to go on asking",    \
		 .duration = &(patience).max_wait},                            \
		{0, "strict-params",                                           \
		 .help = "a parameter that is refused ends it",                \
		 .flag = &(patience).strict_params},                           \
	{                                                                      \
		0, "tries", "N", "how often the last model is asked",          \
			.number = &(patience).tries, .min = 1, .max = 20       \
	}

struct lineup {
	struct lb_model *at[LB_FAILOVER_MODELS];
	size_t n;
	bool owned[LB_FAILOVER_MODELS]; /* closed with it */
	struct lb_failover_bounds bounds;
	struct lb_limits *limits;
	struct lb_llm_memo memo;
};

/*
 * That model first, then the fallbacks: of the command line, else of the
 * configuration where no model was named. A fallback that cannot be had is left
 * out, with a warning. Close it also when it fails.
 */
int lineup_open(struct lineup *l, struct lb_config *config, const char *spec,
		const struct patience *p, struct lb_error *err);
/* The same with a model that is open already, and stays so. */
void lineup_behind(struct lineup *l, struct lb_config *config,
		   struct lb_model *first, bool named,
		   const struct patience *p);
void lineup_close(struct lineup *l);

#endif
