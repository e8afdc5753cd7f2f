import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const OPERATIONS = fileURLToPath(new URL('../../examples/agents/operations', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'web-operations-'));
let service: Server;
let host: string;
beforeAll(async () => {
  service = createServer(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    if (pathname === '/moved') response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end();
    else if (pathname === '/page') response.end('A page.');
    else {
      const results = [1, 2, 3].map((n) => ({ title: `${searchParams.get('q')} ${n}`, url: `http://a.test/${n}` }));
      response.end(JSON.stringify({ results, format: searchParams.get('format') }));
    }
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(service.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await new Promise((resolve) => service.close(resolve));
  rmSync(folder, { recursive: true });
});

function call(operation: string, given: object, env: Record<string, string>): Promise<unknown> {
  const [input, output] = [join(folder, 'input.json'), join(folder, 'output.json')];
  writeFileSync(input, JSON.stringify(given));
  return new Promise((resolve) => {
    const argv = [join(OPERATIONS, `${operation}.mjs`), '--input', input, '--output', output];
    execFile(process.execPath, argv, { env }, (error, _, stderr) => {
      resolve(error ? stderr.trim() : JSON.parse(readFileSync(output, 'utf8')));
    });
  });
}

describe('the agent `research` of the example project can do what its pack declares (R-004-07)', () => {
  test('it searches the web with the service of its worker', async () => {
    const found = await call('web-search', { query: 'sign-up', max: 2 }, { WEB_SEARCH_URL: `http://${host}/search` });
    expect(found).toEqual({
      results: [1, 2].map((n) => ({ title: `sign-up ${n}`, url: `http://a.test/${n}`, excerpt: '' })),
    });
    expect(await call('web-search', { query: 'x' }, {})).toMatch(/WEB_SEARCH_URL is not set/);
  });

  test('it fetches pages of listed hosts, and follows no page to another', async () => {
    const env = { WEB_HOSTS: `docs.acme.test, ${host}` };
    const url = `http://${host}/page`;
    expect(await call('web-fetch', { url }, env)).toEqual({ url, text: 'A page.', truncated: false });
    expect(await call('web-fetch', { url: 'http://other.test/' }, env)).toBe('WEB_HOSTS does not list other.test');
    expect(await call('web-fetch', { url }, {})).toBe(`WEB_HOSTS does not list ${host}`);
    expect(await call('web-fetch', { url: `http://${host}/moved` }, env)).toMatch(/fetch failed/);
  });
});
