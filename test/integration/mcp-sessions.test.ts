import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Flows, startFlows } from '../fixtures/flows.js';
import { config, mcpAbility } from '../fixtures/servers/definitions.js';
import { MCP_PROGRAMS, type McpHttpServer, startStatefulMcpHttp } from '../fixtures/servers/mcp-http-server.js';

let flows: Flows;
let http: McpHttpServer;
let stateless: McpHttpServer;

const SERVERS = ['local', 'remote'] as const;
const inProject = (name: string): string => join(flows.project.root, name);
/** What a server noted of its sessions: their ids, or for calls the id and what the session kept. */
const noted = (event: 'begun' | 'called' | 'ended', server: string): string[] =>
  existsSync(inProject(server))
    ? readFileSync(inProject(server), 'utf8')
        .split('\n')
        .filter((line) => line.startsWith(event))
        .map((line) => line.slice(event.length + 1))
    : [];

beforeAll(async () => {
  flows = await startFlows();
  http = await startStatefulMcpHttp(inProject('remote'));
  stateless = await startStatefulMcpHttp(inProject('stateless'), { STATELESS: '1' });
  const { command, args } = {
    command: process.execPath,
    args: (name: string) => [MCP_PROGRAMS.stateful, inProject(name)],
  };
  flows.project.write(
    config('servers', {
      mcp_servers: {
        local: { command, args: args('local'), session: 'task' },
        common: { command, args: args('common'), session: 'shared' },
        remote: { url: http.url, session: 'task' },
        stateless: { url: stateless.url, session: 'task' },
      },
    }),
  );
  for (const server of [...SERVERS, 'common', 'stateless']) {
    for (const [tool, effects] of [
      ['keep', 'write_additive'],
      ['look', 'read'],
      ['die', 'read'],
    ] as const) {
      const mcp = { server, tool, output: 'json' };
      flows.project.write(mcpAbility(`${server}.${tool}`, mcp, { more: { effects } }));
    }
  }
});
afterAll(async () => {
  await flows.project.stop();
  await http.kill();
  await stateless.kill();
});

const keep = (server: string, text: string): string => `{ id: ${text}, call: ${server}.keep, with: { text: ${text} } }`;

describe.each(SERVERS)('a %s server with `session: task`', (server) => {
  test('has one session for each of two tasks at once, with undo, finally and called abilities, and ends with it', async () => {
    const child = flows.define(`steps: [${keep(server, 'inner')}]\noutput: "\${{ steps.inner.output }}"`);
    const define = (name: string): string =>
      flows.define(`
steps:
  - { id: ${name}, call: ${server}.keep, with: { text: ${name} }, undo: { call: ${server}.keep, with: { text: undone } } }
  - { id: pause, call: util.slow, with: { ms: 300 } }
  - { id: called, call: ${child}, with: {} }
  - { id: both, parallel: { x: { call: ${server}.look, with: {} }, y: { call: ${server}.look, with: {} } } }
  - { id: bad, fail: { code: no_luck, message: no } }
finally:
  - { id: last, call: ${server}.look, with: {} }`);
    const before = noted('begun', server).length;
    const results = await Promise.all([flows.project.run(define('one')), flows.project.run(define('two'))]);
    expect(results).toMatchObject([{ error: { code: 'no_luck' } }, { error: { code: 'no_luck' } }]);
    const last = noted('called', server).filter((line) => line.includes(',undone'));
    const [kept, ids] = [1, 0].map((at) => last.map((line) => line.split(' ')[at] as string).sort()) as [
      string[],
      string[],
    ];
    expect(kept).toEqual(['one,inner,undone', 'one,inner,undone', 'two,inner,undone', 'two,inner,undone']);
    expect(new Set(ids).size).toBe(2);
    await expect.poll(() => noted('ended', server)).toEqual(expect.arrayContaining(ids));
    // A further one lists the tools while tasks are planned.
    expect(noted('begun', server).length - before).toBeLessThanOrEqual(3);
  });
});
