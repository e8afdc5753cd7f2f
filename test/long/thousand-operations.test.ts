import { expect, test } from 'vitest';
import { importMany } from '../unit/authoring/import/openapi/many-operations.js';

test('1,000 operations become definitions that load and resolve, within 30 s of processor time', async () => {
  expect(await importMany(1000)).toBeLessThan(30_000);
}, 240_000);
