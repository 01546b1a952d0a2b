#include "record/code.h"

#include <string.h>

static const struct {
	const char *name;
	enum lb_exit exit;
} codes[LB_CODES] = {
	[LB_CODE_USAGE] = {"usage", LB_USAGE},
	[LB_CODE_DATA] = {"data", LB_DATA},
	[LB_CODE_DENIED] = {"denied", LB_DENIED},
	[LB_CODE_CONFIG] = {"config", LB_CONFIG},
	[LB_CODE_AUTH] = {"auth", LB_UNAVAILABLE},
	[LB_CODE_RATE] = {"rate", LB_AGAIN},
	[LB_CODE_OVERLOADED] = {"overloaded", LB_AGAIN},
	[LB_CODE_BAD_REQUEST] = {"bad_request", LB_UNAVAILABLE},
	[LB_CODE_CONTEXT_LENGTH] = {"context_length", LB_UNAVAILABLE},
	[LB_CODE_CONTENT_FILTER] = {"content_filter", LB_UNAVAILABLE},
	[LB_CODE_NETWORK] = {"network", LB_AGAIN},
	[LB_CODE_TIMEOUT] = {"timeout", LB_AGAIN},
	[LB_CODE_TRUNCATED] = {"truncated", LB_PROTOCOL},
	[LB_CODE_MALFORMED] = {"malformed", LB_PROTOCOL},
	[LB_CODE_LIMIT] = {"limit", LB_UNAVAILABLE},
	[LB_CODE_TOOL] = {"tool", LB_UNAVAILABLE},
	[LB_CODE_NOT_FOUND] = {"not_found", LB_UNAVAILABLE},
	[LB_CODE_IO] = {"io", LB_IO},
	[LB_CODE_LOST] = {"lost", LB_AGAIN},
	[LB_CODE_INTERNAL] = {"internal", LB_BUG},
};

const char *lb_code_name(enum lb_code code)
{
	return code < LB_CODES ? codes[code].name : "internal";
}

enum lb_code lb_code_find(const char *name)
{
	int i = 0;

	while (i < LB_CODES && (!name || strcmp(codes[i].name, name) != 0))
		i++;
	return (enum lb_code)i;
}

bool lb_code_is_passing(enum lb_code code)
{
	switch (code) {
	case LB_CODE_RATE:
	case LB_CODE_OVERLOADED:
	case LB_CODE_NETWORK:
	case LB_CODE_TIMEOUT:
	case LB_CODE_TRUNCATED:
	case LB_CODE_IO:
	case LB_CODE_LOST:
		return true;
	default:
		return false;
	}
}

enum lb_exit lb_code_exit(enum lb_code code)
{
	return code < LB_CODES ? codes[code].exit : LB_BUG;
}

enum lb_code lb_code_of(const struct lb_error *err)
{
	switch (err->code) {
	case LB_USAGE:
		return LB_CODE_USAGE;
	case LB_DATA:
		return LB_CODE_DATA;
	case LB_DENIED:
		return LB_CODE_DENIED;
	case LB_CONFIG:
		return LB_CODE_CONFIG;
	case LB_NOINPUT:
		return LB_CODE_NOT_FOUND;
	case LB_IO:
	case LB_AGAIN:
		return LB_CODE_IO;
	default:
		return LB_CODE_INTERNAL;
	}
}
