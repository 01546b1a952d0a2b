/* attach.c - images for the model. What a file is, its first bytes say. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/json.h"
#include "base/magic.h"
#include "base/mem.h"
#include "base/path.h"
#include "llm.h"

enum { MAX_IMAGE = 10 << 20 };

json_t *attach(const char *file, struct lb_error *err)
{
	lb_autofree char *data = NULL;
	lb_autobuf struct lb_buf url = {0};
	const char *path = strcmp(file, "-") == 0 ? "/dev/stdin" : file;
	const char *type;
	size_t len;

	if (lb_path_read(path, MAX_IMAGE, &data, &len, err) < 0)
		return NULL;
	type = lb_magic_type(data, len);
	if (!lb_magic_is_image(type)) {
		lb_fail(err, LB_DATA,
			"'%s' is not a PNG, JPEG, GIF or WebP image", file);
		return NULL;
	}
	lb_buf_printf(&url, "data:%s;base64,", type);
	lb_base64_encode(&url, data, len);
	return lb_json_pack("{s:s, s:s}", "type", "image_base64",
			    "image_base64", url.data);
}
