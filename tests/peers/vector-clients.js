// vector-clients.js SERVICE MODE BASE-URL KEY - the services' own packages ask
// for embeddings, or for documents in order.
//
// Prints one JSON object: {"vectors"} or {"ranks":[index...]} of the answer, or
// {"status","message"} of a refusal. MODE is good, bad or key.
import { GoogleGenAI } from "@google/genai";
import { CohereClientV2 } from "cohere-ai";
import { Ollama } from "ollama";
import OpenAI from "openai";
import { VoyageAIClient } from "voyageai";

const [service, mode, base, key] = process.argv.slice(2);
const texts = mode === "bad" ? ["one", ""] : ["one", "three"];
const documents = ["cat", "a pipe", "pie"];
const query = mode === "bad" ? "" : "pipe";

const services = {
	async openai() {
		const client = new OpenAI({ baseURL: base, apiKey: key,
			maxRetries: 0 });
		const answer = await client.embeddings.create({ model: "m",
			input: texts });
		return { vectors: answer.data.sort((a, b) => a.index - b.index)
			.map((d) => d.embedding) };
	},
	async ollama() {
		const client = new Ollama({ host: base });
		const answer = await client.embed({ model: "m", input: texts });
		return { vectors: answer.embeddings };
	},
	async gemini() {
		const client = new GoogleGenAI({ apiKey: key,
			httpOptions: { baseUrl: base, apiVersion: "v1beta" } });
		const answer = await client.models.embedContent({ model: "m",
			contents: texts });
		return { vectors: answer.embeddings.map((e) => e.values) };
	},
	async cohere() {
		const client = new CohereClientV2({ token: key,
			environment: base });
		const answer = await client.embed({ model: "m", texts,
			inputType: "search_document", embeddingTypes: ["float"] },
			{ maxRetries: 0 });
		return { vectors: answer.embeddings.float };
	},
	async "cohere-rerank"() {
		const client = new CohereClientV2({ token: key,
			environment: base });
		const answer = await client.rerank({ model: "m", query,
			documents, topN: 2 }, { maxRetries: 0 });
		return { ranks: answer.results.map((r) => r.index) };
	},
	async "voyage-rerank"() {
		const client = new VoyageAIClient({ apiKey: key,
			environment: base });
		const answer = await client.rerank({ model: "m", query,
			documents, topK: 2 }, { maxRetries: 0 });
		return { ranks: answer.data.map((r) => r.index) };
	},
};

try {
	console.log(JSON.stringify(await services[service]()));
} catch (e) {
	console.log(JSON.stringify({ status: e.statusCode ?? e.status_code ??
		e.status ?? null, message: String(e.message).slice(0, 200) }));
}
