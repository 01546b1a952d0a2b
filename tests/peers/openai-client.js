// openai-client.js MODE BASE-URL KEY [TEXT] - the openai package asks once.
//
// Prints one JSON object: {"text","finish","usage"} of the answer, or
// {"status","code","type"} of what the package made of a refusal.
import OpenAI from "openai";

const [mode, baseURL, apiKey, text = "a b"] = process.argv.slice(2);
const client = new OpenAI({
	baseURL,
	apiKey,
	maxRetries: mode === "retry" ? 1 : 0,
	timeout: 10000,
});

const request = {
	model: "m",
	messages: [
		{ role: "system", content: "You are a test." },
		{ role: "user", content: text },
	],
};

async function whole() {
	const answer = await client.chat.completions.create(request);
	const { message, finish_reason } = answer.choices[0];
	return { text: message.content, finish: finish_reason,
		usage: answer.usage.total_tokens > 0 };
}

async function streamed() {
	const out = { text: "", pieces: 0, finish: null, usage: false };
	const stream = await client.chat.completions.create({
		...request, stream: true, stream_options: { include_usage: true },
	});
	for await (const chunk of stream) {
		const choice = chunk.choices[0];
		out.text += choice?.delta.content ?? "";
		out.pieces += choice?.delta.content ? 1 : 0;
		out.finish = choice?.finish_reason ?? out.finish;
		out.usage ||= (chunk.usage?.total_tokens ?? 0) > 0;
	}
	return out;
}

function refused(mode) {
	if (mode === "hot") request.temperature = 3;
	if (mode === "empty") request.messages = [];
	if (mode === "role") request.messages[1].role = "bot";
	return whole();
}

const modes = { whole, streamed, retry: whole };
try {
	const ask = modes[mode] ?? (() => refused(mode));
	console.log(JSON.stringify(await ask()));
} catch (e) {
	console.log(JSON.stringify({ status: e.status ?? null,
		code: e.code ?? null, name: e.constructor.name }));
}
