import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CallLog } from '../../../../../src/activities/call/call-log.js';
import { environmentOf } from '../../../../../src/activities/processes/script-input.js';
import type { PlanScript } from '../../../../../src/contracts/plan.js';
import { readScriptOutput, stdoutToKeep } from '../../../../../src/kinds/script/call/read-script-output.js';
import { SecretSource } from '../../../../../src/planning/secrets/secret-source.js';
import { temporaryProject } from '../../../temporary-project.js';

/** A script that ended successfully. */
function ended(script: Partial<PlanScript> = {}, { outputBytes = 1000, stderr = '' } = {}) {
  const log = new CallLog(undefined, '', 1);
  log.write('stderr', stderr);
  return {
    script: { path: 'a.sh', args: [], ...script } as unknown as PlanScript,
    call: { log, outputBytes } as never,
  };
}
const read = (printed: string | Buffer, script: Partial<PlanScript> = {}, more = {}) =>
  readScriptOutput(ended(script, more), Buffer.from(printed), '/nowhere');

describe('the output of a script', () => {
  test.each<[string, PlanScript['output'], string, unknown]>([
    ['JSON', undefined, ' {"a":1}\n', { a: 1 }],
    ['no JSON at all', undefined, ' \n', null],
    ['a text without its last line ends', 'text', 'a\nb\r\n\n', { text: 'a\nb' }],
    ['lines', 'lines', 'a\r\n\nb\n', { lines: ['a', '', 'b'] }],
    ['lines of which the last does not end', 'lines', 'a\nb', { lines: ['a', 'b'] }],
    ['CSV', 'csv', 'x,y\n1,"a\nb"\n', { rows: [{ x: '1', y: 'a\nb' }] }],
    ['CSV without rows', 'csv', '', { rows: [] }],
    ['CSV without its mark of UTF-8 and its empty lines', 'csv', '\ufeffx\n\n1\n\n', { rows: [{ x: '1' }] }],
    ['nothing, whatever is printed', 'none', 'text', null],
  ])('is %s', async (_, output, printed, value) => {
    expect(await read(printed, output ? { output } : {})).toEqual(value);
  });

  test.each<[string, PlanScript['output'], string | Buffer, string, string]>([
    ['what is no JSON', undefined, 'hi', 'script.output_broken', 'which is not JSON'],
    ['two columns of one name', 'csv', 'a,a\n1,2\n', 'script.output_broken', 'column 2 has the name of an earlier one'],
    [
      'a line of another length',
      'csv',
      'a,b\n1\n',
      'script.output_broken',
      'another number of columns than the header (line 2)',
    ],
    ['an open quote', 'csv', 'a\n"x', 'script.output_broken', 'a quote is not closed'],
    ['a quote inside', 'csv', 'a\nx"y"\n', 'script.output_broken', 'a quote is inside'],
    ['an unsafe key', undefined, '{"__proto__":1}', 'script.output_invalid', '__proto__'],
    ['an unsafe column', 'csv', '__proto__\n1\n', 'script.output_invalid', '__proto__'],
    ['bytes that are no text', 'text', Buffer.from([0xff]), 'script.output_invalid', 'a.sh'],
  ])('must not be %s', async (_, output, printed, code, message) => {
    await expect(read(printed, output ? { output } : {})).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });

  test('may be as large as the limit, and no larger', async () => {
    expect(await read('"12345678"', {}, { outputBytes: 10 })).toBe('12345678');
    await expect(read('"123456789"', {}, { outputBytes: 10 })).rejects.toMatchObject({ code: 'output.too_large' });
  });

  test('that is broken comes with stderr and with fitting advice', async () => {
    await expect(read('hi', {}, { stderr: 'warned' })).rejects.toMatchObject({
      message: expect.stringMatching(/\nwarned$/),
      details: { stderr: 'warned' },
      suggestion: expect.stringContaining('output: text'),
    });
    await expect(read('a,a', { output: 'csv' })).rejects.toMatchObject({
      suggestion: expect.stringContaining('CSV with a header'),
    });
  });

  test('is kept from stdout, up to one byte more than its limit', () => {
    expect(stdoutToKeep(ended())).toBe(1001);
    expect(stdoutToKeep(ended({ output: 'none' }))).toBe(0);
  });
});

describe('an output in a file', () => {
  /** Reads what a script wrote; `undefined`: it wrote nothing. */
  const readFile = async (content: string | undefined, script: Partial<PlanScript> = {}, more = {}) => {
    const { root } = temporaryProject(content === undefined ? {} : { out: content });
    const writing = { args: ['{output_file}'], ...script };
    return readScriptOutput(ended(writing, more), Buffer.from('printed'), join(root, 'out'));
  };

  test.each<[string, Partial<PlanScript>, string, unknown]>([
    ['is JSON', {}, '{"a":1}', { a: 1 }],
    ['may be an empty text', { output: 'text' }, '', { text: '' }],
    ['may be no lines', { output: 'lines' }, '', { lines: [] }],
    ['is not read where there is no output', { output: 'none' }, '{"a":1}', null],
  ])('%s', async (_, script, content, value) => {
    expect(await readFile(content, script)).toEqual(value);
  });

  test('keeps nothing of stdout', () => {
    expect(stdoutToKeep(ended({ args: ['{output_file}'] }))).toBe(0);
  });

  test.each<[string, string | undefined, Partial<PlanScript>, string, string]>([
    ['is missing', undefined, {}, 'wrote no output file', 'Write the result as JSON'],
    ['is empty where it should be JSON', ' \n', {}, 'wrote no output', 'Write the result as JSON'],
    [
      'is missing where it should be text',
      undefined,
      { output: 'text' },
      'wrote no output file',
      'Write the result to',
    ],
  ])('that %s is script.output_missing', async (_, content, script, message, suggestion) => {
    await expect(readFile(content, script, { stderr: 'warned' })).rejects.toMatchObject({
      code: 'script.output_missing',
      message: expect.stringMatching(new RegExp(`${message}\nwarned$`)),
      details: { stderr: 'warned' },
      suggestion: expect.stringContaining(suggestion),
    });
  });

  test('that is missing is reported without further text if stderr is empty', async () => {
    await expect(readFile(undefined)).rejects.toMatchObject({
      message: expect.stringMatching(/wrote no output file$/),
    });
  });

  test('that is a folder is broken', async () => {
    const { root } = temporaryProject({ 'out/a': '' });
    const read = readScriptOutput(ended({ args: ['{output_file}'] }), Buffer.alloc(0), join(root, 'out'));
    await expect(read).rejects.toMatchObject({
      code: 'script.output_broken',
      suggestion: expect.stringContaining('{output_file}'),
    });
  });

  test('may be as large as the limit, and no larger', async () => {
    expect(await readFile('"12345678"', {}, { outputBytes: 10 })).toBe('12345678');
    await expect(readFile('"123456789"', {}, { outputBytes: 10 })).rejects.toMatchObject({
      code: 'output.too_large',
      message: expect.stringContaining('wrote 11 bytes'),
    });
  });
});

describe('the environment of a script', () => {
  test('has what its profile passes, sets and keeps secret, and the given variables', () => {
    const hidden: string[] = [];
    const secrets = new SecretSource('/nowhere', 'dev', { PATH: '/bin', TOKEN: 'the-token', OTHER: 'x' });
    const profile = { pass: ['PATH', 'MISSING'], set: { MODE: 'on', COLOR: 'no' }, secrets: { KEY: 'env:TOKEN' } };
    expect(environmentOf(profile, secrets, (secret) => hidden.push(secret), { MODE: 'off' })).toEqual({
      PATH: '/bin',
      MODE: 'off',
      COLOR: 'no',
      KEY: 'the-token',
    });
    expect(hidden).toEqual(['the-token']);
  });
});
