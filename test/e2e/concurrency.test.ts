import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { RuntimeFile } from '../../src/contracts/runtime.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { killProcesses } from '../fixtures/kill-process.js';
import { makeProject, operation, type ProjectFolder, workflow } from '../fixtures/project-folder.js';

let project: ProjectFolder;
afterEach(async () => {
  await ability(['down'], { cwd: project.root });
  project.remove();
});

const run = (...args: string[]) => ability(args, { cwd: project.root });
const json = (...args: string[]) => abilityJson(args, { cwd: project.root });
const runtime = (): RuntimeFile => JSON.parse(readFileSync(join(project.root, '.system/runtime.json'), 'utf8'));
const lines = (): string[] => {
  const file = join(project.root, 'log');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
};

test('kill -9 of the worker while one task is admitted and others wait: they continue one by one, in order of arrival', async () => {
  project = makeProject({
    ...operation('work.begin', 'appendFileSync("log", `begin ${input.name}\\n`);', { effects: 'write_additive' }),
    ...operation('work.end', 'appendFileSync("log", `end ${input.name}\\n`);', { effects: 'write_additive' }),
    ...workflow(
      'deploy',
      `
concurrency: { key: "deploy-\${{ environment.name }}" }
steps:
  - { id: begin, call: work.begin, with: { name: "\${{ input.name }}" } }
  - { id: gate, if: "input.name == 'a'", wait: { signal: go } }
  - { id: pause, wait: 200ms }
  - { id: end, call: work.end, with: { name: "\${{ input.name }}" } }`,
    ),
  });
  const status = async (key: string): Promise<string> => (await json('task', 'show', key)).json.status;
  await run('run', 'deploy', '--set', 'name=a', '--key', 'a', '--detach');
  await expect.poll(lines, { timeout: 20_000 }).toEqual(['begin a']);
  for (const key of ['b', 'c']) {
    await run('run', 'deploy', '--set', `name=${key}`, '--key', key, '--detach');
    await expect.poll(() => status(key), { timeout: 20_000 }).toBe('waiting');
  }
  await killProcesses(runtime().pid);

  const shown = await run('task', 'show', 'b');
  expect(shown.stdout).toMatch(/^waiting .*deploy v1 {2}b$/m);
  expect(shown.stdout).toMatch(/^waiting for its turn: deploy-dev is held by a$/m);
  expect((await run('why', 'c')).stdout).toMatch(/waits for its turn: deploy-dev is held by a/);
  expect((await run('task', 'list', '--status', 'waiting')).stdout).toMatch(/^b .*waiting/m);
  const watched = run('task', 'watch', 'c');
  await run('task', 'signal', 'a', 'go');
  const end = await watched;
  expect(end).toMatchObject({ exitCode: 0 });
  expect(end.stderr).toMatch(/^waiting for its turn: deploy-dev is held by a$/m);
  expect(lines()).toEqual(['begin a', 'end a', 'begin b', 'end b', 'begin c', 'end c']);
  const story = await run('why', 'c');
  expect(story.stdout).toMatch(/one at a time with the key deploy-\$\{\{ environment\.name \}\}; others wait/);
  expect(story.stdout).toMatch(/turn with the key deploy-dev granted at .*, after .*; a held it/);
  expect((await json('task', 'result', 'c')).json.concurrency).toMatchObject({ key: 'deploy-dev', held_by: ['a'] });

  expect(await run('task', 'signal', 'a', 'ability:slot')).toMatchObject({ exitCode: 2 });
  expect((await run('show', 'deploy')).stdout).toMatch(/one at a time with the key .*; others wait/);
}, 120_000);
