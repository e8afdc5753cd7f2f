/**
 * The HTTP service that both sides of the benchmark call: as little work as possible a request.
 *
 * `POST /echo` answers with the body it got; `POST /add` takes `{n, by}` and answers `{n: n + by}`. Listens on a free port
 * of the loopback and prints `{"port": …}` as one line; SIGTERM ends it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const JSON_HEADERS = { 'content-type': 'application/json' };

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => answer(request, Buffer.concat(chunks), response));
});
// A connection that the service closes while a request is on its way would show as a retry in the measurements.
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`);
});

process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});

function answer({ method, url }: IncomingMessage, body: Buffer, response: ServerResponse): void {
  if (method === 'POST' && url === '/echo') send(response, 200, body);
  else if (method === 'POST' && url === '/add') send(response, ...add(body));
  else send(response, 404, '{"error":"no such call"}');
}

function add(body: Buffer): [status: number, body: string] {
  try {
    const { n, by } = JSON.parse(body.toString('utf8'));
    if (typeof n === 'number' && typeof by === 'number') return [200, JSON.stringify({ n: n + by })];
  } catch {
    // Told below, together with numbers that are none.
  }
  return [400, '{"error":"wanted {n, by} as JSON"}'];
}

function send(response: ServerResponse, status: number, body: Buffer | string): void {
  response.writeHead(status, { ...JSON_HEADERS, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
