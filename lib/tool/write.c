/* write - a file gets a content, or more of it. */
#include <string.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/json.h"
#include "tool/args.h"
#include "tool/replace.h"
#include "tool/tool.h"

const char lb_tool_write_schema[] =
	"{\"type\":\"object\",\"properties\":{"
	"\"path\":{\"type\":\"string\",\"description\":\"the file, such as "
	"/workspace/notes.txt\"},"
	"\"content\":{\"type\":\"string\",\"description\":\"what it is to "
	"hold\"},"
	"\"encoding\":{\"type\":\"string\",\"enum\":[\"text\",\"base64\"],"
	"\"default\":\"text\",\"description\":\"of content\"},"
	"\"mode\":{\"type\":\"string\",\"enum\":[\"overwrite\",\"append\"],"
	"\"default\":\"overwrite\"}},"
	"\"required\":[\"path\",\"content\"],\"additionalProperties\":false}";

static bool is_base64_char(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       (c >= '0' && c <= '9') || c == '+' || c == '/';
}

/* As RFC 4648 has it, to the letter: what is garbled must not be written. */
static bool decode(struct lb_buf *out, const char *text, size_t len)
{
	size_t digits = len;

	if (len % 4 != 0)
		return false;
	while (digits > 0 && len - digits < 2 && text[digits - 1] == '=')
		digits--;
	for (size_t i = 0; i < digits; i++)
		if (!is_base64_char(text[i]))
			return false;
	return lb_base64_decode(out, text, len);
}

json_t *lb_tool_write(const struct lb_place *place, const json_t *arguments)
{
	const char *encoding = lb_args_text(arguments, "encoding", NULL);
	const char *mode = lb_args_text(arguments, "mode", NULL);
	lb_autobuf struct lb_buf bytes = {0};
	lb_autospot struct lb_spot spot = {0};
	struct lb_error err;
	const char *text;
	size_t len;
	int r;

	text = lb_args_text(arguments, "content", &len);
	if (encoding && strcmp(encoding, "base64") == 0) {
		if (!decode(&bytes, text, len))
			return lb_tool_refuse(
				"nothing was written: content is not base64 "
				"(A-Z a-z 0-9 + /, padded with '=', without "
				"line breaks)");
		text = lb_buf_str(&bytes);
		len = bytes.len;
	}
	if (lb_args_spot(place, arguments, NULL, &spot, &err) < 0)
		return lb_tool_no(&err);
	if (spot.root < 0)
		return lb_tool_refuse("'%s' is a folder", spot.shown);
	r = mode && strcmp(mode, "append") == 0
		    ? lb_tool_append(place, &spot, text, len, &err)
		    : lb_tool_replace(place, &spot, text, len, &err);
	if (r < 0)
		return lb_tool_no(&err);
	return lb_json_pack("{s:b, s:o, s:I}", "ok", 1, "path",
			    lb_json_text(spot.shown, strlen(spot.shown)),
			    "bytes", (json_int_t)len);
}
