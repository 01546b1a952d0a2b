/*
 * base/error.h - how a room says what went wrong.
 *
 * Every function that can fail takes `struct lb_error *err` last, fills it
 * when it fails, leaves it alone when it does not, and returns
 *     0 done, -1 failed                   (actions)
 *     1 one more, 0 no more, -1 failed    (iterators)
 *     a pointer, or NULL for failed       (makers)
 * The caller owns the struct; nothing in it is allocated, so reporting an
 * error cannot itself fail and there is nothing to free.
 *
 * The text says what failed first and quotes its subject: "cannot open 'x':
 * No such file or directory". Lower case, no full stop, one line. It is
 * either returned or logged, never both.
 */
#ifndef LB_BASE_ERROR_H
#define LB_BASE_ERROR_H

/* What a program exits with. 64-78 are the sysexits.h numbers. */
enum lb_exit {
	LB_OK = 0,           /* did what was asked */
	LB_NO = 1,           /* ran well; the answer is no */
	LB_USAGE = 64,       /* the command line is wrong */
	LB_DATA = 65,        /* a record or a file is malformed */
	LB_NOINPUT = 66,     /* an input cannot be opened */
	LB_UNAVAILABLE = 69, /* a peer refused for good; do not retry */
	LB_BUG = 70,         /* we are wrong; please report */
	LB_OS = 71,          /* out of memory, processes, descriptors */
	LB_IO = 74,          /* a read or a write failed */
	LB_AGAIN = 75,       /* may work later; retry me */
	LB_PROTOCOL = 76,    /* a peer broke its protocol; retry me */
	LB_DENIED = 77,      /* a policy said no */
	LB_CONFIG = 78,      /* the configuration is wrong */
};

#define LB_ERROR_TEXT 512 /* bytes, the final NUL included */

struct lb_error {
	enum lb_exit code;        /* what main() should exit with */
	char text[LB_ERROR_TEXT]; /* one line; no newline, no program name */
};

/*
 * Fill err; always returns -1, so that a failure is one statement:
 *     return lb_fail(err, LB_DATA, "line %lu: not an object", n);
 */
int lb_fail(struct lb_error *err, enum lb_exit code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same, followed by ": " and what errno says. */
int lb_fail_sys(struct lb_error *err, enum lb_exit code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Put "context: " in front of what err says already; always returns -1. */
int lb_error_wrap(struct lb_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
