import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CallLog } from '../../src/activities/call/call-log.js';
import { box, NEEDS_BOX, runScript, WHY_NO_BOX } from '../fixtures/boxed-script.js';

let root: string;
let server: Server;
let port: number;
let seen: IncomingMessage[];

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'ability-test-hosts-')));
  seen = [];
  server = createServer((request, answer) => {
    seen.push(request);
    request.resume().on('end', () => answer.end(`hello ${request.method}`));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as { port: number }).port;
});
afterEach(() => {
  server.close();
  rmSync(root, { recursive: true, force: true });
});

/** Prints the status and body of a request through the proxy, of a tunnel through it, and of one past it. */
const CLIENT = `
import http from 'node:http';
import net from 'node:net';
const [url, how = 'proxy', host] = process.argv.slice(2);
const target = new URL(url);
const proxy = new URL(process.env.HTTP_PROXY ?? 'http://127.0.0.1:1');
const at = { host: proxy.hostname, port: proxy.port };
const print = (status, body) => { console.log(JSON.stringify([status, body])); process.exit(0); };
const failed = (error) => print(0, error.code);
const read = (answer) => { let text = ''; answer.on('data', (piece) => { text += piece; }).on('end', () => print(answer.statusCode, text)); };
if (how === 'proxy') {
  http.request({ ...at, method: 'POST', path: url, headers: { host: host ?? target.host, 'proxy-authorization': 'secret' } }, read).on('error', failed).end('body');
} else if (how === 'direct') {
  net.connect({ host: target.hostname, port: target.port }).on('error', failed).on('connect', () => print(200, ''));
} else {
  http.request({ ...at, method: 'CONNECT', path: target.host })
    .on('connect', (answer, socket) => {
      if (answer.statusCode !== 200) return print(answer.statusCode, '');
      http.request({ createConnection: () => socket, host: target.host, path: '/' }, read).on('error', failed).end();
    })
    .on('error', failed).end();
}
`;

async function ask(allowed_hosts: string[], ...args: string[]): Promise<[number, string]> {
  return (await runScript(root, CLIENT, { ...box({ allowed_hosts }), args })) as [number, string];
}

describe.skipIf(WHY_NO_BOX !== undefined)(`a box with \`network: hosts\`${NEEDS_BOX}`, () => {
  const url = (host = '127.0.0.1'): string => `http://${host}:${port}/x`;

  test('reaches an allowed host through the proxy, by requests and by tunnels', async () => {
    const allowed = [`127.0.0.1:${port}`];
    expect(await ask(allowed, url())).toEqual([200, 'hello POST']);
    expect(await ask(allowed, url(), 'tunnel')).toEqual([200, 'hello GET']);
  });

  test.each(['proxy', 'tunnel'])('does not reach other hosts, ports and addresses by a %s', async (how) => {
    const status = async (allowed: string[], to: string): Promise<number> => (await ask(allowed, to, how))[0];
    expect(await status([`127.0.0.1:${port}`], url('localhost'))).toBe(403);
    expect(await status([`127.0.0.1:${port + 1}`, 'example.test'], url())).toBe(403);
    // A pattern names no special address, nor a name that leads to one.
    expect(await status(['*:*'], url())).toBe(403);
    expect(await status(['*:*'], url('localhost'))).toBeGreaterThanOrEqual(403);
    expect(seen).toEqual([]);
  });

  test('does not reach any host past the proxy', async () => {
    expect((await ask([`127.0.0.1:${port}`], url(), 'direct'))[0]).toBe(0);
    expect(await runScript(root, CLIENT, { args: [url(), 'direct'] })).toEqual([200, '']);
  });

  test('cannot name another host in a request, and keeps what is for the proxy from it', async () => {
    await ask([`127.0.0.1:${port}`], url(), 'proxy', 'inner.test');
    expect(seen[0]?.headers).toMatchObject({ host: `127.0.0.1:${port}` });
    expect(seen[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  test('logs what was refused, and leaves no socket behind', async () => {
    const log = new CallLog(undefined, '', 1);
    const sockets = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('ability-proxy-'));
    const before = sockets();
    const call = { ...box({ allowed_hosts: ['example.test'] }), args: [url()], log };
    expect(await runScript(root, CLIENT, call)).toMatchObject([403, expect.stringContaining('does not allow')]);
    expect(log.tailOf('runtime')).toContain(`does not allow 127.0.0.1:${port}`);
    expect(sockets().filter((name) => !before.includes(name) && existsSync(join(tmpdir(), name)))).toEqual([]);
  });
});
