import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { type ClientRequest, createServer, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { reasonOf } from '../../../contracts/problem.js';
import { guardedLookup, refuseForbiddenUrl } from '../../connections/guarded-connections.js';

export interface HostProxy {
  /** Absolute path of its Unix socket. */
  socket: string;
  close(): Promise<void>;
}

/** Headers between a client and its proxy alone. Source: RFC 9110, section 7.6.1. */
const HOP_BY_HOP = ['connection', 'keep-alive', 'proxy-authorization', 'proxy-connection', 'te', 'upgrade'];

/**
 * An HTTP proxy that reaches only allowed hosts, by the rules of API calls, addresses included; it answers 403 for
 * others. @param report receives each refusal as a line.
 */
export async function openHostProxy(allowed: readonly string[], report: (line: string) => void): Promise<HostProxy> {
  const open = new Set<Socket | ClientRequest>();
  const keep = <Kept extends Socket | ClientRequest>(kept: Kept): Kept => {
    open.add(kept);
    kept.once('close', () => open.delete(kept));
    return kept;
  };
  const refused = (error: unknown): string => {
    report(`The proxy of the sandbox refused a request: ${reasonOf(error)}`);
    return `${reasonOf(error)}\n`;
  };
  const server = createServer((incoming, answer) => {
    try {
      const url = new URL(incoming.url ?? '');
      refuseForbiddenUrl(url, allowed);
      const passed = Object.entries(incoming.headers).filter(([name]) => !HOP_BY_HOP.includes(name));
      const headers = { ...Object.fromEntries(passed), host: url.host };
      const { method } = incoming;
      const outgoing = keep(request(url, { method, headers, lookup: guardedLookup(url, allowed), agent: false }));
      outgoing.on('response', (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        pipeline(response, answer, () => {});
      });
      outgoing.on('error', (error) => {
        if (answer.headersSent) answer.destroy();
        else answer.writeHead('code' in error && error.code === 'denied.host' ? 403 : 502).end(refused(error));
      });
      pipeline(incoming, outgoing, () => {});
    } catch (error) {
      answer.writeHead(403).end(refused(error));
    }
  });
  server.on('connection', keep);
  server.on('connect', (incoming, client: Socket, head: Buffer) => {
    client.on('error', () => {});
    try {
      const url = new URL(`https://${incoming.url}`);
      refuseForbiddenUrl(url, allowed);
      const host = url.hostname.replace(/^\[|\]$/g, '');
      const upstream = keep(connect({ host, port: Number(url.port || 443), lookup: guardedLookup(url, allowed) }));
      upstream.once('connect', () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        upstream.write(head);
        pipeline(client, upstream, client, () => {});
      });
      upstream.on('error', (error) => client.end(`HTTP/1.1 502 Bad Gateway\r\n\r\n${refused(error)}`));
    } catch (error) {
      client.end(`HTTP/1.1 403 Forbidden\r\n\r\n${refused(error)}`);
    }
  });
  // Not below the project: the path of a socket has at most 107 bytes.
  const folder = await mkdtemp(join(tmpdir(), 'ability-proxy-'));
  const socket = join(folder, 'socket');
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socket, resolve));
  // The folder is this user's alone; in the box another user may connect.
  await chmod(socket, 0o666);
  return {
    socket,
    async close() {
      server.close();
      for (const kept of open) kept.destroy();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Where a box finds the proxy, and where the relay in it listens. */
export const SOCKET_IN_BOX = '/run/ability-proxy';
const PORT = 3128;

/** A program of Node for the box, which has no network: relays its loopback to the proxy's socket, and runs its words. */
export const RELAY = `
const { createServer, connect } = require('node:net');
const [command, ...args] = process.argv.slice(1);
const relay = createServer((near) => {
  const far = connect('${SOCKET_IN_BOX}');
  near.pipe(far).pipe(near);
  near.on('error', () => far.destroy());
  far.on('error', () => near.destroy());
});
relay.listen(${PORT}, '127.0.0.1', () => {
  const child = require('node:child_process').spawn(command, args, { stdio: 'inherit' });
  child.on('error', (error) => { console.error(error.message); process.exit(127); });
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + require('node:os').constants.signals[signal]));
});`;

const PROXY = `http://127.0.0.1:${PORT}`;

const NAMES = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];

/** Variables by which programs find the proxy. */
export const PROXY_VARIABLES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(NAMES.map((name) => [name, PROXY])),
  NO_PROXY: 'localhost,127.0.0.1',
  NODE_USE_ENV_PROXY: '1',
};
