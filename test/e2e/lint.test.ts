import { execFileSync } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { start } from '../fixtures/command-line.js';
import { makeProject, operation, type ProjectFiles, type ProjectFolder } from '../fixtures/project-folder.js';

const FLOW = `id: flow
type: workflow
version: 1
summary: Calls an operation.
steps:
  - { id: one, call: op.raed }
`;

function project(files: ProjectFiles = {}): ProjectFolder {
  const made = makeProject({ ...operation('op.read', 'return {};'), ...files });
  onTestFinished(() => made.remove());
  return made;
}

test('R-000-88: valid definitions exit with 0', async () => {
  const { root: cwd } = project();
  expect(await ability(['lint'], { cwd })).toMatchObject({
    exitCode: 0,
    stdout: 'No findings in 1 ability.',
  });
  expect((await abilityJson(['lint'], { cwd })).json).toEqual({ findings: [], abilities: 1 });
});

test('R-000-89: invalid definitions are reported with their place, in each form, and exit with 1', async () => {
  const { root: cwd } = project({ 'registry/high-level/flow.yaml': FLOW });
  const human = await ability(['lint'], { cwd });
  expect(human.exitCode).toBe(1);
  expect(human.stdout).toContain('registry/high-level/flow.yaml:6:22  error definition.unknown_reference');
  expect(human.stdout).toContain('Did you mean op.read?');
  const { json, exitCode } = await abilityJson(['lint'], { cwd });
  expect(exitCode).toBe(1);
  expect(json.findings).toMatchObject([
    { code: 'definition.unknown_reference', location: { file: 'registry/high-level/flow.yaml', line: 6, column: 22 } },
  ]);
  const sarif = await ability(['lint', '--format', 'sarif'], { cwd });
  expect(JSON.parse(sarif.stdout).runs[0].results).toHaveLength(1);
  const junit = await ability(['lint', '--format', 'junit'], { cwd });
  expect(junit.stdout).toContain('failures="1"');
});

test('a broken ability.yaml is a finding like any other', async () => {
  const { root: cwd } = project({ 'ability.yaml': 'format: 1\nprojekt: x\n' });
  const { exitCode, stdout } = await ability(['lint'], { cwd });
  expect(exitCode).toBe(1);
  expect(stdout).toContain('ability.yaml:2:1  error definition.invalid');
});

test('warnings exit with 0, and with 1 under --fail-on warning', async () => {
  const doubtful = `${FLOW.replace('raed', 'read')}  - { id: two, let: { sure: yes } }\n`;
  const { root: cwd } = project({ 'registry/high-level/flow.yaml': doubtful });
  expect((await ability(['lint'], { cwd })).exitCode).toBe(0);
  expect((await ability(['lint', '--fail-on', 'warning'], { cwd })).exitCode).toBe(1);
});

test.each([
  ['an unknown format', ['lint', '--format', 'xml']],
  ['two formats', ['lint', '--json', '--format', 'sarif']],
  ['watching with --json', ['lint', '--watch', '--json']],
  ['no project', ['lint', '--project', '/nowhere']],
  ['a missing revision', ['lint', '--since', 'nowhere']],
])('bad usage ends with 2: %s', async (_, args) => {
  const { root: cwd } = project();
  expect((await ability(args, { cwd })).exitCode).toBe(2);
});

test('--since reports a contract that broke without a new version', async () => {
  const { root: cwd, write } = project();
  const git = (...args: string[]): void => {
    execFileSync('git', ['-C', cwd, '-c', 'user.name=t', '-c', 'user.email=t@t.test', ...args], { stdio: 'ignore' });
  };
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'before');
  write(
    operation('op.read', 'return {};', {
      yaml: 'input_schema: { type: object, required: [id], properties: { id: { type: string } } }',
    }),
  );
  const { exitCode, stdout } = await ability(['lint', '--since', 'HEAD'], { cwd });
  expect(exitCode).toBe(1);
  expect(stdout).toContain('lint.break_input_required');
});

test('--watch checks again when a file changes, and Ctrl-C ends it', async () => {
  const { root: cwd, write } = project({ 'registry/high-level/flow.yaml': FLOW });
  const watching = start(['lint', '--watch'], { cwd });
  onTestFinished(() => void watching.kill('SIGKILL'));
  const lines = watching.iterable({ from: 'stdout' })[Symbol.asyncIterator]();
  const until = async (text: string): Promise<void> => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`never printed ${text}`);
      if (String(value).includes(text)) return;
    }
  };
  await until('1 error');
  write({ 'registry/high-level/flow.yaml': FLOW.replace('raed', 'read') });
  await until('No findings');
  watching.kill('SIGINT');
  expect((await watching).exitCode).toBe(130);
});
