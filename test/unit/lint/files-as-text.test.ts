import { expect, test } from 'vitest';
import { lowLevel, SCRIPT } from '../temporary-project.js';
import { findingsOf, workflow } from './lint-case.js';

test('a file passed where the schema expects a text is reported, with a schema that accepts it', () => {
  const files = {
    ...lowLevel('op.makes', 'input_schema: { type: object }', 'output_files: { dump: "*.sql" }', SCRIPT),
    ...lowLevel('op.takes', 'input_schema: { type: object, properties: { file: { type: string } } }', SCRIPT),
    ...workflow(
      'steps:',
      '  - { id: make, call: op.makes }',
      '  - { id: take, call: op.takes, with: { file: "${{ steps.make.files.dump }}" } }',
    ),
  };
  const found = findingsOf({ files }).filter(({ code }) => code === 'lint.wrong_parameter');
  expect(found).toMatchObject([
    {
      message: '`${{ steps.make.files.dump }}` gives a file, and the `input_schema` of op.takes wants a text here',
      fix: expect.stringContaining('Use `{ type: object, format: file }` for it in the `input_schema` of op.takes'),
    },
  ]);
});
