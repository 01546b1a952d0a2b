/*
 * base/watch.h - being told that a file changed.
 */
#ifndef LB_BASE_WATCH_H
#define LB_BASE_WATCH_H

/*
 * A descriptor that becomes readable when somebody writes to the file, or -1
 * when that cannot be had: whoever watches looks by himself now and then, too.
 */
int lb_watch_open(const char *path);

/* The same for what comes into a folder, and leaves it. */
int lb_watch_folder(const char *path);

/* Take what it has to say. */
void lb_watch_drain(int fd);

#endif
