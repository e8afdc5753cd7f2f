import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import type { Problem } from '../../../src/contracts/problem.js';
import { makeProject, type ProjectFiles, type ProjectFolder } from '../../fixtures/project-folder.js';
import { compileForChildren } from '../server/compiled.js';
import { lowLevel, SCRIPT, SCRIPT_FILE } from '../temporary-project.js';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const CHILD = fileURLToPath(new URL('load-each.mjs', import.meta.url));
const GOOD = { ...SCRIPT_FILE, ...lowLevel('good', SCRIPT) };
/** Source: issue "Definitions people can trust". */
const MOST = { cpu: 400, megabytes: 64 };

const made: ProjectFolder[] = [];
function project(files: ProjectFiles = {}): ProjectFolder {
  const folder = makeProject(files);
  made.push(folder);
  return folder;
}

let compiled: { folder: string; path: string };

beforeAll(() => {
  compiled = compileForChildren('definitions/load-registry.ts');
  symlinkSync(fileURLToPath(new URL('../../../node_modules', import.meta.url)), join(compiled.folder, 'node_modules'));
});
afterAll(() => {
  rmSync(compiled.folder, { recursive: true });
  for (const folder of made) folder.remove();
});

interface Loaded {
  problems: Problem[];
  operations: string[];
  cpu: number;
  megabytes: number;
}

/** Loads projects in one process; any result shows that the process survived. */
async function loadAll(roots: string[]): Promise<Loaded[]> {
  const warmUp = project(GOOD);
  const args = ['--expose-gc', CHILD, compiled.path, warmUp.root, ...roots];
  const child = await promisify(execFile)(process.execPath, args, { timeout: 100_000, maxBuffer: 2 ** 26 });
  return (JSON.parse(child.stdout) as { results: Loaded[] }).results;
}

async function load(root: string): Promise<Loaded> {
  const [loaded] = await loadAll([root]);
  return loaded as Loaded;
}

/** A project with one hostile file among good ones. */
function projectWith(content: string | Buffer, path = 'registry/low-level/bad.yaml'): string {
  const { root } = project(GOOD);
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
  return root;
}

function firstOf({ problems, operations, cpu, megabytes }: Loaded): Problem {
  expect({ cpu: cpu < MOST.cpu ? 'little' : cpu, megabytes: megabytes < MOST.megabytes ? 'few' : megabytes }).toEqual({
    cpu: 'little',
    megabytes: 'few',
  });
  expect(operations).toEqual(['good']);
  return problems[0] as Problem;
}

/** Loads a project for each case, all before the first test of the group. */
function loadedBefore<Case extends readonly [string, ...unknown[]]>(
  cases: readonly Case[],
  make: (given: Case) => string,
) {
  const loaded = new Map<string, Loaded>();
  beforeAll(async () => {
    const roots = cases.map(make);
    const results = await loadAll(roots);
    for (const [index, [name]] of cases.entries()) loaded.set(name, results[index] as Loaded);
  });
  return (name: string): Problem => firstOf(loaded.get(name) as Loaded);
}

const N = 100_000;
const MEGABYTE = 1024 * 1024;
const TOP = 'operation_key: bad\nsummary: s\n';
const nested = (open: string, close: string, inner = ''): string => `${open.repeat(N)}${inner}${close.repeat(N)}`;
const bomb = (size: number): string =>
  Array.from({ length: size }, (_, level) => {
    const parts = Array.from({ length: 9 }, () => (level === 0 ? 'x' : `*a${level - 1}`));
    return `a${level}: &a${level} [${parts.join(', ')}]`;
  }).join('\n');

describe('a bomb is refused at once, with little memory, and the process survives', () => {
  const BOMBS: [string, string][] = [
    ['a billion laughs', bomb(10)],
    ['a billion laughs with anchors of maps', bomb(12).replaceAll('[', '{ k: [').replaceAll(']', '] }')],
    ['20,000 aliases of one value', `a: &a x\nb: [${'*a, '.repeat(20_000)}]`],
    [
      '10,000 anchors, each used',
      Array.from({ length: 10_000 }, (_, i) => `k${i}: &a${i} v\nl${i}: *a${i}`).join('\n'),
    ],
    ['100,000 lists inside each other', `a: ${nested('[', ']')}`],
    ['100,000 maps inside each other', `a: ${nested('{a: ', '}', '1')}`],
    ['100,000 of both, alternating', `a: ${nested('[{a: ', '}]')}`],
    ['100,000 maps as JSON', nested('{"a": ', '}', '1')],
    ['100,000 lists over as many lines', `a:\n${nested('  [\n', '  ]\n')}`],
    ['with brackets in quotes that seem to close them', `a: ${"[']', ".repeat(N)}`],
    ['with brackets in comments that seem to close them', `a: ${'[ # ]\n  '.repeat(N)}`],
    ['lists of lists in block form', '- '.repeat(N)],
    ['lists of lists behind tabs', '-\t'.repeat(N)],
    ['100,000 nested keys', '? '.repeat(N)],
    ['a staircase of maps', Array.from({ length: 1400 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
    ['a staircase of lists', Array.from({ length: 1400 }, (_, depth) => `${' '.repeat(depth)}-`).join('\n')],
    ['two megabytes of a comment', `${TOP}# ${'x'.repeat(2 * MEGABYTE)}`],
    ['half a million numbers', `a: [${'1,'.repeat(MEGABYTE / 2 - 10)}1]`],
    ['100,000 keys', Array.from({ length: 90_000 }, (_, index) => `k${index}: 1`).join('\n')],
    ['100,000 documents', '--- a\n'.repeat(N)],
    ['100,000 tags', '!a '.repeat(N)],
  ];
  const firstProblem = loadedBefore(BOMBS, ([, content]) => projectWith(content));

  test.each(BOMBS)('%s', (name) => {
    expect(firstProblem(name)).toMatchObject({
      code: 'definition.too_large',
      location: { file: 'registry/low-level/bad.yaml' },
    });
  });
});

describe('a file that only looks heavy, or is not YAML, is reported as quickly', () => {
  const last = (text: string): number => text.split('\n').length;
  const CASES: [string, string, string, number | undefined][] = [
    ['a line of a megabyte', `${TOP}notes: ${'x '.repeat(MEGABYTE / 2 - 100)}\nnope: 1`, 'definition.invalid', 4],
    ['a quoted text without its end', `${TOP}notes: "${'x'.repeat(MEGABYTE - 100)}`, 'definition.syntax', 3],
    ['100,000 closing brackets', `${TOP}a: ${']'.repeat(N - 100)}`, 'definition.too_large', undefined],
    ['a key twice', `${TOP}notes: a\nnotes: b`, 'definition.syntax', 4],
    ['a key twice in flow', `${TOP}scope: { modules: [], modules: [x] }`, 'definition.syntax', 3],
    ['a key twice, once in quotes', `${TOP}"notes": a\nnotes: b`, 'definition.syntax', 4],
    ['two documents', `${TOP}---\n${TOP}`, 'definition.syntax', 3],
    ['YAML 1.1, which reads yes as true', `%YAML 1.1\n---\n${TOP}`, 'definition.syntax', 1],
    ['a value that contains itself', `${TOP}examples: &a [*a]`, 'definition.invalid', 3],
    ['an anchor that comes later', `${TOP}notes: *a\nx: &a 1`, 'definition.syntax', 3],
    ['binary data', `${TOP}notes: !!binary aGVsbG8=`, 'definition.syntax', 3],
    ['a tag of another language', `${TOP}notes: !!python/object/apply:os.system [ls]`, 'definition.syntax', 3],
    ['a set', `${TOP}notes: !!set { a }`, 'definition.syntax', 3],
    ['a tag for the prototype', `${TOP}notes: !__proto__ { a: 1 }`, 'definition.syntax', 3],
    ['a list as a key', `${TOP}? [a, b]\n: 1`, 'definition.syntax', 3],
    ['a merge key', `base: &b { summary: s }\noperation_key: bad\n<<: *b`, 'definition.invalid', 3],
    ['a merge of __proto__', `${TOP}notes: { <<: { __proto__: { a: 1 } } }`, 'definition.invalid', 3],
    ['__proto__', `${TOP}input_schema: { __proto__: { type: object } }`, 'definition.invalid', 3],
    ['__proto__ in quotes', `${TOP}input_schema: { "__pro\\u0074o__": { a: 1 } }`, 'definition.invalid', 3],
    ['__proto__ behind an alias', `${TOP}scope: &a { __proto__: 1 }\nnotes: *a`, 'definition.invalid', 3],
    ['__proto__ as an alias', `&k __proto__ : 1\n${TOP}*k : 2`, 'definition.syntax', 4],
    ['constructor', `${TOP}output_schema:\n  constructor: { prototype: {} }`, 'definition.invalid', 4],
    ['a number beyond 2^53', `${TOP}input_schema: { maximum: 9007199254740993 }`, 'definition.invalid', 3],
    ['one in hexadecimal', `${TOP}input_schema: { maximum: 0xFFFFFFFFFFFFFFF }`, 'definition.invalid', 3],
    ['infinity', `${TOP}input_schema:\n  maximum: .inf`, 'definition.invalid', 4],
    ['NaN', `${TOP}input_schema: { maximum: .nan }`, 'definition.invalid', 3],
    ['a number that is too large for JSON', `${TOP}input_schema: { maximum: 1e999 }`, 'definition.invalid', 3],
    ['a number that some read as octal', `${TOP}input_schema: { const: 0755 }`, 'definition.invalid', 3],
    ['yes where true belongs', 'hooks: [{ id: h, enabled: yes }]', 'definition.invalid', 1],
    ['a date where text belongs', `${TOP}version: 2026-01-02\nnotes: 2026`, 'definition.invalid', 4],
    ['half a surrogate pair', `${TOP}notes: "\\ud800"`, 'definition.invalid', 3],
    ['a NUL', `${TOP}notes: a\0b`, 'definition.syntax', 3],
    ['a lone carriage return', `${TOP}notes: a\rscope: {}`, 'definition.syntax', 3],
    ['an empty file', '', 'definition.invalid', undefined],
    ['a list in place of a map', '- a', 'definition.invalid', 1],
    [
      '4,000 unknown keys',
      `${TOP}${Array.from({ length: 4000 }, (_, i) => `k${i}: 1`).join('\n')}`,
      'definition.invalid',
      3,
    ],
  ];
  const pathOf = (content: string): string =>
    content.startsWith('hooks') ? 'registry/hooks/PreAbilityCall.yaml' : 'registry/low-level/bad.yaml';
  const firstProblem = loadedBefore(CASES, ([, content]) => projectWith(content, pathOf(content)));

  test.each(CASES)('%s', (name, content, code, line) => {
    const problem = firstProblem(name);
    expect(problem).toMatchObject({ code, location: { file: pathOf(content) } });
    if (line !== undefined) expect([line, last(content)]).toContain(problem.location?.line);
  });

  const BYTES: [string, Buffer, number][] = [
    ['bytes that are not UTF-8', Buffer.from([...Buffer.from(`${TOP}notes: `), 0xff, 0xfe, 0x41]), 3],
    ['a character cut in half', Buffer.concat([Buffer.from(`${TOP}notes: ä`).subarray(0, -1)]), 3],
    ['UTF-16', Buffer.from(`\ufeff${TOP}`, 'utf16le'), 1],
    ['random bytes', Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 7919) % 256)), 1],
  ];
  const firstOfBytes = loadedBefore(BYTES, ([, content]) => projectWith(content));

  test.each(BYTES)('%s', (name, _, line) => {
    expect(firstOfBytes(name)).toMatchObject({ code: 'definition.syntax', location: { line } });
  });

  test('deeply nested steps with a mistake in the innermost one', async () => {
    const steps = (depth: number): string =>
      depth === 0 ? '[{ id: x, nope: 1 }]' : `[{ id: s${depth}, call: op, finally: ${steps(depth - 1)} }]`;
    const text = `id: bad\ntype: workflow\nversion: 1\nsummary: s\nsteps: ${steps(25)}`;
    const path = 'registry/high-level/bad.yaml';
    expect(firstOf(await load(projectWith(text, path)))).toMatchObject({
      code: 'definition.invalid',
      location: { line: 5 },
    });
  });
});

describe('anything but a file of the project is refused, without waiting for it', () => {
  const linked = (target: string, path = 'registry/low-level/bad.yaml'): string => {
    const { root } = project(GOOD);
    mkdirSync(dirname(join(root, path)), { recursive: true });
    symlinkSync(target, join(root, path));
    return root;
  };

  const LINKS: [string, string][] = [
    ['a link to a file outside', '/etc/passwd'],
    ['a link to an endless device', '/dev/zero'],
    ['a link to a device that blocks', '/dev/tty'],
    ['a link to itself', 'bad.yaml'],
    ['a link to a missing file', 'nothing.yaml'],
    ['a link to a folder outside', '/'],
    ['a link to the process itself', '/proc/self/mem'],
  ];
  const firstOfLinks = loadedBefore(LINKS, ([, target]) => linked(target));

  test.each(LINKS)('%s', (name) => {
    expect(firstOfLinks(name).location).toMatchObject({ file: 'registry/low-level/bad.yaml' });
  });

  test('a pipe that nobody writes to', async () => {
    const { root } = project(GOOD);
    execFileSync('mkfifo', [join(root, 'registry/low-level/bad.yaml')]);
    const problem = firstOf(await load(root));
    expect(problem).toMatchObject({ code: 'definition.invalid', message: expect.stringMatching(/is no file/) });
  });

  test('a pipe in place of ability.yaml', async () => {
    const { root } = project(GOOD);
    rmSync(join(root, 'ability.yaml'));
    execFileSync('mkfifo', [join(root, 'ability.yaml')]);
    expect((await load(root)).problems).toMatchObject([{ code: 'definition.invalid' }]);
  });

  test.each([
    ['a folder that leads out', '/', 'high-level', 'definition.invalid'],
    ['a folder that leads to itself', 'high-level', 'high-level', 'definition.invalid'],
    ['a folder within a folder', '../..', 'low-level/more', 'definition.unread'],
  ])('a link in place of %s', async (_, target, folder, code) => {
    const path = `registry/${folder}`;
    expect(firstOf(await load(linked(target, path)))).toMatchObject({ code, location: { file: path } });
  });

  test('a whole registry that is a link out of the project', async () => {
    const elsewhere = project(GOOD);
    const { root } = project();
    symlinkSync(join(elsewhere.root, 'registry'), join(root, 'registry'));
    const { operations, problems } = await load(root);
    expect([operations, problems]).toMatchObject([[], [{ location: { file: 'registry' } }]]);
  });

  test('a file in place of the registry, or of a folder of it', async () => {
    const one = project({ registry: 'x' });
    expect((await load(one.root)).problems).toMatchObject([
      { code: 'definition.invalid', location: { file: 'registry' } },
    ]);
    const two = project({ ...GOOD, 'registry/hooks': 'x' });
    expect((await load(two.root)).problems).toMatchObject([{ location: { file: 'registry/hooks' } }]);
  });
});
