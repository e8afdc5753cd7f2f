import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { OUR_FAMILIES } from '../../../src/contracts/codes.js';
import { RESERVED_NAMES, SIGNALS } from '../../../src/contracts/names.js';
import { END_STATES, EXIT, EXIT_OF_STATE, STEP_STATUSES } from '../../../src/contracts/states.js';
import { highLevel } from '../../../src/definitions/formats/high-level.js';
import { retry } from '../../../src/definitions/formats/retry.js';
import { VERBS } from '../../../src/definitions/formats/steps.js';
import { signalName, stepId } from '../../../src/definitions/formats/values.js';
import { FORMATS, schemaOf } from '../../../src/definitions/schemas/schema-files.js';
import { limitsOf } from '../../../src/planning/resolve/resolve-environment.js';
import { isFreeName } from '../../../src/planning/steps/check-step-texts.js';
import { attemptsOf, RETRY } from '../../../src/rules/calls/call-defaults.js';
import { isDuration, parseDuration } from '../../../src/rules/duration.js';
import { EXPRESSION_LIMITS } from '../../../src/rules/expressions/language/cost.js';
import { FUNCTIONS, METHODS, OPTIONAL_FUNCTIONS } from '../../../src/rules/expressions/language/functions.js';
import { RETRY_NAMES } from '../../../src/rules/steps/retry-condition.js';
import { refuseUnsafeKeys } from '../../../src/rules/unsafe-keys.js';
import type { ProjectFiles } from '../../fixtures/project-folder.js';
import { registryOf, resolved } from '../temporary-project.js';

const ROOT = join(import.meta.dirname, '../../..');
const page = readFileSync(join(ROOT, 'docs/quick-reference.md'), 'utf8');

interface Renderer {
  listFields(schema: object): Row[];
}
interface Schema {
  properties: Record<string, object>;
  required?: string[];
}
type Row = { path: string; type: string; standard: string };

const { listFields } = (await import(join(ROOT, 'scripts/render-definitions.mjs'))) as Renderer;
const format = schemaOf(FORMATS['high-level']) as unknown as Schema & { definitions: { step: { anyOf: Schema[] } } };
const steps = format.definitions.step.anyOf;

/** The rows of a table, from its marker to the end marker. */
function marked(name: string): string {
  const [, text] = new RegExp(`<!-- ${name} -->([\\s\\S]*?)<!-- end -->`).exec(page) ?? [];
  if (text === undefined) throw new Error(`The page has no ${name}`);
  return text;
}

const namesIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

function readRows(text: string): Row[] {
  const rows = text.matchAll(/^\| `([^`]+)` \| ([^|]*) \| ([^|]*) ?\|/gm);
  return [...rows].map(([, path = '', type = '', standard = '']) => ({ path, type, standard: standard.trim() }));
}

/** The fields of a schema as docs/definitions.md lists them. */
function fieldsOf(schema: object): Row[] {
  return listFields({ ...schema, definitions: format.definitions });
}

/** What each type on the page is in the JSON Schema of the format. */
const TYPES: Record<string, string[]> = {
  text: ['string'],
  name: ['string'],
  'ability id': ['ability id'],
  'error code': ['string'],
  duration: ['string'],
  'fixed duration': ['string'],
  CEL: ['CEL'],
  'CEL or list': ['string or list of JSON'],
  count: ['integer or string'],
  number: ['number'],
  'number or text': ['integer or string'],
  'whole number': ['integer'],
  boolean: ['boolean'],
  JSON: ['JSON'],
  'JSON Schema': ['map of JSON'],
  map: ['map', 'map of JSON'],
  'map or null': ['map or null'],
  'map or text': ['map of JSON or string'],
  'duration or map': ['string or map'],
  steps: ['list of step'],
  'map of steps': ['map of branch'],
  'map of maps': ['map of map'],
  'map of texts': ['map of string'],
  'list of maps': ['list of map'],
  'list of texts': ['list of string'],
  'list of names': ['list of string', 'list of name'],
  'list of ability ids': ['list of ability id'],
  'list of texts or numbers': ['list of string or number'],
};

const typesOf = (type: string): string[] => TYPES[type] ?? [type, type.replace(/^`(.*)`$/, '`"$1"`')];

/** Defaults that are set in the code, not in the schema. */
const FROM_CODE: Record<string, string> = {
  status: 'stable',
  timeout: '15m',
  with: '{}',
  'undo.with': '{}',
  'approval.fields.<name>.optional': 'false',
  max_parallel: '1',
  on_failure: 'stop',
  'end.output': 'null',
  'on_error[].output': 'null',
  'on_error[].rethrow': 'false',
  continue_on_error: 'false',
  'retry.max': '30s',
};

const plain = (standard: string): string => standard.replace(/^`"?(.*?)"?`$/, '$1');

function expectRows(documented: Row[], fields: Row[]): void {
  expect(documented.map(({ path }) => path).sort()).toEqual([...new Set(fields.map(({ path }) => path))].sort());
  for (const { path, type, standard } of documented) {
    const field = fields.find((one) => one.path === path) as Row;
    expect([path, typesOf(type)]).toEqual([path, expect.arrayContaining([field.type])]);
    const allowed = [plain(field.standard), ...(field.standard === '' ? [FROM_CODE[path]] : [])];
    expect([path, allowed]).toEqual([path, expect.arrayContaining([plain(standard)])]);
  }
}

const MODIFIERS = ['id', 'if', 'timeout', 'on_error', 'continue_on_error', 'finally'];
/** The formats have the same order as the verbs. */
const stepOf = (verb: string): Schema => steps[[...VERBS].indexOf(verb)] as Schema;

const planOf = (yaml: string, files: ProjectFiles = {}) =>
  resolved(
    { 'registry/high-level/x.yaml': `id: x\ntype: workflow\nversion: 1\nsummary: A test.\n${yaml}\n`, ...files },
    'x',
  ).plan;

describe('docs/quick-reference.md', () => {
  test('has the fields of a file, with type and default', () => {
    const documented = readRows(marked('file'));
    const nested = ['limits', 'concurrency', 'templates'];
    const fields = fieldsOf(format).filter(
      ({ path }) => !path.includes('.') || nested.includes(path.split('.')[0] ?? ''),
    );
    expectRows(
      documented,
      fields.filter(({ path }) => !path.includes('[')),
    );
    expect(documented.map(({ path }) => path)).toEqual(expect.arrayContaining(Object.keys(highLevel.shape)));
  });

  test('has a table for each verb, and no other', () => {
    const documented = [...page.matchAll(/^<!-- verb:(\w+) -->$/gm)].map(([, verb]) => verb);
    expect(documented.sort()).toEqual([...VERBS].sort());
    expect([...page.matchAll(/^### (\w+)\n/gm)].map(([, verb]) => verb)).toEqual(expect.arrayContaining(documented));
  });

  test.each([...VERBS])('has every field of `%s`, and no other, with type and default', (verb) => {
    const fields = fieldsOf(stepOf(verb)).filter(({ path }) => {
      const [first = ''] = path.split(/[.[]/);
      return !MODIFIERS.includes(first) && !path.startsWith('retry.');
    });
    expectRows(readRows(marked(`verb:${verb}`)), fields);
  });

  test('has every modifier with the verbs that it applies to', () => {
    const documented = readRows(marked('modifiers'));
    const fields = fieldsOf(stepOf('call')).filter(({ path }) => {
      const [first = ''] = path.split(/[.[]/);
      return [...MODIFIERS, 'retry', 'undo', 'cut'].includes(first) && !/^(retry|undo)\./.test(path);
    });
    expectRows(documented, fields);
    for (const [, modifier = '', on = ''] of marked('modifiers').matchAll(
      /^\| `(\w+)` \|[^|]*\|[^|]*\| ([^|]*) \|/gm,
    )) {
      const verbs = [...VERBS].filter((verb) => modifier in stepOf(verb).properties);
      expect([modifier, namesIn(on)]).toEqual([modifier, verbs.length === VERBS.size ? [] : verbs]);
    }
  });

  test('has every field of `retry`, and the number of attempts without it', () => {
    const fields = fieldsOf(stepOf('steps')).filter(({ path }) => path.startsWith('retry.'));
    expectRows(readRows(marked('retry')), fields);
    expect(retry.parse({}).max).toBe(FROM_CODE['retry.max']);
    expect(parseDuration(retry.parse({}).max)).toBe(RETRY.maxMs);
    const attempts = (['read', 'external_read', 'write_idempotent', 'write_additive', 'destructive'] as const).map(
      (effects) => attemptsOf({ effects }, undefined),
    );
    expect(attempts).toEqual([3, 3, 3, 1, 1]);
    expect(page).toMatch(/`read`, `external_read` or `write_idempotent` \| 3,/);
    expect(page).toMatch(/`write_additive` or `destructive` \| 1 \|/);
  });

  test('has the defaults of the code', () => {
    const { project } = registryOf({});
    expect(limitsOf(project, undefined)).toMatchObject({
      task_ms: parseDuration(FROM_CODE.timeout),
      cleanup_ms: parseDuration('5m'),
      expires_ms: parseDuration('7d'),
    });
    const [loop, end] =
      planOf('steps: [{ id: a, foreach: [1], as: one, steps: [{ id: b, let: {} }] }, { id: c, end: {} }]').steps ?? [];
    expect(loop).toMatchObject({ max_parallel: 1 });
    expect(end).toMatchObject({ end: { output: null } });
  });

  test('shows durations that are accepted, and one that is not', () => {
    const [, text = ''] = /## Durations\n\n([^\n]*)/.exec(page) ?? [];
    const [refused, ...read] = namesIn(text)
      .reverse()
      .filter((name) => name !== '90m');
    expect([refused, isDuration(refused as string)]).toEqual(['1h30m', false]);
    expect(read.length).toBeGreaterThan(4);
    expect(read.filter((name) => !isDuration(name))).toEqual([]);
    expect([isDuration('3650d'), isDuration('3651d')]).toEqual([true, false]);
  });

  test('has the names that are available in expressions', () => {
    const [, table = ''] = /## Names in expressions\n\n([\s\S]*?)\n\n/.exec(page) ?? [];
    const rows = new Map(
      [...table.matchAll(/^\| (.*) \| (.*) \|$/gm)].map(([, place = '', names = '']) => [place, namesIn(names)]),
    );
    expect(rows.get('`retry.if`')).toEqual([...RETRY_NAMES]);
    const common = rows.get('all of a workflow') ?? [];
    const reads = (names: string[]) => planOf(`steps: [{ id: a, let: { v: "\${{ [${names.join(', ')}] }}" } }]`);
    expect(reads(common).steps).toHaveLength(1);
    expect(() => reads(['signal'])).toThrow(/signal/);
    expect(namesIn(page.slice(page.indexOf('Statuses of steps:'), page.indexOf('## Functions')))).toEqual([
      ...STEP_STATUSES,
    ]);
  });

  test('has every function of expressions, and the limits', () => {
    const MACROS = ['has', 'all', 'exists', 'exists_one', 'existsOne', 'filter', 'map', 'or', 'orValue'];
    const known = [...FUNCTIONS.keys(), ...METHODS.keys(), ...MACROS];
    const documented = namesIn(marked('functions')).filter((name) => !/[.[]/.test(name));
    expect([...new Set(documented)].sort()).toEqual([...new Set(known)].sort());
    for (const name of OPTIONAL_FUNCTIONS.keys()) expect(marked('functions')).toContain(`\`optional.${name}\``);
    const { characters, depth, nodes, visits } = EXPRESSION_LIMITS;
    for (const limit of [characters, depth, nodes, visits]) expect(page).toContain(limit.toLocaleString('en'));
  });

  test('has the reserved words', () => {
    expect(namesIn(marked('object-names')).sort()).toEqual([...RESERVED_NAMES].sort());
    expect(namesIn(marked('signals')).sort()).toEqual(Object.values(SIGNALS).sort());
    expect(namesIn(marked('families'))).toEqual([...OUR_FAMILIES].sort());
    for (const name of namesIn(marked('cel-words')))
      expect([name, stepId.safeParse(name).success]).toEqual([name, false]);
    for (const name of namesIn(marked('signals'))) expect(signalName.safeParse(name).success).toBe(false);
    const refused = (key: string) => () => refuseUnsafeKeys(JSON.parse(`{ "${key}": 1 }`));
    for (const key of namesIn(marked('keys'))) expect(refused(key)).toThrow('is not allowed');
    expect(refused('toString')).not.toThrow();
    const words = namesIn(marked('loop-words'));
    expect(words.filter(isFreeName)).toEqual([]);
    // A name is free if it is neither a word nor a type of CEL; the names of functions are free as well.
    expect(['item', ...FUNCTIONS.keys()].filter((name) => !words.includes(name) && !isFreeName(name))).toEqual([]);
    for (const name of namesIn(marked('loop-names'))) {
      const steps = `steps: [{ id: a, foreach: [1], as: ${name}, steps: [{ id: b, let: {} }] }]`;
      expect(() => planOf(steps)).toThrow(`The name \`${name}\` is taken here`);
    }
  });

  test('has every final status of a task with its exit code, and every exit code', () => {
    const documented = [...marked('ends').matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(([, state, code]) => [
      state,
      Number(code),
    ]);
    expect(documented.map(([state]) => state).sort()).toEqual([...END_STATES, 'waiting_approval'].sort());
    for (const [state, code] of documented)
      expect([state, EXIT_OF_STATE[state as keyof typeof EXIT_OF_STATE]]).toEqual([state, code]);
    const others = [...marked('commands').matchAll(/ \| (\d+) \|$/gm)].map(([, code]) => Number(code));
    expect([...new Set([...documented.map(([, code]) => code), ...others])].sort()).toEqual(Object.values(EXIT).sort());
  });

  test.each(['README.md', 'docs/workflow-language.md'])('%s links to it', (name) => {
    const text = readFileSync(join(ROOT, name), 'utf8');
    expect(/\]\((docs\/)?quick-reference\.md\)/.test(text)).toBe(true);
  });
});
