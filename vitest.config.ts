import { defineConfig } from 'vitest/config';

/** Real servers and processes on two cores: what takes a second alone may take many beside others. */
const PATIENT = { testTimeout: 60_000, hookTimeout: 120_000 };

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      { test: { name: 'unit', include: ['test/unit/**/*.test.ts'] } },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          globalSetup: 'test/fixtures/global-temporal.ts',
          pool: 'forks',
          ...PATIENT,
        },
      },
      { test: { name: 'chaos', include: ['test/chaos/**/*.test.ts'], pool: 'forks', ...PATIENT } },
      {
        test: {
          name: 'attacks',
          include: ['test/attacks/**/*.test.ts'],
          globalSetup: 'test/fixtures/global-temporal.ts',
          pool: 'forks',
          ...PATIENT,
        },
      },
      { test: { name: 'e2e', include: ['test/e2e/**/*.test.ts'], pool: 'forks', ...PATIENT } },
    ],
  },
});
