import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { makeProject, type ProjectFolder, workflow } from '../fixtures/project-folder.js';
import { scriptAbility } from '../fixtures/servers/definitions.js';

const FILE = { type: 'object', format: 'file' };

let project: ProjectFolder;

beforeAll(async () => {
  const upper =
    "import { readFileSync, writeFileSync } from 'node:fs'; const [from, to] = process.argv.slice(2); writeFileSync(`${to}/upper.txt`, readFileSync(from, 'utf8').toUpperCase());";
  project = makeProject({
    ...scriptAbility('text.upper', 'scripts/upper.mjs', upper, {
      script: { args: ['${{ input.file }}', '{output_dir}'], output: 'none' },
      more: {
        input_schema: { type: 'object', required: ['file'], properties: { file: FILE } },
        output_files: { upper: '*.txt' },
      },
    }),
    ...workflow(
      'twice',
      `
input_schema: { type: object, required: [file], properties: { file: { type: object, format: file } } }
steps:
  - { id: one, call: text.upper, with: { file: "\${{ input.file }}" } }
  - { id: two, call: text.upper, with: { file: "\${{ steps.one.files.upper }}" } }
output: "\${{ steps.two.files.upper.bytes }}"`,
    ),
    'registry/high-level/twice.test.yaml': `
ability: twice
cases:
  - name: the file of one step is that of the next
    input: { file: { $file: "${'a'.repeat(64)}", name: a, bytes: 1, media_type: text/plain } }
    mocks: { text.upper: { output: null, files: { upper: MOCKED } } }
    expect: { status: succeeded, output: 6 }
`,
    'a.txt': 'hello',
    'b.txt': 'given',
  });
  await run(['up', '--detach']);
});
afterAll(async () => {
  await run(['down']);
  project.remove();
});

const run = (args: string[]) => ability(args, { cwd: project.root });
const json = (args: string[]) => abilityJson(args, { cwd: project.root });

describe('the files of a task at the command line', () => {
  test('come with the command, are listed and copied, appear in record and why, and are deleted with the task', async () => {
    const { exitCode, json: result } = await json(['run', 'twice', '--file', 'file=a.txt', '--key', 'two-steps']);
    expect([exitCode, result.output]).toEqual([0, 5]);
    const listed = await run(['task', 'files', 'two-steps']);
    expect(listed.stdout.split('\n').map((line) => line.split(/\s{2,}/).slice(0, 3))).toEqual([
      ['step', 'name', 'size'],
      ['input', 'file', '5 B'],
      ['one', 'upper', '5 B'],
      ['two', 'upper', '5 B'],
    ]);
    expect((await json(['task', 'files', 'two-steps'])).json).toHaveLength(3);
    await run(['task', 'files', 'two-steps', '--out', 'out']);
    expect(readdirSync(join(project.root, 'out')).sort()).toEqual(['a.txt', 'upper.txt']);
    expect(readFileSync(join(project.root, 'out/upper.txt'), 'utf8')).toBe('HELLO');
    expect((await run(['why', 'two-steps'])).stdout).toContain('one.upper: upper.txt, 5 B');
    expect((await run(['task', 'record', 'two-steps'])).stdout).toContain('## Files');
    await run(['task', 'delete', 'two-steps', '--yes']);
    const left = readdirSync(join(project.root, '.system/store/files'), { recursive: true }).map(String);
    expect(left.filter((path) => /[0-9a-f]{64}$/.test(path))).toEqual([]);
  });

  test('are refused if they cannot be passed', async () => {
    const refused = async (...flags: string[]) => (await json(['run', 'twice', ...flags])).json.error;
    expect(await refused('--file', 'file=absent.txt')).toMatchObject({ code: 'input.invalid' });
    expect(await refused('--file', 'file')).toMatchObject({ code: 'usage.invalid' });
    expect(await refused('--set', 'file:={"$file":"x"}')).toMatchObject({ code: 'input.invalid' });
  });

  test('are planned before they exist, and shown with the contract', async () => {
    const value = { $file: 'a'.repeat(64), name: 'plan.txt', bytes: 1, media_type: 'text/plain' };
    const plan = await run(['plan', 'text.upper', '--input', JSON.stringify({ file: value })]);
    expect(plan.stdout).toContain('{file plan.txt}');
    expect((await run(['plan', 'twice', '--input', JSON.stringify({ file: value })])).exitCode).toBe(0);
    expect((await run(['show', 'text.upper'])).stdout).toContain('leaves files: upper (*.txt)');
    const lint = await run(['lint']);
    expect([lint.exitCode, lint.stdout]).toEqual([0, expect.not.stringContaining('files')]);
  });
});

test('a case of `ability test` provides the files that calls leave', async () => {
  const { exitCode, stdout, stderr } = await run(['test', 'twice']);
  expect([exitCode, stdout, stderr]).toEqual([0, expect.anything(), expect.anything()]);
});
