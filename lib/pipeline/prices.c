/* prices.c - what tokens cost, for the limits that count it. */
#include <math.h>

#include "config/prices.h"
#include "pipeline/spend.h"

int64_t lb_spend_price(struct lb_config *config, const char *model,
		       int64_t input, int64_t output)
{
	struct lb_price p = lb_price_of(config, model, false);

	/* so much a million, in millionths: so much each */
	return p.known ? llround(p.input * (double)input +
				 p.output * (double)output)
		       : 0;
}
