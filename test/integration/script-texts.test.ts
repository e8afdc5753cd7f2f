import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/contracts/json.js';
import { projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { logFile, lowLevel, scriptAbility } from '../fixtures/servers/definitions.js';

let project: RunningProject;
let counter = 0;

beforeAll(async () => {
  project = await runProject({ 'ability.yaml': projectFile('{ dev: {} }'), '.env': 'TOKEN=s3cret-token-of-a-test\n' });
});
afterAll(() => project.stop());

/** Runs an unmodified script as a new ability. */
function run(path: string, content: string, script: JsonObject, input: JsonObject = {}, more: JsonObject = {}) {
  counter += 1;
  project.write({
    ...lowLevel(`t.case_${counter}`, { kind: 'script', script: { path, ...script } }, more),
    [path]: content,
  });
  return project.run(`t.case_${counter}`, input);
}
/** An item of `args` with items of its own, under `then`. */
const when = (condition: JsonObject, items: string[]): JsonObject =>
  Object.fromEntries([...Object.entries(condition), ['then', items]]);
const properties = (...names: string[]): JsonObject => ({
  input_schema: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, {}])) },
});

describe('unmodified scripts', () => {
  const GREET = [
    '#!/usr/bin/env bash',
    'set -euo pipefail',
    "greeting=Hello; loud=''",
    'while getopts "g:l" option; do',
    '  case "$option" in g) greeting=$OPTARG ;; l) loud=! ;; *) exit 64 ;; esac',
    'done',
    'shift $((OPTIND - 1))',
    'for name in "$@"; do printf "%s, %s%s\\n" "$greeting" "$name" "$loud"; done',
  ].join('\n');
  const ARGS = [
    when({ if: 'has(input.greeting)' }, ['-g', '${{ input.greeting }}']),
    when({ if: 'input.loud' }, ['-l']),
    '--',
    when({ each: 'input.names', as: 'name' }, ['${{ name }}']),
  ];
  const GREETS = properties('greeting', 'loud', 'names');

  test('a bash script with getopts gets its flags from the input, and its lines are the output', async () => {
    const script = { args: ARGS, output: 'lines' };
    const names = ['Ada', '-rf', 'a b; echo $HOME "*"'];
    const loud = await run('ops/greet.sh', GREET, script, { greeting: 'Hi', loud: true, names }, GREETS);
    expect(loud).toMatchObject({
      status: 'succeeded',
      output: { lines: ['Hi, Ada!', 'Hi, -rf!', 'Hi, a b; echo $HOME "*"!'] },
    });
    const bare = await run('ops/greet.sh', GREET, script, { names: ['Ada'] }, GREETS);
    expect(bare).toMatchObject({ status: 'succeeded', output: { lines: ['Hello, Ada'] } });
  });

  test('a Python script with argparse reads stdin and a variable, and prints JSON', async () => {
    const content = [
      'import argparse, json, os, sys',
      'parser = argparse.ArgumentParser()',
      "parser.add_argument('--host', required=True)",
      "parser.add_argument('--port', type=int, default=80)",
      "parser.add_argument('--tag', action='append', default=[])",
      "parser.add_argument('--dry-run', action='store_true')",
      'given = vars(parser.parse_args())',
      "given.update(stdin=sys.stdin.read(), region=os.environ.get('REGION'))",
      'print(json.dumps(given))',
    ].join('\n');
    const script = {
      args: [
        '--host',
        '${{ input.host }}',
        '--port=${{ input.port }}',
        when({ if: 'input.dry_run' }, ['--dry-run']),
        when({ each: 'input.tags', as: 'tag' }, ['--tag', '${{ tag }}']),
      ],
      stdin: '${{ input.text }}',
      env: { REGION: '${{ environment.name }}-${{ input.region }}' },
    };
    const contract = {
      ...properties('host', 'port', 'dry_run', 'tags', 'text', 'region'),
      output_schema: { type: 'object' },
    };
    const text = `${'long '.repeat(50_000)}{payload}\0`;
    const all = { host: 'db.test', port: 5432, dry_run: true, tags: ['a b', 'c'], text, region: 'eu' };
    expect(await run('ops/report.py', content, script, all, contract)).toMatchObject({
      status: 'succeeded',
      output: { host: 'db.test', port: 5432, tag: ['a b', 'c'], dry_run: true, stdin: text, region: 'dev-eu' },
    });
    const least = await run('ops/report.py', content, script, { host: 'db.test' }, contract);
    expect(least).toMatchObject({
      status: 'succeeded',
      output: { host: 'db.test', port: 80, tag: [], dry_run: false, stdin: '', region: null },
    });
  });

  test('text from the input that would be an option is input.invalid before a task exists', async () => {
    const content = '#!/bin/sh\ntouch ran.txt\n';
    const running = run('ops/touch.sh', content, { args: ['${{ input.name }}'] }, { name: '--help' });
    await expect(running).rejects.toMatchObject({
      code: 'input.invalid',
      details: { place: 'args[0]', expression: 'input.name' },
    });
    expect(() => readFileSync(join(project.root, 'ran.txt'))).toThrow();
  });

  test('a reference in `env` is resolved by the worker and masked; a text from the input is not a reference', async () => {
    const content = '#!/bin/sh\necho "token is $TOKEN, other is $OTHER" >&2\nprintf %s "$OTHER"\n';
    const script = { args: [], env: { TOKEN: 'env:TOKEN', OTHER: '${{ input.other }}' } };
    const result = await run('ops/env.sh', content, script, { other: 'env:TOKEN' });
    expect(result).toMatchObject({ status: 'succeeded', output: { text: 'env:TOKEN' } });
    const log = readFileSync(logFile(project.root, result.task_key ?? ''), 'utf8');
    expect(log).toMatch(/token is \*+, other is env:TOKEN/);
    expect(log).not.toContain('s3cret-token-of-a-test');
  });

  test('a script that reads nothing is not disturbed by its stdin', async () => {
    const result = await run(
      'ops/deaf.sh',
      '#!/bin/sh\necho done\n',
      { args: [], stdin: '${{ input.text }}' },
      { text: 'x'.repeat(1_000_000) },
    );
    expect(result).toMatchObject({ status: 'succeeded', output: { text: 'done' } });
  });
});

describe('the text that a script prints', () => {
  const PRINT = "import { readFileSync } from 'node:fs';\nprocess.stdout.write(readFileSync(0));\n";
  const print = (output: string, text: string, more: JsonObject = {}) =>
    run('ops/print.mjs', PRINT, { args: [], stdin: '${{ input.text }}', output }, { text }, more);

  test.each([
    ['text', 'a\nb\n\n', { text: 'a\nb' }],
    ['text', '', { text: '' }],
    ['lines', 'a\r\n\nb', { lines: ['a', '', 'b'] }],
    ['lines', '', { lines: [] }],
    ['csv', '\ufeffname,"note, long"\r\n"a ""b""","x\ny"\r\n\r\n', { rows: [{ name: 'a "b"', 'note, long': 'x\ny' }] }],
    ['csv', '', { rows: [] }],
    ['none', 'anything', null],
    ['json', '[1]', [1]],
  ])('is read as %s', async (output, text, expected) => {
    expect(await print(output, text)).toMatchObject({ status: 'succeeded', output: expected });
  });

  test.each([
    ['another number of columns', 'a,b\n1\n', /not CSV.*line 2/],
    ['a quote that is not closed', 'a,b\n1,"secret\n', /quote is not closed/],
    ['two columns of one name', 'a,a\n1,2\n', /column 2/],
  ])('is not CSV: %s', async (_, text, message) => {
    const result = await print('csv', text);
    expect(result.error).toMatchObject({ code: 'script.output_broken' });
    expect(result.error?.message).toMatch(message);
    expect(result.error?.message).not.toMatch(/secret/);
  });

  test('is checked against the schema in its parsed form', async () => {
    const schema = (text: JsonObject) => ({
      output_schema: { type: 'object', required: ['text'], properties: { text } },
    });
    expect(await print('text', 'v1.2', schema({ pattern: '^v' }))).toMatchObject({ output: { text: 'v1.2' } });
    expect(await print('text', '1.2', schema({ pattern: '^v' }))).toMatchObject({
      error: { code: 'script.output_invalid' },
    });
  });

  test('is refused in every form if it is not UTF-8', async () => {
    const script = { args: [], output: 'text' };
    const result = await run('ops/broken.py', "import sys\nsys.stdout.buffer.write(b'\\xff')\n", script);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'script.output_invalid' } });
  });
});

describe('exit codes with a meaning', () => {
  const CHECK = '#!/bin/sh\necho run >> "runs-$2.txt"\necho "$1 days"\necho soon >&2\nexit "$1"\n';
  const runs = (name: string): number =>
    readFileSync(join(project.root, `runs-${name}.txt`), 'utf8').split('\n').length - 1;
  const check = (exit: number, name: string) => {
    const script = {
      path: 'ops/check.sh',
      args: ['${{ input.exit }}', '${{ input.name }}'],
      exit_codes: { 2: { code: 'cert.expiring' }, 3: 'ok' },
    };
    const steps = [
      { id: 'plain', call: 'ops.check', with: { exit, name }, continue_on_error: true },
      {
        id: 'group',
        steps: [{ id: 'inner', call: 'ops.check', with: { exit, name: `${name}-group` } }],
        retry: { attempts: 2, first: '1ms' },
        continue_on_error: true,
      },
      {
        id: 'named',
        call: 'ops.check',
        with: { exit, name: `${name}-named` },
        retry: { attempts: 2, first: '1ms', errors: ['cert.expiring'] },
      },
    ];
    project.write({
      ...lowLevel('ops.check', { kind: 'script', script }),
      'ops/check.sh': CHECK,
      'registry/high-level/checks.yaml': JSON.stringify({
        id: 'checks',
        type: 'workflow',
        version: 1,
        summary: 'Checks.',
        steps,
        output: '${{ steps.plain }}',
      }),
    });
    return project.run('checks', {});
  };

  test('a declared code fails the step after one attempt, unless the step names it', async () => {
    const result = await check(2, 'two');
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'cert.expiring', step: 'named', details: { exit_code: 2, stderr: 'soon' } },
    });
    expect([runs('two'), runs('two-group'), runs('two-named')]).toEqual([1, 1, 2]);
  });

  test('a declared code stays an answer if the call is in a called task', async () => {
    const call = (name: string) => [{ id: 'inner', call: 'ops.check', with: { exit: 2, name } }];
    project.write({
      ...workflow('checked', `input_schema: { type: object }\nsteps: ${JSON.stringify(call('child'))}`),
      ...workflow(
        'checked_twice',
        `steps:
  - { id: child, steps: [{ id: sub, call: checked, with: {} }], retry: { attempts: 2, first: 1ms }, continue_on_error: true }
  - { id: named, steps: [{ id: subbed, call: checked, with: {} }], retry: { attempts: 2, first: 1ms, errors: [cert.expiring] }, continue_on_error: true }`,
      ),
    });
    const result = await project.run('checked_twice', {});
    const attempts = Object.fromEntries(result.steps.map(({ path, attempts }) => [path, attempts]));
    expect(attempts).toMatchObject({ child: 1, named: 2 });
    expect(result.steps).toMatchObject([
      { error: { code: 'cert.expiring' } },
      {},
      { error: { code: 'cert.expiring' } },
      {},
    ]);
    expect(runs('child')).toBe(3);
  });

  test('`ok` reads the output as usual', async () => {
    const result = await check(3, 'three');
    expect(result).toMatchObject({ status: 'succeeded', output: { status: 'succeeded', output: { text: '3 days' } } });
  });
});

test('a hook gets arguments and variables from the call that it checks', async () => {
  const guard =
    '#!/bin/sh\nif [ "$1" = "$HOST" ] && [ "$2" = dev ]; then d=deny; else d=allow; fi\nprintf \'{"guard_decision":"%s","reason":"%s"}\' $d "$1"\n';
  project.write({
    ...scriptAbility('t.guarded', 'ops/guarded.sh', '#!/bin/sh\necho 1\n', {
      script: { args: [] },
      more: { hooks: { pre_call: ['host_guard'] } },
    }),
    'registry/hooks/PreAbilityCall.yaml': JSON.stringify({
      hooks: [
        {
          id: 'host_guard',
          blocking: true,
          handler: {
            script: {
              path: 'ops/guard.sh',
              args: ['${{ input.host }}', '${{ environment.name }}', '${{ input.absent }}'],
              env: { HOST: '${{ input.host }}' },
            },
          },
        },
      ],
    }),
    'ops/guard.sh': guard,
  });
  const result = await project.run('t.guarded', { host: 'db 1' });
  expect(result).toMatchObject({ status: 'denied', error: { code: 'guard.denied' } });
  expect(result.error?.message).toMatch(/db 1/);
});
