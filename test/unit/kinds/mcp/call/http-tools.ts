import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { JsonObject } from '../../../../../src/contracts/json.js';
import type { PlanMcpServer } from '../../../../../src/contracts/plan.js';

/** A message of a client. */
export type McpMessage = { id?: number | string; method: string; params: JsonObject };

/** The answer to the handshake of the versions before 2026-07-28. */
export const INITIALIZED = {
  result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } },
};

/**
 * An MCP server over HTTP that ends with the test. @param answer gives each request a result or an error;
 * undefined: the function answers by itself, or not at all.
 */
export async function httpTools(
  answer: (message: McpMessage, response: ServerResponse, request: IncomingMessage) => object | undefined,
): Promise<Extract<PlanMcpServer, { transport: 'http' }>> {
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const message = JSON.parse(Buffer.concat(chunks).toString('utf8')) as McpMessage;
    if (message.id === undefined) return void response.writeHead(202).end();
    const result = answer(message, response, request);
    if (result === undefined) return;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...result }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const common = { name: 'tools', transport: 'http', headers: {}, credentials: {} } as const;
  return { ...common, url: `http://${host}/mcp`, allowed_hosts: [host] };
}
