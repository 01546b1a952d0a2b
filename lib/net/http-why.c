#include <stdio.h>
#include <string.h>

#include "net/http-call.h"

/* Why there is no connection: what the system said, if it said anything. */
static const char *system_reason(const struct lb_http_call *call, CURLcode code)
{
	long number = 0;

	if (code == CURLE_COULDNT_RESOLVE_HOST)
		return "its name has no address";
	if (code == CURLE_COULDNT_RESOLVE_PROXY)
		return "the proxy's name has no address";
	curl_easy_getinfo(call->easy, CURLINFO_OS_ERRNO, &number);
	return number ? strerror((int)number) : curl_easy_strerror(code);
}

static const char *network_reason(const struct lb_http_call *call,
				  CURLcode code)
{
	switch (code) {
	case CURLE_GOT_NOTHING:
	case CURLE_ABORTED_BY_CALLBACK: /* by us: it is not asked again */
		return "closed without an answer";
	case CURLE_OK:
	case CURLE_PARTIAL_FILE:
		return "closed before the end of the answer";
	default:
		return call->curl_why[0] ? call->curl_why
					 : curl_easy_strerror(code);
	}
}

/* What libcurl quotes may come from the peer. */
static void one_line(char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			*s = '?';
}

/* The place of a call is its host and port: the rest of a URL may be secret. */
void lb_http_why(struct lb_http_call *call, enum lb_http_cause cause,
		 CURLcode code)
{
	const char *place = call->gate->place;
	size_t size = sizeof(call->why);
	char *why = call->why;

	if (cause == LB_HTTP_CONNECT && code == CURLE_OPERATION_TIMEDOUT)
		snprintf(why, size, "cannot connect to '%.150s' within %lld ms",
			 place, (long long)call->connect_ms);
	else if (cause == LB_HTTP_CONNECT)
		snprintf(why, size, "cannot connect to '%.150s': %s", place,
			 system_reason(call, code));
	else if (cause == LB_HTTP_DENIED)
		snprintf(why, size, "'%.150s' is not on the public internet",
			 place);
	else if (cause == LB_HTTP_FIRST_BYTE)
		snprintf(why, size, "no answer from '%.150s' within %lld ms",
			 place, (long long)call->first_byte_ms);
	else if (cause == LB_HTTP_IDLE)
		snprintf(why, size, "'%.150s' sent nothing for %lld ms", place,
			 (long long)call->idle_ms);
	else if (cause == LB_HTTP_ENDLESS)
		snprintf(why, size,
			 "'%.150s' did not end its answer within %lld ms",
			 place, (long long)call->total_ms);
	else if (cause == LB_HTTP_NETWORK)
		snprintf(why, size, "connection to '%.150s' broke: %s", place,
			 network_reason(call, code));
	else if (cause == LB_HTTP_LIMIT)
		snprintf(why, size, "the answer of '%.150s' exceeds %zu bytes",
			 place,
			 call->head_done ? call->max_body
					 : (size_t)LB_HTTP_MAX_HEAD);
	else if (cause == LB_HTTP_ENCODING && !why[0])
		snprintf(why, size, "cannot decode the answer of '%.150s'",
			 place);
	else if (cause == LB_HTTP_STOPPED)
		snprintf(why, size, "stopped by its reader");
	one_line(why);
}
