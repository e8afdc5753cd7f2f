import { expect, test } from 'vitest';
import { keepTime } from '../../../src/activities/project-definitions.js';
import { temporaryProject } from '../temporary-project.js';

const DAY_MS = 24 * 60 * 60_000;

test('files are kept for 30 days after the end of their task, unless the project states otherwise', () => {
  expect(keepTime(temporaryProject().root)).toBe(30 * DAY_MS);
});

test('policy.keep_files sets how long files are kept', () => {
  const { root } = temporaryProject({
    'ability.yaml': 'format: 1\nproject: p\npolicy: { keep_files: 2d }\nenvironments: { dev: {} }\n',
  });
  expect(keepTime(root)).toBe(2 * DAY_MS);
});
