import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { LONG } from '../fixtures/extent.js';
import { makeProject, operation, type ProjectFolder, projectFile } from '../fixtures/project-folder.js';

const SECRET = 'c4nary-hunter2-of-a-provider';

let project: ProjectFolder;

beforeAll(() => {
  project = makeProject({
    'ability.yaml': projectFile(
      '{ dev: {} }',
      `default_environment: dev
secrets: { vault: { command: [./give.sh, "{path}", "{field}"], ttl: 1ms } }
notify: [{ on: [task.failed], webhook: "vault:kv/hook#url", secret: "vault:kv/hook#key" }]
`,
    ),
    'give.sh': `#!/bin/sh\necho run >> runs.log\nif test -e broken; then echo ${SECRET} >&2; exit 4; fi\necho ${SECRET}\n`,
    ...operation('op.use', 'console.error(process.env.TOKEN); return process.env.TOKEN.length;', {
      script: ', env: { TOKEN: "vault:kv/db#password" }',
    }),
    'registry/low-level/op.use.test.yaml':
      'ability: op.use\ncases: [{ name: works, environment: dev, mocks: { op.use: { output: 1 } }, expect: { output: 1 } }]\n',
  });
  chmodSync(join(project.root, 'give.sh'), 0o755);
});
beforeEach(() => {
  for (const name of ['runs.log', 'broken']) rmSync(join(project.root, name), { force: true });
});
afterAll(async () => {
  await run('down');
  project.remove();
});

const runs = () => {
  const file = join(project.root, 'runs.log');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
};
const run = (...args: string[]) => ability(args, { cwd: project.root });

test.each([
  ['list'],
  ['show', 'op.use'],
  ['plan', 'op.use'],
  ['graph', 'op.use'],
  ['route', 'use something'],
  ['lint'],
  ['doctor'],
])('no provider runs for `ability %s`', LONG, async (...args) => {
  const { stdout, stderr } = await run(...args);
  expect([runs(), stdout + stderr]).toEqual([0, expect.not.stringContaining('config.missing_credential')]);
});

test('a plan shows the reference, and that workers read it', async () => {
  expect((await run('plan', 'op.use')).stdout).toContain(
    'needs the secret TOKEN, vault:kv/db#password: read by workers',
  );
});

test('`lint --check-env` runs it, once for each reference and environment', async () => {
  expect(await run('lint', '--check-env')).toMatchObject({ exitCode: 0 });
  expect(runs()).toBe(1);
});

test('`lint --check-env` says where the reference of one that fails is, and nothing that it printed', async () => {
  project.write({ broken: '' });
  const { exitCode, stdout, stderr } = await run('lint', '--check-env');
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/op\.use\.yaml:\d+:\d+[\s\S]*secret\.unavailable/);
  expect(stdout).toContain('./give.sh ended with exit code 4');
  expect(stdout + stderr).not.toContain('hunter2');
});

test('a direct run has it from its worker', async () => {
  const { exitCode, json } = await abilityJson(['run', 'op.use', '--direct'], { cwd: project.root });
  expect([exitCode, json.output, runs() > 0]).toEqual([0, SECRET.length, true]);
});

test('a direct run is refused where it fails', async () => {
  project.write({ broken: '' });
  const { exitCode, json, stdout, stderr } = await abilityJson(['run', 'op.use', '--direct'], { cwd: project.root });
  expect([exitCode, json.code]).toEqual([3, 'secret.unavailable']);
  expect(stdout + stderr).not.toContain('hunter2');
});

test('cases of a test run none', LONG, async () => {
  expect(await run('test')).toMatchObject({ exitCode: 0 });
  expect(runs()).toBe(0);
});
