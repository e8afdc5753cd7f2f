import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '../../../src/contracts/json.js';
import { metaTools } from '../../../src/doors/mcp/tools.js';

const page = readFileSync(join(import.meta.dirname, '../../../docs/mcp.md'), 'utf8');
/** Not `npx`, which may outlive a signal. */
const PROGRAM = 'node_modules/.bin/ability';
const ARGS = ['mcp', '--access', 'run'];

test('docs/mcp.md lists the tools in order, with the access that each requires', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| (read|run) \|/gm)].map(([, name, access]) => [name, access]);
  const reading = metaTools('read');
  expect(rows).toEqual([...metaTools('run').keys()].map((name) => [name, reading.has(name) ? 'read' : 'run']));
});

test('it lists the arguments of each tool, and marks those that may be left out', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| (?:read|run) \| (.*?) \|/gm)].map(([, name, cell = '']) => [
    name,
    [...cell.replaceAll(/\(.*?\)/g, '').matchAll(/`(\w+\??)`/g)].map(([, argument]) => argument),
  ]);
  const schemas = [...metaTools('run')].map(([name, { listed }]) => {
    const { properties = {}, required = [] } = listed.inputSchema as { properties?: object; required?: string[] };
    return [name, Object.keys(properties).map((key) => (required.includes(key) ? key : `${key}?`))];
  });
  expect(rows).toEqual(schemas);
});

test('the lines for agent tools start the same door, in the form that each tool documents', () => {
  const blocks = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(
    ([, text]) => JSON.parse(text as string) as JsonObject,
  );
  const servers = blocks.map(
    (block) => (isJsonObject(block.mcpServers) ? block.mcpServers : block.servers) as JsonObject,
  );
  expect(blocks.map((block) => Object.keys(block))).toEqual([['mcpServers'], ['mcpServers'], ['servers']]);
  for (const { ability } of servers) expect(ability).toMatchObject({ command: PROGRAM, args: ARGS });
  expect(servers[2]?.ability).toMatchObject({ type: 'stdio' });
  const [, toml = ''] = /```toml\n([\s\S]*?)```/.exec(page) ?? [];
  expect(toml).toBe(
    `[mcp_servers.ability]\ncommand = "${PROGRAM}"\nargs = ${JSON.stringify(ARGS).replaceAll(',', ', ')}\n`,
  );
  for (const tool of ['claude mcp add --scope project', 'codex mcp add']) {
    expect(page).toContain(`${tool} ability -- ${PROGRAM} ${ARGS.join(' ')}`);
  }
});
