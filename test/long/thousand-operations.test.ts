import { expect, test } from 'vitest';
import { importMany } from '../unit/authoring/import/openapi/many-operations.js';

test('1,000 operations become definitions that load and resolve, in less than 30 s of the processor', async () => {
  expect(await importMany(1000)).toBeLessThan(30_000);
}, 240_000);
