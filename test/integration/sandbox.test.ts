import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NEEDS_BOX, WHY_NO_BOX } from '../fixtures/boxed-script.js';
import { projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { config, mcpAbility, scriptAbility } from '../fixtures/servers/definitions.js';

/** Whether the live files of the project can be seen. */
const SEES = `import fs from 'node:fs';
const sees = fs.existsSync(process.env.ABILITY_ROOT + '/.env') || fs.existsSync('.env');`;

const SERVER = `import fs from 'node:fs';
import { createInterface } from 'node:readline';
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'peek', inputSchema: { type: 'object' } }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: JSON.stringify({ sees: fs.existsSync('.env') }) }] }),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method] ? { result: answers[method](params) } : { error: { code: -32601, message: 'unknown' } };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
});`;

const GUARD = `${SEES}
console.log(JSON.stringify(sees ? { guard_decision: 'deny', reason: 'It sees the project.' } : { guard_decision: 'allow' }));`;

let project: RunningProject;

const boxed = { sandbox: { read: ['servers'] } };
const stdio = (more: object) => ({ command: process.execPath, args: ['servers/peek.mjs'], ...more });

beforeAll(async () => {
  if (WHY_NO_BOX !== undefined) return;
  const made = `import fs from 'node:fs'; fs.writeFileSync('out/made', 'x'); console.log(JSON.stringify(true));`;
  project = await runProject({
    'ability.yaml': projectFile('{ dev: {} }'),
    '.env': 'TOKEN=x\n',
    'servers/peek.mjs': SERVER,
    ...scriptAbility('b.boxed', 's/boxed.mjs', `${SEES}\nconsole.log(JSON.stringify({ sees }));`, {
      script: { args: [], sandbox: {} },
      body: { hooks: { pre_call: ['boxed_guard'] } },
    }),
    ...scriptAbility('b.free', 's/free.mjs', `${SEES}\nconsole.log(JSON.stringify({ sees }));`, {
      script: { args: [] },
    }),
    ...scriptAbility('b.guarded', 's/guarded.mjs', 'console.log("1");', {
      script: { args: [] },
      body: { hooks: { pre_call: ['free_guard'] } },
    }),
    ...scriptAbility('b.makes', 's/makes.mjs', made, { script: { args: [], sandbox: { write: ['out'] } } }),
    ...workflow('b.flow', 'steps: [{ id: a, call: b.makes, with: {} }]'),
    ...mcpAbility('b.tool', { server: 'boxed', tool: 'peek', output: 'json' }),
    ...mcpAbility('b.free_tool', { server: 'free', tool: 'peek', output: 'json' }),
    ...config('servers', { mcp_servers: { boxed: stdio(boxed), free: stdio({}) } }),
    'hooks/guard.mjs': GUARD,
    'registry/hooks/PreAbilityCall.yaml': JSON.stringify({
      hooks: [
        { id: 'boxed_guard', blocking: true, handler: { script: { path: 'hooks/guard.mjs', sandbox: {} } } },
        { id: 'free_guard', blocking: true, handler: { script: { path: 'hooks/guard.mjs' } } },
      ],
    }),
  });
});
afterAll(() => project?.stop());

describe.skipIf(WHY_NO_BOX !== undefined)(`in a running project, a box is kept${NEEDS_BOX}`, () => {
  test('by a script and by its guard', async () => {
    expect(await project.run('b.boxed')).toMatchObject({ status: 'succeeded', output: { sees: false } });
    expect(await project.run('b.free')).toMatchObject({ status: 'succeeded', output: { sees: true } });
    expect(await project.run('b.guarded')).toMatchObject({
      status: 'denied',
      error: { message: expect.stringContaining('It sees the project') },
    });
  });

  test('by a stdio server', async () => {
    expect(await project.run('b.tool')).toMatchObject({ status: 'succeeded', output: { sees: false } });
    expect(await project.run('b.free_tool')).toMatchObject({ status: 'succeeded', output: { sees: true } });
  });

  test('and what it declares has to be there, else nothing runs', async () => {
    const missing = await project.run('b.flow');
    expect(missing).toMatchObject({ status: 'failed', error: { code: 'sandbox.path' } });
    mkdirSync(join(project.root, 'out'));
    chmodSync(join(project.root, 'out'), 0o777);
    expect(await project.run('b.flow')).toMatchObject({ status: 'succeeded' });
  });
});
