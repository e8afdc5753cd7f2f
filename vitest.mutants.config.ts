import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { defineConfig, type Plugin } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { type Mutant, plantSwitches } from './scripts/mutants/find-mutants.mjs';
import base from './vitest.config.js';

/** `scripts/score-mutations.mjs` writes the mutants of a run, each with its id and its file, into this file. */
const chosen = JSON.parse(readFileSync(process.env['MUTANTS'] ?? '', 'utf8')) as (Mutant & {
  id: number;
  file: string;
})[];

const switches: Plugin = {
  name: 'mutants',
  enforce: 'pre',
  transform(code, id) {
    const file = relative(import.meta.dirname, id);
    const mutants = chosen.filter((mutant) => mutant.file === file);
    return mutants.length === 0 ? undefined : { code: plantSwitches(code, mutants), map: null };
  },
};

/** The script gives the quickest test files first. */
class AsGiven extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files;
  }
}

/** The unit tests over sources with switches for mutants: `npm run test:mutants`. */
export default defineConfig({
  plugins: [switches],
  test: {
    ...base.test,
    experimental: { fsModuleCache: false },
    sequence: { sequencer: AsGiven },
    setupFiles: ['test/mutations/switch-mutants.ts'],
    projects: base.test?.projects?.slice(0, 2) ?? [],
  },
});
