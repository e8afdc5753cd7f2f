import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const SCRIPT = join(import.meta.dirname, '../../scripts/run-conformance.mjs');

test('a suite that agrees is reported with its figures, and with the excluded cases', () => {
  const { status, stdout } = run('--schema', suiteOf(group({ required: ['toString'] }, {}, false), REMOTE));
  expect(stdout).toMatch(/JSON-Schema-Test-Suite.*: 1 of 1 counted cases agree \(100\.00 %/);
  expect(stdout).toMatch(/1 {2}another document is referred to/);
  expect(status).toBe(0);
});

test('a suite below the limit fails, and each difference is named', () => {
  const { status, stdout } = run('--schema', suiteOf(group({ type: 'string' }, 1, true), group({}, 1, true)));
  expect(stdout).toMatch(/1 of 2 counted cases .*\(50\.00 %/);
  expect(stdout).toMatch(/own\.json: a group: a case: expected valid, got invalid/);
  expect(status).toBe(1);
});

test('a case excluded for a reason that does not apply counts as a difference', () => {
  const { status, stdout } = run('--schema', suiteOf(group({ $ref: '#/$defs/missing' }, 1, true)));
  expect(stdout).toMatch(/0 of 1 counted cases/);
  expect(status).toBe(1);
});

test('a schema that is not read is excluded for its own reason, not for that of another one', () => {
  const unsafe = group(JSON.parse('{"properties": {"__proto__": {}}}'), 1, true);
  const { stdout } = run('--schema', suiteOf(unsafe, group({ const: 2 ** 53 }, 1, false), group({}, 1, true)));
  expect(stdout).toMatch(/1 {2}names that reach into the objects of JavaScript/);
  expect(stdout).toMatch(/1 {2}integers beyond 2\^53 - 1 are refused/);
});

test('a refused schema is omitted for the reason in the message of the refusal', () => {
  const refused: [string, object][] = [
    ['`$dynamicRef` is refused by name', { $dynamicRef: '#node' }],
    ['`unevaluatedItems` with `contains` is refused by name', { contains: {}, unevaluatedItems: false }],
    ['an `enum` without values is refused by name', { enum: [] }],
    ['regular expressions are those of RE2', { pattern: '^(?=a)' }],
  ];
  const groups = refused.map(([, schema]) => group({ properties: { of: schema } }, {}, true));
  const { status, stdout } = run('--schema', suiteOf(...groups, group({}, {}, true)));
  for (const [reason] of refused) expect(stdout).toContain(`1  ${reason}`);
  expect(stdout).toMatch(/1 of 1 counted cases/);
  expect(status).toBe(0);
});

test('a suite of CEL is evaluated, and a wrong value is named with its case', () => {
  const right = "{ name: 'member' expr: '{\"a\": [7]}.a[0]' value: { int64_value: 7 } }";
  const failing = "{ name: 'index' expr: '[1][1]' eval_error: { errors: { message: 'invalid' } } }";
  const wrong = "{ name: 'wrong' expr: '[1, 2].exists(e, e > 1)' value: { bool_value: false } }";
  const { status, stdout } = run('--cel', celSuiteOf(right, failing, wrong));
  expect(stdout).toMatch(/cel: 2 of 3 counted cases agree/);
  expect(stdout).toMatch(/own\/section\/wrong: expected false, got true/);
  expect(status).toBe(1);
});

test.each([
  ['no suite at all', [], /No suite was named/],
  ['a folder that is missing', ['--schema', '/nowhere/at/all'], /there is no folder \/nowhere/],
  ['a folder without cases', ['--schema', import.meta.dirname], /has no cases of JSON-Schema-Test-Suite/],
  ['an option without a folder', ['--schema'], /argument missing/],
  ['an unknown option', ['--xml', '/tmp'], /--xml/],
])('%s is a clear error with exit 2', (_, args, words) => {
  const { status, stderr } = run(...args);
  expect(stderr).toMatch(words);
  expect(status).toBe(2);
});

const REMOTE = group({ $ref: 'https://example.test/other.json' }, 1, true);

function group(schema: object, data: unknown, valid: boolean): object {
  return { description: 'a group', schema, tests: [{ description: 'a case', data, valid }] };
}

/** The folder of a suite with these groups. */
function suiteOf(...groups: object[]): string {
  const root = mkdtempSync(join(tmpdir(), 'ability-suite-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'tests/draft2020-12'), { recursive: true });
  writeFileSync(join(root, 'tests/draft2020-12/own.json'), JSON.stringify(groups));
  return root;
}

/** The folder of a suite of CEL with these cases. */
function celSuiteOf(...cases: string[]): string {
  const root = mkdtempSync(join(tmpdir(), 'ability-cel-suite-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const tests = cases.map((one) => `test ${one}`).join('\n');
  writeFileSync(join(root, 'own.textproto'), `name: 'own'\nsection {\nname: 'section'\n${tests}\n}\n`);
  return root;
}

function run(...args: string[]) {
  return spawnSync(process.execPath, [SCRIPT, ...args], { encoding: 'utf8' });
}
