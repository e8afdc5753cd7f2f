import { chmodSync, copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runTask } from '../../src/client/index.js';
import type { JsonObject } from '../../src/contracts/json.js';
import { projectFile } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { config, scriptAbility } from '../fixtures/servers/definitions.js';

let project: RunningProject;
let counter = 0;

beforeAll(async () => {
  project = await runProject({ 'ability.yaml': projectFile('{ dev: {}, prod: { protected: true } }') });
});
afterAll(() => project.stop());

/** Runs a script as a new ability. */
function run(path: string, content: string, script: JsonObject = {}, input: JsonObject = {}, more: JsonObject = {}) {
  counter += 1;
  project.write(scriptAbility(`s.case_${counter}`, path, content, { script, more }));
  return project.run(`s.case_${counter}`, input);
}

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error) => error,
  );

/** Prints its arguments as JSON. */
const PRINT_ARGUMENTS = 'import json, sys\nprint(json.dumps(sys.argv[1:]))\n';
/** Copies `{input_file}` to `{output_file}`, both passed by position. */
const COPY = 'cp "$1" "$2"\n';
const ONCE = { effects: 'write_additive' };

describe('the file protocol', () => {
  test('R-002-05: a Python script reads input.json and writes its result to output.json', async () => {
    const content = [
      'import argparse, json, os',
      'parser = argparse.ArgumentParser()',
      "parser.add_argument('--input'); parser.add_argument('--output')",
      'args = parser.parse_args()',
      'with open(args.input) as file: given = json.load(file)',
      'names = [os.path.basename(args.input), os.path.basename(args.output)]',
      "with open(args.output, 'w') as file: json.dump({'sum': given['a'] + given['b'], 'names': names}, file)",
    ].join('\n');
    const result = await run('scripts/sum.py', content, {}, { a: 2, b: 3 });
    expect(result).toMatchObject({ status: 'succeeded', output: { sum: 5, names: ['input.json', 'output.json'] } });
  });

  test('an input of five megabytes arrives completely', async () => {
    const content = [
      "import { readFileSync, writeFileSync } from 'node:fs';",
      "const { text } = JSON.parse(readFileSync(process.argv[3], 'utf8'));",
      'writeFileSync(process.argv[5], JSON.stringify({ length: text.length, end: text.slice(-3) }));',
    ].join('\n');
    const result = await run('scripts/long.mjs', content, {}, { text: `${'x'.repeat(5_000_000)}end` });
    expect(result).toMatchObject({ status: 'succeeded', output: { length: 5_000_003, end: 'end' } });
  });

  test('a script runs in the project root', async () => {
    const result = await run('scripts/where.sh', 'printf \'"%s"\' "$(pwd -P)"\n', { args: [] });
    expect(result).toMatchObject({ status: 'succeeded', output: project.root });
  });
});

describe('what runs a script', () => {
  test.each([
    ['py', 'import shutil, sys\nshutil.copy(sys.argv[1], sys.argv[2])\n'],
    ['sh', COPY],
    ['mjs', "import { copyFileSync } from 'node:fs';\ncopyFileSync(process.argv[2], process.argv[3]);\n"],
    ['cjs', "require('node:fs').copyFileSync(process.argv[2], process.argv[3]);\n"],
    ['js', "require('node:fs').copyFileSync(process.argv[2], process.argv[3]);\n"],
  ])('the extension .%s', async (extension, content) => {
    const result = await run(
      `scripts/copy.${extension}`,
      content,
      { args: ['{input_file}', '{output_file}'] },
      { n: 1 },
    );
    expect(result).toMatchObject({ status: 'succeeded', output: { n: 1 } });
  });

  test('R-002-05: a first line, without an extension and in preference to one', async () => {
    const content = `#!/usr/bin/env python3\n${PRINT_ARGUMENTS}`;
    expect(await run('bin/tool', content, { args: ['a'] })).toMatchObject({ status: 'succeeded', output: ['a'] });
    expect(await run('bin/tool.sh', content, { args: ['b'] })).toMatchObject({ status: 'succeeded', output: ['b'] });
  });

  /** Runs a script that has lost its run bit, as in a ZIP archive. */
  const runBare = (path: string, content: string) => {
    counter += 1;
    const key = `s.case_${counter}`;
    project.write(scriptAbility(key, path, content, { script: { args: [] }, more: ONCE }));
    chmodSync(join(project.root, path), 0o644);
    return project.run(key, {});
  };

  test.each([
    ['bin/bash.sh', '#!/bin/bash\n[[ ab == a* ]] && echo 1\n', 1],
    ['bin/split.sh', '#!/usr/bin/env -S A=1 bash -eu\n[[ $- == *e*u* ]] && echo "$A"\n', 1],
    ['bin/no-bit.rb', '#!/usr/bin/env python3\nprint(1)\n', 1],
    ['bin/python.mjs', '#! /usr/bin/env python3 \nprint(2)\n', 2],
    ['bin/nested', '#!bin/own.sh -x\n1\n', 'own -x 1'],
  ])('without its run bit %s is run by its first line, not by its extension', async (path, content, output) => {
    project.write({ 'bin/own.sh': '#!/bin/sh\nprintf \'"own %s %s"\' "$1" "$(tail -n 1 "$2")"\n' });
    expect(await runBare(path, content)).toMatchObject({ status: 'succeeded', output });
  });

  test('the options in a first line count: a script with -e ends at its first failure', async () => {
    const ended = await runBare('bin/strict.sh', '#!/bin/bash -e\nfalse\necho 1\n');
    expect(ended).toMatchObject({ status: 'failed', error: { code: 'script.exit' } });
  });

  test('a binary runs itself', async () => {
    const key = 's.binary';
    project.write(scriptAbility(key, 'bin/binary.py', '', { script: { args: ['1'] } }));
    copyFileSync('/bin/echo', join(project.root, 'bin/binary.py'));
    chmodSync(join(project.root, 'bin/binary.py'), 0o644);
    expect(await project.run(key, {})).toMatchObject({ status: 'succeeded', output: 1 });
  });

  test('`interpreter` wins over both, as one word, as several words and as a list', async () => {
    const content = '#!/bin/sh\nimport sys\nprint(sys.flags.optimize)\n';
    const at = (interpreter: string | string[]) => run('bin/python.mjs', content, { args: [], interpreter });
    expect(await at('python3')).toMatchObject({ status: 'succeeded', output: 0 });
    expect(await at('python3 -O')).toMatchObject({ status: 'succeeded', output: 1 });
    expect(await at(['python3', '-OO'])).toMatchObject({ status: 'succeeded', output: 2 });
  });

  test.each([
    ['bin/none.rb', 'puts 1\n', {}, 'script.not_executable', /no first line/],
    ['bin/windows.sh', '#!/bin/bash\r\n', {}, 'script.not_executable', /Windows line ending/],
    ['bin/lost', '#!/no/such/program\n', {}, 'config.missing_program', /no.such.program/],
    ['bin/bare.sh', 'x\n', { interpreter: 'no-such-program' }, 'config.missing_program', /no-such-program/],
  ])(
    '%s is refused at preflight, with the place, and nothing is created',
    async (path, content, script, code, said) => {
      counter += 1;
      const key = `s.case_${counter}`;
      project.write(scriptAbility(key, path, content, { script }));
      const error = await failure(project.create(key, {}, { key: `refused-${counter}` }));
      expect(error).toMatchObject({ code, message: expect.stringMatching(said) });
      expect(error.location).toMatchObject({ file: `registry/low-level/${key}.yaml`, line: expect.any(Number) });
      expect(existsSync(join(project.root, `.system/implement/refused-${counter}`))).toBe(false);
    },
  );

  test('a script that does not exist is reported at preflight, and nothing is created', async () => {
    const [[yaml, definition] = ['', '']] = Object.entries(scriptAbility('s.gone', 'scripts/gone.py', ''));
    project.write({ [yaml]: definition });
    const error = await failure(project.create('s.gone', {}, { key: 'gone-1' }));
    expect(error).toMatchObject({ code: 'script.missing' });
    expect(existsSync(join(project.root, '.system/implement/gone-1'))).toBe(false);
  });
});

describe('arguments', () => {
  test('a template is split at blanks, with quotes, and knows each placeholder', async () => {
    const args_template = `--in={input_file} 'two words' "it's" pre{task_key}post {idempotency_key} "" --p={payload}`;
    const content = [
      'import json, sys',
      'args = sys.argv[1:]',
      "with open(args[0][len('--in='):]) as file: given = json.load(file)",
      'print(json.dumps({"given": given, "rest": args[1:]}))',
    ].join('\n');
    const result = await run('scripts/template.py', content, { args_template }, { n: 1 });
    const key = result.task_key;
    expect(result).toMatchObject({
      status: 'succeeded',
      output: {
        given: { n: 1 },
        rest: ['two words', "it's", `pre${key}post`, `${key}/run`, '', '--p={"n":1}'],
      },
    });
  });

  test('a hostile payload is one argument: there is no shell, and braces in it stay unchanged', async () => {
    const input = { text: `'; touch pwned; $(touch pwned) \`touch pwned\` " --x {task_key}\n| touch pwned` };
    const result = await run('scripts/hostile.py', PRINT_ARGUMENTS, { args_template: 'first {payload} last' }, input);
    expect(result.status).toBe('succeeded');
    const [first, payload, ...rest] = result.output as string[];
    expect([first, rest]).toEqual(['first', ['last']]);
    expect(JSON.parse(payload as string)).toEqual(input);
    expect(existsSync(join(project.root, 'pwned'))).toBe(false);
  });

  test('a list of arguments is passed unchanged', async () => {
    const result = await run('scripts/list.py', PRINT_ARGUMENTS, { args: ['a b', "'q'", '$HOME', '{"json": 1}'] });
    expect(result).toMatchObject({ status: 'succeeded', output: ['a b', "'q'", '$HOME', '{"json": 1}'] });
  });

  test('R-000-48: a shell script takes the payload as its argument and the address of its database from its profile', async () => {
    project.write({
      ...config('profiles', {
        env_profiles: { database: { pass: ['PATH'], set: { DB_HOST: 'db.test', DB_USER: 'u', DB_NAME: 'app' } } },
      }),
      ...scriptAbility(
        'db.write.user_row',
        'scripts/db/write_user_row.sh',
        '#!/bin/sh\nprintf "%s@%s/%s %s\\n" "$DB_USER" "$DB_HOST" "$DB_NAME" "$1" >> users\necho \'{"status":"success"}\'\n',
        {
          script: { args_template: '{payload}', env_profile: 'database' },
          more: { effects: 'write_idempotent', scope: { environments: ['dev'] } },
        },
      ),
    });
    const input = { user_id: 'u-1', email: 'a@b.test' };
    expect(await project.run('db.write.user_row', input)).toMatchObject({ output: { status: 'success' } });
    const refused = await failure(project.create('db.write.user_row', input, { environment: 'prod' }));
    expect(refused).toMatchObject({ code: 'scope.environment' });
    expect(readFileSync(join(project.root, 'users'), 'utf8')).toBe(`u@db.test/app ${JSON.stringify(input)}\n`);
  });

  test('a payload too long for an argument is script.arguments_too_large, and the script does not run', async () => {
    const content = "import { writeFileSync } from 'node:fs';\nwriteFileSync('too-long.txt', '');\n";
    const input = { text: 'x'.repeat(3_000_000) };
    const result = await run('scripts/too-long.mjs', content, { args: ['{payload}'] }, input, ONCE);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'script.arguments_too_large' } });
    expect(existsSync(join(project.root, 'too-long.txt'))).toBe(false);
  });
});

describe('what was planned is what runs', () => {
  test('a script edited, renamed or deleted after the task was created runs in its planned version, with its files', async () => {
    const body = "import { text } from './lib/text.mjs';\nconsole.log(JSON.stringify(text));\n";
    project.write({
      ...scriptAbility('s.pinned', 'scripts/pinned.mjs', body, {
        script: { args: [], files: ['scripts/lib'] },
      }),
      'scripts/lib/text.mjs': 'export const text = "as shown";\n',
    });
    const tasks: string[] = [];
    for (let n = 0; n < 3; n += 1) tasks.push((await project.create('s.pinned', {}, { run: false })).id);
    const changes = [
      () => project.write({ 'scripts/lib/text.mjs': 'export const text = "edited";\n' }),
      () => project.write({ 'scripts/pinned.mjs': 'console.log("edited");\n' }),
      () => rmSync(join(project.root, 'scripts/pinned.mjs')),
    ];
    for (const [index, id] of tasks.entries()) {
      changes[index]?.();
      await runTask(project.connection, id);
      expect(await project.wait(id)).toMatchObject({ result: { status: 'succeeded', output: 'as shown' } });
    }
  });

  test('a script that is gone from the store does not run in its edited version, and the task reports why', async () => {
    project.write(scriptAbility('s.edited', 'scripts/edited.sh', 'echo \'"as shown"\'\n', { script: { args: [] } }));
    const { id } = await project.create('s.edited', {}, { run: false });
    project.write({ 'scripts/edited.sh': 'touch edited.txt\necho \'"edited"\'\n' });
    rmSync(join(project.root, '.system/store'), { recursive: true, force: true });
    await runTask(project.connection, id);
    const end = await project.wait(id);
    expect(existsSync(join(project.root, 'edited.txt'))).toBe(false);
    expect(end).toMatchObject({
      result: {
        status: 'failed',
        error: { code: 'script.changed', message: expect.stringMatching(/edited\.sh/) },
        // Another attempt would find the edited version as well, although a read may be repeated.
        steps: [{ attempts: 1 }],
      },
    });
  });
});
