import { afterAll, expect, test } from 'vitest';
import { readHookCase } from '../../../../../../src/doors/cli/commands/hooks/test.js';
import { makeProject } from '../../../../../fixtures/project-folder.js';
import { errorOf } from '../../../../error-of.js';

const { root, write, remove } = makeProject();
afterAll(() => remove());

test.each([
  ['none.json', undefined, { message: 'There is no file none.json' }],
  ['half.json', '{ "payload"', { message: expect.stringMatching(/^half\.json is no JSON: /) }],
  ['now.json', '{ "now": "2026-12-24T10:00:00Z" }', { suggestion: expect.stringMatching(/beside the event/) }],
  ['key.json', '{ "paylod": {} }', { message: expect.stringMatching(/EventContext: .*paylod/) }],
])('%s is not a case that a hook can answer, and is refused with the reason', (file, text, error) => {
  if (text !== undefined) write({ [file]: text });
  expect(errorOf(() => readHookCase(file, root))).toMatchObject({ code: 'usage.invalid', ...error });
});
