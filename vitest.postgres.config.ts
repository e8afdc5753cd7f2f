import { defineConfig } from 'vitest/config';

/** A real Temporal server on PostgreSQL, no part of `npm test`: `npm run test:postgres`. */
export default defineConfig({
  test: {
    include: ['test/postgres/**/*.test.ts'],
    globalSetup: 'test/postgres/global-server.ts',
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 180_000,
    hookTimeout: 300_000,
  },
});
