/*
 * net/curl.h - libcurl, loaded at the first request. Inside the room only.
 *
 * libcurl brings some thirty libraries with it, and mapping them costs nine
 * times what starting a small program does. Programs that talk to no network
 * in this run (--help, the offline model, a replay) must not pay for it, so
 * nothing links libcurl: lb_curl_load() opens it, and the functions listed
 * here are called through a table under their own names.
 */
#ifndef LB_NET_CURL_H
#define LB_NET_CURL_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include "base/error.h"

#define LB_CURL_FUNCTIONS(X)                                                   \
	X(curl_easy_cleanup)                                                   \
	X(curl_easy_getinfo)                                                   \
	X(curl_easy_header)                                                    \
	X(curl_easy_init)                                                      \
	X(curl_easy_reset)                                                     \
	X(curl_easy_setopt)                                                    \
	X(curl_easy_strerror)                                                  \
	X(curl_free)                                                           \
	X(curl_getdate)                                                        \
	X(curl_global_cleanup)                                                 \
	X(curl_global_init)                                                    \
	X(curl_multi_add_handle)                                               \
	X(curl_multi_cleanup)                                                  \
	X(curl_multi_info_read)                                                \
	X(curl_multi_init)                                                     \
	X(curl_multi_remove_handle)                                            \
	X(curl_multi_setopt)                                                   \
	X(curl_multi_socket_action)                                            \
	X(curl_slist_append)                                                   \
	X(curl_slist_free_all)                                                 \
	X(curl_url)                                                            \
	X(curl_url_cleanup)                                                    \
	X(curl_url_get)                                                        \
	X(curl_url_set)

#undef curl_easy_getinfo
#undef curl_easy_setopt
#undef curl_multi_setopt

struct lb_curl {
#define X(name) __typeof__(name) *name;
	LB_CURL_FUNCTIONS(X)
#undef X
};

extern struct lb_curl lb_curl;

/* LB_OS: the library is not there, or too old. Does nothing a second time. */
int lb_curl_load(struct lb_error *err);

#ifndef LB_NET_CURL_NAMES
#define curl_easy_cleanup lb_curl.curl_easy_cleanup
#define curl_easy_getinfo lb_curl.curl_easy_getinfo
#define curl_easy_header lb_curl.curl_easy_header
#define curl_easy_init lb_curl.curl_easy_init
#define curl_easy_reset lb_curl.curl_easy_reset
#define curl_easy_setopt lb_curl.curl_easy_setopt
#define curl_easy_strerror lb_curl.curl_easy_strerror
#define curl_free lb_curl.curl_free
#define curl_getdate lb_curl.curl_getdate
#define curl_global_cleanup lb_curl.curl_global_cleanup
#define curl_global_init lb_curl.curl_global_init
#define curl_multi_add_handle lb_curl.curl_multi_add_handle
#define curl_multi_cleanup lb_curl.curl_multi_cleanup
#define curl_multi_info_read lb_curl.curl_multi_info_read
#define curl_multi_init lb_curl.curl_multi_init
#define curl_multi_remove_handle lb_curl.curl_multi_remove_handle
#define curl_multi_setopt lb_curl.curl_multi_setopt
#define curl_multi_socket_action lb_curl.curl_multi_socket_action
#define curl_slist_append lb_curl.curl_slist_append
#define curl_slist_free_all lb_curl.curl_slist_free_all
#define curl_url lb_curl.curl_url
#define curl_url_cleanup lb_curl.curl_url_cleanup
#define curl_url_get lb_curl.curl_url_get
#define curl_url_set lb_curl.curl_url_set
#endif

#endif
