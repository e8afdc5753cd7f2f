import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { isWhole } from './test/fixtures/extent.js';
import { LONG_FILES } from './test/fixtures/long-files.js';
import { LongestFirst } from './test/fixtures/longest-first.js';

/** Real servers and processes on two cores: what takes a second alone may take many beside others. */
const PATIENT = { testTimeout: 60_000, hookTimeout: 120_000 };

/** Tests that put something in place of a module, or of the SDK, have modules of their own; all others share theirs. */
const APART = ['test/unit', 'test/attacks'].flatMap((folder) =>
  readdirSync(join(import.meta.dirname, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => file.endsWith('.test.ts') && mocksModules(join(import.meta.dirname, file))),
);
const apartIn = (folder: string): string[] => APART.filter((file) => file.startsWith(join(folder, '/')));

function mocksModules(file: string): boolean {
  return /\bvi\.(mock|doMock)\(|\/fake-workflow\.js'/.test(readFileSync(file, 'utf8'));
}

/** `npm test` leaves these to `npm run test:long`, which runs all tests there are. */
const LATER = isWhole('LONG') ? [] : LONG_FILES.map((file) => `test/${file}.test.ts`);

/** What is measured in milliseconds runs when all else is done. */
const ALONE = ['test/e2e/startup.test.ts'];

/** They compute: as many at once as there are cores. */
const UNIT = { maxWorkers: 2, testTimeout: 30_000, sequence: { groupOrder: 0 } };
/** They mostly wait, for servers, time-outs and each other: more at once than there are cores. */
const WAITING = { maxWorkers: 5, sequence: { groupOrder: 1 }, ...PATIENT };
const ON_TEMPORAL = { globalSetup: 'test/fixtures/global-temporal.ts', ...WAITING };

export default defineConfig({
  test: {
    pool: 'forks',
    // A worker logs each task and each call that ends.
    env: { ABILITY_LOG: process.env.ABILITY_LOG ?? 'warn' },
    sequence: { sequencer: LongestFirst },
    // Each project would transform the same sources anew; kept in node_modules by their contents.
    experimental: { fsModuleCache: true },
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['test/unit/**/*.test.ts'], exclude: APART, isolate: false, ...UNIT },
      },
      { extends: true, test: { name: 'unit-apart', include: apartIn('test/unit'), ...UNIT } },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          exclude: LATER,
          isolate: false,
          ...ON_TEMPORAL,
        },
      },
      { extends: true, test: { name: 'chaos', include: ['test/chaos/**/*.test.ts'], exclude: LATER, ...WAITING } },
      {
        extends: true,
        test: {
          name: 'attacks',
          include: ['test/attacks/**/*.test.ts'],
          exclude: [...APART, ...LATER],
          isolate: false,
          ...ON_TEMPORAL,
        },
      },
      {
        extends: true,
        test: { name: 'attacks-apart', include: apartIn('test/attacks'), exclude: LATER, ...ON_TEMPORAL },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          exclude: [...ALONE, ...LATER],
          isolate: false,
          ...WAITING,
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: ALONE, exclude: LATER, ...PATIENT, maxWorkers: 1, sequence: { groupOrder: 2 } },
      },
      ...(isWhole('LONG')
        ? [
            {
              extends: true as const,
              test: {
                name: 'long',
                include: ['test/long/**/*.test.ts'],
                ...ON_TEMPORAL,
                maxWorkers: 1,
                sequence: { groupOrder: 3 },
              },
            },
          ]
        : []),
    ],
  },
});
