/*
 * fs/tree.h - how much is in a folder that others write to.
 */
#ifndef LB_FS_TREE_H
#define LB_FS_TREE_H

#include <stdbool.h>
#include <stdint.h>

struct lb_tree_size {
	int64_t bytes; /* on the disk: blocks, not lengths */
	int64_t files; /* of every kind, folders too */
	bool more;     /* one of the limits was passed: the rest is not counted */
};

/*
 * Count what is below an open folder, to at most those limits. No link is
 * followed, no other file system entered, and what disappears meanwhile is not
 * there. However deep it is, no path is put together.
 */
void lb_tree_size(int folder, int64_t max_bytes, int64_t max_files,
		  struct lb_tree_size *size);

#endif
