/**
 * The scripted model and the service that tools call, of both sides: an OpenAI-compatible endpoint on the loopback.
 *
 * `POST /v1/chat/completions`, streamed or whole, as the request has it. It sees only what a model sees: the first message of the user
 * says what to do, and the results of calls how far that is. `POST /lookup` answers with about 500 bytes, `POST /pay` with what it took.
 * Prints `{"port": …}` as one line; SIGTERM ends it.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Chat {
  stream?: boolean;
  messages: { role: string; content: unknown }[];
  tools?: { function: { name: string; parameters?: { properties?: object } } }[];
}

type Said = { text: string } | { call: { name: string; arguments: object }; id: string };

const USAGE = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (request.url === '/v1/chat/completions') answerChat(body, response);
    else if (request.url === '/lookup') sendJson(response, { n: body.n, text: 'r'.repeat(480) });
    else if (request.url === '/pay') sendJson(response, { paid: body.amount });
    else response.writeHead(404).end();
  });
});
// A connection that is closed while a request is on its way would show as a retry in the measurements.
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`);
});
process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});

/** What the model says. Texts of users are strings or parts with a text, as the client likes it. */
function says({ messages, tools = [] }: Chat): Said {
  const told = messages.filter(({ role }) => role === 'tool').map(({ content }) => textOf(content));
  const asked = textOf(messages.find(({ role }) => role === 'user')?.content);
  const call = (name: string, given: object): Said => ({ call: { name, arguments: given }, id: `call_${told.length}` });
  const times = /^Look up (\d+) times\.$/.exec(asked)?.[1];
  if (times !== undefined) {
    return told.length < Number(times) ? call('lookup', { n: told.length }) : { text: `I saw ${told.length} results.` };
  }
  if (asked === 'Have the clerk pay.' && told.length === 0) {
    const clerk = tools.find((tool) => tool.function.name === 'clerk')?.function.parameters?.properties ?? {};
    return call('clerk', { ['request' in clerk ? 'request' : 'input']: 'Pay 9.' });
  }
  if (asked === 'Pay 9.' && told.length === 0) return call('pay', { amount: 9 });
  if (asked === 'Pay 99, and once more.' && told.length < 2) return call('pay', { amount: 99 });
  if (asked === 'Remember blue.') return { text: 'Noted.' };
  if (messages.some(({ role, content }) => role === 'user' && textOf(content) === 'Which colour?')) {
    return { text: asked.includes('blue') ? 'blue' : 'I was told no colour.' };
  }
  return { text: told.join(' | ') };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? '').join('') : '';
}

function answerChat(body: Chat, response: ServerResponse): void {
  const said = says(body);
  const frame = { id: 'one', created: 0, model: 'scripted' };
  const finish_reason = 'call' in said ? 'tool_calls' : 'stop';
  const message =
    'call' in said
      ? { role: 'assistant', content: null, tool_calls: [toolCall(said)] }
      : { role: 'assistant', content: said.text };
  if (!body.stream) {
    const choices = [{ index: 0, message, finish_reason }];
    sendJson(response, { ...frame, object: 'chat.completion', choices, usage: USAGE });
    return;
  }
  const delta = 'call' in said ? { ...message, tool_calls: [{ index: 0, ...toolCall(said) }] } : message;
  const chunks = [
    { choices: [{ index: 0, delta, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason }] },
    { choices: [], usage: USAGE },
  ];
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const chunk of chunks) {
    response.write(`data: ${JSON.stringify({ ...frame, object: 'chat.completion.chunk', ...chunk })}\n\n`);
  }
  response.end('data: [DONE]\n\n');
}

function toolCall({ call, id }: Extract<Said, { call: object }>): object {
  return { id, type: 'function', function: { name: call.name, arguments: JSON.stringify(call.arguments) } };
}

function sendJson(response: ServerResponse, value: object): void {
  const body = JSON.stringify(value);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
