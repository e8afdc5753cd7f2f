import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { CLI, start } from '../fixtures/command-line.js';
import { makeProject, operation, type ProjectFolder, workflow } from '../fixtures/project-folder.js';

let project: ProjectFolder;

beforeAll(() => {
  project = makeProject({
    ...operation(
      'util.patient',
      'console.error("has begun"); while (!existsSync(input.file)) await sleep(20); console.error("has ended"); return {};',
      { yaml: 'input_schema: { type: object, properties: { file: { type: string } }, required: [file] }' },
    ),
    ...workflow(
      'asks',
      [
        'steps:',
        '  - id: both',
        '    if: "false"',
        '    parallel:',
        '      left: { call: util.patient, with: { file: a } }',
        '      right: { wait: { signal: go } }',
        '  - { id: ask, approval: { title: "Sure?", fields: { ticket: { type: string } } } }',
        'finally:',
        '  - { id: last, call: util.patient, with: { file: ability.yaml } }',
      ].join('\n'),
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
  let output = '';
  follower.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  await vi.waitFor(() => expect(output).toMatch(/stderr: has begun/), { timeout: 30_000 });
  expect(await abilityJson(['task', 'show', 'patient'], { cwd: project.root })).toMatchObject({
    json: { status: 'running' },
  });
  writeFileSync(file, '');
  await follower;
  expect(output.match(/has begun/g)).toHaveLength(1);
  expect(output.match(/has ended/g)).toHaveLength(1);
}, 120_000);

test('watching a task that was never run reports that, and how to run it', async () => {
  await run('task', 'create', 'util.patient', '--set', 'file=x', '--key', 'made');
  const end = await run('task', 'watch', 'made', '--timeout', '6s');
  expect(end.exitCode).toBe(6);
  expect(end.stderr).toMatch('made has been created and waits to be run: ability task run made');
  expect(end.stderr).toMatch(/made has not been run within 6s; it can still be run\n.*ability task run made/);
  expect(end.stderr).not.toMatch(/task watch/);
  await run('task', 'cancel', 'made');
}, 60_000);

test('a task that waits for people is shown with the commands that decide it', async () => {
  const shown = await run('run', 'asks', '--key', 'pending');
  expect(shown.exitCode).toBe(5);
  expect(shown.stderr).toMatch(/ability approve pending --approval ask-\w+ --set ticket=STRING +# say yes to "Sure\?"/);
  const [deny = ''] = /ability deny pending --approval ask-\w+/.exec(shown.stderr) ?? [];
  expect((await run(...deny.split(' ').slice(1))).exitCode).toBe(0);
  expect((await run('task', 'watch', 'pending')).exitCode).toBe(4);
}, 60_000);

test('`ability show` lists the steps of a workflow', async () => {
  const { stdout } = await run('show', 'asks');
  expect(stdout).toMatch(
    /^steps:\n {2}both +parallel\n {2}both\/left +call +util\.patient\n {2}both\/right +wait +signal go\n/m,
  );
  expect(stdout).toMatch(/^finally:\n {2}last +call +util\.patient$/m);
});

test.each([
  ['--version'],
  ['--help'],
  ['task', '--help'],
  ['list'],
  ['list', '--json'],
  ['explain', 'guard.denied'],
  ['list', '--no-such-flag'],
])('a reader that closes the pipe ends the command quietly: %s %s', async (...args) => {
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
