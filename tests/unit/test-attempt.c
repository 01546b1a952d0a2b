/* How a try ended, and when the next one is. */
#include "platform/attempt.h"
#include "tap.h"

static const struct row {
	enum lb_http_cause cause;
	bool asked;
	int status;
	bool safe;
	enum lb_outcome outcome;
	enum lb_code code;
	const char *what;
} rows[] = {
	{LB_HTTP_DONE, true, 200, false, LB_TRY_OK, LB_CODE_BAD_REQUEST,
	 "200 is good"},
	{LB_HTTP_CONNECT, false, 0, false, LB_TRY_AGAIN, LB_CODE_NETWORK,
	 "no connection: again"},
	{LB_HTTP_NETWORK, false, 0, false, LB_TRY_AGAIN, LB_CODE_NETWORK,
	 "TLS failed: again"},
	{LB_HTTP_NETWORK, true, 0, false, LB_TRY_UNKNOWN, LB_CODE_NETWORK,
	 "cut after the request: unknown"},
	{LB_HTTP_NETWORK, true, 0, true, LB_TRY_AGAIN, LB_CODE_NETWORK,
	 "... again, where that is safe"},
	{LB_HTTP_NETWORK, true, 200, false, LB_TRY_UNKNOWN, LB_CODE_NETWORK,
	 "cut within the answer: unknown"},
	{LB_HTTP_FIRST_BYTE, true, 0, false, LB_TRY_UNKNOWN, LB_CODE_TIMEOUT,
	 "no answer in time: unknown"},
	{LB_HTTP_LIMIT, true, 200, false, LB_TRY_UNKNOWN, LB_CODE_MALFORMED,
	 "an answer too long: unknown"},
	{LB_HTTP_LIMIT, true, 400, false, LB_TRY_REFUSED, LB_CODE_BAD_REQUEST,
	 "... a refusal is one all the same"},
	{LB_HTTP_DONE, true, 400, false, LB_TRY_REFUSED, LB_CODE_BAD_REQUEST,
	 "400: never"},
	{LB_HTTP_DONE, true, 401, true, LB_TRY_REFUSED, LB_CODE_AUTH,
	 "401: never"},
	{LB_HTTP_DONE, true, 403, true, LB_TRY_REFUSED, LB_CODE_DENIED,
	 "403: never"},
	{LB_HTTP_DONE, true, 302, true, LB_TRY_REFUSED, LB_CODE_BAD_REQUEST,
	 "a redirect: never"},
	{LB_HTTP_DONE, true, 429, false, LB_TRY_AGAIN, LB_CODE_RATE,
	 "429: again"},
	{LB_HTTP_DONE, true, 503, false, LB_TRY_AGAIN, LB_CODE_OVERLOADED,
	 "503: again"},
};

static void outcomes(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *r = &rows[i];
		struct lb_http_end end = {.cause = r->cause,
					  .asked = r->asked,
					  .status = r->status,
					  .retry_after_ms = -1,
					  .why = ""};
		struct lb_answer a;

		lb_attempt_judge(&end, r->safe, &a);
		tap_ok(a.outcome == r->outcome && a.code == r->code, r->what);
	}
}

static bool near(int64_t got, int64_t want)
{
	return got >= want - want / 5 && got <= want + want / 5;
}

static void waits(void)
{
	struct lb_tries t = {0};

	tap_ok(near(lb_tries_wait(&t, -1, 1000), 1000) &&
		       near(lb_tries_wait(&t, -1, 2000), 2000) &&
		       near(lb_tries_wait(&t, -1, 4000), 4000) &&
		       near(lb_tries_wait(&t, -1, 8000), 8000),
	       "1, 2, 4, 8 s");
	tap_ok(lb_tries_wait(&t, -1, 16000) == -1, "the fifth is the last");
	t = (struct lb_tries){0};
	tap_ok(lb_tries_wait(&t, 3000, 0) == 3000 &&
		       lb_tries_wait(&t, 0, 3000) == 0,
	       "what the peer says counts");
	t = (struct lb_tries){0};
	tap_ok(lb_tries_wait(&t, 599000, 0) == 599000 &&
		       lb_tries_wait(&t, 2000, 599000) == -1,
	       "not more than ten minutes in all");
}

int main(void)
{
	outcomes();
	waits();
	return tap_end();
}
