import { expect, test } from 'vitest';
import type { ProjectFiles } from '../../../fixtures/project-folder.js';
import { errorOf } from '../../error-of.js';
import { lowLevel, resolved } from '../../temporary-project.js';

const files = (api: string, schema: string): ProjectFiles => ({
  ...lowLevel('op', `input_schema: ${schema}`, `implementation: { kind: api, api: ${api} }`),
  'registry/config/c.yaml':
    'abilities: [{ id: op, environments: { dev: { endpoints: { default: "http://a.test" } } } }]',
});
const CLOSED = '{ type: object, properties: { ids: {}, id: {} }, additionalProperties: false }';

test.each([
  ['a parameter', '{ params: { isd: { in: query } } }', 47, 'Did you mean id or ids?'],
  ['a path', '{ path: "/x/{user}" }', 43, 'Add it to `input_schema`.'],
])('R-000-46: %s that reads an input which the contract does not allow is refused', (_, api, column, suggestion) => {
  expect(errorOf(() => resolved(files(api, CLOSED), 'op'))).toMatchObject({
    code: 'definition.invalid',
    location: { file: 'registry/low-level/op.yaml', line: 5, column },
    suggestion,
  });
});

test.each([
  ['known inputs', '{ path: "/x/{id}", params: { ids: { in: query } } }', CLOSED],
  ['a path whose name another input fills', '{ path: "/x/{user}", params: { id: { in: path, name: user } } }', CLOSED],
  ['a contract that allows others', '{ path: "/x/{user}" }', '{ type: object, properties: { ids: {} } }'],
  [
    'a contract with patterns',
    '{ path: "/x/{user}" }',
    '{ patternProperties: { u: {} }, additionalProperties: false }',
  ],
])('%s are planned', (_, api, schema) => {
  expect(resolved(files(api, schema), 'op').plan.ability.id).toBe('op');
});
