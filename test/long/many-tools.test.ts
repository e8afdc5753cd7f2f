import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadRegistry } from '../../src/definitions/load-registry.js';
import { abilityJson } from '../fixtures/called-command.js';
import { makeProject, projectFile } from '../fixtures/project-folder.js';
import { MCP_PROGRAMS } from '../fixtures/servers/mcp-http-server.js';

const project = makeProject({ 'ability.yaml': projectFile('{ dev: {} }') });
afterAll(() => project.remove());

test('an MCP server with 5,000 tools is imported completely', async () => {
  const inputSchema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
  const tools = Array.from({ length: 5000 }, (_, n) => ({ name: `t${n}`, description: `Does ${n}.`, inputSchema }));
  writeFileSync(join(project.root, 'tools.json'), JSON.stringify(tools));
  const server = [process.execPath, MCP_PROGRAMS.changing, 'tools.json', 'calls.txt'].map((word) => `'${word}'`);
  const args = ['import', 'mcp', 'srv', '--command', server.join(' ')];
  const { json } = await abilityJson(args, { cwd: project.root });
  expect(json.new).toHaveLength(5000);
  expect(loadRegistry(project.root).problems).toEqual([]);
}, 180_000);
