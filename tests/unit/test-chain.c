/* test-chain - how every component reads, to people and to rules. TAP. */
#include "base/buf.h"
#include "base/json.h"
#include "record/chain.h"
#include "tap.h"

static const struct {
	const char *part, *text;
} rows[] = {
	{"{'type':'Source','id':'m','timestamp':1}", ""},
	{"{'type':'Plain','text':'hi'}", "hi"},
	{"{'type':'Plain','text':''}", ""},
	{"{'type':'Quote','id':1,'origin':[{'type':'Plain','text':'x'}]}", ""},
	{"{'type':'At','target':'9','display':'Bob'}", "@Bob"},
	{"{'type':'At','target':'9','display':''}", "@9"},
	{"{'type':'At','target':9,'display':null}", "@9"},
	{"{'type':'At','target':'9'}", "@9"},
	{"{'type':'AtAll'}", "@All"},
	{"{'type':'Image','url':'http://x'}", "[Image]"},
	{"{'type':'Voice','length':3}", "[Voice]"},
	{"{'type':'File','name':'a.txt','size':1}", "[File]a.txt"},
	{"{'type':'File'}", "[File]"},
	{"{'type':'File','file_name':'w.doc'}", "[File]w.doc"},
	{"{'type':'Forward','node_list':[{'sender_id':1,'message_chain':"
	 "[{'type':'Source','id':1},{'type':'Plain','text':'in'}]}]}",
	 "[Chat history]"},
	{"{'type':'Face','face_type':'face','face_name':'smile'}",
	 "[Face]smile"},
	{"{'type':'Face','face_id':3,'face_name':'smile'}", "[Face]smile"},
	{"{'type':'Face','face_type':'dice','face_id':6}", "[Dice]6"},
	{"{'type':'Face','face_type':'rps','face_id':1}",
	 "[Rock paper scissors]paper"},
	{"{'type':'Face','face_type':'rps','face_id':2}",
	 "[Rock paper scissors]scissors"},
	{"{'type':'Face','face_type':'rps','face_id':3}",
	 "[Rock paper scissors]rock"},
	{"{'type':'Face','face_type':'rps','face_id':4}",
	 "[Rock paper scissors]"},
	{"{'type':'Unknown','text':'x'}", "Unknown Message: x"},
	{"{'type':'WeChatMiniPrograms','mini_app_id':'a','user_name':'b',"
	 "'title':'Shop'}",
	 "[Mini program]Shop"},
	{"{'type':'WeChatMiniPrograms','mini_app_id':'a','title':'',"
	 "'display_name':'D'}",
	 "[Mini program]D"},
	{"{'type':'WeChatForwardMiniPrograms','xml_data':'<a/>'}", "<a/>"},
	{"{'type':'WeChatEmoji','emoji_md5':'ff','emoji_size':3}", "[Emoji]"},
	{"{'type':'WeChatLink','link_title':'T','link_url':'u'}", "[Link]T"},
	{"{'type':'WeChatLink','link_title':'','link_url':'u'}", "[Link]u"},
	{"{'type':'WeChatForwardLink','xml_data':'<l/>'}", "<l/>"},
	{"{'type':'WeChatForwardImage','xml_data':'<i/>'}", "<i/>"},
	{"{'type':'WeChatForwardFile','xml_data':'<f/>'}", "<f/>"},
	{"{'type':'WeChatAppMsg','app_msg':'m'}", "m"},
	{"{'type':'WeChatForwardQuote','app_msg':'q'}", "q"},
	{"{'type':'WeChatFile','file_name':'f.pdf'}", "[File]f.pdf"},
	{"{'type':'Hologram','depth':3}", "[Hologram]"},
	{"{'type':'Plain','text':7}", "7"},
	{"{'type':'At','target':9.0}", "@9"},
	{"{'type':'Plain','text':['a']}", ""},
};

static json_t *load(const char *text)
{
	struct lb_buf b = {0};
	json_t *value;

	for (; *text; text++)
		lb_buf_putc(&b, *text == '\'' ? '"' : *text);
	value = json_loads(b.data, 0, NULL);
	lb_buf_release(&b);
	return value;
}

int main(void)
{
	struct lb_buf all = {0}, out = {0}, text = {0};
	struct lb_error err = {0};
	json_t *chain;

	lb_buf_putc(&all, '[');
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		json_t *one = json_pack("[o]", load(rows[i].part));

		lb_buf_reset(&out);
		lb_chain_text(one, &out);
		tap_same(rows[i].text, lb_buf_str(&out), rows[i].part);
		lb_buf_puts(&all, i ? "," : "");
		lb_buf_puts(&all, rows[i].part);
		lb_buf_puts(&text, rows[i].text);
		json_decref(one);
	}
	lb_buf_putc(&all, ']');
	chain = load(all.data);
	lb_buf_reset(&out);
	lb_chain_text(chain, &out);
	tap_same(text.data, lb_buf_str(&out), "a chain is its parts, joined");
	tap_ok(lb_chain_check(chain, &err) == 0, "and is one");
	json_decref(chain);
	chain = load("[{'text':'x'}]");
	tap_ok(lb_chain_check(chain, &err) < 0 && err.code == LB_DATA,
	       "a component without a type is none");
	json_decref(chain);
	chain = load("{'type':'Plain'}");
	tap_ok(lb_chain_check(chain, &err) < 0, "nor is what is no list");
	json_decref(chain);
	lb_buf_release(&all);
	lb_buf_release(&out);
	lb_buf_release(&text);
	return tap_end();
}
