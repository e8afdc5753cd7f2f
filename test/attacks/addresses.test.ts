import type { LookupAddress, LookupOptions } from 'node:dns';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../src/contracts/json.js';
import { projectFile } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { apiAbility, config, mcpAbility } from '../fixtures/servers/definitions.js';
import { type RecordingService, send, startService } from '../fixtures/servers/recording-service.js';
import { type StatelessMcp, startStatelessMcp } from '../fixtures/servers/stateless-mcp.js';
import { WHOLE } from './extent.js';

/** Addresses that names resolve to here; all other names are looked up by the system. */
const names = vi.hoisted(() => new Map<string, string[]>());
const lookups = vi.hoisted((): string[] => []);
vi.mock('node:dns', async (load) => {
  const actual = await load<typeof import('node:dns')>();
  type Done = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;
  const lookup = (name: string, options: LookupOptions & { all: true }, done: Done): void => {
    lookups.push(name);
    const known = names.get(name);
    const found = known?.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    if (found) done(null, found);
    else actual.lookup(name, options, done);
  };
  return { ...actual, lookup };
});

/** A service on the loopback, at the port that the policy lists. */
let listed: RecordingService;
/** A service on the loopback, at a port that no loopback entry of the policy lists. */
let other: RecordingService;
let tools: StatelessMcp;
/** Its policy allows any name at any port; of the special addresses only the loopback, at one port. */
let project: RunningProject;
let counter = 0;

beforeAll(async () => {
  [listed, other] = [await startService(), await startService()];
  tools = await startStatelessMcp([{ name: 'do', inputSchema: { type: 'object' } }]);
  const hosts = [`127.0.0.1:${listed.port}`, `[::1]:${listed.port}`, `localhost:${listed.port}`, '*:*', '[*]:*'];
  project = await runProject({
    'ability.yaml': projectFile('{ dev: {} }', `policy: { allowed_hosts: ${JSON.stringify(hosts)} }`),
  });
  const resolves = (name: string, ...addresses: string[]) => names.set(name, addresses);
  resolves('localhost.', '127.0.0.1');
  resolves('inside.acme.test', '127.0.0.1');
  resolves('inside6.acme.test', '::1');
  resolves('127.0.0.1.nip.test', '127.0.0.1');
  resolves('mapped.acme.test', '::ffff:127.0.0.1');
  resolves('two.acme.test', '169.254.169.254', '127.0.0.1');
  resolves('metadata.google.test', '169.254.169.254');
  resolves('metadata6.acme.test', 'fd00:ec2::254');
  resolves('local6.acme.test', 'fd12:3456::1');
  resolves('shared.acme.test', '100.64.7.7');
  resolves('alibaba.acme.test', '100.100.100.200');
  resolves('azure.acme.test', '168.63.129.16');
  resolves('nat64.acme.test', '64:ff9b::7f00:1');
});
afterAll(async () => {
  await project.stop();
  tools.close();
  for (const service of [listed, other]) await service.stop();
});
beforeEach(() => {
  lookups.length = 0;
});

async function call(origin: string, path: string, api: JsonObject = {}) {
  counter += 1;
  const key = `address.case_${counter}`;
  project.write(apiAbility(key, origin, { path, ...api }, { more: { effects: 'write_additive' } }));
  return project.run(key);
}
const DENIED = { status: 'failed', error: { code: 'denied.host' }, steps: [{ attempts: 1 }] };

/** Hosts that mean the loopback, in every spelling. */
const LOOPBACKS = [
  ...['127.0.0.1', '127.1', '0x7f.1', '0177.0.0.1', '2130706433', '127.0.0.2', '0.0.0.0', '[::1]', '[::]'],
  ...['[::ffff:127.0.0.1]', '[::127.0.0.1]', '[64:ff9b::127.0.0.1]', 'localhost', 'localhost.'],
  ...['inside.acme.test', 'inside6.acme.test', '127.0.0.1.nip.test', 'mapped.acme.test', 'two.acme.test'],
];

describe('an address listed in the policy with a port opens only that port', () => {
  test('no spelling of the loopback reaches another port, over http or https', async () => {
    const secure = WHOLE ? LOOPBACKS : ['127.1', 'inside.acme.test'];
    const origins = [...LOOPBACKS.map((host) => `http://${host}`), ...secure.map((host) => `https://${host}`)];
    const results = await Promise.all(
      origins.map(async (origin) => {
        const { status, error } = await call(`${origin}:${other.port}`, '/inside');
        return [origin, status, error?.code];
      }),
    );
    expect(results).toEqual(origins.map((origin) => [origin, 'failed', 'denied.host']));
    expect(other.requestsOf('/inside')).toEqual([]);
  });

  test('a redirect to the loopback does not reach another port', async () => {
    const results = await Promise.all(
      LOOPBACKS.map(async (host, index) => {
        listed.on(`/to-${index}`, send(307, 'text/plain', '', { location: `http://${host}:${other.port}/inside` }));
        const { error } = await call(listed.origin, `/to-${index}`);
        return [host, error?.code, listed.requestsOf(`/to-${index}`).length];
      }),
    );
    expect(results).toEqual(LOOPBACKS.map((host) => [host, 'denied.host', 1]));
    expect(other.requestsOf('/inside')).toEqual([]);
  });

  test('an MCP server on the loopback is not reached at another port', async () => {
    const hosts = ['127.1', '[::ffff:127.0.0.1]', 'localhost', 'inside.acme.test'];
    const results = await Promise.all(
      hosts.map(async (host, index) => {
        const [key, server] = [`address.tool_${index}`, `server_${index}`];
        project.write({
          ...mcpAbility(key, { server, tool: 'do' }, { more: { effects: 'write_additive' } }),
          ...config(server, { mcp_servers: { [server]: { url: tools.url.replace('127.0.0.1', host) } } }),
        });
        return [host, (await project.run(key)).error?.code];
      }),
    );
    expect(results).toEqual(hosts.map((host) => [host, 'denied.host']));
    expect([tools.listings, tools.calls]).toEqual([0, []]);
  });

  test.each(['127.0.0.1', '127.1', 'localhost', 'inside.acme.test', '127.0.0.1.nip.test'])(
    'the listed port is reached as %s',
    async (host) => {
      const path = `/open-${host}`;
      expect(await call(`http://${host}:${listed.port}`, path)).toMatchObject({ status: 'succeeded' });
      expect(listed.requestsOf(path)).toHaveLength(1);
    },
  );
});

describe('an allowed name', () => {
  test.each([
    ['the metadata service', 'metadata.google.test', '169.254.169.254'],
    ['the metadata service by IPv6', 'metadata6.acme.test', 'fd00:ec2::254'],
    ['a unique local address', 'local6.acme.test', 'fd12:3456::1'],
    ['a shared address', 'shared.acme.test', '100.64.7.7'],
    ['the metadata service of Alibaba', 'alibaba.acme.test', '100.100.100.200'],
    ['the wire server of Azure', 'azure.acme.test', '168.63.129.16'],
    ['the loopback through NAT64', 'nat64.acme.test', '64:ff9b::7f00:1'],
  ])('does not lead to %s', async (_, host, address) => {
    const result = await call(`http://${host}:${listed.port}`, '/special');
    expect(result).toMatchObject(DENIED);
    const shown = address.includes(':') ? `[${address}]` : address;
    expect(result.error?.message).toContain(`${host} resolves to ${address}`);
    expect(result.error?.suggestion).toContain(`\`${shown}:${listed.port}\``);
  });

  test('that resolves to two addresses is connected to the listed one', async () => {
    expect(await call(`http://two.acme.test:${listed.port}`, '/two')).toMatchObject({ status: 'succeeded' });
  });

  test('is resolved once per connection: the address checked is the address connected to', async () => {
    names.set('rebound.acme.test', ['127.0.0.1']);
    listed.on('/rebind', (response) => {
      // A second look-up would return another address.
      names.set('rebound.acme.test', ['169.254.169.254']);
      response.writeHead(200, { 'content-type': 'application/json', connection: 'close' }).end('{}');
    });
    expect(await call(`http://rebound.acme.test:${listed.port}`, '/rebind')).toMatchObject({ status: 'succeeded' });
    expect(lookups.filter((name) => name === 'rebound.acme.test')).toHaveLength(1);
    expect(await call(`http://rebound.acme.test:${listed.port}`, '/rebind')).toMatchObject(DENIED);
    expect(listed.requestsOf('/rebind')).toHaveLength(1);
  });

  test('is not reached through a proxy of the environment, which would resolve it itself', async () => {
    for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY']) vi.stubEnv(name, other.origin);
    vi.stubEnv('NODE_USE_ENV_PROXY', '1');
    try {
      expect(await call(`http://shared.acme.test:${listed.port}`, '/proxied')).toMatchObject(DENIED);
      expect(await call(listed.origin, '/direct')).toMatchObject({ status: 'succeeded' });
      expect(listed.requestsOf('/direct')).toHaveLength(1);
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
