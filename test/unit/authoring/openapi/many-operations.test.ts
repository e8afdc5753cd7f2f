import { expect, test } from 'vitest';
import { importMany } from './many-operations.js';

// `npm run test:long` imports 1,000 of them.
test('50 operations become definitions that load and resolve, in less than 3 s of the processor', async () => {
  expect(await importMany(50)).toBeLessThan(3000);
}, 60_000);
