import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { isSeq, parseDocument, stringify, visit } from 'yaml';
import { CODES } from '../../../src/contracts/codes.js';
import { checkFormat } from '../../../src/definitions/check-format.js';
import { loadRegistry } from '../../../src/definitions/load-registry.js';
import { FORMATS, type FormatName, schemaOf } from '../../../src/definitions/schemas/schema-files.js';
import { isProblem, readYaml } from '../../../src/definitions/yaml-source.js';
import { temporaryProject } from '../temporary-project.js';

const runs = Number(process.env['PROPERTY_RUNS'] ?? 200);
vi.setConfig({ testTimeout: 600_000 });

/** The same documents at each run, unless others are requested, as `npm run test:property` does. */
const seed = process.env['FC_SEED'] === 'random' ? {} : { seed: Number(process.env['FC_SEED'] ?? 20261122) };
const NAMES = Object.keys(FORMATS) as FormatName[];

/** Words with a special meaning in YAML, in CEL, in JavaScript, or in our formats. */
const word = fc.constantFrom(
  ...[
    'a',
    'op',
    'dev',
    'yes',
    'no',
    'on',
    'null',
    '~',
    'true',
    '010',
    '1e3',
    '0x1f',
    '2026-01-02',
    '12:30',
    '.5',
    '-',
    '?',
    ':',
  ],
  ...[
    '${{ input.a }}',
    'a: b',
    'a #b',
    '# c',
    '*a',
    '&a',
    '!t',
    '|',
    '>',
    '%',
    '@',
    '`',
    '"',
    "'",
    'a\nb',
    ' a ',
    '',
    '\t',
    '<<',
    'é',
    '\u2028',
  ],
  ...[
    'summary',
    'id',
    'steps',
    'call',
    'hooks',
    'env:A',
    '30s',
    'read',
    '{',
    '}',
    '[',
    ']',
    ',',
    '=',
    '_',
    '9007199254740991',
  ],
);
const key = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...keysOfFormats()) },
  { weight: 1, arbitrary: word.filter((text) => text !== '<<') },
);
const leaf = fc.oneof(
  word,
  fc.string(),
  fc.boolean(),
  fc.constant(null),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const { value: anything } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 5 }),
  ),
}));

/** All keys of all formats. */
function keysOfFormats(): string[] {
  const found = new Set<string>();
  const collect = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return;
    for (const [name, value] of Object.entries(schema)) {
      if (name === 'properties') for (const property of Object.keys(value as object)) found.add(property);
      collect(value);
    }
  };
  for (const name of NAMES) collect(schemaOf(FORMATS[name]));
  return [...found];
}

/** A valid definition of each kind, so that changes of it are close to valid ones. */
const RIGHT: Record<FormatName, object> = {
  'hooks-impl': { hooks: [{ id: 'h', impl: { kind: 'script', script: { path: 'a.mjs', timeout_sec: 5 } } }] },
  modules: { id: 'users.api', summary: 's', status: 'deprecated', replaced_by: 'accounts', path: 'modules/users' },
  capabilities: { capabilities: { web_search: { description: 'd', keywords: ['web search'], needs: 'network' } } },
  packs: { specialists: { data: { description: 'd', keywords: ['chart'], workflow: 'w', capabilities: ['file_io'] } } },
  project: { format: 1, project: 'p', environments: { dev: { approve: ['read'], quorum: 2 } }, people: { g: ['x'] } },
  agent: { id: 'a', type: 'agent', summary: 's', instructions: 'Think.', operations: ['op'], capabilities: ['c'] },
  'low-level': {
    operation_key: 'op',
    summary: 'A text: with # signs',
    scope: { environments: ['dev'] },
    input_schema: { type: 'object', properties: { a: { const: '010' } } },
    implementation: { kind: 'script', script: { path: 'a.mjs', args: ['--x', '{payload}'] }, defaults: { a: 1 } },
  },
  'high-level': {
    ...{ id: 'w', type: 'workflow', version: '1.0', summary: 's', constraints: { cost: 'none' } },
    steps: [
      {
        id: 'a',
        call: 'op',
        with: { x: '${{ input.x }}' },
        retry: { attempts: 2, errors: ['timeout'] },
        if: 'input.x > 1',
      },
      { id: 'b', foreach: [1, 'two'], as: 'item', steps: [{ id: 'c', wait: '1s' }] },
      { id: 'd', parallel: { e: { call: 'op' }, f: { let: { y: null } } } },
    ],
    output: { status: 'yes' },
  },
  implementations: { id: 'i', operation_key: 'op', kind: 'mcp', mcp: { server: 's', tool: 't' }, tags: ['fast'] },
  config: {
    abilities: [{ id: 'op', environments: { dev: { prompts: { a: 'no' } } } }],
    env_profiles: { p: { pass: ['PATH'] } },
  },
  hooks: {
    hooks: [{ id: 'h', blocking: true, match: { effects: ['read'] }, handler: { expression: { deny_if: 'false' } } }],
  },
  cases: { ability: 'op', cases: [{ name: 'n', input: { a: 1 }, expect: { status: 'succeeded' } }] },
};

/** A definition with a value replaced, or a key added, somewhere in it. */
const changed = fc
  .tuple(fc.constantFrom(...NAMES), fc.array(fc.nat(), { maxLength: 6 }), key, anything, fc.boolean())
  .map(([name, way, added, value, replace]) => {
    const root = structuredClone(RIGHT[name]) as Record<string, unknown>;
    let at: Record<string, unknown> = root;
    for (const turn of way) {
      const inner = Object.values(at).filter((item) => typeof item === 'object' && item !== null);
      if (inner.length === 0) break;
      at = inner[turn % inner.length] as Record<string, unknown>;
    }
    const keys = Object.keys(at);
    const target = replace && keys.length > 0 ? (keys[(way[0] ?? 0) % keys.length] as string) : added;
    if (Array.isArray(at) && !replace) at.push(value);
    else Object.defineProperty(at, target, { value, enumerable: true, configurable: true, writable: true });
    return { name, value: root };
  });

/** The same data as different people would write it. */
const style = fc.record({
  flow: fc.boolean(),
  quote: fc.constantFrom('PLAIN' as const, 'QUOTE_DOUBLE' as const, 'QUOTE_SINGLE' as const),
  lineWidth: fc.constantFrom(0, 20, 80),
});

function write(
  value: unknown,
  { flow, quote, lineWidth }: { flow: boolean; quote: 'PLAIN' | 'QUOTE_DOUBLE' | 'QUOTE_SINGLE'; lineWidth: number },
): string {
  const document = parseDocument(stringify(value, { aliasDuplicateObjects: false }));
  visit(document, {
    Collection: (_, node) => {
      if (flow && isSeq(node)) node.flow = true;
    },
  });
  return document.toString({ lineWidth, defaultStringType: quote, defaultKeyType: 'PLAIN' });
}

/** The keys of the parsed text that are missing in the loaded definition, or have another value there. */
function lost(read: unknown, loaded: unknown, path: string): string[] {
  if (read === null || typeof read !== 'object') {
    // Conditions stay text; an environment without a value has its defaults.
    const same = Object.is(read, loaded) || String(read) === loaded || (read === null && typeof loaded === 'object');
    return same ? [] : [path];
  }
  if (loaded === null || typeof loaded !== 'object') return [path];
  return Object.entries(read).flatMap(([name, value]) =>
    Object.hasOwn(loaded, name)
      ? lost(value, (loaded as Record<string, unknown>)[name], `${path}.${name}`)
      : [`${path}.${name}`],
  );
}

function check(name: FormatName, text: string): void {
  const source = readYaml('x.yaml', text);
  if (isProblem(source)) {
    expect(Object.keys(CODES)).toContain(source.code);
    expect(source.location?.file).toBe('x.yaml');
    return;
  }
  const again = parseDocument(text, { strict: true, stringKeys: true });
  expect(again.errors).toEqual([]);
  expect(source.value).toEqual(again.toJS({ maxAliasCount: -1 }));
  const checked = checkFormat(FORMATS[name].format, source);
  if ('problems' in checked) {
    for (const { code, location } of checked.problems) {
      expect(Object.keys(CODES)).toContain(code);
      expect(location?.line).toBeGreaterThan(0);
    }
    return;
  }
  expect(lost(source.value, checked.value, '')).toEqual([]);
}

test('each valid definition is loaded as it is written', () => {
  for (const name of NAMES) {
    const source = readYaml('x.yaml', stringify(RIGHT[name]));
    if (isProblem(source)) throw new Error(source.message);
    expect(source.value).toEqual(RIGHT[name]);
    expect(checkFormat(FORMATS[name].format, source)).toHaveProperty('value');
  }
});

test('whatever is changed in a definition, and however it is written, none of its keys is lost silently', () => {
  fc.assert(
    fc.property(changed, style, ({ name, value }, how) => check(name, write(value, how))),
    { numRuns: runs * 3, ...seed },
  );
});

test('whatever is typed into a definition, it is read as another parser reads it, or refused', () => {
  const slip = fc.tuple(
    fc.nat(),
    fc.nat({ max: 5 }),
    fc.oneof(word, fc.string({ maxLength: 3 }), fc.constantFrom('  ', '\n', '- ', '\n  ')),
  );
  fc.assert(
    fc.property(changed, style, fc.array(slip, { minLength: 1, maxLength: 4 }), ({ name, value }, how, slips) => {
      const text = slips.reduce(
        (before, [where, cut, typed]) => {
          const at = where % (before.length + 1);
          return before.slice(0, at) + typed + before.slice(at + cut);
        },
        write(value, how),
      );
      check(name, text);
    }),
    { numRuns: runs * 5, ...seed },
  );
});

test('random bytes in any file of a project cause problems, and nothing else', () => {
  const folders = [
    'low-level/x',
    'high-level/x',
    'implementations/x',
    'config/x',
    'hooks/PreAbilityCall',
    'hooks/x',
    'low-level/x.test',
  ];
  const { root } = temporaryProject();
  for (const folder of folders) mkdirSync(join(root, 'registry', folder, '..'), { recursive: true });
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 400 }),
    fc.string({ unit: 'binary' }).map((text) => new TextEncoder().encode(text)),
    word.map((text) => new TextEncoder().encode(text)),
  );
  fc.assert(
    fc.property(fc.constantFrom(...folders), bytes, (folder, content) => {
      writeFileSync(join(root, 'registry', `${folder}.yaml`), content);
      const { problems } = loadRegistry(root);
      for (const { code } of problems) expect(Object.keys(CODES)).toContain(code);
    }),
    { numRuns: runs, ...seed },
  );
});
