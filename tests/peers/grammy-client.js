// grammy-client.js MODE API-ROOT TOKEN [CHAT] - the grammy package talks to a
// Bot API once.
//
// Prints one JSON object: what it got, or {"code","text","parameters"} of what
// the package made of a refusal.
import { Bot, InputFile, InputMediaBuilder } from "grammy";

const [mode, apiRoot, token, chat = "7"] = process.argv.slice(2);
const bot = new Bot(token, { client: { apiRoot, timeoutSeconds: 10 } });
const to = Number(chat);
const bytes = Buffer.from(Array.from({ length: 70000 }, (_, i) => i % 251));

// Poll as bots do until a message says "stop"; echo the others.
async function poll() {
	const got = [];
	bot.on("message:text", async (ctx) => {
		got.push([ctx.update.update_id, ctx.message.text]);
		if (ctx.message.text === "stop") {
			await bot.stop();
			return;
		}
		await ctx.reply("echo " + ctx.message.text, {
			reply_parameters: { message_id: ctx.message.message_id },
		});
	});
	bot.on("callback_query", (ctx) => ctx.answerCallbackQuery());
	bot.on("edited_message", (ctx) => {
		got.push([ctx.update.update_id, "edit " + ctx.editedMessage.text]);
	});
	await bot.start({ timeout: 1 });
	return { got, me: bot.botInfo.username };
}

async function media() {
	const file = (name) => new InputFile(bytes, name);
	const photo = await bot.api.sendPhoto(to, file("p.png"),
		{ caption: "<b>c</b>", parse_mode: "HTML" });
	const again = await bot.api.sendPhoto(to,
		photo.photo.at(-1).file_id);
	const group = await bot.api.sendMediaGroup(to, [
		InputMediaBuilder.document(file("a.bin")),
		InputMediaBuilder.document(file("b.bin"), { caption: "two" }),
	]);
	await bot.api.sendVoice(to, file("v.ogg"));
	const info = await bot.api.getFile(photo.photo.at(-1).file_id);
	const answer = await fetch(
		`${apiRoot}/file/bot${token}/${info.file_path}`);
	const back = Buffer.from(await answer.arrayBuffer());
	return { same: back.equals(bytes), caption: photo.caption,
		again: again.photo.length, group: group.length };
}

async function edit() {
	const m = await bot.api.sendMessage(to, "one");
	const e = await bot.api.editMessageText(to, m.message_id,
		"<i>two</i> \u{1F600}", { parse_mode: "HTML" });
	await bot.api.sendChatAction(to, "typing");
	return { text: e.text, entities: e.entities, date: e.edit_date > 0 };
}

const modes = {
	poll, media, edit,
	me: () => bot.api.getMe(),
	send: () => bot.api.sendMessage(to, "a b"),
	markup: () => bot.api.sendMessage(to, "<b>a", { parse_mode: "HTML" }),
	long: () => bot.api.sendMessage(to, "\u{1F600}".repeat(2049)),
	fits: () => bot.api.sendMessage(to, "\u{1F600}".repeat(2048)),
	caption: () => bot.api.sendPhoto(to, new InputFile(bytes, "p"),
		{ caption: "x".repeat(1025) }),
	empty: () => bot.api.sendMessage(to, "  "),
	nobody: () => bot.api.raw.sendMessage({ text: "a" }),
	wrong: () => bot.api.raw.sendMessage({ chat_id: true, text: "a" }),
	list: () => bot.api.raw.sendMessage({ chat_id: to, text: ["a"] }),
	thread: () => bot.api.sendMessage(to, "a", { message_thread_id: 1 }),
	reply: () => bot.api.sendMessage(to, "a",
		{ reply_parameters: { message_id: 99 } }),
	gone: () => bot.api.editMessageText(to, 999, "a"),
	same: async () => {
		const m = await bot.api.sendMessage(to, "a");
		return bot.api.editMessageText(to, m.message_id, "a");
	},
	hooked: async () => {
		await bot.api.setWebhook("https://bot.invalid/hook");
		return bot.api.getUpdates();
	},
	two: () => Promise.all([
		bot.api.getUpdates({ timeout: 5 }),
		new Promise((ok) => setTimeout(ok, 300))
			.then(() => bot.api.getUpdates({ timeout: 0 })),
	]),
};

try {
	console.log(JSON.stringify(await modes[mode]()));
} catch (e) {
	console.log(JSON.stringify({ code: e.error_code ?? null,
		text: e.description ?? e.message, parameters: e.parameters }));
}
process.exit(0);
