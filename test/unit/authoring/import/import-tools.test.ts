import { describe, expect, test } from 'vitest';
import { importTools, plainSchema } from '../../../../src/authoring/import/mcp/import-tools.js';
import { nameOperation, prefixOf } from '../../../../src/authoring/import/name-operation.js';
import type { JsonObject } from '../../../../src/contracts/json.js';

const DIGEST = 'a'.repeat(64);
function imported(definition: JsonObject, name = 'do') {
  const tool = {
    name,
    definition: { name, inputSchema: { type: 'object' }, ...definition },
    digest: DIGEST,
    taskSupport: 'optional',
  };
  return importTools([tool], { server: 'Srv', prefix: 'srv' });
}
const effects = (annotations?: JsonObject) =>
  imported(annotations ? { annotations } : {}).operations[0]?.definition.effects;

describe('the effects of a tool follow from its annotations, with the defaults of the MCP specification', () => {
  test.each([
    [undefined, 'destructive'],
    [{}, 'destructive'],
    [{ readOnlyHint: true }, 'external_read'],
    [{ readOnlyHint: true, openWorldHint: true }, 'external_read'],
    [{ readOnlyHint: true, openWorldHint: false }, 'read'],
    [{ readOnlyHint: true, openWorldHint: false, destructiveHint: true }, 'read'],
    [{ openWorldHint: false }, 'destructive'],
    [{ idempotentHint: true }, 'destructive'],
    [{ destructiveHint: true, idempotentHint: true }, 'destructive'],
    [{ destructiveHint: false, idempotentHint: true }, 'write_idempotent'],
    [{ destructiveHint: false }, 'write_additive'],
    [{ destructiveHint: false, idempotentHint: false, openWorldHint: false }, 'write_additive'],
    [{ readOnlyHint: 'true', destructiveHint: 0 }, 'destructive'],
  ])('%j is %s', (annotations, effect) => {
    expect(effects(annotations as JsonObject | undefined)).toBe(effect);
  });

  test.each([[undefined], [{}], [{ title: 'Do' }]])(
    'a tool with %j gets a note that its effects are not stated',
    (annotations) => {
      expect(imported(annotations ? { annotations } : {}).operations[0]?.notes).toEqual([
        expect.stringContaining('Without annotations'),
      ]);
    },
  );

  test('a tool that states any effect gets no note', () => {
    expect(imported({ annotations: { openWorldHint: true } }).operations[0]?.notes).toEqual([]);
  });
});

test('a tool is pinned, and the pinned definition is stored', () => {
  const { operations, pinned } = imported({ description: 'Does it.' });
  expect(operations[0]?.definition).toMatchObject({
    operation_key: 'srv.do',
    implementation: { kind: 'mcp', mcp: { server: 'Srv', tool: 'do', pinned: `sha256:${DIGEST}` } },
  });
  expect(pinned).toEqual({ [DIGEST]: { name: 'do', description: 'Does it.', inputSchema: { type: 'object' } } });
});

test('a tool that does not describe its output may return any object, with text as `text`', () => {
  expect(imported({}).operations[0]?.definition.output_schema).toMatchObject({
    type: 'object',
    properties: { text: { type: 'string' } },
  });
  expect(imported({}).operations[0]?.definition.output_schema).not.toHaveProperty('required');
});

describe('the summary of a tool', () => {
  test.each([
    [{ description: 'Reads it. Then stops.' }, 'Reads it.', 'Reads it. Then stops.'],
    [{ description: 'Reads it' }, 'Reads it', undefined],
    [{ description: 'Reads, e.g. Files. More.' }, 'Reads, e.g. Files.', 'Reads, e.g. Files. More.'],
    [{ description: ' \n ', title: 'Read' }, 'Read', undefined],
    [{ annotations: { title: 'Read it' } }, 'Read it', undefined],
    [{}, 'The tool do.', undefined],
    [{ description: 'a\n\u0007\u202eb' }, 'a b', 'a\n\u0007\u202eb'],
  ])('of %j', (tool, summary, notes) => {
    const definition = imported(tool as JsonObject).operations[0]?.definition;
    expect([definition?.summary, definition?.notes]).toEqual([summary, notes]);
  });

  test('is short and does not split characters', () => {
    const summary = String(imported({ description: '😀'.repeat(900) }).operations[0]?.definition.summary);
    expect(Array.from(summary).length).toBeLessThanOrEqual(200);
    expect(summary).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
  });
});

describe('the key of an operation', () => {
  test.each([
    ['read_file', 'srv.read_file'],
    ['readFile', 'srv.readfile'],
    ['get-env', 'srv.get-env'],
    ['a/b c', 'srv.a_b_c'],
    ['a..b.', 'srv.a.b'],
    ['../../x', 'srv._._x'],
    ['__proto__', 'srv.__proto__'],
  ])('of %s is %s', (name, key) => {
    expect(nameOperation('srv', name)).toEqual({ key });
  });

  test.each([['日本'], [''], ['...'], ['-_-'], ['n'.repeat(97)]])('cannot be made from %s', (name) => {
    expect(nameOperation('srv', name)).toHaveProperty('reason');
  });

  test.each([
    ['GitHub', 'github'],
    ['_x.y', 'x.y'],
    ['9', undefined],
    ['constructor', undefined],
  ])('for the server %s begins with %s', (name, prefix) => {
    expect(prefixOf(name)).toBe(prefix);
  });
});

test('keywords unknown to JSON Schema get the prefix x-, and property names stay', () => {
  expect(
    plainSchema({
      type: 'object',
      markdown: 'x',
      properties: { markdown: { enumNames: ['a'], 'x-a': 1 } },
      anyOf: [{ hint: 1 }],
    }),
  ).toEqual({
    type: 'object',
    'x-markdown': 'x',
    properties: { markdown: { 'x-enumNames': ['a'], 'x-a': 1 } },
    anyOf: [{ 'x-hint': 1 }],
  });
});
