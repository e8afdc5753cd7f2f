import { expect, test } from 'vitest';
import { RegistryLoader } from '../../../src/definitions/load-registry.js';
import { lintProject } from '../../../src/lint/lint-project.js';
import { SCRIPT_FILE, temporaryProject } from '../temporary-project.js';

const BROKEN = { type: 'object', properties: { size: { type: 'integer', default: 'many' } } };

const definition = {
  operation_key: 'shop.find',
  version: 1,
  summary: 'Find something.',
  effects: 'read',
  input_schema: BROKEN,
  implementation: { kind: 'script', script: { path: 'scripts/any.mjs' } },
};

const STATE = {
  format: 1,
  kind: 'openapi',
  name: 'shop',
  location: 'shop.json',
  prefix: 'shop',
  operations: { 'shop.find': { file: 'registry/low-level/shop.find.yaml', definition, source: 'GET /find' } },
  pinned: {},
};

function lint(now: object, imported = false) {
  const { root } = temporaryProject({
    ...SCRIPT_FILE,
    'registry/low-level/shop.find.yaml': JSON.stringify(now, null, 2),
    'registry/.imports/openapi.shop.json': JSON.stringify(STATE),
  });
  const { findings, imported_left_out } = lintProject(new RegistryLoader(root), { imported });
  return { codes: findings.map(({ code }) => code), imported_left_out };
}

test('slips of an imported document are omitted, and counted', () => {
  expect(lint(definition)).toEqual({ codes: [], imported_left_out: 1 });
});

test('they are findings on request', () => {
  expect(lint(definition, true)).toEqual({ codes: ['lint.schema_default'], imported_left_out: undefined });
});

test('parts that were edited since are reported', () => {
  const edited = { ...definition, input_schema: { ...BROKEN, additionalProperties: false } };
  expect(lint(edited).codes).toEqual(['lint.schema_default']);
});

test('parts that an import does not copy verbatim stay findings, as does everything about secrets', () => {
  const key = `ghp_${'a1B2c3'.repeat(6)}`;
  const codes = lint({ ...definition, notes: 'x', input_schema: { ...BROKEN, description: key } }).codes;
  expect(codes).toContain('lint.inline_secret');
});
