import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { projectFile } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

/** Scripts that print each argument on one line, as hex; one of them by an odd name. */
const SCRIPTS = {
  'ops/show-bash.sh': [
    '#!/usr/bin/env bash',
    '# Shows its arguments.',
    'for one in "$@"; do printf "%s" "$one" | od -An -v -tx1 | tr -d " \\n"; echo; done',
  ].join('\n'),
  'ops/show_python.py': ['import os, sys', 'for one in sys.argv[1:]:', '    print(os.fsencode(one).hex())'].join('\n'),
  'ops/show.mjs': "for (const one of process.argv.slice(2)) console.log(Buffer.from(one).toString('hex'));\n",
  'ops/$(touch pwned) "${{ input.args }}" {payload}.py':
    'import sys\nprint(*[one.encode().hex() for one in sys.argv[1:]], sep="\\n")\n',
};
const ABILITIES = ['ops.show-bash', 'ops.show_python', 'ops.show', 'ops._touch_pwned_input.args_payload_'];

const ARGUMENTS = [
  'a b',
  ' c ',
  `"double" 'single' \\ \``,
  '-rf',
  '--help',
  '--level=3',
  '-',
  '--',
  '',
  '$(touch pwned) `touch pwned`; touch pwned & $HOME * ?',
  'one\ntwo\n',
  '{input_file} {payload} \\{payload}',
  '${{ input.args }}',
  'Zażółć 日本語 🎉 e\u0301',
  '-5',
  'null',
];

let project: RunningProject;
const draftOf = (id: string): string => readFileSync(join(project.root, `registry/low-level/${id}.yaml`), 'utf8');

beforeAll(async () => {
  project = await runProject({ 'ability.yaml': projectFile('{ dev: {} }'), ...SCRIPTS });
  chmodSync(join(project.root, 'ops/show-bash.sh'), 0o755);
  const made = await abilityJson(['scaffold', 'scripts', ...Object.keys(SCRIPTS)], { cwd: project.root });
  expect(made).toMatchObject({
    exitCode: 0,
    json: { status: 'written', created: ABILITIES.map((id) => `registry/low-level/${id}.yaml`), changed: [] },
  });
});
afterAll(() => project.stop());

test('lint notes no more of the drafts than that they have no box', async () => {
  const { findings } = (await abilityJson(['lint'], { cwd: project.root })).json;
  const codes = findings.map(({ code }: { code: string }) => code);
  expect(new Set(codes)).toEqual(new Set(['lint.script_not_boxed']));
});

test.each(ABILITIES)('%s gets its arguments exactly as given, each as one', async (id) => {
  const { status, output } = await project.run(id, { args: ARGUMENTS });
  expect({ status, output }).toEqual({ status: 'succeeded', output: { text: expect.any(String) } });
  const lines = (output as { text: string }).text.split('\n');
  expect(lines.map((line) => Buffer.from(line, 'hex').toString('utf8'))).toEqual(ARGUMENTS);
  expect(existsSync(join(project.root, 'pwned'))).toBe(false);
});

test('without `args` a script gets no arguments', async () => {
  expect(await project.run('ops.show')).toMatchObject({ status: 'succeeded', output: { text: '' } });
});

test.each([{ args: '-v' }, { args: [1] }, { args: [['a']] }, { level: 3 }])('%j is refused', async (input) => {
  const run = ability(['plan', 'ops.show', '--input', JSON.stringify(input)], { cwd: project.root });
  expect(await run).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('input.invalid') });
});

test('the draft with its inputs named as its comments show is accepted by `scaffold --from`, and runs', async () => {
  const commented = (pattern: RegExp): string => {
    const [, lines = ''] = pattern.exec(draftOf('ops.show_python')) ?? [];
    return lines.replaceAll(/^( *)# /gm, '$1');
  };
  const named = draftOf('ops.show_python')
    .replace('operation_key: ops.show_python', 'operation_key: show.named')
    .replace('effects: destructive', 'effects: read')
    .replace(/^ {2}properties:\n.*\n/m, commented(/FILE`:\n((?:# {2}.*\n)+)/))
    .replace(/^ {6}- \{ each: .*\n/m, commented(/options:\n((?: *# {3}- .*\n)+)/));
  const made = await abilityJson(['scaffold', 'low-level', '--from', '-'], { cwd: project.root, input: named });
  expect(made).toMatchObject({ exitCode: 0, json: { created: ['registry/low-level/show.named.yaml'], notes: [] } });
  const { output } = await project.run('show.named', { level: 3, file: '-x y' });
  const lines = (output as { text: string }).text.split('\n');
  expect(lines.map((line) => Buffer.from(line, 'hex').toString('utf8'))).toEqual(['--level', '3', '--', '-x y']);
  expect(await project.run('show.named', { file: 'a' })).toMatchObject({ output: { text: '2d2d\n61' } });
});
