import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ability, abilityJson, CLI, start } from '../fixtures/command-line.js';
import { makeProject, operation, type ProjectFolder } from '../fixtures/project-folder.js';

let project: ProjectFolder;

beforeAll(() => {
  project = makeProject({
    ...operation(
      'util.patient',
      'console.error("has begun"); while (!existsSync(input.file)) await sleep(20); console.error("has ended"); return {};',
      { yaml: 'input_schema: { type: object, properties: { file: { type: string } }, required: [file] }' },
    ),
  });
});
afterAll(async () => {
  await ability(['down'], { cwd: project.root });
  project.remove();
});

const run = (...args: string[]) => ability(args, { cwd: project.root });

test('`task logs -f` shows a line before the call that printed it has ended', async () => {
  const file = join(project.root, 'go-on');
  await run('run', 'util.patient', '--set', `file=${file}`, '--key', 'patient', '--detach');
  const follower = start(['task', 'logs', 'patient', '-f'], { cwd: project.root });
  let seen = '';
  follower.stdout?.on('data', (chunk) => {
    seen += chunk;
  });
  await vi.waitFor(() => expect(seen).toMatch(/stderr: has begun/), { timeout: 30_000 });
  expect(await abilityJson(['task', 'show', 'patient'], { cwd: project.root })).toMatchObject({
    json: { status: 'running' },
  });
  writeFileSync(file, '');
  await follower;
  expect(seen.match(/has begun/g)).toHaveLength(1);
  expect(seen.match(/has ended/g)).toHaveLength(1);
}, 120_000);

test.each([
  ['--version'],
  ['--help'],
  ['task', '--help'],
  ['list'],
  ['list', '--json'],
  ['explain', 'guard.denied'],
  ['list', '--no-such-flag'],
])('a reader that has gone away ends the command quietly: %s %s', async (...args) => {
  const child = spawn(process.execPath, [CLI, ...args], { cwd: project.root, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [exitCode] = await once(child, 'close');
  expect(stderr).not.toMatch(/EPIPE|\bat .*\d+:\d+|node:/);
  expect([0, 2, 130]).toContain(exitCode);
});
