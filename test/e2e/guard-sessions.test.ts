import { spawn } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SeenSession } from '../../src/client/index.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { CLEAN, CLI } from '../fixtures/command-line.js';
import { makeProject, operation, type ProjectFolder } from '../fixtures/project-folder.js';

let project: ProjectFolder;

beforeAll(() => {
  project = makeProject({ ...operation('util.echo', 'return input;') });
});
afterAll(async () => {
  await ability(['down'], { cwd: project.root });
  project.remove();
});

/** Calls the guard as a tool would. */
function guard(
  command: string,
  env: Record<string, string>,
): Promise<{ code: number | null; stderr: string; ms: number }> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const child = spawn(process.execPath, [CLI, 'guard', '--for', 'claude', '--project', project.root], {
      cwd: project.root,
      env: { ...process.env, ...CLEAN, ABILITY_SESSION: '', ...env },
    });
    let stderr = '';
    child.stderr.on('data', (part) => (stderr += part));
    child.on('error', reject).on('close', (code) => resolve({ code, stderr, ms: performance.now() - began }));
    child.stdin.end(JSON.stringify({ hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command } }));
  });
}

const SCRIPT = 'ability approve KEY --comment s3cr3t-word';
const show = async (): Promise<SeenSession> =>
  (await abilityJson(['session', 'show', 'one'], { cwd: project.root })).json as unknown as SeenSession;

test('the answer is the same without a server and with one that is down', async () => {
  const remote = { ABILITY_SESSION: 'one', TEMPORAL_ADDRESS: '127.0.0.1:1' };
  const [plain, none, down] = [
    await guard(SCRIPT, {}),
    await guard(SCRIPT, { ABILITY_SESSION: 'one' }),
    await guard(SCRIPT, { ...remote, ABILITY_SEAL_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64url')}` }),
  ];
  expect(plain.code).toBe(2);
  expect([none.code, none.stderr, down.code, down.stderr]).toEqual([2, plain.stderr, 2, plain.stderr]);
  const keyless = await guard(SCRIPT, remote);
  expect(keyless.code).toBe(2);
  expect(keyless.stderr).toContain('without ABILITY_SEAL_KEYS');
});

test('a session records what was answered and shows it, and its next turn has what was denied (R-002-57)', async () => {
  const started = await abilityJson(['session', 'start', '--id', 'one'], { cwd: project.root });
  expect(started).toMatchObject({ exitCode: 0 });
  expect((await guard(SCRIPT, { ABILITY_SESSION: 'one' })).code).toBe(2);
  expect((await guard('git status', { ABILITY_SESSION: 'one' })).code).toBe(0);
  await expect.poll(async () => (await show()).tool_answers?.length, { timeout: 30_000, interval: 200 }).toBe(1);
  const seen = await show();
  expect(seen.tool_answers).toMatchObject([
    {
      tool: 'claude',
      name: 'Bash',
      decision: 'deny',
      guards: [{ ability_id: '*', source: 'policy.bypass.decisions' }],
    },
  ]);
  expect(JSON.stringify(seen)).not.toContain('s3cr3t-word');
  expect((await ability(['session', 'show', 'one'], { cwd: project.root })).stdout).toMatch(
    /tool Bash of claude, .*: deny/,
  );
  const { json } = await abilityJson(['session', 'prompt', 'one', 'go on'], { cwd: project.root });
  expect(json).toMatchObject({
    hook_signals: { ability_guards: [{ decision: 'deny', source: 'policy.bypass.decisions' }] },
  });
  // Each denial is passed on once.
  const next = await abilityJson(['session', 'prompt', 'one', 'go on'], { cwd: project.root });
  expect(next.json).toMatchObject({ hook_signals: { ability_guards: [] } });
});
