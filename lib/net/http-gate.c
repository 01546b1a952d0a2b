#include <arpa/inet.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "net/http-call.h"

/*
 * libcurl keeps an address for 120 s (see http-easy.c). Ours is good for half
 * of that, and the leader makes libcurl forget what it has, so nobody who
 * passes a fresh gate can find libcurl's entry gone.
 */
enum { FRESH_MS = 60 * 1000 };

void lb_http_list_add(struct lb_http_list *list, struct lb_http_call *call)
{
	call->list = list;
	call->prev = list->last;
	call->next = NULL;
	if (list->last)
		list->last->next = call;
	else
		list->first = call;
	list->last = call;
}

void lb_http_list_remove(struct lb_http_call *call)
{
	if (call->prev)
		call->prev->next = call->next;
	else
		call->list->first = call->next;
	if (call->next)
		call->next->prev = call->prev;
	else
		call->list->last = call->prev;
	call->list = NULL;
}

static void lower(char *s)
{
	for (; *s; s++)
		if (*s >= 'A' && *s <= 'Z')
			*s = (char)(*s - 'A' + 'a');
}

static bool is_address(const char *host)
{
	struct in_addr v4;

	return host[0] == '[' || inet_pton(AF_INET, host, &v4) == 1;
}

/* "host:port" of a URL; caller frees. NULL and LB_USAGE. */
static char *place_of(const char *text, bool *is_name, struct lb_error *err)
{
	CURLU *url = curl_url();
	char *scheme = NULL, *host = NULL, *port = NULL, *place = NULL;

	if (curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK &&
	    curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
	    (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0) &&
	    (curl_url_get(url, CURLUPART_HOST, &host, CURLU_PUNYCODE) ==
		     CURLUE_OK ||
	     curl_url_get(url, CURLUPART_HOST, &host, 0) == CURLUE_OK) &&
	    curl_url_get(url, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) ==
		    CURLUE_OK) {
		lower(host);
		*is_name = !is_address(host);
		place = lb_printf("%s:%s", host, port);
	} else {
		lb_fail(err, LB_USAGE, "not an http or https address");
	}
	curl_free(scheme);
	curl_free(host);
	curl_free(port);
	curl_url_cleanup(url);
	return place;
}

void lb_http_gate_free(struct lb_http_gate *gate)
{
	curl_slist_free_all(gate->forget);
	free(gate->place);
	free(gate);
}

/* Hosts that nobody asks any more must not pile up. */
static void sweep(struct lb_http *http)
{
	size_t n = 0;
	int64_t now = lb_clock_mono();

	for (struct lb_http_gate *g = http->gates; g; g = g->next)
		n++;
	if (n < LB_HTTP_GATES)
		return;
	for (struct lb_http_gate **at = &http->gates, *g; (g = *at);) {
		if (g->calls == 0 && g->fresh_until < now) {
			*at = g->next;
			lb_http_gate_free(g);
		} else {
			at = &g->next;
		}
	}
}

struct lb_http_gate *lb_http_gate_find(struct lb_http *http, const char *url,
				       struct lb_error *err)
{
	bool is_name = false;
	lb_autofree char *place = place_of(url, &is_name, err);
	lb_autofree char *forget = NULL;
	struct lb_http_gate *g;

	if (!place)
		return NULL;
	for (g = http->gates; g; g = g->next)
		if (strcmp(g->place, place) == 0)
			return g;
	sweep(http);
	forget = lb_printf("-%s", place);
	g = lb_alloc(sizeof(*g));
	g->is_name = is_name;
	g->forget = curl_slist_append(NULL, forget);
	g->place = lb_steal(&place);
	g->next = http->gates;
	http->gates = g;
	return g;
}

static void pass(struct lb_http_gate *gate)
{
	struct lb_http_call *call;

	while ((call = gate->waiting.first)) {
		bool lead =
			gate->is_name && lb_clock_mono() >= gate->fresh_until;

		if (lead && gate->leader)
			break;
		if (lead)
			gate->leader = call;
		lb_http_send(call, lead);
	}
}

void lb_http_gate_pass(struct lb_http *http)
{
	http->moved = false;
	for (struct lb_http_gate *g = http->gates; g;) {
		struct lb_http_gate *gate = g;

		gate->calls++; /* callbacks may start calls, and so sweep */
		pass(gate);
		gate->calls--;
		g = gate->next;
	}
}

void lb_http_gate_resolved(struct lb_http_call *call)
{
	struct lb_http_gate *gate = call->gate;

	if (gate->leader != call)
		return;
	gate->fresh_until = lb_clock_mono() + FRESH_MS;
	lb_http_gate_yield(call);
}

void lb_http_gate_yield(struct lb_http_call *call)
{
	if (call->gate->leader != call)
		return;
	call->gate->leader = NULL;
	lb_http_kick(call->http);
}

void lb_http_gate_fail(struct lb_http_gate *gate)
{
	/* Only who waits now: a callback may start the next try. */
	struct lb_http_list batch = gate->waiting;

	gate->waiting = (struct lb_http_list){0};
	for (struct lb_http_call *c = batch.first; c; c = c->next)
		c->list = &batch;
	gate->calls++;
	while (batch.first)
		lb_http_finish(batch.first, LB_HTTP_CONNECT,
			       CURLE_COULDNT_RESOLVE_HOST);
	gate->calls--;
}
