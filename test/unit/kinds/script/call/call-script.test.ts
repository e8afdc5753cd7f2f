import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { textsOf } from '../../../../../src/activities/processes/script-input.js';
import type { FileValue } from '../../../../../src/contracts/files.js';
import { callFiles, MemoryFiles } from '../../../../fixtures/memory-files.js';
import { callShell } from './called-script.js';

/** Prints variables as JSON; an absent one is null. */
const printing = (...names: string[]) =>
  `printf '{'; ${names.map((name) => `printf '"${name}":%s,' "$([ -n "\${${name}+x}" ] && printf '"%s"' "$${name}" || printf null)"`).join('; ')}; printf '"":0}'`;

describe('the input of a script', () => {
  test('can be a file, and so can the output', async () => {
    const args = ['{input_file}', '{output_file}'];
    expect(await callShell('cat "$1" > "$2"; echo ignored', { args }, { input: { a: 'ü' } })).toEqual({ a: 'ü' });
  });

  test('in a file can be read by its owner alone', async () => {
    const print = 'ls -l "$1" | cut -c1-10 | { read -r mode; printf \'"%s"\' "$mode"; }';
    expect(await callShell(print, { args: ['{input_file}'] }, { input: { a: 1 } })).toBe('-rw-------');
  });

  test('can be on stdin, which is otherwise empty', async () => {
    expect(await callShell('cat', { stdin: '{payload}' }, { input: { a: 1 } })).toEqual({ a: 1 });
    expect(await callShell('cat')).toBeNull();
  });

  test('can be in arguments and variables', async () => {
    const script = {
      args: [{ value: '${{ input.a }}' }, '{task_key}|{idempotency_key}'],
      variables: { REGION: '${{ environment.vars.region }}' },
    };
    const print = `printf '["%s","%s","%s"]' "$1" "$2" "$REGION"`;
    expect(await callShell(print, script, { input: { a: 'x y' } })).toEqual(['x y', 't-1|t-1/a/b', 'eu']);
  });

  test('names no task if there is none', async () => {
    const print = `printf '["%s","%s"]' "$1" "$ABILITY_TASK_KEY"`;
    expect(await callShell(print, { args: ['[{task_key}]'] }, { taskKey: null })).toEqual(['[]', '']);
  });
});

describe('the variables of a script', () => {
  test('identify the call and its task', async () => {
    const names = ['ABILITY_TASK_KEY', 'ABILITY_STEP', 'ABILITY_ENVIRONMENT', 'ABILITY_IDEMPOTENCY_KEY'];
    expect(await callShell(printing(...names))).toMatchObject({
      ABILITY_TASK_KEY: 't-1',
      ABILITY_STEP: 'a/b',
      ABILITY_ENVIRONMENT: 'dev',
      ABILITY_IDEMPOTENCY_KEY: 't-1/a/b',
    });
  });

  test('have its trace if there is one', async () => {
    expect(await callShell(printing('TRACEPARENT'), {}, { trace: '00-a-b-01' })).toMatchObject({
      TRACEPARENT: '00-a-b-01',
    });
    expect(await callShell(printing('TRACEPARENT'))).toMatchObject({ TRACEPARENT: null });
  });

  test('name a folder for files only if the contract names some', async () => {
    expect(await callShell(printing('ABILITY_OUTPUT_DIR'))).toMatchObject({ ABILITY_OUTPUT_DIR: null });
  });

  test('of its own override those of its profile, and those of the runtime override both', async () => {
    const env = { pass: ['PATH'], set: { MODE: 'profile', ABILITY_STEP: 'profile' }, secrets: {} };
    const script = { env, variables: { MODE: 'own', ABILITY_STEP: 'own' } };
    expect(await callShell(printing('MODE', 'ABILITY_STEP'), script)).toMatchObject({
      MODE: 'own',
      ABILITY_STEP: 'a/b',
    });
  });
});

test('a script runs from its copy, to which its interpreter can refer', async () => {
  const print = `printf '"%s"' "$0"`;
  const output = await callShell(print, { interpreter: ['sh', '{pinned}/s/main.sh'] });
  expect(output).toMatch(/\.system\/pinned\/[0-9a-f]{64}\/s\/main\.sh$/);
});

test('a call leaves its mark before its script starts', async () => {
  const full = new Error('no room for a mark');
  const output = callShell('exit 3', {}, { begin: () => Promise.reject(full) });
  await expect(output).rejects.toBe(full);
});

test.each([
  ['an exit code', 'exit 3', 'script.exit'],
  ['an output that is not JSON', 'echo hi', 'script.output_broken'],
])('%s is a failure', async (_, script, code) => {
  await expect(callShell(script)).rejects.toMatchObject({ code });
});

test('a script is not started if its folder cannot be created', async () => {
  const files = { folder: () => Promise.reject(new Error('disk full')), close: async () => {} };
  await expect(callShell('echo 1', {}, { files })).rejects.toMatchObject({
    code: 'script.start_failed',
    message: expect.stringContaining('disk full'),
    unclear: false,
  });
});

test('a script is not started if its input cannot be written', async () => {
  const files = { folder: async () => '/nowhere/folder', close: async () => {} };
  await expect(callShell('echo 1', {}, { files })).rejects.toMatchObject({
    code: 'script.start_failed',
    message: expect.stringContaining('ENOENT'),
  });
});

describe('files', () => {
  const store = new MemoryFiles();
  const kept = async (text: string, name: string): Promise<FileValue> =>
    callFiles({}, store).keep(async () => Readable.from([Buffer.from(text)]), { name });

  test('that the contract names are stored from the folder given to the script', async () => {
    const files = callFiles({}, store);
    const script = `printf a > "$1/a.txt"; printf '"%s"' "$ABILITY_OUTPUT_DIR"`;
    const output = await callShell(
      script,
      { args: ['{output_dir}'] },
      { files, outputFiles: { one: { glob: '*.txt' } } },
    );
    expect(files.made).toMatchObject({ one: { name: 'a.txt', bytes: 1 } });
    expect(output).toMatch(/\/output$/);
  });

  test('that the contract names and the script does not write fail the call', async () => {
    const call = { files: callFiles({}, store), outputFiles: { one: { glob: '*.txt' } } };
    await expect(callShell('echo 1', {}, call)).rejects.toMatchObject({ code: 'file.missing' });
  });

  test('of the input are passed as paths of copies in arguments and variables', async () => {
    const file = await kept('hello', 'a.txt');
    const call = { input: { f: file }, files: callFiles({ files: [file.$file] }, store) };
    const script = {
      args: [{ value: '--file=${{ input.f }}' }],
      variables: { SAME: '${{ input.f }}' },
      output: 'text',
    };
    const output = await callShell(`cat "\${1#--file=}"; cat "$SAME"; basename "$SAME"`, script, call);
    expect(output).toEqual({ text: 'hellohelloa.txt' });
  });

  test('may be the whole of stdin, as bytes', async () => {
    const file = await kept('hello', 'a.txt');
    const call = () => ({ input: { f: file, none: '' }, files: callFiles({ files: [file.$file] }, store) });
    expect(await callShell('cat', { stdin: '${{ input.f }}', output: 'text' }, call())).toEqual({ text: 'hello' });
  });

  test.each(['file: ${{ input.f }}', '${{ input.f }}${{ input.f }}'])(
    'are refused as part of a longer stdin: %s',
    async (stdin) => {
      const file = await kept('hello', 'a.txt');
      const call = { input: { f: file }, files: callFiles({ files: [file.$file] }, store) };
      await expect(callShell('cat', { stdin }, call)).rejects.toMatchObject({ code: 'input.invalid' });
    },
  );

  test('are accepted in stdin next to an empty text', async () => {
    const file = await kept('hello', 'a.txt');
    const call = { input: { f: file }, files: callFiles({ files: [file.$file] }, store) };
    expect(
      await callShell('cat', { stdin: '{task_key}${{ input.f }}', output: 'text' }, { ...call, taskKey: null }),
    ).toEqual({ text: 'hello' });
  });

  test('of another task are not copied', async () => {
    const file = await kept('hello', 'a.txt');
    for (const script of [{ stdin: '${{ input.f }}' }, { args: [{ value: '${{ input.f }}' }] }]) {
      const call = { input: { f: file }, files: callFiles({}, store) };
      await expect(callShell('cat', script, call)).rejects.toMatchObject({ code: 'file.not_of_task' });
    }
  });

  test('are plain maps for a hook, which gets no files', async () => {
    const file = await kept('hello', 'a.txt');
    const facts = {
      values: { input: { f: file as never }, environment: {}, task: {} },
      inputSchema: {},
      placeholders: {},
    };
    const script = { args: [], stdin: '${{ input.f }}' };
    await expect(textsOf(script, facts)).rejects.toMatchObject({ code: 'input.invalid' });
  });
});
