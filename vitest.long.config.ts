import { defineConfig } from 'vitest/config';

/** What takes minutes and is no part of `npm test`: `npm run test:long`. */
export default defineConfig({
  test: {
    include: ['test/long/**/*.test.ts'],
    globalSetup: 'test/fixtures/global-temporal.ts',
    pool: 'forks',
    hookTimeout: 120_000,
  },
});
