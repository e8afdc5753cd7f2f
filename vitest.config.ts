import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { isLongFile } from './test/fixtures/long-files.js';
import { LongestFirst } from './test/fixtures/longest-first.js';

/** Real servers and processes on two cores: what takes a second alone may take many beside others. */
const PATIENT = { testTimeout: 60_000, hookTimeout: 120_000 };

const FILES = readdirSync(join(import.meta.dirname, 'test'), { recursive: true, encoding: 'utf8' })
  .map((name) => join('test', name))
  .filter((file) => file.endsWith('.test.ts'));
const matches = (file: string, pattern: RegExp): boolean =>
  pattern.test(readFileSync(join(import.meta.dirname, file), 'utf8'));

const SRC = join(import.meta.dirname, 'src/');
/** With `COMPILED=1`, after a build, Node reads the compiled modules itself, which costs less than transforming sources. */
const compiled = {
  name: 'compiled',
  enforce: 'pre' as const,
  resolveId(source: string, importer?: string) {
    const at = importer && source.startsWith('.') ? join(dirname(importer), source) : '';
    if (!at.startsWith(SRC) || at.startsWith(join(SRC, 'page/'))) return;
    return { id: join(import.meta.dirname, 'build', at.slice(SRC.length)), external: true };
  },
};
const SHARED = { extends: true as const, plugins: process.env.COMPILED ? [compiled] : [] };

/** Tests that put something in place of a module, or of the SDK, have modules of their own; all others share theirs. */
const apartIn = (folder: string): string[] =>
  FILES.filter(
    (file) =>
      file.startsWith(join(folder, '/')) && matches(file, /\bvi\.(mock|doMock|resetModules)\(|\/fake-workflow\.js'/),
  );
const APART = { unit: apartIn('test/unit'), attacks: apartIn('test/attacks') };

/** What `npm test` leaves to the long suite: `LONG=whole` runs all tests, `LONG=rest` only those that it leaves out. */
const { LONG } = process.env;
const isLater = (file: string): boolean => isLongFile(file) || matches(file, /\bLONG(ER)?\b.*\/extent\.js'/);
const LEFT_OUT = LONG === 'whole' ? [] : FILES.filter((file) => (LONG === 'rest' ? !isLater(file) : isLongFile(file)));
const leftOutIn = (folder: string): string[] => LEFT_OUT.filter((file) => file.startsWith(`test/${folder}/`));

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
    server: { deps: { external: [/\/build\//] } },
    // A worker logs each task and each call that ends.
    env: { ABILITY_LOG: process.env.ABILITY_LOG ?? 'warn' },
    sequence: { sequencer: LongestFirst },
    tags: [{ name: 'long' }],
    setupFiles: LONG === 'rest' ? ['test/fixtures/only-long.ts'] : [],
    // Each project would transform the same sources anew; kept in node_modules by their contents.
    experimental: { fsModuleCache: true },
    projects: [
      {
        ...SHARED,
        test: {
          name: 'unit',
          include: LONG === 'rest' ? [] : ['test/unit/**/*.test.ts'],
          exclude: APART.unit,
          isolate: false,
          ...UNIT,
        },
      },
      { extends: true, test: { name: 'unit-apart', include: LONG === 'rest' ? [] : APART.unit, ...UNIT } },
      {
        ...SHARED,
        test: {
          name: 'temporal',
          include: ['test/{integration,attacks}/**/*.test.ts'],
          exclude: [...APART.attacks, ...leftOutIn('integration'), ...leftOutIn('attacks')],
          isolate: false,
          ...ON_TEMPORAL,
        },
      },
      {
        ...SHARED,
        test: { name: 'chaos', include: ['test/chaos/**/*.test.ts'], exclude: leftOutIn('chaos'), ...WAITING },
      },
      {
        extends: true,
        test: { name: 'temporal-apart', include: APART.attacks, exclude: leftOutIn('attacks'), ...ON_TEMPORAL },
      },
      {
        ...SHARED,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          exclude: [...ALONE, ...leftOutIn('e2e')],
          isolate: false,
          ...WAITING,
        },
      },
      {
        ...SHARED,
        test: {
          name: 'alone',
          include: ALONE,
          exclude: leftOutIn('e2e'),
          ...PATIENT,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
      {
        ...SHARED,
        test: {
          name: 'long',
          include: ['test/long/**/*.test.ts'],
          exclude: leftOutIn('long'),
          ...ON_TEMPORAL,
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
