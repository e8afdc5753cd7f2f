import { defineConfig } from 'vitest/config';

const LONG = {
  globalSetup: 'test/fixtures/global-temporal.ts',
  pool: 'forks',
  testTimeout: 60_000,
  hookTimeout: 120_000,
} as const;

/** Tests that repeat less beside all others. */
const SHORTENED = ['test/integration/session-limits.test.ts'];

/** What takes minutes and is no part of `npm test`: `npm run test:long`, which also asks for the whole of the chaos tests. */
export default defineConfig({
  test: {
    maxWorkers: 1,
    projects: [
      { test: { name: 'long', include: ['test/long/**/*.test.ts', ...SHORTENED], ...LONG } },
      { test: { name: 'chaos', include: ['test/chaos/**/*.test.ts'], ...LONG } },
    ],
  },
});
