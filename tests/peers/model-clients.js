// model-clients.js SERVICE MODE BASE-URL KEY [TEXT] - the services' own
// packages ask once, or twice where tools are called.
//
// Prints one JSON object: {"text","usage","pieces"} of the answer, with
// "calls" where there were some, or {"status","message"} of a refusal.
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { Ollama } from "ollama";
import OpenAI from "openai";

const [service, mode, base, key, text = "a b"] = process.argv.slice(2);
const schema = { type: "object", properties: { n: { type: "integer" } },
	required: ["n"] };
const tools = [
	{ name: "clock", description: "The time.",
		schema: { type: "object", properties: {} } },
	{ name: "dice", description: "Dice.", schema },
];
const results = { clock: "12:00", dice: "4" };

// Each is asked with the history in its own shape, and gives
// {text, usage, pieces, calls: [{name, arguments}], more(): the history then}.

async function anthropic(history, streamed, withTools) {
	const client = new Anthropic({ baseURL: base, apiKey: key, maxRetries: 0 });
	const request = { model: "m", max_tokens: mode === "bad" ? 0 : 100,
		messages: history, ...(withTools && { tools: tools.map((t) => ({
			name: t.name, description: t.description,
			input_schema: t.schema })) }) };
	let pieces = 0;
	let message;
	if (streamed) {
		const stream = client.messages.stream(request);
		stream.on("text", () => pieces++);
		message = await stream.finalMessage();
	} else {
		message = await client.messages.create(request);
	}
	const uses = message.content.filter((b) => b.type === "tool_use");
	return {
		text: message.content.filter((b) => b.type === "text")
			.map((b) => b.text).join(""),
		usage: message.usage.output_tokens > 0, pieces,
		calls: uses.map((u) => ({ name: u.name, arguments: u.input })),
		more: () => [...history,
			{ role: "assistant", content: message.content },
			{ role: "user", content: uses.map((u) => ({
				type: "tool_result", tool_use_id: u.id,
				content: results[u.name] })) }],
	};
}

async function responses(history, streamed, withTools) {
	const client = new OpenAI({ baseURL: base, apiKey: key, maxRetries: 0 });
	const request = { model: "m", input: history, store: false,
		...(mode === "bad" && { max_output_tokens: 1 }),
		...(withTools && { tools: tools.map((t) => ({ type: "function",
			name: t.name, parameters: t.schema, strict: false })) }) };
	let pieces = 0;
	let response;
	if (streamed) {
		const stream = client.responses.stream(request);
		stream.on("response.output_text.delta", () => pieces++);
		response = await stream.finalResponse();
	} else {
		response = await client.responses.create(request);
	}
	const calls = response.output.filter((i) => i.type === "function_call");
	return {
		text: response.output_text ?? "",
		usage: response.usage.output_tokens > 0, pieces,
		calls: calls.map((c) => ({ name: c.name,
			arguments: JSON.parse(c.arguments) })),
		more: () => [...history,
			...calls.map((c) => ({ type: "function_call",
				call_id: c.call_id, name: c.name,
				arguments: c.arguments })),
			...calls.map((c) => ({ type: "function_call_output",
				call_id: c.call_id, output: results[c.name] }))],
	};
}

async function gemini(history, streamed, withTools) {
	const ai = new GoogleGenAI({ apiKey: key,
		httpOptions: { baseUrl: base, apiVersion: "v1beta" } });
	const request = { model: withTools ? "gemini-3-tools" : "m",
		contents: history,
		config: { ...(mode === "bad" && { temperature: 9 }),
			...(withTools && { tools: [{ functionDeclarations: [
				{ name: "clock", description: "The time." },
				{ name: "dice", parameters: schema }] }] }) } };
	let pieces = 0;
	const parts = [];
	let usage;
	const take = (answer) => {
		parts.push(...(answer.candidates?.[0]?.content?.parts ?? []));
		usage = answer.usageMetadata ?? usage;
		pieces += answer.text ? 1 : 0;
	};
	if (streamed)
		for await (const answer of
			await ai.models.generateContentStream(request))
			take(answer);
	else
		take(await ai.models.generateContent(request));
	const calls = parts.filter((p) => p.functionCall);
	return {
		text: parts.map((p) => p.text ?? "").join(""),
		usage: usage.candidatesTokenCount > 0, pieces,
		calls: calls.map((p) => ({ name: p.functionCall.name,
			arguments: p.functionCall.args })),
		more: () => [...history, { role: "model", parts: calls },
			{ role: "user", parts: calls.map((p) => ({
				functionResponse: { name: p.functionCall.name,
					response: {
						output: results[p.functionCall.name] },
				} })) }],
	};
}

async function ollama(history, streamed, withTools) {
	const client = new Ollama({ host: base });
	const request = { model: mode === "bad" ? "missing"
		: withTools ? "tools" : "m", messages: history, stream: streamed,
		...(withTools && { tools: tools.map((t) => ({ type: "function",
			function: { name: t.name, description: t.description,
				parameters: t.schema } })) }) };
	const answer = await client.chat(request);
	const message = { role: "assistant", content: "", tool_calls: [] };
	let pieces = 0;
	let usage = 0;
	for await (const part of streamed ? answer : [answer]) {
		message.content += part.message.content;
		message.tool_calls.push(...(part.message.tool_calls ?? []));
		pieces += part.message.content ? 1 : 0;
		usage = part.eval_count ?? usage;
	}
	return {
		text: message.content, usage: usage > 0, pieces,
		calls: message.tool_calls.map((c) => ({ name: c.function.name,
			arguments: c.function.arguments })),
		more: () => [...history, message, ...message.tool_calls.map((c) => ({
			role: "tool", tool_name: c.function.name,
			content: results[c.function.name] }))],
	};
}

const first = service === "gemini"
	? [{ role: "user", parts: [{ text }] }]
	: [{ role: "user", content: text }];

async function run(ask) {
	const streamed = mode === "streamed" || mode === "tools-streamed";
	const withTools = mode.startsWith("tools");
	const one = await ask(first, streamed, withTools);
	if (!withTools)
		return { text: one.text, usage: one.usage, pieces: one.pieces };
	const two = await ask(one.more(), streamed, withTools);
	return { text: two.text, usage: two.usage, calls: one.calls };
}

try {
	const out = await run({ anthropic, responses, gemini, ollama }[service]);
	console.log(JSON.stringify(out));
} catch (e) {
	console.log(JSON.stringify({ status: e.status ?? e.status_code ?? null,
		message: String(e.message) }));
}
