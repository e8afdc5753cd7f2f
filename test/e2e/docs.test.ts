import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { ability as startAbility } from '../fixtures/command-line.js';
import { makeProject, operation, type ProjectFolder, workflow } from '../fixtures/project-folder.js';

const EXAMPLE = fileURLToPath(new URL('../..', import.meta.url));

let project: ProjectFolder;

beforeEach(() => {
  project = makeProject({
    ...operation('db.read.user', 'return input;', { yaml: 'scope: { modules: [users] }' }),
    ...workflow('check', 'scope: { modules: [integration/test] }\nsteps: [{ id: one, call: db.read.user }]'),
  });
});
afterEach(() => project.remove());

const read = (file: string): string => readFileSync(join(project.root, file), 'utf8');
const docs = (...args: string[]) => ability(['docs', ...args], { cwd: project.root });

test('R-000-88: `ability docs --check` passes on the example project of this repository', async () => {
  const { exitCode, stdout } = await ability(['docs', '--check'], { cwd: EXAMPLE });
  expect(stdout).toBe(
    'in step  ABILITY.md\nin step  examples/signup/ABILITY.md\nin step  integration/ABILITY.md\nin step  AGENTS.md\nin step  registry/AGENTS.md',
  );
  expect(exitCode).toBe(0);
});

describe('ability docs', () => {
  test('writes the first document of a project, and then finds it up to date', async () => {
    expect(await docs('--check')).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/docs\.none/) });
    expect(await docs()).toMatchObject({ exitCode: 0, stdout: 'created  ABILITY.md  2 added' });
    expect(read('ABILITY.md')).toMatch(
      /## High-level abilities[\s\S]*\| check \|[\s\S]*## Low-level[\s\S]*\| db\.read\.user \|/,
    );
    expect(await docs('--check')).toMatchObject({ exitCode: 0, stdout: 'in step  ABILITY.md', stderr: '' });
    expect(await docs()).toMatchObject({ exitCode: 0, stdout: 'in step  ABILITY.md' });
  });

  test('R-000-02, R-000-03: adds documents of modules and of integration, with the abilities that belong there', async () => {
    const { exitCode, stdout } = await docs('--add', 'integration', 'modules/users');
    expect(stdout).toBe('created  integration/ABILITY.md  1 added\ncreated  modules/users/ABILITY.md  1 added');
    expect(exitCode).toBe(0);
    expect(read('integration/ABILITY.md')).toContain('| check | workflow | integration/test |');
    expect(read('integration/ABILITY.md')).not.toContain('db.read.user |');
    expect(read('modules/users/ABILITY.md')).toContain('| db.read.user | script | users |');
  });

  test('--check shows the difference with its line, and writes nothing', async () => {
    await docs();
    project.write(operation('db.write.user', 'return input;'));
    project.write({ 'ABILITY.md': read('ABILITY.md').replace('| script |', '| api |') });
    const before = read('ABILITY.md');
    const { exitCode, stdout, stderr } = await docs('--check');
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(
      /^out of step {2}ABILITY\.md\n@@ [^\n]+\n [\s\S]*\n-\| db\.read\.user \| api \|.*\n\+\| db\.read\.user \| script \|/,
    );
    expect(stderr).toMatch(/^ABILITY\.md:30 The row of db\.read\.user and its definition differ in Kind$/m);
    expect(stderr).toMatch(/^ABILITY\.md:24 db\.write\.user has no row here/m);
    expect(read('ABILITY.md')).toBe(before);
  });

  test('keeps edited text, and reports when it moves with a renamed row', async () => {
    await docs();
    const words = 'Before each *release*';
    project.write({ 'ABILITY.md': `Mine.\n${read('ABILITY.md').replace('| A test. |', `| ${words} |`)}` });
    project.write(workflow('more', 'steps: [{ id: one, let: { n: 1 } }]'));
    expect((await docs()).stdout).toBe('written  ABILITY.md  1 added');
    expect(read('ABILITY.md')).toMatch(/^Mine\.\n# Abilities/);
    expect(read('ABILITY.md')).toContain(`| check | workflow | integration/test | ${words} |`);
    const [content = ''] = Object.values(workflow('other', 'steps: [{ id: one, let: { n: 1 } }]'));
    project.write({ 'registry/high-level/check.yaml': content });
    const { stdout, stderr } = await docs();
    expect(stdout).toBe('written  ABILITY.md  1 renamed');
    expect(stderr).toMatch(/ABILITY\.md:\d+ The row of check is that of other/);
    expect(read('ABILITY.md')).toContain(`| other | workflow | any | ${words} |`);
  });

  test('writes nothing at all while one document is broken, and names its line', async () => {
    project.write({
      'ABILITY.md': '<!-- ability:high-level -->\n<!-- /ability:high-level -->\n',
      'users/ABILITY.md': 'words\n<!-- ability:low-level -->\n',
    });
    const { exitCode, stdout, stderr } = await docs();
    expect(exitCode).toBe(2);
    expect(stdout).toBe('out of step  ABILITY.md\nbroken  users/ABILITY.md');
    expect(stderr).toMatch(/ABILITY\.md was not written, because another one is broken/);
    expect(stderr).toMatch(/error docs\.invalid The section low-level is not closed\n {2}at users\/ABILITY\.md:2:1/);
    expect(read('ABILITY.md')).toBe('<!-- ability:high-level -->\n<!-- /ability:high-level -->\n');
    expect((await docs('ABILITY.md')).exitCode).toBe(0);
  });

  test('leaves a page without tables unchanged and reports that, until tables are requested', async () => {
    project.write({ 'ABILITY.md': '# Mine\n' });
    const { exitCode, stdout, stderr } = await docs();
    expect([exitCode, stdout]).toEqual([0, 'no tables  ABILITY.md']);
    expect(stderr).toMatch(/`ability docs --add ABILITY\.md` adds the tables/);
    expect(read('ABILITY.md')).toBe('# Mine\n');
    expect((await docs('--add', 'ABILITY.md')).stdout).toBe('written  ABILITY.md  2 added');
    expect(read('ABILITY.md').startsWith('# Mine\n\n<!-- ability:high-level -->')).toBe(true);
  });

  test('takes over the tables of a page without markers, and reports where that would remove a row', async () => {
    const page = (...rows: string[]) => {
      const head = ['| Id | Scope | When to use | Registry path |', '| --- | --- | --- | --- |'];
      return ['# Mine', '', ...head, '| check | nightly | Each night | x.yaml |', ...rows, ''].join('\n');
    };
    project.write({ 'ABILITY.md': page('| gone | x | Words | old.yaml |') });
    const kept = read('ABILITY.md');
    const hindered = await docs();
    expect([hindered.exitCode, hindered.stdout]).toEqual([1, 'not kept  ABILITY.md']);
    expect(hindered.stderr).toMatch(/^ABILITY\.md:6 The row of gone is removed: .*; it said: Words$/m);
    expect(read('ABILITY.md')).toBe(kept);
    project.write({ 'ABILITY.md': page() });
    expect(await docs('--check')).toMatchObject({ exitCode: 1, stdout: expect.stringMatching(/^out of step/) });
    const { exitCode, stdout, stderr } = await docs();
    expect([exitCode, stdout]).toEqual([0, 'written  ABILITY.md  1 changed']);
    expect(stderr).toMatch(/The scope of check is nightly on this page, and integration\/test in its definition/);
    expect(read('ABILITY.md')).toContain(
      '| check | workflow | nightly | Each night | registry/high-level/check.yaml |',
    );
    expect((await docs('--check')).exitCode).toBe(0);
    expect((await ability(['lint'], { cwd: project.root })).stdout).toMatch(/note lint\.page_scope/);
  });

  test('does not follow a link out of the project', async () => {
    const other = makeProject({ 'x.md': '<!-- ability:high-level -->\n<!-- /ability:high-level -->\n' });
    symlinkSync(join(other.root, 'x.md'), join(project.root, 'ABILITY.md'));
    const { exitCode, stderr } = await docs();
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/leads out of the project/);
    expect(readFileSync(join(other.root, 'x.md'), 'utf8')).not.toContain('|');
    other.remove();
  });

  test.each([
    [['--check', '--add'], /--add writes, and --check does not/],
    [['nowhere'], /There is no nowhere/],
    [['ability.yaml'], /is called ABILITY\.md/],
    [['..'], /not in the project/],
    [['--chek'], /--check/],
  ])('%j is refused with exit code 2', async (args, message) => {
    const { exitCode, stderr } = await docs(...args);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
  });

  test('prints exactly one JSON value with --json, whatever the outcome', async () => {
    const json = (...args: string[]) => abilityJson(['docs', ...args], { cwd: project.root });
    expect((await json('--check')).json).toMatchObject({ status: 'error', error: { code: 'docs.none' } });
    expect((await json()).json).toMatchObject({
      status: 'written',
      documents: [{ file: 'ABILITY.md', status: 'created' }],
    });
    expect((await json()).json).toMatchObject({
      status: 'in_step',
      documents: [{ status: 'in_step', changes: [], diff: [] }],
    });
    project.write(operation('db.write.user', 'return input;'));
    const { exitCode, json: differs } = await json('--check');
    expect(exitCode).toBe(1);
    expect(differs).toMatchObject({
      status: 'out_of_step',
      documents: [
        {
          changes: [{ kind: 'added', id: 'db.write.user', line: 24 }],
          diff: expect.arrayContaining([expect.stringMatching(/^\+\| db\.write/)]),
        },
      ],
    });
    project.write({ 'ABILITY.md': '<!-- /ability:low-level -->' });
    const broken = await json();
    expect(broken.exitCode).toBe(2);
    expect(broken.json).toMatchObject({
      status: 'broken',
      documents: [
        {
          status: 'broken',
          problems: [{ code: 'docs.invalid', location: { file: 'ABILITY.md', line: 1, column: 1 } }],
        },
      ],
    });
  });

  test('ten commands at once, three of them separate processes, leave one complete document and nothing else', async () => {
    const ends = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        (n < 3 ? startAbility : ability)(['docs', '--add', 'users'], { cwd: project.root }),
      ),
    );
    for (const { exitCode, stderr } of ends) {
      if (exitCode !== 0) expect(stderr).toMatch(/docs\.write_failed .* changed meanwhile/);
    }
    expect(readdirSync(join(project.root, 'users'))).toEqual(['ABILITY.md']);
    expect((await docs('--check')).exitCode).toBe(0);
  });
});
